"""One small query in, one outcome out: how the hand-checked tests spell a case."""

from collections.abc import Callable

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
