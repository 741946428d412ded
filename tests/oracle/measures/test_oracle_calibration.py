"""Hand-computed calibration errors, Brier parts and calibration fits."""

import math
from collections.abc import Callable
from math import exp, log, pi, sqrt

import pytest

from assay_oracle import Outcome

Measure = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        # Two bins: .375+ .375− .125− (mean 7/24, rate 1/3) and .875+ .75− .625+ (3/4, 2/3).
        ("ece:bins=2,on=all", 1 / 2 * 1 / 24 + 1 / 2 * 1 / 12),
        ("ece:bins=1,on=all", 3.125 / 6 - 3 / 6),
        # Sums of p(1 − p): 15/64 + 15/64 + 7/64 and 7/64 + 12/64 + 15/64.
        ("ece_floor:bins=2,on=all", (sqrt(2 / pi * 37 / 64) + sqrt(2 / pi * 34 / 64)) / 6),
        ("ece_debiased:bins=2,on=all", 0.0),  # 1/576 and 1/144, both less (1/3 · 2/3)/2
        ("brier_reliability:bins=2,on=all", (1 / 24**2 + 1 / 12**2) / 2),
        ("brier_resolution:bins=2,on=all", (1 / 36 + 1 / 36) / 2),
        ("brier_resolution:bins=1,on=all", 0.0),
        ("brier_uncertainty:on=all", 1 / 4),
        ("brier_uncertainty:on=returned", 1 / 3 * 2 / 3),
    ],
)
def test_value(six: Measure, definition: str, expected: float) -> None:
    outcome = six(definition)
    assert outcome.value == pytest.approx(expected, abs=1e-15)
    assert (outcome.per_query, outcome.by_convention, outcome.reason) == (None, {}, None)


@pytest.mark.parametrize(
    ("definition", "expected"),
    [("brier:on=all", (1 + 36 + 9 + 25 + 9 + 1) / 64 / 6), ("brier:on=evidence", 35 / 64 / 3)],
)
def test_brier_is_a_mean_over_queries(six: Measure, definition: str, expected: float) -> None:
    outcome = six(definition)
    assert outcome.value == pytest.approx(expected, abs=1e-15)
    sixty_fourths = {"a": 1, "b": 36, "c": 9, "d": 25, "e": 9, "f": 1}
    assert outcome.per_query == {query: value / 64 for query, value in sixty_fourths.items()}
    assert outcome.std is not None


@pytest.mark.parametrize(
    ("definition", "pairs", "expected"),
    [
        # (0, .5] takes the .5, and the 0 with it: |(.5 + 0) − 1| / 3 + |1 − 0| / 3.
        ("ece:bins=2,on=all", [(0.5, 1), (0.0, 0), (1.0, 0)], 0.5 / 3 + 1 / 3),
        # As decimals 0.1 is in (0, 0.1], with 1/16, and 0.3 in (0.2, 0.3], with 1/4 and 1 − 0.7.
        ("ece:bins=10,on=all", [(0.1, 0), (0.0625, 1)], abs(0.1625 - 1) / 2),
        ("ece:bins=10,on=all", [(0.3, 0), (0.25, 1)], 0.45 / 2),
        ("ece:bins=10,on=all", [(1 - 0.7, 0), (0.25, 1)], 0.45 / 2),
        ("ece:bins=10,on=all", [(0.1, 1), (0.15, 0)], 0.525),
        # Gap 3/4, rate 1/4 of four: 9/16 − (3/16)/3.
        ("ece_debiased:bins=10,on=all", [(1.0, 1), (1.0, 0), (1.0, 0), (1.0, 0)], sqrt(1 / 2)),
        ("ece_debiased:bins=10,on=all", [(0.25, 1)], 0.75),
        ("ece_debiased:bins=10,on=all", [(0.75, 0), (0.75, 0)], 0.75),
        ("ece_floor:bins=10,on=all", [(1.0, 1), (0.0, 0)], 0.0),
    ],
)
def test_small_cases(
    binary: Measure, definition: str, pairs: list[tuple[float, int]], expected: float
) -> None:
    assert binary(definition, pairs).value == pytest.approx(expected, abs=1e-15)


# At logit −log 3 one of three is positive, at +log 3 two of three: the fit meets both rates.
LOW, HIGH = [(0.25, 1), (0.25, 0), (0.25, 0)], [(0.75, 1), (0.75, 1), (0.75, 0)]
ODDS_3 = [(0.5, 1), (0.5, 1), (0.5, 1), (0.5, 0)]


