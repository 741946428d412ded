"""Results under a content hash: whole or not there, checked when read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.pipeline.protocol.stage_cache import Cache, digest, digest_array

MADE = {"a": np.arange(6.0).reshape(2, 3), "b": np.array([1, 2])}


def counting(folder: Path) -> tuple[Cache, list[str], list[int]]:
    said: list[str] = []
    made: list[int] = []
    return Cache(folder, said.append), said, made


def get(cache: Cache, made: list[int], facts: object = "x") -> dict[str, np.ndarray]:
    def make() -> dict[str, np.ndarray]:
        made.append(1)
        return MADE

    return dict(cache.get(facts, make))


def test_a_result_is_made_once(tmp_path: Path) -> None:
    cache, said, made = counting(tmp_path / "new")
    for _ in range(3):
        found = get(cache, made)
        assert {name: values.tolist() for name, values in found.items()} == {
            name: values.tolist() for name, values in MADE.items()
        }
    get(cache, made, "y")
    assert (len(made), said) == (2, [])
    assert sorted(path.suffix for path in (tmp_path / "new").iterdir()) == [".result"] * 2


@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "other"])
def test_a_damaged_entry_is_made_again_and_said(tmp_path: Path, damage: str) -> None:
    cache, said, made = counting(tmp_path)
    get(cache, made)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "cut": whole[:-7],
            "bit": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "empty": b"",
            "other": b"not a result at all",
        }[damage]
    )
    found = get(cache, made)
    assert len(made) == 2
    assert len(said) == 1
    assert "damaged" in said[0]
    assert "recomputing it" in said[0]
    assert found["a"].tolist() == MADE["a"].tolist()
    assert path.read_bytes() == whole


def test_what_was_left_half_written_is_no_entry(tmp_path: Path) -> None:
    cache, said, made = counting(tmp_path)
    get(cache, made)
    (path,) = tmp_path.iterdir()
    path.rename(path.with_name(f".{path.name}.123"))
    get(cache, made)
    assert (len(made), said) == (2, [])


def test_digests_tell_facts_apart() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest({"a": [1, 2]}) != digest({"a": [12]})
    assert digest_array(np.zeros((2, 3))) != digest_array(np.zeros((3, 2)))
    assert digest_array(np.zeros(4, bool)) != digest_array(np.zeros(4, np.int8))
