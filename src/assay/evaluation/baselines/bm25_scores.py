"""BM25 of each sentence of a post with the text of a criterion, from the corpus alone.

Document frequencies and the mean length are those of all sentences of the corpus: no label is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.data.bm25 import WORD, inverse_document_frequency, saturated
from assay.data.corpus import Corpus

QUERIES = 10_000
"""Queries whose words are joined with sentences at a time."""
SENTENCES = 100_000
"""Sentences whose words are counted at a time: all 30 million words of 2 million sentences took 5 GB."""
ROW = "sentence"
"""The row of a sentence in its table."""


@dataclass(frozen=True, slots=True, eq=False)
class SentenceWords:
    """The words of criteria, and what each adds to the score of each sentence that has it."""

    asked: pl.DataFrame  # criterion_id, word
    weights: pl.DataFrame  # post, sentence, word, weight

    @classmethod
    def of(cls, corpus: Corpus, places: pl.DataFrame, queries: pl.DataFrame) -> SentenceWords | None:
        """Count the words of a corpus; None if its sentences or its criteria have no text.

        `places` has the post of each sentence as a number, in the order of the sentences; `queries` has
        post and criterion_id. What is kept are the words that are asked of the post.
        """
        sentences, criteria = corpus.sentences.frame, corpus.criteria.frame
        if "text" not in sentences.columns or "text" not in criteria.columns:
            return None
        asked = _words(criteria, pl.col("criterion_id")).unique(maintain_order=True)
        vocabulary = asked.select(pl.col("word").unique(maintain_order=True)).with_row_index("code")
        asked = asked.join(vocabulary, on="word", how="left", maintain_order="left").drop("word")
        df = np.zeros(vocabulary.height, dtype=np.int64)
        length = np.zeros(sentences.height, dtype=np.int64)
        parts = []
        for first in range(0, max(sentences.height, 1), SENTENCES):
            some = sentences[first : first + SENTENCES]
            every = _words(some, pl.int_range(pl.len(), dtype=pl.UInt32).alias(ROW) + first)
            length[first : first + some.height] = np.bincount(every[ROW] - first, minlength=some.height)
            counted = every.join(vocabulary, on="word", how="inner").group_by(ROW, "code").len("tf")
            df += np.bincount(counted["code"], minlength=vocabulary.height)
            counted = counted.with_columns(places["post"].gather(counted[ROW]))
            mine = queries.join(counted, on="post", how="semi").join(asked, on="criterion_id")
            parts.append(counted.join(mine, on=("post", "code"), how="semi"))
        counted, mean = pl.concat(parts), max(float(length.sum()) / max(sentences.height, 1), 1.0)
        rows = counted[ROW].to_numpy()
        weight = saturated(counted["tf"].to_numpy().astype(np.float64), length[rows], mean)
        weight *= inverse_document_frequency(sentences.height, df)[counted["code"].to_numpy()]
        return cls(asked, counted.select("post", ROW, "code", pl.Series("weight", weight)))

    def scores(self, queries: pl.DataFrame) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        """Give some queries at a time, with query, sentence and score of their pairs above 0.

        `queries` has query, post and criterion_id. The weights of a pair are added in the order of its
        words, so the bits are always the same.
        """
        for first in range(0, queries.height, QUERIES):
            part = queries[first : first + QUERIES]
            hits = part.join(self.asked, on="criterion_id").join(self.weights, on=("post", "code"))
            hits = hits.select("query", ROW, "code", "weight").sort("query", ROW, "code")
            yield (
                part,
                hits.group_by("query", ROW, maintain_order=True).agg(pl.col("weight").sum().alias("score")),
            )


def _words(frame: pl.DataFrame, ids: pl.Expr) -> pl.DataFrame:
    """Return one row per word of each lower-cased text."""
    text = pl.col("text").cast(pl.String).fill_null("").str.to_lowercase()
    return frame.select(ids, text.str.extract_all(WORD).alias("word")).explode("word").drop_nulls("word")


def gold_ranks(gold: pl.DataFrame, scores: pl.DataFrame) -> pl.DataFrame:
    """Return the rank of each gold item by score, ties in the order of the post.

    `gold` has row, query, sentence and place, its place in the post from 1; `scores` are those above 0,
    with their places.
    """
    order = scores.sort("query", "score", "place", descending=[False, True, False])
    ranked = order.select("query", ROW, rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query"))
    # Among sentences without a word of the criterion, those earlier in the post come first.
    both = [
        scores.select("query", pl.col("place").cast(pl.Int64), scored=1),
        gold.select("query", pl.col("place").cast(pl.Int64), "row", scored=0),
    ]
    counts = pl.concat(both, how="diagonal").sort("query", "place")
    scored = pl.col("scored")
    last = counts.select(
        "row", last=scored.sum().over("query") + pl.col("place") - scored.cum_sum().over("query")
    )
    rows = gold.join(ranked, on=("query", ROW), how="left").join(last.drop_nulls("row"), on="row", how="left")
    return rows.select("row", rank=pl.coalesce("rank", "last"))
