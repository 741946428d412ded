"""Align what a system predicted with the judgements, whatever the kind of input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.data.alignment.align import RankingRules, align_run
from assay.data.cases import Cases
from assay.data.ids import as_series
from assay.data.runs import Chunk, Chunks, JudgedRun
from assay.errors import InputError
from assay.evaluation.inputs.aligned_input import AlignedInput, Sources, refuse_corpus

if TYPE_CHECKING:  # their modules are imported only for such an input
    from assay.data.arrays import Arrays
    from assay.data.corpus import Corpus
    from assay.data.input_types import Rankings
    from assay.data.label_table import LabelTable
    from assay.data.logs.log import Log
    from assay.data.predictions import EnginePredictions, Predictions
    from assay.data.tasks.task_input import TaskInput

    Input = Predictions | EnginePredictions | JudgedRun | Arrays | LabelTable | Log | TaskInput | str | Path
    """What can be aligned."""
    PredictionsLike = Input | Rankings | Mapping[str, Any]
    CorpusLike = Corpus | str | Path | Mapping[str, Any]
    """What callers may pass in its place."""
    from assay.files.memory_budget import MemoryBudget


def align_input(
    predictions: Input,
    corpus: Corpus | str | Path | None,
    rules: RankingRules,
    tune: Any = None,
    memory: MemoryBudget | None = None,
) -> AlignedInput:
    """Return the cases of any kind of input under the ranking rules of a contract."""
    if not isinstance(predictions, JudgedRun):
        from assay.evaluation.inputs.other_inputs import align_other

        return align_other(predictions, corpus, rules, tune, memory)
    refuse_corpus(corpus)
    if tune is not None:
        raise InputError.of("tune", "a run has no probabilities", "expected decisions")
    cases, chunks = align_run(predictions, rules, memory)
    name, sources = predictions.run.source, _sources(predictions, cases, chunks)
    return AlignedInput(cases, name, None, sources)


def _sources(judged: JudgedRun, cases: Cases, chunks: Chunks) -> Sources:
    """Return the tables of a judged run; queries without judgements are not among them."""

    def candidates() -> Iterator[pl.DataFrame]:
        known = cases.keys["query_id"].implode()
        for chunk in chunks():
            yield _frame(chunk).filter(pl.col("query_id").is_in(known))

    def gold() -> pl.DataFrame:
        judged_items = judged.qrels.judgements
        names = pl.Series("query_id", judged.qrels.names, dtype=pl.String)
        return pl.DataFrame(
            {
                "query_id": names.gather(judged_items.query),
                "item": as_series(judged_items.items).cast(pl.String),
                "grade": judged_items.grade,
            }
        )

    files = (judged.qrels.file, judged.run.file, *judged.run.parts)
    return Sources(candidates, gold, files=tuple(filter(None, files)))


def _frame(chunk: Chunk) -> pl.DataFrame:
    lengths = pl.Series([*chunk.starts.tolist(), len(chunk.scores)]).diff()[1:]
    names = pl.DataFrame({"query_id": pl.Series(chunk.names, dtype=pl.String), "length": lengths})
    return pl.DataFrame(
        {
            "query_id": names.select(pl.col("query_id").repeat_by("length").explode()).to_series(),
            "item": as_series(chunk.items).cast(pl.String),
            "score": chunk.scores,
        }
    )