@pytest.mark.parametrize(
    ("definition", "pairs", "expected"),
    [
        ("calibration_slope:clip=0.000001,on=all", [*LOW, *HIGH], log(2) / log(3)),
        (
            "calibration_slope:clip=0.000001,on=all",
            [*HIGH, *ODDS_3, *LOW, (0.5, 0), (0.5, 0)],
            log(2) / log(3),
        ),  # more at logit 0, half of it positive, changes nothing
        ("calibration_slope:clip=0.25,on=all", [(round(p), y) for p, y in [*LOW, *HIGH]], log(2) / log(3)),
        ("calibration_slope:clip=0.000001,on=all", [(1 - p, y) for p, y in [*LOW, *HIGH]], -log(2) / log(3)),
        ("calibration_intercept:clip=0.000001,on=all", [*LOW, *HIGH], 0.0),
        ("calibration_intercept:clip=0.000001,on=all", ODDS_3, log(3)),
        ("calibration_intercept:clip=0.000001,on=all", [(0.75, y) for _, y in ODDS_3], 0.0),
        ("calibration_intercept:clip=0.000001,on=all", [(0.0, 1), (0.0, 0)], log(999999)),
        ("calibration_intercept:clip=0.25,on=all", [(1.0, 1), (1.0, 0)], -log(3)),
    ],
)
def test_calibration_fit(
    binary: Measure, definition: str, pairs: list[tuple[float, int]], expected: float
) -> None:
    outcome = binary(definition, pairs)
    assert outcome.value == pytest.approx(expected, abs=1e-11)
    assert outcome.reason is None


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("intercept", [(0.25, 1), (0.75, 1)]),
        ("intercept", [(0.25, 0), (0.75, 0)]),
        ("slope", [(0.25, 1), (0.75, 1)]),
        ("slope", [(0.25, 0), (0.75, 0)]),
        ("slope", ODDS_3),  # all x equal
        ("slope", [(0.0, 1), (0.0000001, 0)]),  # all x equal after clipping
        ("slope", [(0.25, 0), (0.75, 1)]),  # separated
        ("slope", [(0.25, 1), (0.75, 0)]),  # separated the other way
        ("slope", [(0.25, 0), (0.5, 0), (0.5, 1), (0.75, 1)]),  # separated but for one point
    ],
)
def test_not_identified(binary: Measure, name: str, pairs: list[tuple[float, int]]) -> None:
    outcome = binary(f"calibration_{name}:clip=0.000001,on=all", pairs)
    assert (outcome.value, outcome.reason) == (0.0, "not_identified")


def test_a_skewed_fit_still_converges(binary: Measure) -> None:
    # At the optimum of a lopsided sample, sum of (y − p) and sum of (y − p)·x are both 0.
    pairs = [(0.001, 0)] * 200 + [(0.001, 1), (0.002, 0), (0.9, 0), (0.99, 1), (0.999999, 1)]
    x = [log(p / (1 - p)) for p, _ in pairs]

    def residuals(a: float, b: float) -> list[float]:
        return [y - 1 / (1 + exp(-a - b * v)) for (_, y), v in zip(pairs, x, strict=True)]

    slope = binary("calibration_slope:clip=0.000001,on=all", pairs).value
    assert slope is not None
    low, high = -20.0, 20.0  # the a that goes with the slope, by bisection
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if math.fsum(residuals(middle, slope)) > 0 else (low, middle)
    at_optimum = math.fsum(r * v for r, v in zip(residuals(low, slope), x, strict=True))
    assert at_optimum == pytest.approx(0, abs=1e-10)

    intercept = binary("calibration_intercept:clip=0.000001,on=all", pairs).value
    assert intercept is not None
    assert math.fsum(residuals(intercept, 1)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("prob", [-0.5, 1.5])
@pytest.mark.parametrize("definition", ["ece:bins=10,on=all", "ece_floor:bins=10,on=all", "brier:on=all"])
def test_a_prob_that_is_no_probability_is_refused(binary: Measure, definition: str, prob: float) -> None:
    with pytest.raises(ValueError, match=f"query 'q0' has a prob of {prob}; expected 0 to 1"):
        binary(definition, [(prob, 1)])


def test_a_steep_slope_is_a_slope(binary: Measure) -> None:
    """x moves by about 2^-18 only while the log-odds go from −log 2 to +log 2."""
    high = 0.5 + 2**-20
    pairs = [(0.5, y) for _, y in LOW] + [(high, y) for _, y in HIGH]
    outcome = binary("calibration_slope:clip=0.000001,on=all", pairs)
    assert outcome.value == pytest.approx(2 * log(2) / log(high / (1 - high)), rel=1e-9)
    assert outcome.reason is None


def test_certain_and_undecided_probabilities_have_a_slope(binary: Measure) -> None:
    """Steps that are not bounded run away from this one; the value is that of statsmodels."""
    cells = {(0.0, 1): 5, (1.0, 0): 3, (0.5, 1): 2, (0.5, 0): 2, (0.0, 0): 2, (1.0, 1): 1}
    pairs = [pair for pair, many in cells.items() for _ in range(many)]
    outcome = binary("calibration_slope:clip=0.000001,on=all", pairs)
    assert outcome.value == pytest.approx(-0.07224604018109139, abs=1e-9)
