"""Breakdowns: one row a group, on all of its queries and on those with evidence."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.cli.table import Table
from assay.cli.view import CONVENTION, bounded, number
from assay.contracts.model import Contract
from assay.evaluation.result import GroupValue, Result, Value
from assay.metrics.entry import POPULATION_TITLES, Population

SHOWN = 6
FIRST = ("auroc", "auprc", "sensitivity", "ppv", "screening_sensitivity", "alert_precision")
"""What a reader looks for first among measures of all queries."""


def breakdown(result: Result, column: str, contract: Contract) -> list[Table]:
    """One table a population; intervals below the values where there are any."""
    tables = []
    for population in dict.fromkeys(value.population for value in result):
        inside = [value for value in result if value.population == population]
        shown = _chosen(inside, contract)
        rows: list[tuple[str, ...]] = []
        facts = _facts(result, column) if population == Population.ALL else {}
        for label, values in result.groups[column].items():
            cells = [values[value.name] for value in shown]
            known = facts.get(label, ("–", "–")) if facts else ()
            rows.append(
                (
                    label,
                    f"{cells[0].n:,}",
                    *known,
                    *(_cell(cell, value.better) for cell, value in zip(cells, shown, strict=True)),
                )
            )
            if any(cell.interval is not None for cell in cells):
                ends = [bounded(cell, each.better) for cell, each in zip(cells, shown, strict=True)]
                rows.append(("  95 % CI", "", *("" for _ in known), *ends))
        title = f"By {column}, on {POPULATION_TITLES[Population(population)]}"
        counts = ("positive", "rate") if facts else ()
        head = (column, "n", *counts, *(value.name for value in shown))
        tables.append(Table(title, head, tuple(rows)))
    return tables


def _chosen(inside: Sequence[Value], contract: Contract) -> list[Value]:
    """The primary cut-off of rankings, the first questions of decisions, else the first few."""
    cut = str(max(contract.k_primary or contract.k))
    at_cut = [value for value in inside if value.name.endswith(("@" + cut, "_" + cut))]
    uncut = [value for value in inside if value.name == "mrr"] if at_cut else []
    by_name = {value.name: value for value in inside}
    first = [by_name[name] for name in FIRST if name in by_name]
    return ([*at_cut, *uncut] or first or list(inside))[: SHOWN + 1]


def _facts(result: Result, column: str) -> dict[str, tuple[str, str]]:
    """How many queries of each group have evidence, and their share; not of evidence itself."""
    queries = result.per_query
    if column == "has_evidence" or column not in queries.columns:
        return {}
    evidence = pl.col("has_evidence").cast(pl.Int64).sum().alias("positive")
    label = pl.col(column).cast(pl.String).alias("label")
    counted = queries.group_by(label).agg(evidence, pl.len().alias("of"))
    return {
        str(label): (f"{positive:,}", f"{positive / total:.3f}")
        for label, positive, total in counted.iter_rows()
    }


def _cell(value: GroupValue, better: str) -> str:
    return number(value.value, better) + (CONVENTION if value.convention else "")
