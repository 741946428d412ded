"""Altered gold for some posts: none, one less, flipped, or shuffled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import polars as pl

from assay.data.corpus import QUERY, Corpus

GOLD = (*QUERY, "sent_uid", "grade")


def without_gold(corpus: Corpus, posts: Iterable[str]) -> Corpus:
    """Remove all evidence from these posts."""
    return _with(corpus, posts, [])


def flipped_gold(corpus: Corpus, posts: Iterable[str]) -> Corpus:
    """Flip these posts: queries with evidence lose it, the others get their first sentence."""
    names = set(posts)
    has = set(_evidence(corpus).select(QUERY).iter_rows())
    first = dict(
        corpus.sentences.frame.unique("post_id", keep="first", maintain_order=True)
        .select("post_id", "sent_uid")
        .iter_rows()
    )
    rows = [
        (post, criterion, first[post], 1.0)
        for post, criterion in corpus.queries.frame.select(QUERY).iter_rows()
        if post in names and (post, criterion) not in has
    ]
    return _with(corpus, names, rows)


def less_gold(corpus: Corpus, posts: Iterable[str], which: int = 0) -> Corpus:
    """Remove the evidence of one query, counted among those that have any: the smallest possible change."""
    names = sorted(set(posts))
    has = _evidence(corpus).filter(pl.col("post_id").is_in(pl.Series(names).implode()))
    if has.is_empty():
        return corpus
    queries = has.select(QUERY).unique().sort(QUERY)
    gone = queries.slice(which % len(queries), 1)
    kept = corpus.gold.frame.join(gone, on=QUERY, how="anti", maintain_order="left")
    return replace(corpus, gold=replace(corpus.gold, frame=kept), groups=None)


def shuffled_gold(corpus: Corpus, posts: Iterable[str], draws: np.random.Generator) -> Corpus:
    """Shuffle as many gold sentences over queries and positions.

    The numbers of gold sentences are exchanged among all queries of these posts, so that not even
    the base rate of a criterion is kept. A post with too few sentences gets all of them.
    """
    names = set(posts)
    queries = [row for row in corpus.queries.frame.select(QUERY).iter_rows() if row[0] in names]
    counts = Counter(_evidence(corpus).select(QUERY).iter_rows())
    numbers = draws.permutation([counts[query] for query in queries])
    listed = corpus.sentences.frame.group_by("post_id").agg(pl.col("sent_uid").sort())
    sentences = dict(listed.iter_rows())
    rows = []
    for (post, criterion), number in zip(queries, numbers.tolist(), strict=True):
        own = sentences[post]
        chosen = draws.choice(len(own), size=min(number, len(own)), replace=False)
        rows += [(post, criterion, own[at], 1.0) for at in sorted(chosen.tolist())]
    return _with(corpus, names, rows)


def _evidence(corpus: Corpus) -> pl.DataFrame:
    return corpus.gold.frame.filter(pl.col("grade") >= 1)


def _with(corpus: Corpus, posts: Iterable[str], rows: list[tuple[str, str, str, float]]) -> Corpus:
    """Return the corpus with this gold for these posts, and its own for the others."""
    names = pl.Series(sorted(set(posts)), dtype=pl.String).implode()
    kept = corpus.gold.frame.select(GOLD).filter(~pl.col("post_id").is_in(names))
    fresh = pl.DataFrame(rows, schema=kept.schema, orient="row")
    return replace(corpus, gold=replace(corpus.gold, frame=pl.concat([kept, fresh])), groups=None)
