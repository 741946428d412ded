"""Figures between the reader and the rules: names are known, scales are not yet settled."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.errors import Fault
from assay.verify.lint.names import Name, read_name, squeezed
from assay.verify.lint.numbers import Cell, NotANumberError, Quantity, read_cell

UNKNOWN = "expected one that `assay lint --rules` names; --ignore NAME leaves a column or row out"


@dataclass(slots=True)
class Raw:
    """One figure while its parts are gathered from cells or keys."""

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

    def take(self, cell: Cell | None, part: str = "") -> None:
        """Put what a cell holds where its column or key says."""
        if cell is None:
            return
        if part in ("std", "low", "high") and cell.value is not None:
            setattr(self, part, cell.value)
        elif part == "fold" and cell.value is not None:
            self.folds.append(cell.value)
        else:
            if cell.value is not None:
                self.value = cell.value
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


@dataclass(slots=True)
class Draft:
    """A table while it is read."""

    name: str
    source: str
    ignore: frozenset[str] = frozenset()
    figures: list[Raw] = field(default_factory=list)
    changes: list[RawChange] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    remarks: int = 0
    averaged: bool = False
    graded: bool = False
    counts: tuple[int, int] | None = None  # queries, and those with evidence, of a result

    def ignored(self, text: str) -> bool:
        """Whether the caller asked to leave a name out."""
        return squeezed(text) in self.ignore

    def cell(self, text: str, place: str) -> Cell | None:
        """A cell's figures; a text is a fault."""
        try:
            found = read_cell(text)
        except NotANumberError:
            expected = "expected a number, value ± std, [low, high], or – where there is none"
            self.faults.append(
                Fault(self.source, place, f"{text[:40]!r} is not a figure", expected)
            )
            return None
        self.remarks += found is not None and found.remark
        return found

    def measure(self, text: str, place: str) -> Name | None:
        """A name's measure; an unknown name is a fault."""
        found = read_name(text)
        if found is None and not self.ignored(text):
            self.faults.append(
                Fault(self.source, place, f"{text[:60]!r} is not a known measure", UNKNOWN)
            )
        return None if self.ignored(text) else found


def is_absent(text: str) -> bool:
    """Whether a cell says that there is no figure."""
    try:
        return read_cell(text) is None
    except NotANumberError:
        return False


def is_number(text: str) -> bool:
    """Whether a cell holds a figure."""
    try:
        return read_cell(text) is not None
    except NotANumberError:
        return False
