"""Write predictions and their corpus with many queries, criteria or folds.

`bundle_data.py FOLDER QUERIES CANDIDATES CRITERIA FOLDS`: each post has CANDIDATES sentences. Query i
asks criterion i modulo CRITERIA of a post; ten queries share a post where there are ten criteria or more.
One query in ten has evidence, and candidates with evidence score higher.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

SEED = 20261118
PER_POST = 10


def main(folder: Path, queries: int, candidates: int, criteria: int, folds: int) -> None:
    draw = np.random.default_rng((SEED, queries, candidates, criteria, folds))
    corpus, predictions = folder / "corpus", folder / "predictions"
    for each in (corpus, predictions):
        each.mkdir(parents=True, exist_ok=True)
    post = np.arange(queries) // min(PER_POST, criteria)
    posts = int(post[-1]) + 1
    sentence = np.tile(np.arange(candidates), posts)
    owner = np.repeat(np.arange(posts), candidates)
    named(owner, "post").with_columns(
        pl.Series("sent_uid", owner * candidates + sentence).cast(pl.String),
        pl.Series("position", sentence + 1),
        pl.format("Sentence {}.", pl.Series("n", sentence + 1)).alias("text"),
    ).write_csv(corpus / "sentences.csv")
    numbers = pl.Series("n", np.arange(criteria))
    pl.select(
        pl.format("c{}", numbers).alias("criterion_id"), pl.format("Does {} hold?", numbers).alias("text")
    ).write_csv(corpus / "criteria.csv")
    fold = draw.permutation(np.arange(posts) % folds)
    named(np.arange(posts), "post").with_columns(pl.Series("fold", fold).cast(pl.String)).write_csv(
        corpus / "folds.csv"
    )
    asked = named(post, "post").with_columns(
        pl.format("c{}", pl.Series("n", np.arange(queries) % criteria)).alias("criterion_id")
    )
    asked.write_csv(corpus / "queries.csv")
    has, best = draw.random(queries) < 0.1, draw.integers(0, candidates, queries)
    uid = post * candidates + best
    asked.with_columns(pl.Series("sent_uid", uid).cast(pl.String)).filter(pl.Series(has)).write_csv(
        corpus / "gold.csv"
    )
    rows = np.repeat(np.arange(queries), candidates)
    listed = np.tile(np.arange(candidates), queries)
    true = has[rows] & (listed == best[rows])
    asked[rows].with_columns(
        pl.Series("sent_uid", post[rows] * candidates + listed).cast(pl.String),
        pl.Series("score", np.round(draw.normal(2.0 * true, 1), 6)),
    ).write_csv(predictions / "candidates.csv")
    prob = 1 / (1 + np.exp(3.0 - 3.0 * has - draw.normal(0, 1, queries)))
    state = pl.Series("state", np.array(["NEG", "UNCERTAIN", "POS"])[np.digitize(prob, [0.05, 0.6])])
    asked.with_columns(
        pl.Series("prob", np.round(prob, 8)),
        pl.Series("selected_k", np.where(prob < 0.05, 0, 1)),
        state,
        pl.lit(0.05).alias("tau_neg"),
        pl.lit(0.6).alias("tau_pos"),
    ).write_csv(predictions / "decisions.csv")


def named(numbers: np.ndarray, what: str) -> pl.DataFrame:
    return pl.select(pl.format(f"{what}_{{}}", pl.Series("n", numbers)).alias(f"{what}_id"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:6]))
