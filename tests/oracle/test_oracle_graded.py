"""Hand-computed values of nDCG, the expected reciprocal rank and interpolated precision."""

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
            "102", "3", (1 + 2 * THIRD) / (3 + 2 * SECOND + 1 * THIRD),
        ),
        (
            "ndcg@3:gain=exponential,gold=all,cut=k,on=all",
            "102", "3", (1 + 3 * THIRD) / (7 + 3 * SECOND + 1 * THIRD),
        ),
        (
            "ndcg@3:gain=linear,gold=retrieved,cut=k,on=all",
            "102", "3", (1 + 2 * THIRD) / (2 + 1 * SECOND),
        ),
        ("ndcg@1:gain=linear,gold=all,cut=k,on=all", "102", "3", 1 / 3),
        # n = 2 candidates, k = 3, three gold items: the ideal list has 3 or min(k, n) = 2 items.
        (
            "ndcg@3:gain=linear,gold=all,cut=k,on=all",
            "11", "1", (1 + SECOND) / (1 + SECOND + THIRD),
        ),
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
)  # fmt: skip
def test_value(
    measure: Measure, definition: str, ranked: str, missed: str, expected: float
) -> None:
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
def test_zero_by_convention(
    measure: Measure, definition: str, ranked: str, missed: str, reason: str
) -> None:
    outcome = measure(definition, ranked, missed)
    assert (outcome.value, outcome.by_convention) == (0.0, {reason: 1})


def test_a_grade_above_gmax_is_refused_even_where_it_was_not_retrieved(measure: Measure) -> None:
    with pytest.raises(ValueError, match="query 'q' has a grade of 2; expected at most gmax = 1"):
        measure("err@1:gmax=1,on=all", "1", "2")


@pytest.mark.parametrize(
    ("definition", "ranked", "missed", "expected"),
    [
        # Hits at ranks 2 and 3, R = 2: precision 0, 1/2, 2/3 by rank.
        ("iprec@0.0:need=ceil,rel=1,on=all", "011", "", 2 / 3),
        ("iprec@0.5:need=ceil,rel=1,on=all", "1000001", "", 1.0),
        ("iprec@0.6:need=ceil,rel=1,on=all", "1000001", "", 2 / 7),
        # x·R = 0.2·6 = 1.2: ceil and floor(2.1) need 2 hits, rounding needs 1.
        ("iprec@0.2:need=ceil,rel=1,on=all", "1001", "1111", 1 / 2),
        ("iprec@0.2:need=trec9,rel=1,on=all", "1001", "1111", 1 / 2),
        ("iprec@0.2:need=round,rel=1,on=all", "1001", "1111", 1.0),
        # x·R = 0.05·21 = 1.05: ceil needs 2, floor(1.95) = 1 and rounding 1.
        ("iprec@0.05:need=ceil,rel=1,on=all", "1001", "1" * 19, 1 / 2),
        ("iprec@0.05:need=trec9,rel=1,on=all", "1001", "1" * 19, 1.0),
        # x·R = 0.5·3 = 1.5 rounds away from zero, to 2.
        ("iprec@0.5:need=round,rel=1,on=all", "1001", "1", 1 / 2),
        # x·R = 0.7·10 is exactly 7 as a fraction; fewer than 7 were retrieved.
        ("iprec@0.7:need=ceil,rel=1,on=all", "1111111", "111", 1.0),
        ("iprec@0.7:need=ceil,rel=1,on=all", "111111", "1111", 0.0),
        # R = 2: levels 0.0 to 0.5 need one hit (precision 1), 0.6 to 1.0 need two (2/4).
        ("iprec_avg:need=ceil,rel=1,on=all", "1001", "", (6 * 1 + 5 / 2) / 11),
    ],
)
def test_interpolated_precision(
    measure: Measure, definition: str, ranked: str, missed: str, expected: float
) -> None:
    assert measure(definition, ranked, missed).value == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("name", ["iprec@0.5", "iprec_avg"])
@pytest.mark.parametrize(
    ("ranked", "missed", "reason"), [("00", "", "no_gold"), ("", "1", "no_candidates")]
)
def test_interpolated_precision_by_convention(
    measure: Measure, name: str, ranked: str, missed: str, reason: str
) -> None:
    outcome = measure(f"{name}:need=ceil,rel=1,on=all", ranked, missed)
    assert (outcome.value, outcome.by_convention) == (0.0, {reason: 1})
