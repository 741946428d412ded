"""Tables for a paper: metric, value, interval, subset with its number, and what it means."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.evaluation.result import NO_SPREAD, GroupValue, Value, bounds
from assay.files.scratch import write_new
from assay.metrics.catalogue import FAMILIES, metric
from assay.metrics.entry import POPULATION_TITLES, Population
from assay.report.bundle import Bundle
from assay.report.digits import decimals, rounded
from assay.report.formats import csv_text, latex_text, markdown_text

COLUMNS = ("metric", "value", "std", "95 % CI", "subset", "n", "interpretation")
PREFIXES = {
    "tune": "Gate at thresholds chosen on TUNE",
    "deployment": "Deployment",
    "all_queries": "Ranking over all queries",
}
ARROWS = {"higher": " ↑", "lower": " ↓"}
EXACT = "†"
BY_GROUP = 12
"""Measures in the table of a breakdown, at the most."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text, with a title and notes below."""

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def tables(bundle: Bundle) -> Iterator[Table]:
    """One table a section of the result, one a breakdown, and the thresholds."""
    result = bundle.result
    head = _head(result.values)
    for section, values in sections(result.values).items():
        rows = tuple(_row(value) for value in values)
        name = section.lower().replace(" ", "_").replace("-", "_")
        yield Table(name, f"{section}: {bundle.name}", head, rows, tuple(_notes(bundle, values)))
    for column, groups in result.groups.items():
        if groups:
            yield _breakdown(bundle, column, head)
    if result.thresholds:
        yield _thresholds(bundle)


def sections(values: Sequence[Value]) -> dict[str, list[Value]]:
    """Values under the section that their name or their family stands in."""
    found: dict[str, list[Value]] = {}
    for value in values:
        prefix, slash, _ = value.name.partition("/")
        section = PREFIXES.get(prefix) if slash else None
        family = FAMILIES.get(metric(value.definition).name.partition("@")[0])
        found.setdefault(section or (family.section if family else "Measures"), []).append(value)
    return found


def subset(population: str) -> str:
    """Which queries, in words."""
    return POPULATION_TITLES[Population(population)]


def interval_text(value: Value | GroupValue) -> tuple[str, int]:
    """The bounds of a value in words, and to how many decimals they support it."""
    shown = bounds(value)
    if shown is None:
        places = decimals(value.value, None, None)
        return ("–" if value.interval is None else NO_SPREAD), places
    places = decimals(value.value, shown.low, shown.high)
    ends = f"[{rounded(shown.low, places)}, {rounded(shown.high, places)}]"
    return ends + (EXACT if shown.exact else ""), places


def texts(value: Value) -> tuple[str, str, str]:
    """Value, std over folds and interval, rounded to what the interval supports."""
    interval, places = interval_text(value)
    mean = value.aggregate == "fold_mean" and value.folds is not None
    std = value.folds.std if mean and value.folds is not None else None
    marks = "*" if value.convention else ""
    return rounded(value.value, places) + marks, rounded(std, places), interval


def _head(values: Sequence[Value]) -> tuple[str, ...]:
    level = next((each.interval.level for each in values if each.interval is not None), 0.95)
    return tuple(f"{level:.0%} CI".replace("%", " %") if "CI" in name else name for name in COLUMNS)


def _row(value: Value) -> tuple[str, ...]:
    text, std, interval = texts(value)
    name = value.name + ARROWS.get(value.better, "")
    meaning = metric(value.definition).meaning
    return name, text, std, interval, subset(value.population), f"{value.n:,}", meaning


def _notes(bundle: Bundle, values: Sequence[Value]) -> Iterator[str]:
    plan = bundle.result.bootstrap
    if any(value.aggregate == "fold_mean" for value in values):
        yield "Values are means of folds; std is the standard deviation over folds (ddof 1)."
    if plan is not None:
        made = f"{plan.resamples:,} resamples of {'posts' if plan.unit == 'post' else 'queries'}"
        strata = ", stratified by fold" if bundle.has("fold") else ""
        yield f"Intervals: {plan.method} bootstrap, {made}{strata}, seed {plan.seed}."
    yield from _bound_notes(values)
    if any(value.convention for value in values):
        yield "* The value is a convention."
    yield f"Contract {bundle.result.contract}, hash {bundle.result.contract_hash[:12]}."


def _bound_notes(values: Iterable[Value | GroupValue]) -> Iterator[str]:
    listed = [(value.interval, bounds(value)) for value in values]
    if any(shown is not None and shown.exact for _, shown in listed):
        yield f"{EXACT} Exact (Clopper–Pearson) bounds by post: no resample differs."
    if any(interval is not None and shown is None for interval, shown in listed):
        yield f"{NO_SPREAD}: no resample differs, so the bootstrap cannot bound the value."


def _breakdown(bundle: Bundle, column: str, head: tuple[str, ...]) -> Table:
    shown = [value for value in bundle.result if value.name in _shown(bundle.result.values)]
    rows = tuple(
        (label, *_group_row(value, values[value.name]))
        for label, values in bundle.result.groups[column].items()
        for value in shown
        if value.name in values
    )
    title = f"By {column}: {bundle.name}"
    groups = [
        values[value.name]
        for values in bundle.result.groups[column].values()
        for value in shown
        if value.name in values
    ]
    notes = (
        "Values are pooled over folds.",
        *_bound_notes(groups),
        "* The value is a convention.",
    )
    columns = (column, *(each for each in head if each != "std"))
    return Table(_file_name(f"by_{column}"), title, columns, rows, notes)


def _file_name(name: str) -> str:
    """A name that is a file name everywhere; where that changes it, with a part of its hash."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:60]
    return plain if plain == name else f"{plain}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _shown(values: Sequence[Value]) -> list[str]:
    wanted = ("ndcg@10", "recall@10", "auroc", "auprc", "sensitivity", "specificity", "ece",
              "brier", "evidence_recall", "evidence_precision", "screening_sensitivity",
              "alert_precision")  # fmt: skip
    there = [value.name for value in values]
    return [name for name in wanted if name in there] or there[:BY_GROUP]


def _group_row(value: Value, group: GroupValue) -> tuple[str, ...]:
    interval, places = interval_text(group)
    text = rounded(group.value, places) + ("*" if group.convention else "")
    name = value.name + ARROWS.get(value.better, "")
    meaning = metric(value.definition).meaning
    return name, text, interval, subset(value.population), f"{group.n:,}", meaning


def _thresholds(bundle: Bundle) -> Table:
    head = ("rule", "fold", "threshold", "reached on TUNE", "subset", "n", "interpretation")
    rows = tuple(
        (
            each.rule + (" (deployment)" if each.deployment else ""),
            each.fold or "–",
            "–" if each.value == float("inf") else f"{each.value:.4f}",
            rounded(each.reached, 4),
            f"TUNE queries, {each.positives:,} with evidence",
            f"{each.queries:,}",
            each.note or "no claim beyond TUNE",
        )
        for each in bundle.result.thresholds
    )
    return Table("thresholds", f"Thresholds chosen on TUNE: {bundle.name}", head, rows)


def write_tables(bundle: Bundle, folder: Path) -> None:
    """Every table as CSV, Markdown and LaTeX."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables(bundle):
        path = folder / table.name
        for ending, text in (
            (".csv", csv_text(table.head, table.rows)),
            (".md", markdown_text(table.title, table.head, table.rows, table.notes)),
            (".tex", latex_text(table.name, table.title, table.head, table.rows, table.notes)),
        ):
            write_new(path.with_name(table.name + ending), text)
