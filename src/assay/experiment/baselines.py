"""Baselines: random order, original order, BM25, highest score, oracle."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from assay.data.corpus import QUERY, Corpus
from assay.data.predictions import Predictions
from assay.data.trivial_predictions import baseline_tables
from assay.errors import MeasureError
from assay.evaluation.evaluate import evaluate
from assay.evaluation.result import Result
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.fold_parts import eval_folds, outer_folds
from assay.pipeline.run_config import Plan
from assay.pipeline.stages.retriever import Retriever

BESIDE = ("ndcg@10", "recall@10", "mrr", "auroc", "auprc", "evidence_recall", "evidence_precision")
"""Measures that are reported for the baselines."""


def retriever(plan: Plan) -> Plan:
    """Return BM25 alone: the retriever of the plan, or its default."""
    tables = {name: table for name, table in plan.tables.items() if name == Retriever.name}
    return replace(plan, stages=(Retriever.name,), tables=tables, search=None)


def baselines(
    plan: Plan, corpus: Corpus, answers: Answers, result: Result, words: pl.DataFrame
) -> pl.DataFrame:
    """Return the rows: random order, original order, BM25, highest score, system, oracle."""
    fold = fold_table(corpus, plan)
    ranked = {"bm25": words, "highest score": answers.candidates}
    rows = []
    for name in ("random", "original", "bm25", "highest score", "oracle"):
        if name in ranked:
            tables = (ranked[name], by_highest(ranked[name], corpus, fold))
        else:
            tables = baseline_tables(corpus, name, fold, plan.protocol.seed)
        given = Predictions.of(_of_posts(tables[0], fold), tables[1], roles=answers.roles)
        scored = evaluate(given, corpus, contract=plan.contract, measures=_known(result))
        rows.append({"system": name} | _values(scored))
    rows.insert(4, {"system": result.system} | _values(result))
    return pl.DataFrame(rows, infer_schema_length=None)


def fold_table(corpus: Corpus, plan: Plan) -> pl.DataFrame:
    """Return the outer fold of each post that is predicted: all posts, or the EVAL part of a split."""
    own = outer_folds(corpus, plan)
    kept = eval_folds(own, plan)
    table = pl.DataFrame({"post_id": list(own), "fold": list(own.values())})
    return table.filter(pl.col("fold").is_in(kept))


def _of_posts(rows: pl.DataFrame, fold: pl.DataFrame) -> pl.DataFrame:
    return rows.join(fold, on="post_id", how="semi", maintain_order="left")


def _known(result: Result) -> list[str]:
    return [name for name in BESIDE if name in {value.name for value in result.measures}]


def _values(result: Result) -> dict[str, float | None]:
    """Return value and std over folds of each measure reported for the baselines."""
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
    """Use the highest score of a query as its probability, as a rank among all queries."""
    best = candidates.group_by(QUERY).agg(pl.col("score").max().alias("__best"))
    asked = _of_posts(corpus.queries.frame.select(QUERY), fold)
    joined = asked.join(best, on=QUERY, how="left", maintain_order="left")
    rank = joined["__best"].rank("average") / joined.height
    made = joined.with_columns(rank.fill_null(0.0).alias("prob")).drop("__best")
    return made.join(fold, on="post_id", maintain_order="left")
