"""`TaskInput`: what the reader of a shared task returns, whatever the task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints
from assay.data.alignment.align import RankingRules, assemble, find_repeated_hits, group_lists, has_repeats
from assay.data.cases import Cases, Grouping
from assay.data.evidence.evidence_groups import CODE, one_per_item
from assay.data.evidence.group_members import with_groups
from assay.data.runs import Judgements
from assay.files.input_file import InputFile

NO_CANDIDATES = pl.DataFrame(schema={"query_id": pl.String, "item": pl.String, "score": pl.Float64})
NO_GOLD = pl.DataFrame(schema={"query_id": pl.String, "item": pl.String, "grade": pl.Float64})
EVIDENCE = "evidence"
"""The gold item of a query that has evidence which no ranking could find."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskInput:
    """One system on a shared task: queries with numbers, gold and ranked candidates.

    Attributes
    ----------
    name
        What the system is called.
    contract
        The contract of the task, under which it is evaluated unless another is named.
    options
        Options of that contract, such as `na_prob_thresh`.
    notes
        What the reader found in the files, one sentence each.

    """

    name: str
    contract: str
    queries: tuple[str, ...]
    facts: Mapping[str, Floats]  # by a name of FACTS, one number per query
    groupings: Mapping[str, Grouping]  # post_id is the unit of the bootstrap
    gold: pl.DataFrame  # query_id, item, grade, and group where there are evidence groups
    candidates: pl.DataFrame = field(default_factory=lambda: NO_CANDIDATES)  # query_id, item, score
    prob: Floats | None = None
    predicted_lists: bool = False  # lists are what the system predicted, and may repeat an item
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    files: tuple[InputFile, ...] = ()

    @property
    def keys(self) -> pl.DataFrame:
        """Return the ids of the queries."""
        return pl.DataFrame({"query_id": pl.Series(self.queries, dtype=pl.String)})

    def cases(self, rules: RankingRules) -> Cases:
        """Return the queries with ranked candidates; without any candidate, nothing is ranked."""
        coded = self.keys.with_row_index(CODE)
        gold, listed = (
            table.join(coded, on="query_id", how="inner", maintain_order="left")
            for table in (self.gold, self.candidates)
        )
        judged = one_per_item(gold)
        judgements = Judgements.of(_codes(judged), judged["item"], judged["grade"].to_numpy())
        lists = group_lists(_codes(listed), listed["item"], listed["score"].to_numpy())
        hits = find_repeated_hits(lists, judgements, rules)
        cases = replace(assemble(self.keys, judgements, [hits], rules), repeats=has_repeats(lists))
        if "group" in gold.columns:
            cases = with_groups(cases, gold.select(CODE, "item", "grade", "group"), lists, hits)
        if not len(lists.scores):
            every = np.ones(len(cases), dtype=bool)
            counts = replace(cases.counts, missing=0, missing_evidence=0)
            cases = replace(cases, ranked=False, answered=every, counts=counts)
        evidence = Grouping(cases.has_evidence.astype(np.int64), ("0", "1"))
        return replace(
            cases, prob=self.prob, facts=self.facts, groupings={**self.groupings, "has_evidence": evidence}
        )


def _codes(frame: pl.DataFrame) -> Ints:
    return frame[CODE].to_numpy().astype(np.int64)
