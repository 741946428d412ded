"""Ranks of candidates with ties, against a plain sort of each query's rows."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

from assay.data.alignment.ranks import rank_candidates, rank_rows

Row = tuple[int, float, str]


def rows_of(seed: int, *, grouped: bool) -> list[Row]:
    draw = random.Random(seed)
    rows = [
        (query, draw.choice((0.1, 0.5, 0.5, 2.0, -1.0)), f"d{draw.random():.6f}")
        for query in range(draw.randint(1, 6))
        for _ in range(draw.choice((1, 3, 12, 40)))
    ]
    if not grouped:
        draw.shuffle(rows)
    return rows


def expected(rows: list[Row], *, by_id: bool) -> list[int]:
    ranks = [0] * len(rows)
    for query in {row[0] for row in rows}:
        mine = [at for at, row in enumerate(rows) if row[0] == query]
        if by_id:
            mine.sort(key=lambda at: rows[at][2], reverse=True)
        mine.sort(key=lambda at: -rows[at][1])  # stable
        for rank, at in enumerate(mine, start=1):
            ranks[at] = rank
    return ranks


@pytest.mark.parametrize("by_id", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_every_candidate(seed: int, by_id: bool) -> None:
    rows = rows_of(seed, grouped=False)
    query, score, item = zip(*rows, strict=True)
    items = pl.Series(item) if by_id else None
    found = rank_candidates(np.array(query), np.array(score), items)
    assert found.tolist() == expected(rows, by_id=by_id)


@pytest.mark.parametrize("by_id", [False, True])
@pytest.mark.parametrize("share", [0.05, 0.9])
@pytest.mark.parametrize("seed", range(10))
def test_some_candidates(seed: int, share: float, by_id: bool) -> None:
    rows = rows_of(seed, grouped=True)
    query = np.array([row[0] for row in rows])
    starts = np.flatnonzero(np.diff(query, prepend=-1))
    judged = np.flatnonzero(np.random.default_rng(seed).random(len(rows)) < share)
    score = np.array([row[1] for row in rows])
    items = pl.Series([row[2] for row in rows]) if by_id else None
    found = rank_rows(score, starts, judged, query[judged], items)
    right = expected(rows, by_id=by_id)
    assert found.rank.tolist() == [right[at] for at in judged]


def test_nothing_to_rank() -> None:
    assert rank_candidates(np.zeros(0, dtype=np.int64), np.zeros(0), None).tolist() == []


@pytest.mark.parametrize("by_id", [False, True])
@pytest.mark.parametrize("lengths", [(1, 3, 12, 40), (40,), (2_100, 2_041, 7), (20_000, 8)])
def test_few_candidates_of_many_lists(lengths: tuple[int, ...], by_id: bool) -> None:
    """Ranked by counting: in a matrix where lists are short, one by one where few or long."""
    rng = np.random.default_rng(sum(lengths))
    size = rng.choice(lengths, 50)
    query = np.repeat(np.arange(50), size)
    score = rng.integers(0, 2 * max(lengths), len(query)) / 4.0
    starts = np.cumsum(size) - size
    judged = np.unique(np.concatenate([starts + (rng.random(50) * size).astype(int) for _ in range(3)]))
    names = [f"d{at}" for at in rng.permutation(len(query))]
    found = rank_rows(score, starts, judged, query[judged], pl.Series(names) if by_id else None)
    for at, rank, first, last in zip(judged, found.rank, found.first, found.last, strict=True):
        mine = range(starts[query[at]], starts[query[at]] + size[query[at]])
        above = sum(score[row] > score[at] for row in mine)
        tied = [row for row in mine if score[row] == score[at]]
        before = sum(names[row] > names[at] if by_id else row < at for row in tied)
        assert (rank, first, last) == (above + before + 1, above + 1, above + len(tied))
