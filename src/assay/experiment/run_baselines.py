"""The baselines of a run, as `evaluation.baselines` computes them, with the system among them."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assay.data.corpus import QUERY, Corpus
from assay.errors import MeasureError
from assay.evaluation.baselines.baselines import baseline_values, pool_of
from assay.evaluation.result import Result, Value
from assay.pipeline.protocol.fold_parts import eval_folds, outer_folds
from assay.pipeline.run_config import Plan

BESIDE = ("ndcg@10", "recall@10", "mrr", "auroc", "auprc", "evidence_recall", "evidence_precision")
"""Measures that are reported for the baselines."""


def baselines(result: Result) -> pl.DataFrame:
    """Return one row per baseline and, before the oracle, the system: values and std over folds."""
    assert result.sources is not None, "the result was computed here"
    cases, pool = pool_of(result, result.sources)
    known = [value for value in result.measures if value.name in BESIDE]
    found = baseline_values(result, cases, pool, known)
    rows = [{"system": name.replace("_", " ")} | _values(values) for name, values in found.items()]
    rows.insert(len(rows) - 1, {"system": result.system} | _values(result))
    return pl.DataFrame(rows, infer_schema_length=None)


def fold_table(corpus: Corpus, plan: Plan) -> pl.DataFrame:
    """Return the outer fold of each post that is predicted: all posts, or the EVAL part of a split."""
    own = outer_folds(corpus, plan)
    kept = eval_folds(own, plan)
    table = pl.DataFrame({"post_id": list(own), "fold": list(own.values())})
    return table.filter(pl.col("fold").is_in(kept))


def _of_posts(rows: pl.DataFrame, fold: pl.DataFrame) -> pl.DataFrame:
    return rows.join(fold, on="post_id", how="semi", maintain_order="left")


def _values(values: Mapping[str, Value]) -> dict[str, float | None]:
    """Return value and std over folds of each measure reported for the baselines."""
    out: dict[str, float | None] = {}
    for name in BESIDE:
        try:
            value = values[name]
        except (KeyError, MeasureError):
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
