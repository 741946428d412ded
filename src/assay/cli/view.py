"""From results to the tables of `assay evaluate`: what a person reads first."""

from __future__ import annotations

from collections.abc import Sequence

from assay.cli.table import Table
from assay.contracts.model import PLACE, Contract
from assay.evaluation.intervals import LABELS
from assay.evaluation.result import GroupValue, Result, Value
from assay.metrics.catalogue import FAMILIES
from assay.metrics.entry import POPULATION_TITLES, Population

ARROWS = {"higher": "↑", "lower": "↓"}
CONVENTION = "*"
FOLD_CONVENTION = "†"
PREFIXES = {
    "tune": "Gate at thresholds chosen on TUNE",
    "deployment": "Deployment (something is returned)",
    "all_queries": "Ranking with zeros for queries without gold",
}
SHOWN_IN_GROUPS = 6
SHOWN_ABSENT = 3
COUNTED = {"queries": "queries", "evidence": "queries with evidence", "candidates": "candidates"}


def number(value: float, better: str) -> str:
    """Four decimals; counts, which are neither good nor bad, as they are."""
    if better in ARROWS:
        return f"{value:.4f}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4f}"


def cell(value: Value | None) -> str:
    """A value, with the std over folds where their mean is the headline."""
    if value is None:
        return "–"
    text = number(value.value, value.better)
    if value.aggregate == "fold_mean" and value.folds is not None and value.folds.std is not None:
        text += f" ± {value.folds.std:.3f}"
        if value.folds.by_convention:
            return text + FOLD_CONVENTION
    return text + (CONVENTION if value.convention else "")


def interval(value: Value | None) -> str:
    """The interval of a headline."""
    if value is None or value.interval is None:
        return "–"
    low, high = value.interval.low, value.interval.high
    return f"[{number(low, value.better)}, {number(high, value.better)}]"


def counted(n: int, one: str, many: str) -> str:
    """`1 query`, `2 queries`."""
    return f"{n:,} {one if n == 1 else many}"


def head_line(result: Result) -> str:
    """Who was evaluated on what."""
    counts = result.counts
    return (
        f"{result.system} under {result.contract}: {counted(counts.queries, 'query', 'queries')}, "
        f"{counts.evidence:,} with evidence, "
        f"{counted(counts.candidates, 'candidate', 'candidates')}"
    )


def one_system(result: Result, contract: Contract) -> list[Table]:
    """Measures with a cut-off as rows over k, the others as a list; one pair a population."""
    by_name = {value.name: value for value in result}
    tables = []
    for population in dict.fromkeys(value.population for value in result):
        inside = [value for value in result if value.population == population]
        where = f"{POPULATION_TITLES[Population(population)]}, n = {inside[0].n:,}"
        grid = _grid({value.name: value for value in inside}, contract)
        used = {name for _, names in grid for name in names}
        if grid:
            cuts = [
                at
                for at in range(len(contract.cuts))
                if any(names[at] in by_name for _, names in grid)
            ]
            head = ("measure", "", *(f"k={contract.cuts[at]}" for at in cuts))
            rows = tuple(
                line
                for label, names in grid
                for line in _lines(label, [by_name.get(names[at]) for at in cuts])
            )
            tables.append(Table(f"Ranking at cut-off k, on {where}", head, rows, (0, 1)))
        rest = [value for value in inside if value.name not in used]
        for section in dict.fromkeys(map(section_of, rest)):
            listed = [value for value in rest if section_of(value) == section]
            tables.append(_list(f"{section}, on {where}", listed))
    return tables


def _list(title: str, listed: Sequence[Value]) -> Table:
    """One measure a row, with the pooled value beside a fold mean."""
    folded = any(value.aggregate == "fold_mean" for value in listed)
    bounded = any(value.interval is not None for value in listed)
    columns = [("measure", [value.name for value in listed])]
    columns.append(("", [ARROWS.get(value.better, "") for value in listed]))
    columns.append(("value", [cell(value) for value in listed]))
    if bounded:
        columns.append(("95 % CI", [interval(value) for value in listed]))
    if folded:
        columns.append(("pooled", [number(value.pooled, value.better) for value in listed]))
    head, cells = zip(*columns, strict=True)
    return Table(title, head, tuple(zip(*cells, strict=True)), (0, 1))


def section_of(value: Value) -> str:
    """The part of the table that a measure stands in: by its prefix, its decision, its family."""
    prefix, slash, _ = value.name.partition("/")
    if slash:
        return PREFIXES.get(prefix, prefix)
    if "at=not_neg" in value.definition or "at=pos" in value.definition:
        return "Three states"
    if "f1:at=returned" in value.definition:
        return "Posts and criteria"
    family = value.definition.partition(":")[0].partition("@")[0]
    return FAMILIES[family].section


def _grid(inside: dict[str, Value], contract: Contract) -> list[tuple[str, list[str]]]:
    """Labels of the measures with cut-offs, and their names over all cut-offs."""
    patterns = [pattern for pattern in contract.measures if PLACE in pattern]
    rows = [
        (pattern.replace(PLACE, "k"), [pattern.replace(PLACE, cut) for cut in contract.cuts])
        for pattern in patterns
    ]
    return [(label, names) for label, names in rows if any(name in inside for name in names)]


