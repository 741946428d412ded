"""The tables of `assay evaluate`: measures over cut-offs, by section, and over systems."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf
from typing import TYPE_CHECKING

from assay.contracts.contract import PLACE, Contract
from assay.evaluation.presentation import ARROWS, counted, queries, sections
from assay.evaluation.result import NO_SPREAD, GroupValue, Result, Value, bounds
from assay.metrics.core.entry import POPULATION_TITLES, Population
from assay.text_table import TextTable

if TYPE_CHECKING:
    from assay.evaluation.thresholds.tune_thresholds import Threshold

CONVENTION = "*"
FOLD_CONVENTION = "†"
DEPLOYED = BEST = "◂"
EXACT = "‡"


def number(value: float, better: str) -> str:
    """Return four decimals; whole counts, which are neither good nor bad, have none."""
    if better in ARROWS:
        return f"{value:.4f}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4f}"


def cell(value: Value | None) -> str:
    """Return a value, with the std over folds where their mean is the headline."""
    if value is None:
        return "–"
    text = number(value.value, value.better)
    if value.aggregate == "fold_mean" and value.folds is not None and value.folds.std is not None:
        text += f" ± {value.folds.std:.3f}"
        if value.folds.by_convention:
            return text + FOLD_CONVENTION
    return text + (CONVENTION if value.convention else "")


def interval(value: Value | None) -> str:
    """Return the interval of a headline; a dash where there is none."""
    return "–" if value is None else bounded(value, value.better)


def bounded(value: Value | GroupValue, better: str) -> str:
    """Return the interval of a value; marked exact bounds where the bootstrap has collapsed."""
    shown = bounds(value)
    if shown is None:
        return "–" if value.interval is None else NO_SPREAD
    ends = f"[{number(shown.low, better)}, {number(shown.high, better)}]"
    return ends + (EXACT if shown.exact else "")


def target(value: Value) -> str:
    """Return the contract's target, and whether it is met."""
    if value.target is None:
        return ""
    mark = {True: "met", False: "missed", None: "n/a"}[value.target.met]
    return f"{value.target.text} {mark}"


def exact(value: Value) -> str:
    """Return the exact bounds of a share, with the queries of a post counted together."""
    if value.exact is None:
        return ""
    low, high = value.exact.post_low, value.exact.post_high
    return f"[{number(low, value.better)}, {number(high, value.better)}]"


def head_line(result: Result) -> str:
    """Say which system was evaluated on what."""
    counts = result.counts
    return (
        f"{result.system} under {result.contract.id}: "
        f"{queries(counts.queries)}, {counts.evidence:,} with evidence, "
        f"{counted(counts.candidates, 'candidate')}"
    )


def one_system(result: Result, contract: Contract) -> list[TextTable]:
    """Return a table over k and tables by section, for each population."""
    by_name = {value.name: value for value in result.measures}
    tables = []
    for population in dict.fromkeys(value.population for value in result.measures):
        inside = [value for value in result.measures if value.population == population]
        where = f"{POPULATION_TITLES[Population(population)]}, n = {inside[0].n:,}"
        grid = _grid({value.name: value for value in inside}, contract)
        used = {name for _, names in grid for name in names}
        if grid:
            cuts = [at for at in range(len(contract.cuts)) if any(names[at] in by_name for _, names in grid)]
            head = ("measure", "", *(f"k={contract.cuts[at]}" for at in cuts))
            rows = tuple(
                line
                for label, names in grid
                for line in _lines(label, [by_name.get(names[at]) for at in cuts])
            )
            tables.append(TextTable(f"Ranking at cut-off k, on {where}", head, rows, (0, 1)))
        rest = [value for value in inside if value.name not in used]
        for section, listed in sections(rest).items():
            tables.append(_list(f"{section}, on {where}", listed))
    return tables


