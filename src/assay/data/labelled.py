"""A plain table of labels and probabilities: decisions without rankings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.data import checks
from assay.data.align import Rules
from assay.data.model import Bools, Cases, Counts, Floats, Grouping, Ints
from assay.data.readers.tables import Table
from assay.data.tuning import Tune, by_role, grouping
from assay.errors import InputError


@dataclass(frozen=True, slots=True)
class Labelled:
    """One row a query: its label, its probability, and the group (post) and fold it belongs to.

    Where there is a column `role`, EVAL rows are scored, thresholds are chosen on TUNE rows, and
    TRAIN rows are left alone.
    """

    table: Table
    prob: str
    label: str
    group: str | None = None
    fold: str | None = None

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.table.source

    def cases(self, _: Rules) -> Cases:
        """The EVAL rows. Labels become gold that no ranking could find; nothing is ranked."""
        part = self.scored_rows()
        prob, label = self._numbers(part)
        rows = len(prob)
        nothing: Ints = np.zeros(0, dtype=np.int64)
        gold = np.flatnonzero(label)
        return Cases(
            keys=pl.DataFrame({"query_id": [str(row + 1) for row in range(rows)]}),
            answered=np.ones(rows, dtype=bool),
            n=np.zeros(rows, dtype=np.int64),
            judged=np.bincount(gold, minlength=rows),
            hit_query=nothing,
            hit_rank=nothing,
            hit_grade=np.zeros(0),
            hit_first=nothing,
            hit_last=nothing,
            gold_query=gold,
            gold_grade=np.ones(len(gold)),
            ranked=False,
            prob=prob,
            groupings=self._groupings(part),
            counts=Counts(queries=rows, evidence=len(gold)),
        )

    def scored_rows(self) -> Table:
        """The rows that are scored: all, or those of the role EVAL."""
        part = self._part("EVAL")
        if part.frame.is_empty():
            raise InputError.of(part.source, "has no EVAL row", "expected rows to score")
        return part

    def tune(self, *, whole: bool = False) -> Tune | None:
        """The TUNE rows, or all rows where the `whole` table is TUNE; None where there are none."""
        part = self.table if whole else self._part("TUNE")
        if part.frame.is_empty():
            return None
        self._check_columns()
        prob, label = self._numbers(part)
        groups = self._groupings(part)
        alone = Grouping(np.arange(len(prob)), tuple(f"row {at + 1}" for at in range(len(prob))))
        return Tune(part.source, prob, label, groups.get("post_id", alone), groups.get("fold"))

    def _part(self, role: str) -> Table:
        self._check_columns()
        parts, faults = by_role(self.table)
        if faults:
            raise InputError(faults)
        empty = self.table.part(pl.repeat(False, self.table.frame.height, eager=True))
        return parts.get(role, empty)

    def _check_columns(self) -> None:
        for column in filter(None, (self.prob, self.label, self.group, self.fold)):
            if column not in self.table.frame.columns:
                has = ", ".join(self.table.frame.columns[:12])
                problem = f"has no column {column!r} (it has {has})"
                raise InputError.of(
                    self.table.source, problem, "expected the column that was named"
                )

    def _numbers(self, part: Table) -> tuple[Floats, Bools]:
        probs, faults = checks.numbers(
            part, self.prob, lambda values: values.is_between(0, 1), "expected a number in [0, 1]"
        )
        labels, more = checks.numbers(
            part, self.label, lambda values: values.is_in([0.0, 1.0]), "expected 0 or 1"
        )
        if faults or more:
            raise InputError([*faults, *more])
        return probs.to_numpy(), labels.to_numpy() == 1

    def _groupings(self, part: Table) -> dict[str, Grouping]:
        named = {"post_id": self.group, "fold": self.fold}
        return {
            name: grouping(part.frame[column])
            for name, column in named.items()
            if column is not None
        }
