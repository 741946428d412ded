"""Breakdowns: one row per group of queries, and how many sentences queries return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from assay.contracts.contract import Contract
from assay.evaluation.display.result_tables import CONVENTION, bounded, number
from assay.evaluation.display.suppressed_groups import HIDDEN, count_text, hidden_groups
from assay.evaluation.query_columns import query_columns, query_names
from assay.evaluation.result import GroupValue, Result, Value
from assay.metrics.core.entry import POPULATION_TITLES, Population
from assay.text_table import TextTable

SHOWN = 6
LARGEST_K = 6  # smaller K have a column each; larger ones share the last
FIRST = ("auroc", "auprc", "sensitivity", "ppv", "screening_sensitivity", "alert_precision")
"""What a reader looks for first among measures of all queries."""


def breakdown(result: Result, column: str, contract: Contract, below: int | None = None) -> list[TextTable]:
    """Return one table per population, with intervals below the values; groups below the limit are hidden."""
    tables = []
    for population in dict.fromkeys(value.population for value in result.measures):
        inside = [value for value in result.measures if value.population == population]
        shown = _chosen(inside, contract)
        rows: list[tuple[str, ...]] = []
        facts = _facts(result, column, below) if population == Population.ALL else {}
        sizes = {label: values[shown[0].name].n for label, values in result.groups[column].items()}
        secret = hidden_groups(sizes, below)
        for label, values in result.groups[column].items():
            cells = [values[value.name] for value in shown]
            known = facts.get(label, ("–", "–")) if facts else ()
            if label in secret:
                n = count_text(sizes[label], below, secondary=True)
                rows.append((label, n, *(HIDDEN for _ in (*known, *cells))))
                continue
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
                rows.append(("  95% CI", "", *("" for _ in known), *ends))
        title = f"By {column}, on {POPULATION_TITLES[Population(population)]}"
        counts = ("positive", "rate") if facts else ()
        head = (column, "n", *counts, *(value.name for value in shown))
        tables.append(TextTable(title, head, tuple(rows)))
    return tables


def _chosen(inside: Sequence[Value], contract: Contract) -> list[Value]:
    """Choose measures at the primary cut-off, else headline decisions, else the first few."""
    cut = str(max(contract.k_primary or contract.k))
    at_cut = [value for value in inside if value.name.endswith(("@" + cut, "_" + cut))]
    uncut = [value for value in inside if value.name == "mrr"] if at_cut else []
    by_name = {value.name: value for value in inside}
    first = [by_name[name] for name in FIRST if name in by_name]
    return ([*at_cut, *uncut] or first or list(inside))[: SHOWN + 1]


def _facts(result: Result, column: str, below: int | None) -> dict[str, tuple[str, str]]:
    """Return how many queries of each group have evidence, and their share."""
    if column == "has_evidence" or column not in query_names(result):
        return {}
    queries = query_columns(result, [column, "has_evidence"])
    evidence = pl.col("has_evidence").cast(pl.Int64).sum().alias("positive")
    label = pl.col(column).cast(pl.String).alias("label")
    counted = queries.group_by(label).agg(evidence, pl.len().alias("of"))
    listed = {str(label): (positive, total) for label, positive, total in counted.iter_rows()}
    kinds = ((positive for positive, _ in listed.values()), (n - positive for positive, n in listed.values()))
    few, rest = (hidden_groups(dict(zip(listed, kind, strict=True)), below) for kind in kinds)
    return {
        label: (count_text(positive, below, secondary=True), HIDDEN)
        if label in few | rest
        else (f"{positive:,}", f"{positive / total:.3f}")
        for label, (positive, total) in listed.items()
    }


def _cell(value: GroupValue, better: str) -> str:
    return number(value.value, better) + (CONVENTION if value.convention else "")


def selected_k(histograms: Mapping[str, Mapping[int, int]], below: int | None = None) -> TextTable:
    """Return one row per group of queries: how many of them return how many sentences.

    Counts below the limit are hidden.
    """
    top = max((k for counts in histograms.values() for k in counts), default=0)
    cuts = list(range(min(top, LARGEST_K) + 1))
    names = [f"K={k}" for k in cuts]
    if top > LARGEST_K:
        names[-1] = f"K≥{LARGEST_K}"
    rows = [(name, *_row(counts, cuts, below)) for name, counts in histograms.items() if counts]
    head = ("queries", "n", "mean", "median", "P90", "max", *names)
    return TextTable("Number of queries that return K sentences", head, tuple(rows))


def _row(counts: Mapping[int, int], cuts: list[int], below: int | None) -> tuple[str, ...]:
    n = sum(counts.values())
    mean = sum(k * count for k, count in counts.items()) / n
    columns = [counts.get(k, 0) for k in cuts[:-1]]
    columns.append(n - sum(columns))
    places = [f"{_quantile(counts, n, share):g}" for share in (0.5, 0.9)]
    secret = hidden_groups({str(k): count for k, count in zip(cuts, columns, strict=True)}, below)
    shown = (
        count_text(each, below, secondary=str(k) in secret) for k, each in zip(cuts, columns, strict=True)
    )
    return (count_text(n, below), f"{mean:.2f}", *places, str(max(counts)), *shown)


def _quantile(counts: Mapping[int, int], n: int, share: float) -> float:
    """Interpolate linearly, like every other quantile of assay."""
    position = (n - 1) * share
    low = int(position)
    first, second = (_at(counts, min(place, n - 1)) for place in (low, low + 1))
    return first + (second - first) * (position - low)


def _at(counts: Mapping[int, int], place: int) -> int:
    """Return the value at a place of the sorted list."""
    for k in sorted(counts):
        if place < counts[k]:
            return k
        place -= counts[k]
    raise AssertionError("the place lies within the list")
