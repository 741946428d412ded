"""The regularised incomplete beta function, correct to the last digit of a float.

It is computed in decimal with PRECISION digits, so that the last rounding returns the float nearest
to the true value: a tail of exactly 1/4 is returned as 0.25.
"""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, lru_cache
from itertools import count
from math import comb, exp, lgamma, log, log1p
from typing import TypeVar

Real = int | float | Fraction
Number = TypeVar("Number", float, Decimal)

PRECISION = 50
TOLERANCE = Decimal("1e-42")
STIRLING_FROM = 40  # from here on, TERMS terms of Stirling's series are good to 1e-50
TERMS = 25
TWO_PI = Decimal("6.2831853071795864769252867665590057683943387987502116")
CONTEXT = Context(prec=PRECISION, Emax=MAX_EMAX, Emin=MIN_EMIN)


def incomplete_beta(x: Real, a: Real, b: Real) -> float:
    """Return I_x(a, b) = ∫_0^x t^(a−1)·(1 − t)^(b−1) dt / B(a, b), for 0 <= x <= 1 and a, b > 0.

    For whole numbers it is P(Bin(a + b − 1, x) >= a).
    """
    if not 0 <= x <= 1 or a <= 0 or b <= 0:
        raise ValueError(f"I_x(a, b) of x = {x}, a = {a}, b = {b}; expected 0 <= x <= 1, a, b > 0")
    if x in (0, 1):
        return float(x)
    exact_x, exact_a, exact_b = Fraction(x), Fraction(a), Fraction(b)
    with localcontext(CONTEXT):
        if exact_x * (exact_a + exact_b + 2) < exact_a + 1:
            return float(_lower(exact_x, exact_a, exact_b))
        return float(1 - _lower(1 - exact_x, exact_b, exact_a))


def rough_beta(x: float, a: float, b: float) -> float:
    """Return I_x(a, b) for 0 < x < 1 in floats, to about twelve digits: a starting point."""
    if x * (a + b + 2) >= a + 1:
        return 1 - _rough_lower(1 - x, b, a)
    return _rough_lower(x, a, b)


def _rough_lower(x: float, a: float, b: float) -> float:
    logarithm = a * log(x) + b * log1p(-x) - lgamma(a) - lgamma(b) + lgamma(a + b)
    return exp(logarithm) / a * _continued_fraction(x, a, b, 1e-14)


def _lower(x: Fraction, a: Fraction, b: Fraction) -> Decimal:
    """x^a·(1 − x)^b / (a·B(a, b)) times the continued fraction, which is fast below the mean."""
    left, right, p, q = _decimal(x), _decimal(1 - x), _decimal(a), _decimal(b)
    logarithm = p * left.ln() + q * right.ln() - _log_beta(a, b)
    return logarithm.exp() / p * _continued_fraction(left, p, q, TOLERANCE)


def _continued_fraction(x: Number, a: Number, b: Number, tolerance: Number) -> Number:
    """1/(1 + d_1/(1 + d_2/(1 + …))) by Lentz's method.

    d_2m = m(b − m)x / ((a + 2m − 1)(a + 2m)),
    d_2m+1 = −(a + m)(a + b + m)x / ((a + 2m)(a + 2m + 1)).
    """
    denominator, above, below = x**0, x**0, x - x
    for index in count(1):
        m, odd = divmod(index, 2)
        if odd:
            step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        above = 1 + step / above
        below = 1 / (1 + step * below)
        denominator *= above * below
        if abs(above * below - 1) < tolerance:
            break
    return 1 / denominator


@lru_cache
def _log_beta(a: Fraction, b: Fraction) -> Decimal:
    return _log_gamma(_decimal(a)) + _log_gamma(_decimal(b)) - _log_gamma(_decimal(a + b))


def _log_gamma(z: Decimal) -> Decimal:
    """Return log Γ(z) by Stirling's series, after Γ(z) = Γ(z + 1)/z has made z large enough."""
    product = Decimal(1)
    while z < STIRLING_FROM:
        product *= z
        z += 1
    series = (_coefficient(i) / z ** (2 * i - 1) for i in range(1, TERMS + 1))
    main = (z - Decimal("0.5")) * z.ln() - z + TWO_PI.ln() / 2
    return main + sum(series, Decimal(0)) - product.ln()


@cache
def _coefficient(i: int) -> Decimal:
    """Return the i-th coefficient of Stirling's series: B_2i / (2i·(2i − 1))."""
    with localcontext(CONTEXT):
        return _decimal(_bernoulli(2 * i) / (2 * i * (2 * i - 1)))


@cache
def _bernoulli(m: int) -> Fraction:
    """B_m = −1/(m + 1) · sum over k < m of C(m + 1, k)·B_k, with B_0 = 1."""
    if m == 0:
        return Fraction(1)
    return -sum((comb(m + 1, k) * _bernoulli(k) for k in range(m)), Fraction(0)) / (m + 1)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
