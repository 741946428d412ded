"""assay as a provider of ir_measures: importing this module registers it under the name `assay`.

`provider.calc_aggregate([nDCG@10, AP], qrels, run)` computes with assay. `use()` puts it in front of
the providers that `ir_measures.calc_aggregate`, `iter_calc` and `evaluator` choose from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures import Metric, providers
from ir_measures.util import QrelsConverter, RunConverter

from assay.compat.dict_scoring import JudgedQueries, per_query
from assay.errors import MeasureError
from assay.metrics.core.entry import Kind
from assay.metrics.core.registry import foreign_meanings, metric

__all__ = ["AssayProvider", "provider", "use"]


class AssayProvider(providers.Provider):  # type: ignore[misc] # ir_measures is not followed
    """Compute the measures of ir_measures that assay has, ranked as pytrec_eval ranks."""

    NAME = "assay"

    def supports(self, measure: Any) -> bool:
        """Return whether assay has a measure with these parameters."""
        measure.validate_params()
        try:
            found = [each for each in foreign_meanings(repr(measure)) if each.tool == "ir_measures"]
        except MeasureError:
            return False
        # ir_measures averages over all queries; `Accuracy` leaves some out.
        return any(each.theirs.reduce.kind == "mean" or each.theirs.kind is Kind.TOTAL for each in found)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> AssayEvaluator:
        return AssayEvaluator(list(measures), QrelsConverter(qrels).as_dict_of_dict())


class AssayEvaluator(providers.Evaluator):  # type: ignore[misc] # ir_measures is not followed
    """Score runs against the same judgements."""

    def __init__(self, measures: list[Any], qrels: dict[str, dict[str, int]]) -> None:
        super().__init__(measures, set(qrels))
        self.judged = JudgedQueries(qrels)
        self.metrics = [metric(repr(each)) for each in measures]

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield a value for each query of the run that has judgements; the base class adds the rest."""
        scores = RunConverter(run).as_dict_of_dict()
        cases = self.judged.cases(scores)
        if cases is None:
            return
        for measure, column in zip(self.measures, per_query(cases, self.metrics), strict=True):
            values = column.tolist()
            for query in scores:
                if query in self.judged.place:
                    value = values[self.judged.place[query]]
                    yield Metric(query_id=query, measure=measure, value=value)


provider = providers.register(AssayProvider())


def use() -> None:
    """Let ir_measures compute with assay what assay has, and with its other providers the rest."""
    chain = ir_measures.DefaultPipeline.providers
    if provider not in chain:
        chain.insert(0, provider)
