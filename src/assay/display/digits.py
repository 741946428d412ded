"""How many digits a number is shown with: as many as its interval supports."""

from __future__ import annotations

from math import floor, isfinite, log10

MOST = 4
"""Largest number of decimals."""
PLAIN = 3
"""Decimals of a number without an interval."""


def decimals(value: float, low: float | None = None, high: float | None = None) -> int:
    """Return the decimals that show half the interval's width with two significant digits.

    >>> decimals(0.91667, 0.75, 1.0), decimals(0.98312, 0.9802, 0.9861), decimals(333.3, 166, 500)
    (2, 4, 0)
    >>> decimals(12.0, 6.0, 18.0), decimals(12.0), decimals(0.5)
    (0, 0, 3)
    """
    if float(value).is_integer() and abs(value) > 1:
        return 0  # a count
    if low is not None and high is not None and isfinite(low) and isfinite(high) and high > low:
        return min(MOST, max(0, 1 - floor(log10((high - low) / 2))))
    return PLAIN


def rounded(value: float | None, places: int) -> str:
    """Return a number with a fixed number of decimals and a true minus; a dash for None.

    >>> rounded(-0.04961, 2), rounded(-0.0001, 2), rounded(14770, 0), rounded(None, 2)
    ('−0.05', '0.00', '14,770', '–')
    """
    if value is None:
        return "–"
    text = f"{value:,.{places}f}"
    if not float(text.replace(",", "")):
        return text.lstrip("-")
    return text.replace("-", "−")
