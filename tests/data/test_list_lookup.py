"""Lookup of queries, and of items in candidate lists, against plain dicts; poor hashes, crowded tables."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

from assay.data.alignment import list_lookup
from assay.data.alignment.align import QueryCodes
from assay.data.alignment.list_lookup import ListLookup

Pair = tuple[int, str]
NAMES = tuple("abcdef")


def lists_of(seed: int, *, repeats: bool) -> tuple[list[Pair], list[Pair]]:
    """Return the rows of some lists, and pairs to look for: some listed, some listed elsewhere, some not."""
    draw = random.Random(seed)
    rows: list[Pair] = []
    for number in range(draw.randint(1, 30)):
        names = draw.sample(range(400), draw.choice((1, 2, 7, 60, 200)))
        rows += [(number, f"item {name}") for name in names]
        if repeats and draw.random() < 0.2:
            rows.append((number, rows[-1][1]))
    wanted = {(draw.randint(0, rows[-1][0]), f"item {draw.randint(0, 450)}") for _ in range(60)}
    wanted |= set(draw.sample(rows, min(20, len(rows))))
    return rows, sorted(wanted)


def expected(rows: list[Pair], wanted: list[Pair]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return (row, place of the wanted pair), and the rows that repeat an earlier one."""
    seen: dict[Pair, list[int]] = {}
    for row, pair in enumerate(rows):
        seen.setdefault(pair, []).append(row)
    found = [(row, place) for place, pair in enumerate(wanted) for row in seen.get(pair, [])]
    return sorted(found), sorted(row for all_rows in seen.values() for row in all_rows[1:])


def check(rows: list[Pair], wanted: list[Pair], *, chunked: bool = False) -> None:
    number = np.array([row[0] for row in rows])
    items = pl.Series([row[1] for row in rows], dtype=pl.String)
    if chunked:
        items = pl.concat([items[: len(items) // 3], items[len(items) // 3 :]], rechunk=False)
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    places = np.array([place for place, _ in wanted], dtype=np.int64)
    names = pl.Series([name for _, name in wanted], dtype=pl.String)
    found, repeated = expected(rows, wanted)
    lookup = ListLookup(starts, items)
    at, which = lookup.find(places, names)
    assert list(zip(at.tolist(), which.tolist(), strict=True)) == found
    assert lookup.repeated().tolist() == repeated
    assert ListLookup(starts, items).repeated().tolist() == repeated


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_a_plain_dict_agrees(seed: int, repeats: bool) -> None:
    check(*lists_of(seed, repeats=repeats), chunked=seed % 2 == 0)


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_rows_that_lose_their_places_are_found(
    seed: int, repeats: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_lookup, "BLOCK", 16)
    monkeypatch.setattr(list_lookup, "ROOM", 0)
    monkeypatch.setattr(list_lookup, "LARGEST_TABLE", 4)
    check(*lists_of(seed, repeats=repeats))


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("values", [1, 300])
def test_different_items_may_share_a_hash(
    values: int, repeats: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def poor(items: pl.Series) -> np.ndarray:
        return np.array([sum(map(ord, item)) % values for item in items], dtype=np.uint64) << np.uint64(40)

    monkeypatch.setattr(list_lookup, "_hashes", poor)
    for seed in range(10):
        check(*lists_of(seed, repeats=repeats))


def test_an_item_with_the_hash_of_another_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_letter(items: pl.Series) -> np.ndarray:
        return np.array([ord(item[0]) for item in items], dtype=np.uint64) << np.uint64(50)

    monkeypatch.setattr(list_lookup, "_hashes", first_letter)
    check([(0, "ab"), (0, "b"), (1, "ac")], [(0, "ab"), (0, "ac"), (1, "ab"), (1, "ac")])


def test_a_list_that_is_longer_than_a_block() -> None:
    many = list_lookup.BLOCK * 5
    rows = [(0, f"{row}") for row in range(3)] + [(1, f"{row}") for row in range(many)] + [(2, "7")]
    check(rows, [(0, "2"), (0, "7"), (1, "7"), (1, f"{many - 1}"), (1, f"{many}"), (2, "7")])
    check([*rows[:many], (1, "5"), (2, "7")], [(1, "5"), (2, "7")])


def test_no_list() -> None:
    lookup = ListLookup(np.zeros(0, dtype=np.int64), pl.Series([], dtype=pl.String))
    assert lookup.repeated().tolist() == []
    found = lookup.find(np.zeros(0, dtype=np.int64), pl.Series([], dtype=pl.String))
    assert [each.tolist() for each in found] == [[], []]


@pytest.mark.parametrize(
    "chunks",
    [
        ["abc", "def"],
        ["ab", "def"],  # c is missing
        ["fe", "dcba"],
        ["abz", "c", "yx", "def"],  # z, y and x are not judged
        ["", "a", "", "bcdef"],
        ["def", "abc"],
        ["f", "g"],  # the next query would be beyond the last one
    ],
)
@pytest.mark.parametrize("grow", [False, True])
def test_the_order_of_a_run_does_not_matter(chunks: list[str], grow: bool) -> None:
    made = QueryCodes(NAMES, grow=grow)
    known = {name: code for code, name in enumerate(NAMES)}
    for chunk in chunks:
        if grow:
            for name in chunk:
                known.setdefault(name, len(known))
        found = made.of(list(chunk))
        assert found.dtype == np.int64
        assert found.tolist() == [known.get(name, -1) for name in chunk]
    assert made.codes == known
