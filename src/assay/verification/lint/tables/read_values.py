"""Values between the reader and the rules: names are known, scales are not yet settled."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.errors import Fault, NotANumberError
from assay.verification.lint.names.measure_names import Name, squeezed
from assay.verification.lint.numbers import Cell, Quantity, read_cell
from assay.verification.lint.tables.header_labels import Label

EXPECTED_NAME = "`ignore='NAME'` skips a row or column; docs/lint.md lists known names"
EXPECTED_CELL = "expected a number, value ± std, [low, high], or – for a missing value"


@dataclass(slots=True)
class Raw:
    """One value while its parts are collected from cells or keys."""

    system: str
    label: str
    name: Name
    value: Quantity | None = None
    std: Quantity | None = None
    low: Quantity | None = None
    high: Quantity | None = None
    folds: list[Quantity] = field(default_factory=list)
    is_fold_mean: bool = False
    method: str = ""
    query_std: Quantity | None = None
    unsure: bool = False  # of its scale
    population: str = ""  # data set, split or model that its name or header gives
    part: str = ""  # the class or average of a classification report that it may be of
    owner: str = ""  # what else names its row: the model of a report, the data set of folds
    plus_minus: bool = False  # the spread follows ±, so its kind is unknown
    queries: list[Quantity] = field(default_factory=list)  # values that it is the mean of

    def take(self, cell: Cell | None, part: str = "") -> None:
        """Store the content of a cell according to its column or key."""
        if cell is None:
            return
        if part in ("std", "low", "high") and cell.value is not None:
            setattr(self, part, cell.value)
        elif part == "fold" and cell.value is not None:
            self.folds.append(cell.value)
        else:
            if cell.value is not None:
                self.value = cell.value
            self.plus_minus = self.plus_minus or cell.std is not None
            self.std = cell.std or self.std
            self.is_fold_mean = self.is_fold_mean or part == "mean"
            if cell.interval is not None:
                self.low, self.high = cell.interval


@dataclass(frozen=True, slots=True)
class RawChange:
    """A printed change of one measure."""

    label: str
    name: Name
    header: str
    printed: Quantity
    occurrence: int = 0
    population: str = ""
    owner: str = ""  # the heading above it


@dataclass(slots=True)
class Draft:
    """A table while it is read."""

    name: str
    source: str
    ignore: frozenset[str] = frozenset()
    figures: list[Raw] = field(default_factory=list)
    changes: list[RawChange] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)  # the input cannot be read
    skipped: list[Fault] = field(default_factory=list)  # not read: faults only if strict
    notes: list[str] = field(default_factory=list)
    remarks: int = 0
    averaged: bool = False
    graded: bool = False
    by_class: bool = False  # each row is a class, so that its support is the positives
    counts: tuple[int, int] | None = None  # queries, and those with evidence, of a result
    met: set[str] = field(default_factory=set)  # names to skip that are there

    def ignored(self, text: str) -> bool:
        """Return whether the caller asked to skip a name."""
        name = squeezed(text)
        if name in self.ignore:
            self.met.add(name)
        return name in self.ignore

    def cell(self, text: str, place: str) -> Cell | None:
        """Read the values of a cell; a text is skipped and listed."""
        try:
            found = read_cell(text)
        except NotANumberError:
            self.skip(place, f"{text[:40]!r} is not a number", EXPECTED_CELL)
            return None
        self.remarks += found is not None and found.remark
        return found

    def measure(self, label: Label | None, text: str, place: str) -> Label | None:
        """Pass a label on; one without a known measure is skipped and listed."""
        if self.ignored(text):
            return None
        if label is None:
            self.skip(place, f"{text[:60]!r} is not a known measure", EXPECTED_NAME)
        return label

    def skip(self, place: str, problem: str, expected: str) -> None:
        """List something that is not read."""
        self.skipped.append(Fault(self.source, place, problem, expected))


def is_absent(text: str) -> bool:
    """Return whether a cell states that there is no value."""
    try:
        return read_cell(text) is None
    except NotANumberError:
        return False


def is_number(text: str) -> bool:
    """Return whether a cell holds a value."""
    try:
        return read_cell(text) is not None
    except NotANumberError:
        return False
