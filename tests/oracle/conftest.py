"""Small cases in, one outcome out: how the hand-checked tests spell a case."""

from collections.abc import Callable
from typing import Any

import pytest

from assay_oracle import Outcome, Query, evaluate

Measure = Callable[..., Outcome]


def grade(mark: str) -> float:
    """A digit is a grade; `p` is in the pool but not judged, which is a grade of -1."""
    return -1.0 if mark == "p" else float(mark)


@pytest.fixture
def measure() -> Measure:
    """`measure(id, "1-0", missed="2")`: the grades by rank, `-` for an item without a judgement.

    `missed` are the grades of judged items that were not retrieved.
    """

    def run(definition: str, ranked: str, missed: str = "") -> Outcome:
        marks = dict(enumerate(ranked + missed))
        judgements = [("q", f"d{i}", grade(mark)) for i, mark in marks.items() if mark != "-"]
        candidates = [("q", f"d{i}", -float(i)) for i in range(len(ranked))]
        return evaluate([Query("q")], judgements, candidates, [definition])[definition]

    return run


def _budget(threshold: float) -> dict[str, float]:
    return {"tune": 0.375, "fpr_0.05": threshold}


# Evidence have a, c and d; see the tables of tests for what follows from the rest.
#             post criterion fold prob K state
SIX = [
    Query("a", "P", "1", None, 0.875, 2, "POS", _budget(0.875)),
    Query("b", "P", "2", None, 0.75, 1, "UNCERTAIN", _budget(0.8125)),
    Query("c", "Q", "1", None, 0.625, 0, "UNCERTAIN", _budget(0.5)),
    Query("d", "Q", "2", None, 0.375, 0, "NEG", _budget(0.75)),
    Query("e", None, None, None, 0.375, 3, "UNCERTAIN", _budget(0.25)),
    Query("f", None, None, None, 0.125, 0, "NEG", _budget(0.75)),
]
# By rank: a 1 0 1 (and one missed), b 0 and one without a judgement, c 1 1, d two missed, e 0.
SIX_JUDGEMENTS = [
    ("a", "x", 1),
    ("a", "y", 0),
    ("a", "z", 1),
    ("a", "w", 1),
    ("b", "x", 0),
    ("c", "x", 1),
    ("c", "y", 1),
    ("d", "x", 1),
    ("d", "y", 1),
    ("e", "x", 0),
]
SIX_CANDIDATES = [
    ("a", "x", 3.0),
    ("a", "y", 2.0),
    ("a", "z", 1.0),
    ("b", "x", 2.0),
    ("b", "y", 1.0),
    ("c", "x", 3.0),
    ("c", "y", 2.0),
    ("e", "x", 1.0),
]


@pytest.fixture
def six() -> Measure:
    """`six(id)`: the outcome on the six queries above."""

    def run(definition: str, depth: int | None = None) -> Outcome:
        rows = (SIX, SIX_JUDGEMENTS, SIX_CANDIDATES)
        return evaluate(*rows, [definition], depth=depth)[definition]

    return run


@pytest.fixture
def binary() -> Measure:
    """`binary(id, [(0.5, 1), …])`: the outcome on queries of such (prob, label)."""

    def run(definition: str, pairs: list[tuple[float, int]], **fields: Any) -> Outcome:
        queries = [Query(f"q{i}", prob=p, **fields) for i, (p, _) in enumerate(pairs)]
        judgements = [(f"q{i}", "x", y) for i, (_, y) in enumerate(pairs)]
        return evaluate(queries, judgements, [], [definition])[definition]

    return run
