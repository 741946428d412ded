"""What was read: values, the sheet of a system, reports by class, printed changes, settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from assay.verification.lint.names.measure_names import Name, ValueKind
from assay.verification.lint.numbers import Quantity

Fold = tuple[int, int]  # positives and negatives


@dataclass(frozen=True, slots=True)
class FoldSizes:
    """What is known about the folds: their number, and how queries are distributed over them."""

    number: int
    sizes: str = "any"  # any, equal, stratified or listed
    listed: tuple[Fold, ...] = ()
    repeats: int = 1

    @property
    def values(self) -> int:
        """Return how many fold values a mean is over."""
        return self.number * self.repeats


@dataclass(frozen=True, slots=True)
class Given:
    """What is known besides the printed values."""

    n: int | None = None
    positives: int | None = None
    folds: FoldSizes | None = None
    mean_gold: Fraction | None = None
    graded: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """One printed measure of one system."""

    name: Name
    label: str  # as printed
    value: Quantity
    std: Quantity | None = None
    interval: tuple[Quantity, Quantity] | None = None
    method: str = ""  # of the interval, if printed
    folds: tuple[Quantity, ...] = ()
    is_fold_mean: bool = False  # printed as the mean of these folds
    query_std: Quantity | None = None
    joined: bool = True  # False if its scale is uncertain: only rules on a single value apply
    plus_minus: bool = False  # the spread follows ±: a std, a standard error, or a half-width
    queries: tuple[Quantity, ...] = ()  # the per-query values of which it is the mean or sum

    @property
    def lo(self) -> Fraction:
        """Return the least value that prints like this."""
        return self.value.lo

    @property
    def hi(self) -> Fraction:
        """Return the greatest value that prints like this."""
        return self.value.hi

    def __str__(self) -> str:
        return f"{self.label} {self.value.text}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The values of one system on one population in one table."""

    table: str
    system: str
    figures: tuple[Figure, ...]
    averaged: bool = False  # means over folds or repetitions, not of one set
    given: Given = field(default_factory=Given)
    population: str = ""  # data set or split, if headers name one
    occurrence: int = 0  # of several sets under the same names
    owner: str = ""  # the heading above the system

    @property
    def place(self) -> str:
        """Return table, system and population, for a finding."""
        again = f"({self.occurrence + 1})" if self.occurrence else ""
        system = f"{self.system} {again}".strip()
        return ", ".join(part for part in (self.table, system, self.population) if part)

    def groups(self) -> tuple[str, ...]:
        """Return the decisions or averages that values of the sheet belong to, in order."""
        return tuple(dict.fromkeys(figure.name.group for figure in self.figures))

    def get(self, key: str, cut: Fraction | None = None, group: str = "") -> Figure | None:
        """Return the value of a measure if it may be combined with others."""
        for figure in self._of(key, group):
            if figure.name.cut == cut:
                return figure
        return None

    def cuts(self, key: str, group: str = "") -> Mapping[Fraction, Figure]:
        """Return values of a measure by ascending cut-off, all of the same variant."""
        found: dict[Fraction, Figure] = {}
        variant: Mapping[str, str] | None = None
        for figure in self._of(key, group):
            if figure.name.cut is None:
                continue
            variant = figure.name.params if variant is None else variant
            if figure.name.params == variant:
                found.setdefault(figure.name.cut, figure)
        return dict(sorted(found.items()))

    def _of(self, key: str, group: str) -> Iterator[Figure]:
        for figure in self.figures:
            if figure.joined and figure.name.key == key and figure.name.group == group:
                yield figure


@dataclass(frozen=True, slots=True)
class Change:
    """A printed improvement or difference, and the values it may be between."""

    table: str
    label: str  # of the measure
    header: str  # of the column or row
    printed: Quantity
    figures: tuple[tuple[str, Figure], ...]  # systems and their values, in printed order
    lower_is_better: bool

    @property
    def place(self) -> str:
        """Return table and column, for a finding."""
        return f"{self.table}, {self.header}"


@dataclass(frozen=True, slots=True)
class ClassReport:
    """A report by class: precision, recall, F1 and support of each class, and their averages."""

    place: str
    classes: Mapping[str, Mapping[str, Figure]]  # class, then ppv, sensitivity, f1, support
    averages: Mapping[str, Mapping[str, Figure]]  # macro, micro, weighted or samples, then the same
    accuracy: Figure | None = None
    supports: Mapping[str, int] = field(default_factory=dict)  # of classes, if all are whole
    total: int | None = None  # the support that the averages print


@dataclass(frozen=True, slots=True)
class Page:
    """One table as lint sees it."""

    name: str
    sheets: tuple[Sheet, ...]
    changes: tuple[Change, ...] = ()
    reports: tuple[ClassReport, ...] = ()
    notes: tuple[str, ...] = ()


def is_share(name: Name) -> bool:
    """Return whether a measure lies between 0 and 1, so that it may be printed in percent."""
    return name.kind in (ValueKind.SHARE, ValueKind.SIGNED)
