"""Inputs of `evaluate` and `compare` that another engine than this process reads and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.data.predictions import EnginePredictions
from assay.data.runs import JudgedRun
from assay.engines.spark_corpus import spark_corpus, spark_predictions
from assay.engines.spark_qrels import spark_qrels
from assay.engines.spark_run import spark_run
from assay.engines.spark_session import is_local, spark_session
from assay.engines.spark_source import is_spark_frame
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.evaluation.inputs.accepted_inputs import Beside
    from assay.evaluation.inputs.align_input import Input

EXPECTED = "Spark takes evaluate(run, qrels=…) and evaluate(predictions, corpus); leave `engine` out"


def engine_input(
    engine: Any, answers: Any, asked: Any, beside: tuple[Any, ...]
) -> tuple[Any, Any, tuple[Any, ...]]:
    """Return the input as the engine reads it; what is left to this process stays as it is."""
    from assay.evaluation.inputs.accepted_inputs import Beside

    made = engine_systems(engine, [answers], asked, Beside(*beside))
    return (answers, asked, beside) if made is None else (made[0][0], made[1], (None,) * len(beside))


def engine_systems(
    engine: Any, systems: Sequence[Any], corpus: Any, beside: Beside
) -> tuple[list[Input], Any] | None:
    """Return systems that Spark ranks, and their corpus; None where this process does it."""
    if is_local(engine) or all(_on_spark(each) for each in systems):
        return None
    session = spark_session(engine)
    if corpus is not None and beside.qrels is None:
        whole = spark_corpus(session, corpus)
        return [spark_predictions(session, each) for each in systems], whole
    if corpus is not None or beside.qrels is None:
        raise InputError.of("`engine`", "has no effect on this kind of input", EXPECTED)
    names = ["run"] if len(systems) == 1 else [f"run {place}" for place in range(1, len(systems) + 1)]
    return [*engine_runs(session, systems, beside, names)], None


def engine_runs(
    engine: Any, runs: Sequence[Any], beside: Beside, names: Sequence[str] | None = None
) -> list[JudgedRun]:
    """Return runs with their judgements, which Spark reads and ranks; `names` are of data frames."""
    session = spark_session(engine)
    qrels = spark_qrels(session, beside.qrels, beside.split, beside.qrels_columns)
    titles: Sequence[str | None] = names or [None] * len(runs)
    made = [
        spark_run(session, run, title if is_spark_frame(run) else None, beside.run_columns)
        for run, title in zip(runs, titles, strict=True)
    ]
    return [JudgedRun(qrels, run) for run in made]


def _on_spark(given: object) -> bool:
    ranked = isinstance(given, JudgedRun) and given.run.align is not None
    return ranked or isinstance(given, EnginePredictions)
