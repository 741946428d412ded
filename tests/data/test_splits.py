"""Splits by hand: sizes, disjointness, reproducibility, refusals."""

from __future__ import annotations

from collections import Counter

import pytest

import assay
from assay.data.splits import folds, split

POSTS = [f"post {number}" for number in range(1477)]


def test_22_sizes_of_the_contracts() -> None:
    assert sorted(Counter(folds(POSTS).values()).items()) == [
        (0, 295),
        (1, 295),
        (2, 295),
        (3, 295),
        (4, 297),
    ]
    assert [len(part) for part in split(POSTS, (0.8, 0.1, 0.1))] == [1181, 147, 149]
    assert [len(part) for part in split(POSTS[:1182], (0.7, 0.3))] == [827, 355]


def test_parts_are_disjoint_and_whole() -> None:
    parts = split(POSTS, (0.5, 0.25, 0.25))
    assert sum(map(len, parts)) == len(set().union(*parts)) == 1477


def test_the_seed_decides_and_the_order_of_the_input_does_not() -> None:
    assert folds(POSTS, seed=3) == folds(reversed(POSTS), seed=3)
    assert folds(POSTS, seed=3) != folds(POSTS, seed=4)
    assert split(POSTS, (0.7, 0.3), 1) == split([*POSTS, *POSTS], (0.7, 0.3), 1)
    assert split(POSTS, (0.7, 0.3), 1) == split(reversed(POSTS), (0.7, 0.3), 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: folds(["a"], 2), "1 posts for 2 folds"),
        (lambda: folds(POSTS, 1), "count is 1"),
        (lambda: split(["a"], (0.5, 0.5)), "1 posts for 2 parts"),
        (lambda: split(POSTS, (0.5, 0.4)), "shares are 0.5, 0.4"),
        (lambda: split(["a", "b", "c"], (0.1, 0.9)), "less than one post"),
    ],
)
def test_refused(call: object, message: str) -> None:
    with pytest.raises(assay.InputError, match=message):
        call()  # type: ignore[operator]
