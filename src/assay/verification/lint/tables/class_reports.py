"""Reports by class, as scikit-learn's `classification_report` prints them.

A class is one class against the rest, and its support is its positives. An average over classes
(macro, weighted, micro, samples) is not the rate of one confusion matrix: it has separate rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from assay.verification.lint.names.measure_names import Name, read_name
from assay.verification.lint.numbers import Quantity
from assay.verification.lint.printed_values import ClassReport, Figure
from assay.verification.lint.tables.header_labels import average_of
from assay.verification.lint.tables.read_values import Draft, Raw

RATES = ("ppv", "sensitivity", "f1")
Read = tuple[Raw, Figure | None]


@dataclass(slots=True)
class Line:
    """A class, an average or the accuracy, with its values by key."""

    label: str
    cells: dict[str, Read] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """macro, micro, weighted, samples, accuracy, or empty for a class."""
        average = average_of(self.label)
        named = read_name(self.label)
        accuracy = named is not None and (named.key, named.cut) == ("accuracy", None)
        return "accuracy" if accuracy else average

    def figure(self, key: str) -> Figure | None:
        """Return the value of a key, if it is printed."""
        return self.cells[key][1] if key in self.cells else None

    def whole(self, key: str) -> int | None:
        """Return the value of a key if it is a whole number."""
        found = self.figure(key)
        exact = found is not None and found.value.half == 0 and found.value.value.denominator == 1
        return int(found.value.value) if found is not None and exact else None


def class_reports(draft: Draft, figures: list[Read]) -> tuple[tuple[ClassReport, ...], list[Read]]:
    """Return the reports by class of a table, and all values with their meaning in them."""
    owners: dict[tuple[str, str], list[Read]] = {}
    for each in figures:
        owners.setdefault((each[0].owner, each[0].population), []).append(each)
    reports: list[ClassReport] = []
    rest: list[Read] = []
    for (owner, population), members in owners.items():
        lines = _lines(members)
        plain = not any(line.kind in ("macro", "weighted", "micro", "samples") for line in lines)
        rated = any(set(RATES) & set(line.cells) for line in lines)
        if plain or not rated:
            rest += _without_averages(members, by_class=draft.by_class)
            continue
        place = ", ".join(part for part in (draft.name, owner, population) if part)
        for block in _blocks(lines):
            report, kept = _read(block, place)
            reports.append(report)
            rest += kept
    return tuple(reports), rest


def _without_averages(members: Iterable[Read], *, by_class: bool) -> Iterator[Read]:
    """Read support as positives in a table of classes; elsewhere its meaning is unknown."""
    for raw, figure in members:
        if figure is None or figure.name.key != "support":
            yield raw, figure
        elif by_class:
            yield raw, replace(figure, name=replace(figure.name, key="positives"))


def _lines(members: Iterable[Read]) -> list[Line]:
    """Return one line per class or average; a repeated value begins another line."""
    lines: list[Line] = []
    latest: dict[str, Line] = {}
    for raw, figure in members:
        line = latest.get(raw.part)
        if line is None or raw.name.key in line.cells:
            line = latest[raw.part] = Line(raw.part)
            lines.append(line)
        line.cells[raw.name.key] = (raw, figure)
    return lines


def _blocks(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Group classes with the averages after them; a class after an average begins a new report."""
    block: list[Line] = []
    for line in lines:
        if block and block[-1].kind and not line.kind:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _read(block: list[Line], place: str) -> tuple[ClassReport, list[Read]]:
    classes = [line for line in block if not line.kind]
    averages = {line.kind: line for line in block if line.kind not in ("", "accuracy")}
    accuracy = next((line for line in block if line.kind == "accuracy"), None)
    right = None if accuracy is None else _accuracy(accuracy)
    printed = [line for line in (*classes, *averages.values()) if line.figure("support")]
    counted = all(line.whole("support") is not None for line in printed)  # else they are weights
    supports = {line.label: line.whole("support") for line in classes if counted}
    known = {label: count for label, count in supports.items() if count is not None}
    totals = {line.whole("support") for line in averages.values() if counted} - {None}
    total = totals.pop() if len(totals) == 1 else None
    report = ClassReport(
        place,
        {line.label: _rates(line) for line in classes},
        {kind: _rates(line) for kind, line in averages.items()},
        right,
        known if len(known) == len(classes) else {},
        total,
    )
    n = total if right is not None and total and sum(known.values()) <= total else None
    kept = [r for line in classes for r in _of_class(line, n, counted=counted)]
    kept += [read for kind, line in averages.items() for read in _of_average(line, kind)]
    if accuracy is not None and right is not None:
        raw = next(iter(accuracy.cells.values()))[0]
        kept.append((raw, right))
        if n is not None:
            kept.append((replace(raw, name=Name("n")), _count("n", n)))
    return report, kept


def _rates(line: Line) -> dict[str, Figure]:
    found = {key: line.figure(key) for key in (*RATES, "support")}
    return {key: figure for key, figure in found.items() if figure is not None}


def _accuracy(line: Line) -> Figure | None:
    """Return the accuracy, which reports print in the F1 column, or in every column."""
    for key in ("f1", "accuracy", "sensitivity", "ppv"):
        found = line.figure(key)
        if found is not None:
            return replace(found, name=Name("accuracy"), label=line.label)
    return None


def _of_class(line: Line, total: int | None, *, counted: bool) -> Iterator[Read]:
    """Return the values of a class; with one label per item, all others are its negatives."""
    positives = line.whole("support") if counted else None
    for key, (raw, figure) in line.cells.items():
        if key != "support":
            yield raw, figure
        elif positives is not None:
            yield replace(raw, name=Name("positives")), _count(raw.label, positives)
            if total is not None and total >= positives:
                yield replace(raw, name=Name("n"), label="n"), _count("n", total)


def _of_average(line: Line, kind: str) -> Iterator[Read]:
    for key, (raw, figure) in line.cells.items():
        if key != "support" and figure is not None:
            name = replace(figure.name, group=kind)
            yield replace(raw, name=name), replace(figure, name=name)


def _count(label: str, number: int) -> Figure:
    return Figure(
        Name("positives" if label != "n" else "n"),
        label,
        Quantity(Fraction(number), Fraction(0), str(number)),
    )
