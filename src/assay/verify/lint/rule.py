"""What a rule is: a code, a class, a statement, and a function from figures to breaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Literal

from assay.verify.lint.model import Change, ClassReport, Figure, Sheet
from assay.verify.lint.numbers import Quantity, shown

Class = Literal["impossible", "unusual"]

BINARY = "binary gold; all values of the column are means over the same queries"
SAME = "all values of the column are means over the same queries"
ONE_SET = "all values come from one confusion matrix of one set of queries"
NOTHING = "only what the names say"


@dataclass(frozen=True, slots=True)
class Breach:
    """Figures that break a rule, and what was printed and what could be."""

    figures: tuple[Figure, ...]
    numbers: str
    rounding: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that must hold."""

    code: str
    kind: Class
    title: str
    statement: str
    assumes: str
    check: Callable[[Sheet], Iterator[Breach]] | None = None
    change: Callable[[Change], Iterator[Breach]] | None = None
    report: Callable[[ClassReport], Iterator[Breach]] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken rule at one place."""

    code: str
    kind: Class
    place: str
    rule: str
    numbers: str
    rounding: str
    assumes: str

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def allowance(figures: Iterable[Figure | Quantity]) -> str:
    """Which rounding was allowed: each number with its half unit."""
    halves: dict[Fraction, None] = {}
    for figure in figures:
        halves[figure.value.half if isinstance(figure, Figure) else figure.half] = None
    return "each ± " + " or ± ".join(_short(half) for half in halves) if halves else "none"


def _short(half: Fraction) -> str:
    return f"{float(half):.10f}".rstrip("0").rstrip(".") if half >= Fraction(1, 10**6) else (
        f"{float(half):.1g}")  # fmt: skip


Term = tuple[Fraction | int, Figure]


def least(terms: Sequence[Term]) -> Fraction:
    """The least value of Σ c·x when every x may be anything that prints as its figure."""
    return sum(
        ((c * x.lo if c > 0 else c * x.hi) for c, x in terms), start=Fraction(0)
    )  # fmt: skip


def most(terms: Sequence[Term]) -> Fraction:
    """The greatest value of Σ c·x within the rounding."""
    return -least([(-c, x) for c, x in terms])


def at_most(terms: Sequence[Term], bound: Fraction | int, text: str) -> Iterator[Breach]:
    """A breach where Σ c·x ≤ bound cannot hold, whatever the digits behind the printed ones."""
    low = least(terms)
    if low > bound:
        figures = tuple(figure for _, figure in terms)
        numbers = f"{_listed(figures)}: {text}; off by at least {shown(low - bound, 5)}"
        yield Breach(figures, numbers)


def equal(terms: Sequence[Term], target: Fraction | int, text: str) -> Iterator[Breach]:
    """A breach where Σ c·x = target cannot hold."""
    low, high = least(terms), most(terms)
    if not low <= target <= high:
        figures = tuple(figure for _, figure in terms)
        off = low - target if low > target else target - high
        yield Breach(figures, f"{_listed(figures)}: {text}; off by at least {shown(off, 5)}")


def _listed(figures: Sequence[Figure]) -> str:
    return ", ".join(dict.fromkeys(map(str, figures)))