def _list(title: str, listed: Sequence[Value]) -> TextTable:
    """Return one row per measure, with the pooled value next to a mean over folds."""
    folded = any(value.aggregate == "fold_mean" for value in listed)
    has_intervals = any(value.interval is not None for value in listed)
    columns = [("measure", [value.name for value in listed])]
    columns.append(("", [ARROWS.get(value.better, "") for value in listed]))
    columns.append(("value", [cell(value) for value in listed]))
    if has_intervals:
        columns.append(("95% CI", [interval(value) for value in listed]))
    if any(value.exact is not None for value in listed):
        columns.append(("exact by post", [exact(value) for value in listed]))
    if any(value.target is not None for value in listed):
        columns.append(("target", [target(value) for value in listed]))
    if folded:
        columns.append(("pooled", [number(value.pooled, value.better) for value in listed]))
    head, cells = zip(*columns, strict=True)
    optional = tuple(head.index(name) for name in ("pooled", "exact by post") if name in head)
    verdicts = tuple(at for at, name in enumerate(head) if name == "target")
    return TextTable(title, head, tuple(zip(*cells, strict=True)), (0, 1), optional, verdicts)


def _grid(inside: dict[str, Value], contract: Contract) -> list[tuple[str, list[str]]]:
    """Return the measures that have cut-offs, each with its names over all cut-offs."""
    patterns = [pattern for pattern in contract.measures if PLACE in pattern]
    rows = [
        (pattern.replace(PLACE, "k"), [pattern.replace(PLACE, cut) for cut in contract.cuts])
        for pattern in patterns
    ]
    return [(label, names) for label, names in rows if any(name in inside for name in names)]


def _lines(label: str, values: Sequence[Value | None]) -> list[tuple[str, ...]]:
    """Return a row of values, with the pooled values and the intervals below."""
    present = [value for value in values if value is not None]
    lines = [(label, ARROWS.get(present[0].better, ""), *map(cell, values))]
    if any(value.aggregate == "fold_mean" for value in present):
        pooled = ["–" if each is None else number(each.pooled, each.better) for each in values]
        lines.append(("  pooled", "", *pooled))
    if any(value.interval is not None for value in present):
        lines.append(("  95% CI", "", *map(interval, values)))
    return lines


def thresholds(result: Result) -> TextTable:
    """Return one row per rule: its threshold in each fold, and what it may claim."""
    folds = list(dict.fromkeys(each.fold for each in result.thresholds))
    head = ("rule", *("threshold" if fold is None else f"fold {fold}" for fold in folds), "claim")
    rows = []
    for rule in dict.fromkeys(each.rule for each in result.thresholds):
        mine = [each for each in result.thresholds if each.rule == rule]
        values = ["–" if isinf(each.value) else f"{each.value:.4f}" for each in mine]
        rows.append((rule + (DEPLOYED if mine[0].deployment else ""), *values, _claim(mine)))
    title = f"Thresholds chosen on TUNE ({DEPLOYED} used for deployment)"
    return TextTable(title, head, tuple(rows), (0, len(head) - 1))


def _claim(thresholds: Sequence[Threshold]) -> str:
    """Return the claim of a rule's threshold, or the weakest claim among its folds."""
    if len(thresholds) == 1 or thresholds[0].certified is None:
        return thresholds[0].note
    sure = sum(bool(each.certified) for each in thresholds)
    weakest = min(thresholds, key=lambda each: each.confidence or 0.0)
    if sure == len(thresholds):
        return weakest.note
    where = f"fold {weakest.fold} has {weakest.positives} positives"
    return f"certified in {sure} of {len(thresholds)} folds; {where}: {weakest.note.split(', ')[-1]}"


def several_systems(results: Sequence[Result]) -> TextTable:
    """Return one column per system, with the best value of each row marked."""
    rows = []
    tables = [{value.name: value for value in result.measures} for result in results]
    for name in dict.fromkeys(name for table in tables for name in table):
        values = [table.get(name) for table in tables]
        first = next(value for value in values if value is not None)
        best = {"higher": max, "lower": min}.get(first.better)
        present = [value.value for value in values if value is not None]
        top = None if best is None else best(present)
        marks = [cell(each) + (BEST if each is not None and each.value == top else " ") for each in values]
        on = f"{first.population} {first.n:,}"
        rows.append((name, ARROWS.get(first.better, ""), on, *marks))
    head = ("measure", "", "on", *(result.system for result in results))
    return TextTable(f"Under {results[0].contract.id} ({BEST} best of the row)", head, tuple(rows), (0, 1, 2))
