"""The incomplete beta function against closed forms and exact sums, and the bounds made of it."""

from fractions import Fraction
from math import comb, nextafter, pi, sqrt
from random import Random

import pytest
from scipy import special, stats

from assay_oracle.core.beta import incomplete_beta
from assay_oracle.core.exact_bounds import _crossing, bounds


def binomial_at_least(hits: int, n: int, rate: Fraction) -> Fraction:
    """P(Bin(n, rate) >= hits), term by term."""
    terms = (comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in range(hits, n + 1))
    return sum(terms, Fraction(0))


@pytest.mark.parametrize(
    ("x", "a", "b", "expected"),
    [
        (0.0, 2, 3, 0.0),
        (1.0, 2, 3, 1.0),
        (0.3, 1, 1, 0.3),  # the uniform distribution
        (0.25, 0.5, 0.5, 1 / 3),  # 2/π · asin(sqrt(x)), the arcsine law
        (0.75, 0.5, 0.5, 2 / 3),
        (0.5, 2.5, 1, 0.5**2.5),  # x^a
        (0.5, 1, 2.5, 1 - 0.5**2.5),
        (0.5, 2.5, 1.5, 0.5 - 2 / (3 * pi)),  # with t = sin², (π/4 − 1/3)/8 over B = π/16
        (0.5, 123456.5, 123456.5, 0.5),
        (Fraction(995, 1000), 460, 1, 0.995**460),
    ],
)
def test_beta_of_closed_forms(x: float, a: float, b: float, expected: float) -> None:
    assert incomplete_beta(x, a, b) == pytest.approx(expected, rel=1e-13, abs=0)


@pytest.mark.parametrize("n", [1, 2, 7, 40, 300])
def test_beta_of_whole_numbers_is_the_binomial_sum_rounded_once(n: int) -> None:
    for rate in (Fraction(1, 1000), Fraction(1, 4), Fraction(1, 2), Fraction(995, 1000)):
        for hits in range(1, n + 1, max(1, n // 10)):
            exact = binomial_at_least(hits, n, rate)
            assert incomplete_beta(rate, hits, n - hits + 1) == float(exact)


def test_beta_agrees_with_scipy_at_real_arguments() -> None:
    draw = Random(1)
    for _ in range(300):
        x, a, b = draw.random(), 10 ** draw.uniform(-1, 3), 10 ** draw.uniform(-1, 3)
        expected = float(special.betainc(a, b, x))
        assert incomplete_beta(x, a, b) == pytest.approx(expected, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize(("x", "a", "b"), [(-0.1, 1, 1), (1.1, 1, 1), (0.5, 0, 1), (0.5, 1, -1)])
def test_beta_refuses_what_has_no_value(x: float, a: float, b: float) -> None:
    with pytest.raises(ValueError, match="expected 0 <= x <= 1, a, b > 0"):
        incomplete_beta(x, a, b)


@pytest.mark.parametrize(
    ("hits", "n", "level", "low", "high"),
    [
        (0, 460, 0.95, 0.0, 1 - 0.025 ** (1 / 460)),  # (1 − p)^n = 0.025
        (460, 460, 0.95, 0.025 ** (1 / 460), 1.0),
        # 1 − (1 − p)² = 1/4, and 1 − p² = 1/4.
        (1, 2, 0.5, 1 - sqrt(0.75), sqrt(0.75)),
        (2.5, 2.5, 0.95, 0.025 ** (1 / 2.5), 1.0),  # p^hits = 0.025 also between whole numbers
        (0, Fraction(5, 2), 0.95, 0.0, 1 - 0.025 ** (1 / 2.5)),
        (0, 0, 0.95, 0.0, 1.0),  # no data, no bounds
    ],
)
def test_bounds_by_hand(hits: float, n: float, level: float, low: float, high: float) -> None:
    assert bounds(hits, n, level) == pytest.approx((low, high), rel=1e-13, abs=0)


def test_bounds_of_two_in_ten_are_those_of_the_tables() -> None:
    assert [round(bound, 4) for bound in bounds(2, 10, 0.95)] == [0.0252, 0.5561]


def test_a_bound_is_where_the_exact_tail_is_reached() -> None:
    low, high = (Fraction(bound) for bound in bounds(7, 50, 0.9))
    assert float(binomial_at_least(7, 50, low)) == pytest.approx(0.05, rel=1e-13)
    assert float(1 - binomial_at_least(8, 50, high)) == pytest.approx(0.05, rel=1e-13)


@pytest.mark.parametrize("near", [0.3, 0.0, 0.29, 0.9, 1.0])
def test_where_the_search_starts_does_not_matter(near: float) -> None:
    """3/10 lies between two floats; the upper one is the first that is not below it."""
    upper = nextafter(0.3, 1.0)
    assert Fraction(0.3) < Fraction(3, 10) < Fraction(upper)
    assert _crossing(lambda p: p - Fraction(3, 10), near) == upper


def test_bounds_agree_with_scipy_at_real_counts() -> None:
    draw = Random(2)
    for _ in range(8):
        n = draw.uniform(1, 500)
        hits = draw.uniform(0, n)
        low = float(stats.beta.ppf(0.025, hits, n - hits + 1))
        high = float(stats.beta.ppf(0.975, hits + 1, n - hits))
        assert bounds(hits, n, 0.95) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize(
    ("hits", "n", "level", "words"),
    [
        (-1, 5, 0.95, "hits is -1; expected 0 to n = 5"),
        (6, 5, 0.95, "hits is 6; expected 0 to n = 5"),
        (1, 5, 1.0, "level is 1.0; expected a number between 0 and 1"),
        (1, 5, 0.0, "level is 0.0; expected a number between 0 and 1"),
    ],
)
def test_bad_bounds_are_refused(hits: int, n: int, level: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        bounds(hits, n, level)
