"""The queries of a bundle one by one: the worst of them, and one in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.data.alignment.ranks import rank_candidates
from assay.errors import InputError, MeasureError, shown
from assay.evaluation.presentation import ARROWS
from assay.evaluation.result import Value
from assay.report.page.query_lists import shown_values
from assay.report.report_bundle import Bundle

JOINT = "/"
"""What joins the parts of a query's id, such as post and criterion."""
ID = "__id"
LISTED = 8
"""Most ids that a message names."""
DECISION = ("fold", "answered", "prob", "state", "tau_neg", "tau_pos", "selected_k")


@dataclass(frozen=True, slots=True)
class RankedItem:
    """An item of a query: a candidate, or gold that is not among the candidates (rank None)."""

    rank: int | None
    item: str
    score: float | None
    grade: float
    returned: bool | None

    @property
    def gold(self) -> bool:
        """Return whether it is evidence."""
        return self.grade >= 1


@dataclass(frozen=True, slots=True)
class QueryView:
    """One query: what was decided, its candidates in rank order, its values."""

    query: str
    keys: dict[str, str]
    candidates: int
    gold: int
    decision: dict[str, Any]  # the columns that the bundle has
    items: tuple[RankedItem, ...]
    values: dict[str, float]  # of measures whose population it is in

    @property
    def first_gold(self) -> int | None:
        """Return the rank of the first gold item, None where none was retrieved."""
        return next((each.rank for each in self.items if each.gold), None)


def value_columns(bundle: Bundle, names: Sequence[str]) -> list[Value]:
    """Return measures that have a value per query; by default the one a reader looks for first."""
    if not names:
        per_query = [value.name for value in bundle.result.measures if _sortable(bundle, value)]
        names = [*shown_values(bundle), *per_query][:1]
        if not names:
            raise MeasureError("no measure of this bundle has a value per query")
    found = [bundle.result[name] for name in names]
    for value in found:
        if not _sortable(bundle, value):
            what = "no value per query" if not bundle.has(value.name) else "no better and worse"
            known = [each.name for each in bundle.result.measures if _sortable(bundle, each)]
            raise MeasureError(f"{value.name} has {what}; these have: {', '.join(known) or 'none'}")
    return found


def _sortable(bundle: Bundle, value: Value) -> bool:
    return bundle.has(value.name) and value.better in ARROWS


def worst_queries(bundle: Bundle, measure: Value, n: int) -> tuple[list[QueryView], int]:
    """Return the `n` queries with the worst values, and how many have a value; ties keep their order."""
    known = _with_ids(bundle).filter(pl.col(measure.name).is_not_null())
    ordered = known.sort(measure.name, descending=measure.better == "lower", maintain_order=True)
    return _views(bundle, ordered.head(n)), known.height


def query_view(bundle: Bundle, name: str) -> QueryView:
    """Return one query by its id: `post/criterion`, or the post alone if it has one query."""
    named = _with_ids(bundle)
    found = named.filter(pl.col(ID) == name)
    if found.is_empty():
        found = named.filter(pl.any_horizontal(pl.col(key) == name for key in bundle.result.query_keys))
    if found.height == 1:
        return _views(bundle, found)[0]
    if found.is_empty():
        example = named[ID][0] if named.height else "none"
        raise InputError.of(
            "`query`", f"no query is called {shown(name)}", f"expected an id such as {example}"
        )
    listed = ", ".join(found[ID].head(LISTED)) + (" …" if found.height > LISTED else "")
    raise InputError.of("`query`", f"{shown(name)} has {found.height} queries", f"expected one of {listed}")


def _with_ids(bundle: Bundle) -> pl.DataFrame:
    return bundle.result.query_table.with_columns(
        pl.concat_str(bundle.result.query_keys, separator=JOINT).alias(ID)
    )


def _views(bundle: Bundle, rows: pl.DataFrame) -> list[QueryView]:
    """Return the views of a few rows of the table of queries."""
    keys = list(bundle.result.query_keys)
    wanted = rows.select(keys)
    candidates = bundle.candidates.join(wanted, on=keys, how="semi", maintain_order="left")
    gold = bundle.gold.join(wanted, on=keys, how="semi", maintain_order="left")
    views = []
    for row in rows.iter_rows(named=True):
        mine = pl.all_horizontal(pl.col(key) == row[key] for key in keys)
        views.append(
            QueryView(
                row[ID],
                {key: row[key] for key in keys},
                row["n"],
                row["gold"],
                {name: row[name] for name in DECISION if name in row and name not in keys},
                _items(bundle, candidates.filter(mine), gold.filter(mine)),
                {
                    value.name: row[value.name]
                    for value in bundle.result.measures
                    if row.get(value.name) is not None
                },
            )
        )
    return views


def _items(bundle: Bundle, candidates: pl.DataFrame, gold: pl.DataFrame) -> tuple[RankedItem, ...]:
    """Return the candidates of one query in rank order, then the gold that is not among them."""
    by_id = bundle.result.contract.ranking.ties == "docno_desc"
    one = np.zeros(candidates.height, dtype=np.int64)
    rank = rank_candidates(one, candidates["score"].to_numpy(), candidates["item"] if by_id else None)
    grades = dict(gold.select("item", "grade").iter_rows())
    listed = []
    for at in np.argsort(rank, kind="stable").tolist():
        row = candidates.row(at, named=True)
        returned = None if row["returned"] is None else row["returned"] == 1
        grade = float(grades.get(row["item"]) or 0)
        listed.append(RankedItem(int(rank[at]), row["item"], float(row["score"]), grade, returned))
    retrieved = {each.item for each in listed}
    missed = [
        RankedItem(None, item, None, float(grade or 0), None)
        for item, grade in grades.items()
        if item not in retrieved and (grade or 0) >= 1
    ]
    return (*listed, *missed)
