"""Align the kinds of input other than a run: predictions with a corpus, label tables, arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.data.alignment.align import RankingRules
from assay.data.alignment.corpus_cases import align_corpus
from assay.data.arrays import Arrays
from assay.data.cases import Cases
from assay.data.corpus import Corpus, read_corpus
from assay.data.label_table import LabelTable, read_decisions
from assay.data.logs.log import Log, log_parts
from assay.data.predictions import EnginePredictions, Predictions, load_predictions
from assay.data.tasks.task_input import TaskInput
from assay.data.tune_queries import Tune, paired_tune
from assay.data.tune_share import with_tune_share
from assay.errors import AssayError, InputError
from assay.evaluation.baselines.baseline_pool import corpus_pool
from assay.evaluation.inputs.aligned_input import AlignedInput, Sources, refuse_budget, refuse_corpus
from assay.files.input_file import InputFile

if TYPE_CHECKING:
    from assay.files.memory_budget import MemoryBudget


def align_other(
    predictions: Predictions | EnginePredictions | Arrays | LabelTable | Log | TaskInput | str | Path,
    corpus: Corpus | str | Path | None,
    rules: RankingRules,
    tune: Any,
    memory: MemoryBudget | None = None,
) -> AlignedInput:
    """Align predictions with a corpus, which a log brings; labels and arrays need no alignment."""
    refuse_budget(memory)
    if isinstance(predictions, Log) or (corpus is None and isinstance(predictions, str | Path)):
        predictions, corpus = log_parts(predictions, corpus)
    if isinstance(predictions, LabelTable | Arrays | TaskInput):
        refuse_corpus(corpus)
    if isinstance(predictions, LabelTable):
        cases = predictions.cases(rules)
        chosen_on, file = _labelled_tune(predictions, tune)
        sources = label_sources(predictions, cases, chosen_on, file)
        return AlignedInput(cases, predictions.name, chosen_on, sources)
    if isinstance(predictions, Arrays | TaskInput) and tune is not None:
        problem = f"has no effect on {'arrays' if isinstance(predictions, Arrays) else 'a shared task'}"
        raise InputError.of("`tune`", problem, "expected decisions")
    if isinstance(predictions, TaskInput):
        cases = predictions.cases(rules)
        return AlignedInput(cases, predictions.name, None, task_sources(predictions))
    if isinstance(predictions, Arrays):
        return AlignedInput(predictions.cases(rules), predictions.name, None, array_sources())
    return _align_corpus_input(predictions, corpus, rules, tune)


def prepared_labels(predictions: Any, by: Sequence[str] | str, tune: object, share: float | None) -> Any:
    """Return a plain table with its columns of breakdowns, and split for TUNE; other input as it is."""
    if isinstance(predictions, LabelTable) and not isinstance(by, str):
        predictions = predictions.broken_down(by)
    return predictions if share is None else split_for_tune(predictions, tune, share)


def split_for_tune(predictions: object, tune: object, share: float) -> LabelTable:
    """Return a plain table with a TUNE part; any other input is refused, and so is a second TUNE part."""
    if not isinstance(predictions, LabelTable):
        problem = "has no effect without a plain table of labels and probabilities"
        raise InputError.of("`tune_share`", problem, "a corpus has its TUNE part in the predictions")
    if tune is not None:
        raise InputError.of("`tune_share`", "has no effect with `tune`", "expected one of them")
    return with_tune_share(predictions, share)


def _align_corpus_input(
    predictions: Predictions | EnginePredictions | str | Path,
    corpus: Corpus | str | Path | None,
    rules: RankingRules,
    tune: Any,
) -> AlignedInput:
    if corpus is None:
        raise InputError.of(
            "predictions", "no corpus was given", "expected the corpus they are for: corpus=…"
        )
    asked = corpus if isinstance(corpus, Corpus) else read_corpus(corpus)
    if isinstance(predictions, EnginePredictions):
        predictions = predictions.ranked(asked, rules)
    given = predictions if isinstance(predictions, Predictions) else load_predictions(predictions)
    if tune is not None:
        given = given.with_tune(tune)
    cases = align_corpus(asked, given, rules)
    chosen_on = paired_tune(asked, given.tune, rules.exclude_criteria) if given.tune else None
    sources = corpus_sources(asked, given, cases, chosen_on)
    if rules.depth is None and not asked.shared_candidates:
        sources = replace(sources, pool=partial(corpus_pool, asked, cases))
    return AlignedInput(cases, given.name, chosen_on, sources)


def _labelled_tune(labelled: LabelTable, tune: Any) -> tuple[Tune | None, InputFile | None]:
    """TUNE rows of the table itself, or another table with the same columns and its file."""
    own = labelled.tune()
    if tune is None:
        return own, None
    other = read_decisions(
        tune, prob=labelled.prob, label=labelled.label, group=labelled.group, fold=labelled.fold
    )
    if own is not None:
        problem = f"is a second table of TUNE queries, next to {own.source}"
        raise InputError.of(other.name, problem, "expected one of them")
    return other.tune(whole=True), other.table.file


def corpus_sources(corpus: Corpus, predictions: Predictions, cases: Cases, tune: Tune | None) -> Sources:
    """Return the tables of a corpus and its predictions, without excluded criteria."""

    def named(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
        kept = frame.join(cases.keys, on=cases.keys.columns, how="semi", maintain_order="left")
        return kept.select(*cases.keys.columns, pl.col("sent_uid").alias("item"), *columns)

    def gold() -> pl.DataFrame:
        if corpus.groups is None:
            return named(corpus.gold.frame, "grade")
        return named(corpus.groups.frame, "grade", "group")

    lists = predictions.lists
    tables = [corpus.sentences, corpus.criteria, corpus.gold, corpus.queries, corpus.folds]
    tables += [predictions.decisions, predictions.tune, predictions.roles]
    files = [None if each is None else each.file for each in tables]
    files[5:5] = [predictions.candidates.file] if lists is None else lists.files

    def candidates() -> Iterator[pl.DataFrame]:
        for frame in [predictions.candidates.frame] if lists is None else lists.frames():
            yield named(frame, "score")

    return Sources(
        candidates=candidates,
        gold=gold,
        tune=tune,
        files=tuple(dict.fromkeys(filter(None, files))),
        shared_candidates=corpus.shared_candidates,
    )


def label_sources(
    labelled: LabelTable, cases: Cases, tune: Tune | None, tune_file: InputFile | None = None
) -> Sources:
    """Return no candidates, and for each query with label 1 a gold item no ranking could find."""
    keys = cases.keys
    empty = keys.clear().with_columns(
        pl.Series("item", [], dtype=pl.String), pl.Series("score", [], dtype=pl.Float64)
    )

    def gold() -> pl.DataFrame:
        positive = keys.filter(pl.Series(cases.has_evidence))
        return positive.with_columns(pl.lit("evidence").alias("item"), pl.lit(1.0).alias("grade"))

    files = tuple(filter(None, (labelled.table.file, tune_file)))
    return Sources(lambda: iter([empty]), gold, tune, files)


def task_sources(task: TaskInput) -> Sources:
    """Return the candidates and the gold of a shared task, with evidence groups where it has them."""
    return Sources(
        candidates=lambda: iter([task.candidates]),
        gold=lambda: task.gold,
        files=task.files,
        predicted_lists=task.predicted_lists,
    )


def array_sources() -> Sources:
    """Return tables that refuse to be read: without ids nobody could check a bundle."""

    def refuse() -> pl.DataFrame:
        raise AssayError("arrays have no ids, so there is nothing to save; read tables instead")

    return Sources(lambda: iter([refuse()]), refuse)
