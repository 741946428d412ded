"""Hand-computed values of nDCG and the expected reciprocal rank."""

from collections.abc import Callable
from math import log2

import pytest

from assay_oracle import Outcome

Measure = Callable[..., Outcome]

SECOND, THIRD = 1 / log2(3), 1 / 2  # discounts 1/log2(rank + 1); the first rank has 1


@pytest.mark.parametrize(
    ("definition", "ranked", "missed", "expected"),
    [
        # Grades 1, 0, 2 by rank; a 3 was missed: ideal order 3, 2, 1.
        (
            "ndcg@3:gain=linear,gold=all,cut=k,on=all",
            "102",
            "3",
            (1 + 2 * THIRD) / (3 + 2 * SECOND + 1 * THIRD),
        ),
        (
            "ndcg@3:gain=exponential,gold=all,cut=k,on=all",
            "102",
            "3",
            (1 + 3 * THIRD) / (7 + 3 * SECOND + 1 * THIRD),
        ),
        ("ndcg@3:gain=linear,gold=retrieved,cut=k,on=all", "102", "3", (1 + 2 * THIRD) / (2 + 1 * SECOND)),
        ("ndcg@1:gain=linear,gold=all,cut=k,on=all", "102", "3", 1 / 3),
        # n = 2 candidates, k = 3, three gold items: the ideal list has 3 or min(k, n) = 2 items.
        ("ndcg@3:gain=linear,gold=all,cut=k,on=all", "11", "1", (1 + SECOND) / (1 + SECOND + THIRD)),
        ("ndcg@3:gain=linear,gold=all,cut=k_eff,on=all", "11", "1", 1.0),
        ("ndcg@all:gain=linear,gold=all,cut=k,on=all", "01", "1", SECOND / (1 + SECOND)),
        ("ndcg@all:gain=linear,gold=all,cut=k_eff,on=all", "1", "1", 1.0),
        # An item that is not judged, or only in the pool, has no gain.
        ("ndcg@all:gain=linear,gold=all,cut=k,on=all", "-p1", "", THIRD),
        ("ndcg@1:gain=linear,gold=retrieved,cut=k,on=all", "01", "", 0.0),
        # ERR, gmax 1: S = 1/2 each: 1/2 + 1/2 · (1/2 · 1/2) = 5/8.
        ("err@2:gmax=1,on=all", "11", "", 5 / 8),
        ("err@1:gmax=1,on=all", "11", "", 1 / 2),
        # gmax 2: S = 1/4, 0, 3/4: 1/4 + 1/3 · 3/4 · 3/4 = 7/16.
        ("err@all:gmax=2,on=all", "102", "", 7 / 16),
        ("err@all:gmax=2,on=all", "-p0", "", 0.0),
    ],
)
def test_value(measure: Measure, definition: str, ranked: str, missed: str, expected: float) -> None:
    outcome = measure(definition, ranked, missed)
    assert outcome.value == pytest.approx(expected, abs=1e-15)
    assert outcome.by_convention == {}


@pytest.mark.parametrize(
    ("definition", "ranked", "missed", "reason"),
    [
        ("ndcg@3:gain=linear,gold=all,cut=k,on=all", "0p-", "", "no_gold"),
        ("ndcg@3:gain=linear,gold=all,cut=k,on=all", "", "1", "no_candidates"),
        ("ndcg@3:gain=linear,gold=retrieved,cut=k,on=all", "00", "1", "no_retrieved_gold"),
        ("err@3:gmax=1,on=all", "", "1", "no_candidates"),
    ],
)
def test_zero_by_convention(measure: Measure, definition: str, ranked: str, missed: str, reason: str) -> None:
    outcome = measure(definition, ranked, missed)
    assert (outcome.value, outcome.by_convention) == (0.0, {reason: 1})


def test_a_grade_above_gmax_is_refused_even_where_it_was_not_retrieved(measure: Measure) -> None:
    with pytest.raises(ValueError, match="query 'q' has a grade of 2; expected at most gmax = 1"):
        measure("err@1:gmax=1,on=all", "1", "2")
