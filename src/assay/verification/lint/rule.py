"""A rule: a code, a class, a statement, and a function from values to breaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Literal

from assay.verification.lint.numbers import Quantity, shown
from assay.verification.lint.printed_values import Change, ClassReport, Figure, Sheet

Class = Literal["impossible", "unusual"]

BINARY = "binary gold; all values of the column are means over the same queries"
SAME = "all values of the column are means over the same queries"
ONE_SET = "all values come from one confusion matrix of one set of queries"
NOTHING = "only the meaning of the names"


@dataclass(frozen=True, slots=True)
class Breach:
    """Values that break a rule: what was printed and what would be possible."""

    figures: tuple[Figure, ...]
    numbers: str
    rounding: str = ""


@dataclass(frozen=True, slots=True)
class LintRule:
    """A statement that must hold."""

    code: str
    kind: Class
    title: str
    statement: str
    assumes: str
    check: Callable[[Sheet], Iterator[Breach]] | None = None
    change: Callable[[Change], Iterator[Breach]] | None = None
    report: Callable[[ClassReport], Iterator[Breach]] | None = None


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A broken rule at one place."""

    code: str
    kind: Class
    place: str
    rule: str
    numbers: str
    rounding: str
    assumes: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def allowance(figures: Iterable[Figure | Quantity]) -> str:
    """Return the allowed rounding: each number with its half unit."""
    halves: dict[Fraction, None] = {}
    for figure in figures:
        halves[figure.value.half if isinstance(figure, Figure) else figure.half] = None
    return "each ± " + " or ± ".join(_short(half) for half in halves) if halves else "none"


def _short(half: Fraction) -> str:
    return (
        f"{float(half):.10f}".rstrip("0").rstrip(".")
        if half >= Fraction(1, 10**6)
        else (f"{float(half):.1g}")
    )


Term = tuple[Fraction | int, Figure]


def least(terms: Sequence[Term]) -> Fraction:
    """Return the least Σ c·x over every x that prints as its value."""
    return sum(((c * x.lo if c > 0 else c * x.hi) for c, x in terms), start=Fraction(0))


def most(terms: Sequence[Term]) -> Fraction:
    """Return the greatest Σ c·x within the rounding."""
    return -least([(-c, x) for c, x in terms])


def at_most(terms: Sequence[Term], bound: Fraction | int, text: str) -> Iterator[Breach]:
    """Return a breach if Σ c·x ≤ bound cannot hold, whatever the digits beyond the printed ones."""
    low = least(terms)
    if low > bound:
        figures = tuple(figure for _, figure in terms)
        numbers = f"{_listed(figures)}: {text}; off by at least {shown(low - bound, 5)}"
        yield Breach(figures, numbers)


def equal(terms: Sequence[Term], target: Fraction | int, text: str) -> Iterator[Breach]:
    """Return a breach if Σ c·x = target cannot hold."""
    low, high = least(terms), most(terms)
    if not low <= target <= high:
        figures = tuple(figure for _, figure in terms)
        off = low - target if low > target else target - high
        yield Breach(figures, f"{_listed(figures)}: {text}; off by at least {shown(off, 5)}")


def _listed(figures: Sequence[Figure]) -> str:
    return ", ".join(dict.fromkeys(map(str, figures)))
