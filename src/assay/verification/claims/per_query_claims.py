"""Columns of a per-query table that are measures: compared query by query."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl

from assay.contracts.contract import Contract
from assay.data.logs.per_query_input import query_keys
from assay.data.logs.per_query_table import PerQueryTable
from assay.errors import NotANumberError, shown
from assay.evaluation.result import Result
from assay.verification.claims.claim_report import MATCH, NONE, OTHER, UNKNOWN, Claim
from assay.verification.claims.compare_claims import SLACK
from assay.verification.claims.explain import difference
from assay.verification.claims.possible_definitions import possible_definitions
from assay.verification.lint.names.measure_names import Name, read_name
from assay.verification.lint.numbers import Quantity, read_cell

SHOWN = 3


@dataclass(frozen=True, slots=True)
class ColumnClaim:
    """A column that is named like a measure, and its printed values; None where a cell has none."""

    column: str
    name: Name
    ids: list[str]
    keys: list[tuple[str, ...]]  # of the queries, as a result has them
    cells: list[Quantity | None]

    def judged(self, result: Result) -> Claim:
        """Return the definition that matches every value of the column, or else the most of them."""
        claimed = f"{sum(each is not None for each in self.cells):,} values"
        rows = result.query_table
        known = [each for each in self.ids if each in rows.columns]
        if not known:
            return Claim(self.column, claimed, UNKNOWN, why="it has no value per query", per_query=True)
        place = {key: at for at, key in enumerate(rows.select(result.query_keys).iter_rows())}
        kept = [at for at, key in enumerate(self.keys) if key in place]  # a contract may leave some out
        order = [place[self.keys[at]] for at in kept]
        cells = [self.cells[at] for at in kept]
        right = {each: _agreeing(cells, rows[each].gather(order)) for each in known}
        best = max(known, key=lambda each: (sum(right[each]), -known.index(each)))
        wrong = [shown(self.keys[at][-1]) for at, fine in zip(kept, right[best], strict=True) if not fine]
        first = known[0]
        if wrong:
            more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
            why = f"{len(wrong)} of {len(cells)} queries differ: {', '.join(wrong[:SHOWN])}{more}"
            return Claim(self.column, claimed, NONE, best, None, first, None, why, per_query=True)
        if best == first:
            return Claim(self.column, claimed, MATCH, best, None, first, None, per_query=True)
        why = f"it is {difference(best, first)}"
        return Claim(self.column, claimed, OTHER, best, None, first, None, why, per_query=True)


def _agreeing(cells: list[Quantity | None], values: pl.Series) -> list[bool]:
    """Return whether each cell could be a print of its value; outside the population, 0 or none."""
    made = []
    for cell, value in zip(cells, values.to_list(), strict=True):
        outside = value is None or math.isnan(value)
        if cell is None or outside:
            made.append(outside and (cell is None or cell.value == 0))
        else:
            made.append(cell.lo - SLACK <= Fraction(value) <= cell.hi + SLACK)
    return made


def column_claims(table: PerQueryTable, contract: Contract) -> list[ColumnClaim]:
    """Return the columns without a role that are named like a measure and hold numbers."""
    found = []
    keys = query_keys(table)
    for column in table.others:
        name = read_name(column)
        if name is None or name.context:
            continue
        try:
            cells = [_quantity(row.fields.get(column)) for row in table.rows]
        except NotANumberError:
            continue
        if any(each is not None for each in cells):
            found.append(ColumnClaim(column, name, possible_definitions(name, contract), keys, cells))
    return found


def _quantity(value: Any) -> Quantity | None:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | list | dict):
        raise NotANumberError(str(value))
    cell = read_cell(str(value))
    return None if cell is None else cell.value
