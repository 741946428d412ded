"""Results under a content hash: whole or not there, checked when read."""

from __future__ import annotations

import errno
import os
import pickle
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


def test_an_entry_that_another_job_replaces_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFS reports a stale handle."""
    cache, said, made = counting(tmp_path)
    get(cache, made)
    read, failures = Path.read_bytes, [OSError(errno.ESTALE, "Stale file handle")]

    def stale_once(path: Path) -> bytes:
        if failures:
            raise failures.pop()
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", stale_once)
    assert get(cache, made)["a"].tolist() == MADE["a"].tolist()
    assert (len(made), said, failures) == (1, [], [])


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


def shared(cache: Cache, made: list[int]) -> dict[str, np.ndarray]:
    def make() -> dict[str, np.ndarray]:
        made.append(1)
        return {**MADE, "names": np.array(["ä", "bcd"]), "none": np.zeros((0, 3), np.float32)}

    return dict(cache.shared("x", make))


def test_shared_arrays_are_pages_of_one_file(tmp_path: Path) -> None:
    cache, said, made = counting(tmp_path)
    for _ in range(2):
        found = shared(cache, made)
        assert {name: values.tolist() for name, values in found.items()} == {
            "a": MADE["a"].tolist(),
            "b": [1, 2],
            "names": ["ä", "bcd"],
            "none": [],
        }
        assert found["none"].shape == (0, 3)
        assert not found["a"].flags.writeable
        assert found["a"].flags.aligned
    assert (len(made), said) == (1, [])


def test_shared_arrays_are_sent_to_another_process_as_the_path_of_their_file(tmp_path: Path) -> None:
    large = np.arange(100_000)
    arrays = Cache(tmp_path).shared("x", lambda: {"a": large})
    sent = pickle.dumps(arrays)
    assert len(sent) < 1000
    assert pickle.loads(sent)["a"].tolist() == large.tolist()


@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "other"])
def test_damaged_shared_arrays_are_made_again_and_said(tmp_path: Path, damage: str) -> None:
    cache, said, made = counting(tmp_path)
    shared(cache, made)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(
        {
            "cut": whole[:-7],
            "bit": whole[:70] + bytes([whole[70] ^ 1]) + whole[71:],
            "empty": b"",
            "other": b"not a result at all",
        }[damage]
    )
    assert shared(cache, made)["a"].tolist() == MADE["a"].tolist()
    assert len(made) == 2
    assert ["damaged" in line for line in said] == [True]
    assert path.read_bytes() == whole


def test_a_shared_file_is_not_replaced_by_another_job(tmp_path: Path) -> None:
    """Pages of a file that is replaced on a network file system can no longer be read."""
    cache = Cache(tmp_path)

    def make() -> dict[str, np.ndarray]:
        Cache(tmp_path).shared("x", lambda: MADE)  # meanwhile, by another job
        (path,) = tmp_path.iterdir()
        before.append(path.stat().st_ino)
        return MADE

    before: list[int] = []
    assert cache.shared("x", make)["a"].tolist() == MADE["a"].tolist()
    (path,) = tmp_path.iterdir()
    assert [path.stat().st_ino] == before


def test_without_hard_links_the_last_job_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    assert Cache(tmp_path).shared("x", lambda: MADE)["a"].tolist() == MADE["a"].tolist()
    assert [path.suffix for path in tmp_path.iterdir()] == [".result"]
