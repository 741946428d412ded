"""Hand-computed values of judged shares and of the retrieved list as a set."""

from collections.abc import Callable

import pytest

from assay_oracle import Outcome

Measure = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("definition", "ranked", "missed", "expected"),
    [
        # Judged are the 1 and the 0; `-` has no judgement, `p` was only in the pool.
        ("judged@4:denominator=k,on=all", "1-0p", "", 2 / 4),
        ("judged@8:denominator=k,on=all", "1-0p", "", 2 / 8),
        ("judged@8:denominator=k_eff,on=all", "1-0p", "", 2 / 4),
        ("judged@all:denominator=k,on=all", "1-0p", "", 2 / 4),
        ("unjudged@3:denominator=k,on=all", "1-0p", "", 1 / 3),
        ("unjudged@8:denominator=k,on=all", "1-0p", "", 2 / 8),
        ("unjudged@8:denominator=k_eff,on=all", "1-0p", "", 2 / 4),
        ("unjudged@all:denominator=k,on=all", "1-0p", "", 2 / 4),
        ("set_precision:rel=1,on=all", "1010", "1", 2 / 4),
        ("set_precision:rel=1,on=all", "00", "", 0.0),
        ("set_recall:rel=1,on=all", "1010", "1", 2 / 3),
        # P = 1/2, R = 2/3: F1 = 2·(1/3)/(7/6) = 4/7; F0.5 = 1.25·(1/3)/(1/8 + 2/3) = 10/19.
        ("set_f:beta=1,rel=1,on=all", "1010", "1", 4 / 7),
        ("set_f:beta=0.5,rel=1,on=all", "1010", "1", 10 / 19),
        ("set_f:beta=1,rel=1,on=all", "00", "1", 0.0),
    ],
)
def test_value(measure: Measure, definition: str, ranked: str, missed: str, expected: float) -> None:
    outcome = measure(definition, ranked, missed)
    assert outcome.value == pytest.approx(expected, abs=1e-15)
    assert outcome.by_convention == {}


@pytest.mark.parametrize(
    ("definition", "ranked", "missed", "reason"),
    [
        ("judged@3:denominator=k,on=all", "", "1", "no_candidates"),
        ("unjudged@3:denominator=k,on=all", "", "1", "no_candidates"),
        ("set_precision:rel=1,on=all", "", "1", "no_candidates"),
        ("set_recall:rel=1,on=all", "0", "", "no_gold"),
        ("set_f:beta=1,rel=1,on=all", "0", "", "no_gold"),
        ("set_f:beta=1,rel=1,on=all", "", "1", "no_candidates"),
    ],
)
def test_zero_by_convention(measure: Measure, definition: str, ranked: str, missed: str, reason: str) -> None:
    outcome = measure(definition, ranked, missed)
    assert (outcome.value, outcome.by_convention) == (0.0, {reason: 1})
