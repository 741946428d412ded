"""A plain table of labels and probabilities: decisions without rankings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.data import checks
from assay.data.align import Rules
from assay.data.chunks import encode
from assay.data.model import Cases, Counts, Grouping, Ints
from assay.data.readers.tables import Table
from assay.errors import InputError


@dataclass(frozen=True, slots=True)
class Labelled:
    """One row a query: its label, its probability, and the group (post) it belongs to."""

    table: Table
    prob: str
    label: str
    group: str | None = None

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.table.source

    def cases(self, _: Rules) -> Cases:
        """Labels become gold that no ranking could find; nothing is ranked."""
        for column in filter(None, (self.prob, self.label, self.group)):
            if column not in self.table.frame.columns:
                has = ", ".join(self.table.frame.columns[:12])
                problem = f"has no column {column!r} (it has {has})"
                raise InputError.of(
                    self.table.source, problem, "expected the column that was named"
                )
        probs, faults = checks.numbers(
            self.table,
            self.prob,
            lambda values: values.is_between(0, 1),
            "expected a number in [0, 1]",
        )
        labels, more = checks.numbers(
            self.table, self.label, lambda values: values.is_in([0.0, 1.0]), "expected 0 or 1"
        )
        if faults or more:
            raise InputError([*faults, *more])
        rows = self.table.frame.height
        nothing: Ints = np.zeros(0, dtype=np.int64)
        gold = np.flatnonzero(labels.to_numpy() == 1)
        groupings = {}
        if self.group is not None:
            codes, names = encode(self.table.frame[self.group].cast(pl.String).fill_null(""))
            groupings["post_id"] = Grouping(codes, names)
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
            prob=probs.to_numpy(),
            groupings=groupings,
            counts=Counts(queries=rows, evidence=len(gold)),
        )
