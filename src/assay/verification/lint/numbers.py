"""Printed numbers: each is an interval, its value ± half a unit of its last digit.

Everything is an exact fraction. Half a unit is allowed on both sides, inclusive, so values that
were rounded half up, half down or half to even all pass. `0.82`, `.82`, `82 %`, `8.2e-1`, `14,770`
and `0,82` are numbers; `–` and `n/a` mean that there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from assay.errors import NotANumberError

HALF = Fraction(1, 2)
EXACT = Fraction(1, 10**9)  # a value with this many digits was computed, not rounded
LONG = 10  # decimals from which a value counts as not rounded
MOST_DIGITS = 400  # of an exponent or a number: above this it is not a value
LARGEST_EXPONENT = 100
"""Limits of a printed value: products of three stay floats."""

ABSENT = frozenset(
    (
        "",
        "-",
        "–",
        "—",
        "−",
        "--",
        "---",
        "n/a",
        "na",
        "n.a.",
        "n.a",
        "nan",
        "none",
        "null",
        ".",
        "…",
        "...",
        "?",
        "not reported",
        "n.r.",
        "nr",
    )
)

_NUMBER = (
    r"[+\-−–]?\s*(?:\d{1,3}(?:[,'\u202f\u00a0 ]\d{3})+(?:\.\d+)?|\d+,\d+|\d+\.?\d*|\.\d+)"
    r"(?:[eE][+\-−]?\d+)?"
)
_PERCENT = r"\s*(?:%|percent|pct\.?|pp|p\.p\.|points)?"
_PART = rf"({_NUMBER})({_PERCENT})"
_ALONE = re.compile(rf"^{_PART}$", re.IGNORECASE)
_SPREAD = re.compile(rf"^\(?{_PART}\s*(?:±|\+/-|\+-|\\pm)\s*{_PART}\)?({_PERCENT})$", re.IGNORECASE)
_ENDS = rf"{_PART}\s*(?:,|;|–|—|-|to|\.\.|…)\s*{_PART}"
_RANGE = re.compile(rf"^[\[(]?\s*{_ENDS}\s*[\])]?({_PERCENT})$", re.IGNORECASE)
_BRACKET = re.compile(rf"^(.*?)\s*[\[(]\s*(?:95\s*%\s*CI:?\s*)?{_ENDS}\s*[\])]({_PERCENT})$", re.IGNORECASE)
_REMARK = re.compile(r"^(.*\S)\s*\([^()]*\)$")
_MARKS = re.compile(r"~~|[*_`↑↓→▲▼†‡§¶$]|\\(?=[%$])|\^\{?\w\}?$|<[^>]{0,40}>")


@dataclass(frozen=True, slots=True)
class Quantity:
    """One printed number: its value, how far rounding may have moved it, and its text."""

    value: Fraction
    half: Fraction
    text: str
    percent: bool = False

    @property
    def lo(self) -> Fraction:
        """Return the least number that prints as this one."""
        return self.value - self.half

    @property
    def hi(self) -> Fraction:
        """Return the greatest number that prints as this one."""
        return self.value + self.half

    def scaled(self, factor: Fraction) -> Quantity:
        """Return the same print on another scale."""
        return replace(self, value=self.value * factor, half=self.half * factor)


@dataclass(frozen=True, slots=True)
class Cell:
    """The content of a cell: a number, a spread after ±, an interval, or only an interval."""

    value: Quantity | None
    std: Quantity | None = None
    interval: tuple[Quantity, Quantity] | None = None
    remark: bool = False  # a number in brackets of unknown meaning


def plain(text: str) -> str:
    """Return a cell without bold, arrows, footnote marks and surrounding whitespace."""
    return " ".join(_MARKS.sub("", text.replace("\\pm", "±").replace("\xa0", " ")).split())


_BOLD = re.compile(r"~~|[*`]|<[^>]{0,40}>|\\(?=[%$_&#])")


def words(text: str) -> str:
    """Return a label without bold and surrounding whitespace; underscores within a name stay."""
    bare = " ".join(_BOLD.sub("", text.replace("\xa0", " ")).split())
    return bare[1:-1] if len(bare) > 2 and bare[0] == bare[-1] == "_" else bare


def read_cell(text: str) -> Cell | None:
    """Return the values of a cell; None if it states that there is none."""
    bare = plain(text)
    if len(bare) > MOST_DIGITS:
        raise NotANumberError(text)
    if bare.lower() in ABSENT:
        return None
    for pattern, reader in _FORMS:
        if found := pattern.match(bare):
            return reader(found)
    raise NotANumberError(text)


def _alone(found: re.Match[str]) -> Cell:
    return Cell(quantity(found[1], found[2]))


def _spread(found: re.Match[str]) -> Cell:
    own, after = found[2].strip(), (found[5] or found[4]).strip()
    return Cell(quantity(found[1], own or after), quantity(found[3], after or own))


def _bracket(found: re.Match[str]) -> Cell:
    ends = _ends(found, 2, found[6])
    inner = read_cell(found[1])
    if inner is None or inner.value is None:
        return Cell(None, None, ends)
    if inner.value.percent:
        ends = (_as_percent(ends[0]), _as_percent(ends[1]))
    return Cell(inner.value, inner.std, ends)


def _range(found: re.Match[str]) -> Cell:
    return Cell(None, None, _ends(found, 1, found[5]))


def _remarked(found: re.Match[str]) -> Cell | None:
    inner = read_cell(found[1])
    return None if inner is None else replace(inner, remark=True)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Cell | None]], ...] = (
    (_ALONE, _alone),
    (_SPREAD, _spread),
    (_BRACKET, _bracket),
    (_RANGE, _range),
    (_REMARK, _remarked),
)


def _ends(found: re.Match[str], at: int, after: str) -> tuple[Quantity, Quantity]:
    last = (after or found[at + 3]).strip()
    return quantity(found[at], found[at + 1].strip() or last), quantity(found[at + 2], last)


def _as_percent(given: Quantity) -> Quantity:
    if given.percent:
        return given
    return replace(given.scaled(Fraction(1, 100)), percent=True)


def quantity(digits: str, unit: str = "") -> Quantity:
    """Return a number from its digits; a percent sign divides it by 100."""
    text = digits.strip()
    bare = re.sub(r"\s", "", text).replace("−", "-").replace("–", "-").replace("'", "")
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?([eE].*)?", bare) and not re.match(r"[+-]?0,", bare):
        bare = bare.replace(",", "")
    number = decimal(bare.replace(",", "."))
    exponent = number.as_tuple().exponent
    half = HALF * Fraction(10) ** int(exponent)
    if int(exponent) <= -LONG:
        half = max(half, EXACT * max(Fraction(1), abs(Fraction(number))))
    made = Quantity(Fraction(number), half, (text + unit).strip())
    return _as_percent(made) if unit.strip() else made


def decimal(text: str) -> Decimal:
    """Return a decimal number of reasonable size."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise NotANumberError(text) from None
    if not number.is_finite() or abs(number.adjusted()) > LARGEST_EXPONENT or len(text) > MOST_DIGITS:
        raise NotANumberError(text)
    return number


def exactly(number: float, text: str = "") -> Quantity:
    """Return a number that was computed and not rounded; it may be off by 1e-9."""
    value = Fraction(number)
    return Quantity(value, EXACT * max(Fraction(1), abs(value)), text or f"{number:.6g}")


def shown(value: Fraction, digits: int = 4) -> str:
    """Return a fraction for display."""
    return f"{float(value):.{digits}f}"
