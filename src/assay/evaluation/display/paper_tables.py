"""Tables for a paper: value, std, interval, subset and meaning of every measure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.display.digits import MOST, decimals, rounded
from assay.display.table_formats import latex_float, latex_text
from assay.evaluation.display.suppressed_groups import (
    HIDDEN,
    count_text,
    hidden,
    hidden_groups,
    suppression_note,
)
from assay.evaluation.presentation import ARROWS, GROUP_HEADLINES, section_file, sections
from assay.evaluation.query_columns import query_names
from assay.evaluation.result import NO_SPREAD, GroupValue, Result, Value, bounds
from assay.metrics.core.entry import POPULATION_TITLES, Kind, Population
from assay.metrics.core.registry import metric

COLUMNS = ("metric", "value", "std", "95% CI", "subset", "n", "interpretation")
EXACT = "†"
EXACT_NOTE = f"{EXACT} Exact (Clopper–Pearson) bounds by post: all resamples give the same value."
BY_GROUP = 12
"""Largest number of measures in the table of a breakdown."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """Rows of text, with a title and notes below."""

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    width: str = "long"  # column or page: a float of one column, or across both

    def latex(self) -> str:
        """Return the table as LaTeX: a float, or a table of several pages."""
        if self.width == "long":
            return latex_text(self.name, self.title, self.head, self.rows, self.notes)
        return latex_float(self.name, self.title, self.head, self.rows, wide=self.width == "page")


def tables(result: Result, below: int | None = None) -> Iterator[PaperTable]:
    """Yield one table per section of the result, one per breakdown, and the thresholds.

    In breakdowns, groups of fewer than `below` queries are hidden.
    """
    head = _head(result.measures)
    for section, values in sections(result.measures).items():
        rows, notes = tuple(map(_row, values)), tuple(_notes(result, values))
        title = f"{section}: {result.short_name}"
        yield PaperTable(section_file(section), title, head, rows, notes)
    for column, groups in result.groups.items():
        if groups:
            yield _breakdown(result, column, head, below)
    if result.thresholds:
        yield _thresholds(result)


def subset(population: str) -> str:
    """Return the population in words."""
    return POPULATION_TITLES[Population(population)]


def interval_text(value: Value | GroupValue, most: int = MOST) -> tuple[str, int]:
    """Return the interval of a value, and how many decimals it supports; at most `most`."""
    shown = bounds(value)
    if shown is None:
        places = decimals(value.value, None, None)
        return ("–" if value.interval is None else NO_SPREAD), places
    places = min(most, decimals(value.value, shown.low, shown.high))
    ends = f"[{rounded(shown.low, places)}, {rounded(shown.high, places)}]"
    return ends + (EXACT if shown.exact else ""), places


def texts(value: Value) -> tuple[str, str, str]:
    """Return value, std over folds and interval, rounded to what the interval supports."""
    interval, places = interval_text(value)
    mean = value.aggregate == "fold_mean" and value.folds is not None
    std = value.folds.std if mean and value.folds is not None else None
    marks = "*" if value.convention else ""
    return rounded(value.value, places) + marks, rounded(std, places), interval


def _head(values: Sequence[Value]) -> tuple[str, ...]:
    level = next((each.interval.level for each in values if each.interval is not None), 0.95)
    return tuple(f"{level:.0%} CI" if "CI" in name else name for name in COLUMNS)


def _row(value: Value) -> tuple[str, ...]:
    text, std, interval = texts(value)
    name = f"{value.name} {ARROWS.get(value.better, '')}".rstrip()
    meaning = metric(value.definition).meaning
    return name, text, std, interval, subset(value.population), f"{value.n:,}", meaning


def _notes(result: Result, values: Sequence[Value]) -> Iterator[str]:
    plan = result.bootstrap
    if any(value.aggregate == "fold_mean" for value in values):
        yield "Values are means over folds; std is the standard deviation over folds (ddof 1)."
    if plan is not None:
        made = f"{plan.resamples:,} resamples of {'posts' if plan.unit == 'post' else 'queries'}"
        strata = ", stratified by fold" if "fold" in query_names(result) else ""
        yield f"Intervals: {plan.method} bootstrap, {made}{strata}, seed {plan.seed}."
    yield from bound_notes(values)
    if any(value.convention for value in values):
        yield "* The value is a convention."
    yield f"Contract {result.contract.id}, hash {result.contract.hash[:12]}."


def bound_notes(values: Iterable[Value | GroupValue]) -> Iterator[str]:
    """Yield what the reader must know of bounds that are not bootstrap intervals."""
    listed = [(value.interval, bounds(value)) for value in values]
    if any(shown is not None and shown.exact for _, shown in listed):
        yield EXACT_NOTE
    if any(interval is not None and shown is None for interval, shown in listed):
        yield f"{NO_SPREAD}: all resamples give the same value, so there is no interval."


def _breakdown(result: Result, column: str, head: tuple[str, ...], below: int | None) -> PaperTable:
    shown = [value for value in result.measures if value.name in _shown(result.measures)]
    found = [
        (label, value, values[value.name])
        for label, values in result.groups[column].items()
        for value in shown
        if value.name in values
    ]
    secret = {
        value.name: hidden_groups({label: group.n for label, each, group in found if each is value}, below)
        for value in shown
    }
    rows = tuple(
        (label, *_group_row(value, group, below, secret=label in secret[value.name]))
        for label, value, group in found
    )
    title = f"By {column}: {result.short_name}"
    known = bound_notes(group for _, _, group in found)
    notes = ["Values are pooled over folds.", *known, "* The value is a convention."]
    notes += [] if below is None else [suppression_note(below)]
    columns = (column, *(each for each in head if each != "std"))
    return PaperTable(file_name(f"by_{column}"), title, columns, rows, tuple(notes))


def file_name(name: str) -> str:
    """Return a portable file name; a name that had to be changed gets part of its hash."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:60]
    return plain if plain == name else f"{plain}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _shown(values: Sequence[Value]) -> list[str]:
    there = [value.name for value in values]
    return [name for name in GROUP_HEADLINES if name in there] or there[:BY_GROUP]


def _group_row(value: Value, group: GroupValue, below: int | None, *, secret: bool) -> tuple[str, ...]:
    interval, places = interval_text(group)
    text = rounded(group.value, places) + ("*" if group.convention else "")
    name = f"{value.name} {ARROWS.get(value.better, '')}".rstrip()
    meaning = metric(value.definition).meaning
    if secret or (metric(value.definition).kind is Kind.TOTAL and hidden(group.value, below)):
        text = interval = HIDDEN
    n = count_text(group.n, below, secondary=secret)
    return name, text, interval, subset(value.population), n, meaning


def _thresholds(result: Result) -> PaperTable:
    head = ("rule", "fold", "threshold", "reached on TUNE", "subset", "n", "interpretation")
    rows = tuple(
        (
            each.rule + (" (deployment)" if each.deployment else ""),
            each.fold or "–",
            "–" if each.value == float("inf") else f"{each.value:.4f}",
            rounded(each.reached, 4),
            f"TUNE queries, {each.positives:,} with evidence",
            f"{each.queries:,}",
            each.note or "no claim beyond the TUNE queries",
        )
        for each in result.thresholds
    )
    return PaperTable("thresholds", f"Thresholds chosen on TUNE: {result.short_name}", head, rows)
