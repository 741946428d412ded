"""What a system is to be seen beside: what chance, words alone and a single score would give."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from assay.data.corpus import QUERY, Corpus
from assay.data.floors import floor_tables
from assay.data.predictions import Predictions
from assay.errors import MeasureError
from assay.evaluation.api import evaluate
from assay.evaluation.result import Result
from assay.pipeline.answers import Answers
from assay.pipeline.lexical import Lexical
from assay.pipeline.plan import Plan
from assay.pipeline.run import outer_folds

BESIDE = ("ndcg@10", "recall@10", "mrr", "auroc", "auprc", "evidence_recall", "evidence_precision")
"""Measures that the floors are shown for."""


def retriever(plan: Plan) -> Plan:
    """BM25 alone: the retriever of the plan, or its default."""
    tables = {name: table for name, table in plan.tables.items() if name == Lexical.name}
    return replace(plan, stages=(Lexical.name,), tables=tables, search=None)


def floors(
    plan: Plan, corpus: Corpus, answers: Answers, result: Result, words: pl.DataFrame
) -> pl.DataFrame:
    """Random order, original order, BM25, the gate by the highest score, the system, the oracle."""
    fold = fold_table(corpus, plan)
    ranked = {"bm25": words, "highest score": answers.candidates}
    rows = []
    for name in ("random", "original", "bm25", "highest score", "oracle"):
        if name in ranked:
            tables = (ranked[name], by_highest(ranked[name], corpus, fold))
        else:
            tables = floor_tables(corpus, name, fold, plan.protocol.seed)
        scored = evaluate(
            Predictions.of(*tables), corpus, contract=plan.contract, measures=_known(result)
        )
        rows.append({"system": name} | _values(scored))
    rows.insert(4, {"system": result.system} | _values(result))
    return pl.DataFrame(rows, infer_schema_length=None)


def fold_table(corpus: Corpus, plan: Plan) -> pl.DataFrame:
    """The outer fold of each post."""
    own = outer_folds(corpus, plan)
    return pl.DataFrame({"post_id": list(own), "fold": list(own.values())})


def _known(result: Result) -> list[str]:
    return [name for name in BESIDE if name in {value.name for value in result}]


def _values(result: Result) -> dict[str, float | None]:
    """Value and std over folds of each measure that the floors are shown for."""
    out: dict[str, float | None] = {}
    for name in BESIDE:
        try:
            value = result[name]
        except MeasureError:
            out |= {name: None, f"{name} std": None}
            continue
        out |= {name: value.value, f"{name} std": value.folds.std if value.folds else None}
    return out


def by_highest(candidates: pl.DataFrame, corpus: Corpus, fold: pl.DataFrame) -> pl.DataFrame:
    """The highest score of a query in the place of a probability, as its rank among all queries."""
    best = candidates.group_by(QUERY).agg(pl.col("score").max().alias("__best"))
    asked = corpus.queries.frame.select(QUERY)
    joined = asked.join(best, on=QUERY, how="left", maintain_order="left")
    rank = joined["__best"].rank("average") / joined.height
    made = joined.with_columns(rank.fill_null(0.0).alias("prob")).drop("__best")
    return made.join(fold, on="post_id", maintain_order="left")
