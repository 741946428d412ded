"""What a system gets in an audit: posts with gold to learn from, posts without to predict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assay.data.corpus import QUERY, Corpus
from assay.data.predictions import Predictions
from assay.data.readers.memory_tables import frame_of
from assay.data.readers.table_files import table_of
from assay.errors import InputError
from assay.verification.audit.gather_facts import Answers

Predict = Callable[..., Any]
"""`predict(train, tune, unlabelled)`: fit on `train`, calibrate on `tune` (both `LabelledPosts`),
predict the queries of `unlabelled` (`Posts`). It is called once per fold. With `whole=True` it gets
a fourth argument, the corpus.

It returns `Predictions`, a data frame of candidates (post_id, criterion_id, sent_uid, score) or of
decisions (post_id, criterion_id, prob), or a dict with the keys candidates and decisions.
"""


@dataclass(frozen=True, slots=True)
class Posts:
    """Some posts with their sentences, the criteria and the queries, without gold."""

    sentences: pl.DataFrame
    criteria: pl.DataFrame
    queries: pl.DataFrame


@dataclass(frozen=True, slots=True)
class LabelledPosts(Posts):
    """Posts with their gold: post_id, criterion_id, sent_uid, grade."""

    gold: pl.DataFrame


def posts_of(corpus: Corpus, posts: Iterable[str]) -> Posts:
    """Return a view of some posts, without gold."""
    names = pl.Series(sorted(posts), dtype=pl.String).implode()
    mine = pl.col("post_id").is_in(names)
    return Posts(
        corpus.sentences.frame.filter(mine), corpus.criteria.frame, corpus.queries.frame.filter(mine)
    )


def labelled_of(corpus: Corpus, posts: Iterable[str]) -> LabelledPosts:
    """Return a view of some posts, with gold."""
    names = list(posts)
    bare = posts_of(corpus, names)
    mine = pl.col("post_id").is_in(pl.Series(names, dtype=pl.String).implode())
    return LabelledPosts(bare.sentences, bare.criteria, bare.queries, corpus.gold.frame.filter(mine))


def answers_of(made: Any) -> Answers:
    """Return what a system returned, as tables of candidates and decisions."""
    if isinstance(made, Predictions):
        decisions = None if made.decisions is None else made.decisions.frame
        return Answers(made.candidates.frame, decisions)
    if isinstance(made, Mapping):
        tables = {str(name): frame_of(each, str(name)) for name, each in made.items()}
    else:
        frame = frame_of(made, "the system's answer")
        tables = {"candidates" if "sent_uid" in frame.columns else "decisions": frame}
    unknown = sorted(set(tables) - {"candidates", "decisions"})
    if unknown or not tables:
        problem = f"has {', '.join(unknown) or 'no table'}"
        raise InputError.of("the system's answer", problem, "expected candidates, decisions")
    columns = {"candidates": (*QUERY, "sent_uid", "score"), "decisions": (*QUERY, "prob")}
    kept = {
        name: table_of(frame, f"the system's {name}", columns[name]).frame for name, frame in tables.items()
    }
    return Answers(kept.get("candidates"), kept.get("decisions"))
