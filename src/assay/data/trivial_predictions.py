"""Floors and the ceiling of a corpus: what no system, and a perfect one, would get."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.data.corpus import QUERY, Corpus


def baseline_tables(
    corpus: Corpus, name: str, fold: pl.DataFrame, seed: int = 0
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Candidates and decisions of `random`, `original` or `oracle`, for every query.

    random: an order and a probability by chance. original: the order of the post, and the same
    probability everywhere. oracle: gold first, with certainty, and as many as there are.
    `fold` has the columns post_id and fold.
    """
    pairs = corpus.queries.frame.select(QUERY).join(
        corpus.sentences.frame.select("post_id", "sent_uid").with_row_index("__place"),
        on="post_id",
        maintain_order="left_right",
    )
    gold = corpus.gold.frame.filter(pl.col("grade") >= 1).select(*QUERY, "sent_uid", "grade")
    counts = gold.group_by(QUERY).len("__gold")
    decisions = corpus.queries.frame.select(QUERY).join(counts, on=QUERY, how="left", maintain_order="left")
    draw = np.random.default_rng(seed)
    if name == "random":
        score = pl.Series("score", draw.random(pairs.height))
        prob = pl.Series("prob", draw.random(decisions.height))
    elif name == "original":
        score = (-pairs["__place"].cast(pl.Float64)).alias("score")
        prob = pl.repeat(0.5, decisions.height, eager=True).alias("prob")
    else:
        graded = pairs.join(gold, on=[*QUERY, "sent_uid"], how="left", maintain_order="left")
        score = graded["grade"].fill_null(0.0).alias("score")
        prob = decisions["__gold"].is_not_null().cast(pl.Float64).alias("prob")
    made = decisions.with_columns(prob)
    if name == "oracle":
        made = made.with_columns(pl.col("__gold").fill_null(0).alias("selected_k"))
    made = made.drop("__gold").join(fold, on="post_id", maintain_order="left")
    return pairs.with_columns(score).drop("__place"), made
