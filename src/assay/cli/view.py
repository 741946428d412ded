"""From results to the tables of `assay evaluate`: what a person reads first."""

from __future__ import annotations

from collections.abc import Sequence

from assay.cli.table import Table
from assay.contracts.model import PLACE, Contract
from assay.evaluation.result import Result, Value
from assay.metrics.entry import POPULATION_TITLES, Population

ARROWS = {"higher": "↑", "lower": "↓"}
CONVENTION = "*"


def number(value: float) -> str:
    """Four decimals, or a whole number where the measure is a count."""
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) > 1 else f"{value:.4f}"


def cell(value: Value | None) -> str:
    """A value, with the std over folds where that is the headline."""
    if value is None:
        return "–"
    text = number(value.value)
    if value.aggregate == "fold_mean" and value.folds is not None and value.folds.std is not None:
        text += f" ± {value.folds.std:.3f}"
    return text + (CONVENTION if value.convention else "")


def head_line(result: Result) -> str:
    """Who was evaluated on what."""
    counts = result.counts
    return (
        f"{result.system} under {result.contract}: {counts.queries:,} queries, "
        f"{counts.evidence:,} with evidence, {counts.candidates:,} candidates"
    )


def one_system(result: Result, contract: Contract) -> list[Table]:
    """Measures with a cut-off as rows over k, the others as a list; one pair a population."""
    by_name = {value.name: value for value in result}
    tables = []
    for population in dict.fromkeys(value.population for value in result):
        inside = [value for value in result if value.population == population]
        where = f"{POPULATION_TITLES[Population(population)]}, n = {inside[0].n:,}"
        grid = _grid(by_name, contract, population)
        used = {name for name, _ in grid[1]}
        if grid[0]:
            head = ("measure", "", *(f"k={cut}" for cut in contract.cuts))
            tables.append(Table(f"At cut-off k, on {where}", head, tuple(grid[0]), (0, 1)))
        rest = [value for value in inside if value.name not in used]
        if rest:
            rows = tuple((value.name, ARROWS.get(value.better, ""), cell(value)) for value in rest)
            title = f"Without cut-off, on {where}" if grid[0] else f"On {where}"
            tables.append(Table(title, ("measure", "", "value"), rows, (0, 1)))
    return tables


def _grid(
    by_name: dict[str, Value], contract: Contract, population: str
) -> tuple[list[tuple[str, ...]], list[tuple[str, str]]]:
    rows, used = [], []
    for pattern in contract.measures:
        if PLACE not in pattern:
            continue
        names = [pattern.replace(PLACE, cut) for cut in contract.cuts]
        values = [by_name.get(name) for name in names]
        present = [value for value in values if value is not None]
        if not present or present[0].population != population:
            continue
        used += [(name, pattern) for name in names]
        label = pattern.replace(PLACE, "k")
        rows.append((label, ARROWS.get(present[0].better, ""), *map(cell, values)))
    return rows, used


def several_systems(results: Sequence[Result]) -> Table:
    """One column a system, the best of each row marked."""
    rows = []
    for value in results[0]:
        values = [result[value.name] for result in results]
        best = {"higher": max, "lower": min}.get(value.better)
        top = None if best is None else best(each.value for each in values)
        marks = [cell(each) + ("◂" if each.value == top else " ") for each in values]
        on = f"{value.population} {value.n:,}"
        rows.append((value.name, ARROWS.get(value.better, ""), on, *marks))
    head = ("measure", "", "on", *(result.system for result in results))
    return Table(f"Under {results[0].contract} (◂ best of its row)", head, tuple(rows), (0, 1, 2))


def breakdown(result: Result, column: str, contract: Contract) -> Table:
    """One row a group: its queries and the measures that the K policy puts first."""
    rows = result.groups[column]
    names = _shown_in_groups(result, contract)
    lines = []
    for label, values in rows.items():
        first = values[names[0]]
        cells = (
            number(values[name].value) + ("*" if values[name].convention else "") for name in names
        )
        lines.append((label, f"{first.n:,}", *cells))
    title = f"By {column}, on {result[names[0]].population} queries"
    return Table(title, (column, "n", *names), tuple(lines))


def _shown_in_groups(result: Result, contract: Contract) -> list[str]:
    """At most six measures of one population: at the largest primary cut-off, or without one."""
    population = result.values[0].population
    same = [value for value in result if value.population == population]
    cut = str(max(contract.k_primary or contract.k))
    wanted = [value.name for value in same if value.name.endswith(("@" + cut, "_" + cut))]
    return (wanted or [value.name for value in same])[:6]


def notes(result: Result) -> list[str]:
    """What a reader must know to trust the table."""
    counts = result.counts
    lines = []
    if counts.missing:
        lines.append(f"{counts.missing:,} queries were not answered; they count as misses.")
    if counts.left_out:
        lines.append(f"{counts.left_out:,} queries of the run have no judgements; left out.")
    if counts.excluded:
        lines.append(f"{counts.excluded:,} queries of excluded criteria were left out.")
    reasons: dict[str, int] = {}
    for value in result:
        for reason, count in value.by_convention.items():
            reasons[reason] = max(count, reasons.get(reason, 0))
    for reason, count in reasons.items():
        lines.append(f"By convention 0 on up to {count:,} queries: {reason}.")
    marked = {value.convention for value in result if value.convention}
    lines += [f"{CONVENTION} by convention: {reason}." for reason in sorted(marked)]
    tied = [value for value in result if value.tie_sensitive]
    if tied:
        worst = max(tied, key=lambda value: value.tie_sensitive or 0)
        lines.append(
            f"Ties: another order of tied candidates would change {worst.name} "
            f"on {worst.tie_sensitive:,} queries ({len(tied)} measures are touched)."
        )
    lines += [f"{name} is absent: {reason}." for name, reason in result.absent.items()]
    return lines