def _lines(label: str, values: Sequence[Value | None]) -> list[tuple[str, ...]]:
    """A row of values, and under a fold mean the pooled values."""
    present = [value for value in values if value is not None]
    lines = [(label, ARROWS.get(present[0].better, ""), *map(cell, values))]
    if any(value.aggregate == "fold_mean" for value in present):
        pooled = ["–" if each is None else number(each.pooled, each.better) for each in values]
        lines.append(("  pooled", "", *pooled))
    if any(value.interval is not None for value in present):
        lines.append(("  95 % CI", "", *map(interval, values)))
    return lines


def several_systems(results: Sequence[Result]) -> Table:
    """One column a system, the best of each row marked."""
    rows = []
    tables = [{value.name: value for value in result} for result in results]
    for name in dict.fromkeys(name for table in tables for name in table):
        values = [table.get(name) for table in tables]
        first = next(value for value in values if value is not None)
        best = {"higher": max, "lower": min}.get(first.better)
        present = [value.value for value in values if value is not None]
        top = None if best is None else best(present)
        marks = [
            cell(each) + ("◂" if each is not None and each.value == top else " ") for each in values
        ]
        on = f"{first.population} {first.n:,}"
        rows.append((name, ARROWS.get(first.better, ""), on, *marks))
    head = ("measure", "", "on", *(result.system for result in results))
    return Table(f"Under {results[0].contract} (◂ best of its row)", head, tuple(rows), (0, 1, 2))


def breakdown(result: Result, column: str, contract: Contract) -> list[Table]:
    """One row a group and one table a population: the measures that the K policy puts first."""
    tables = []
    for population in dict.fromkeys(value.population for value in result):
        inside = [value for value in result if value.population == population]
        cut = str(max(contract.k_primary or contract.k))
        at_cut = [value for value in inside if value.name.endswith(("@" + cut, "_" + cut))]
        shown = (at_cut or inside)[:SHOWN_IN_GROUPS]
        lines = tuple(
            (
                label,
                f"{values[shown[0].name].n:,}",
                *(_group_cell(values[value.name], value.better) for value in shown),
            )
            for label, values in result.groups[column].items()
        )
        title = f"By {column}, on {POPULATION_TITLES[Population(population)]}"
        head = (column, "n", *(value.name for value in shown))
        tables.append(Table(title, head, lines))
    return tables


def _group_cell(value: GroupValue, better: str) -> str:
    return number(value.value, better) + (CONVENTION if value.convention else "")


def notes(result: Result) -> list[str]:
    """What a reader must know to trust the table."""
    counts = result.counts
    lines = []
    if counts.missing:
        what = counted(counts.missing, "query was", "queries were")
        averaged = any(value.population != "predicted" for value in result)
        verdict = "counted as missed" if averaged else "not in the means (--complete counts them)"
        lines.append(f"{what} not answered: {verdict}.")
    if counts.left_out:
        what = counted(counts.left_out, "query of the run has", "queries of the run have")
        lines.append(f"{what} no judgements: left out.")
    if counts.excluded:
        lines.append(
            f"{counted(counts.excluded, 'query', 'queries')} of excluded criteria left out."
        )
    if counts.resorted and "query_id" in result.keys:
        what = counted(counts.resorted, "list was", "lists were")
        lines.append(f"{what} not sorted by score: sorted again, equal scores by the tie rule.")
    for name, count in result.unexpected.items():
        found = getattr(counts, name)
        lines.append(f"The contract is for {count:,} {COUNTED[name]}; these data have {found:,}.")
    lines += _conventions(result)
    tied = [value for value in result if value.tie_sensitive]
    if tied:
        worst = max(tied, key=lambda value: value.tie_sensitive or 0)
        on = counted(worst.tie_sensitive or 0, "query", "queries")
        touched = counted(len(tied), "measure is", "measures are")
        lines.append(
            f"Another order of tied candidates changes {worst.name} on {on}; {touched} touched."
        )
    for column, rows in result.groups.items():
        if len(rows) > LABELS and any(value.interval for value in result):
            lines.append(f"No intervals by {column}: {len(rows):,} labels, more than {LABELS}.")
    for reason in dict.fromkeys(result.absent.values()):
        names = [name for name, why in result.absent.items() if why == reason]
        if len(names) <= SHOWN_ABSENT:
            verb = "is" if len(names) == 1 else "are"
            lines.append(f"{', '.join(names)} {verb} absent: {reason}.")
        else:
            lines.append(f"{len(names)} measures are absent, {names[0]} among them: {reason}.")
    return lines


def _conventions(result: Result) -> list[str]:
    reasons: dict[str, int] = {}
    for value in result:
        for reason, count in value.by_convention.items():
            reasons[reason] = max(count, reasons.get(reason, 0))
    lines = [
        f"By convention 0 on up to {counted(count, 'query', 'queries')}: {reason}."
        for reason, count in reasons.items()
    ]
    if any(FOLD_CONVENTION in cell(value) for value in result):
        lines.append(f"{FOLD_CONVENTION} the value of at least one fold is a convention.")
    marked = {value.convention for value in result if value.convention}
    for rows in result.groups.values():
        for row in rows.values():
            marked |= {value.convention for value in row.values() if value.convention}
    return lines + [f"{CONVENTION} by convention: {reason}." for reason in sorted(marked)]
