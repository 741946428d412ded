"""Measures of every query of a run, where judgements and run are dicts of dicts.

Candidates are ranked as trec_eval 9 ranks them: by 32-bit score, ties by document id, descending.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from assay.array_types import Floats
from assay.contracts.contract_toml import contract
from assay.data.alignment.align import align_run
from assay.data.cases import Cases
from assay.data.runs import Chunk, JudgedRun, Judgements, Qrels, Run
from assay.metrics.core.entry import Metric

Grades = Mapping[str, Mapping[str, int]]
Scores = Mapping[str, Mapping[str, float]]


class JudgedQueries:
    """Judgements that are joined with any number of runs."""

    def __init__(self, grades: Grades) -> None:
        self.grades = {query: items for query, items in grades.items() if items}
        self.place = {query: at for at, query in enumerate(self.grades)}
        sizes = [len(items) for items in self.grades.values()]
        items = pl.Series([item for row in self.grades.values() for item in row], dtype=pl.String)
        numbers = [grade for row in self.grades.values() for grade in row.values()]
        codes = np.repeat(np.arange(len(sizes)), sizes)
        judgements = Judgements.of(codes, items, np.array(numbers, dtype=np.float64))
        self.qrels = Qrels("qrels", tuple(self.grades), judgements)
        self.rules = contract("trec_eval/10").ranking

    def cases(self, scores: Scores, *, judged_only: bool = False) -> Cases | None:
        """Return the judged queries with their ranked candidates; None where there is no candidate."""
        lists = {
            query: self._judged(query, listed) if judged_only else listed
            for query, listed in scores.items()
            if query in self.place
        }
        lists = {query: listed for query, listed in lists.items() if listed}
        if not lists:
            return None
        sizes = [len(listed) for listed in lists.values()]
        items = pl.Series([item for listed in lists.values() for item in listed], dtype=pl.String)
        numbers = np.array([score for listed in lists.values() for score in listed.values()], np.float64)
        with np.errstate(over="ignore"):
            rounded = numbers.astype(np.float32).astype(np.float64)
        chunk = Chunk(list(lists), np.cumsum([0, *sizes[:-1]]), items, rounded)
        run = Run("run", lambda: [chunk], lambda: chunk, lambda: None)
        return align_run(JudgedRun(self.qrels, run), self.rules)[0]

    def _judged(self, query: str, listed: Mapping[str, float]) -> Mapping[str, float]:
        grades = self.grades[query]
        return {item: score for item, score in listed.items() if grades.get(item, -1) >= 0}


def per_query(cases: Cases, metrics: Iterable[Metric]) -> list[Floats]:
    """Return the values of each measure, one per judged query; totals give what they count."""
    return [next(iter(metric.columns(cases).arrays.values())) for metric in metrics]
