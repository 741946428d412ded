"""Convert the columns of a pipeline to prediction tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Ints
from assay.data.cases import STATES
from assay.pipeline.corpus_views import Posts
from assay.pipeline.query_arrays import highest_of
from assay.pipeline.views import Unlabelled


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Prediction tables; without a gate there is no TUNE, and no decisions unless K is selected.

    `train` has the cross-fitted probabilities of TRAIN.
    """

    candidates: pl.DataFrame
    decisions: pl.DataFrame | None = None
    tune: pl.DataFrame | None = None
    train: pl.DataFrame | None = None
    searches: Mapping[str, Any] = field(default_factory=dict)  # settings searches, by fold
    roles: pl.DataFrame | None = None  # TRAIN, TUNE or EVAL of every post, of a single split
    explanations: pl.DataFrame | None = None  # the strongest features of each query
    words: pl.DataFrame | None = None  # the same of words, which are numbers until they are asked for


def answers_of(
    train: Unlabelled, tune: Unlabelled, evaluated: Unlabelled, posts: Posts, fold: str
) -> Answers:
    """Return the tables of one fold."""
    made = tables_of(evaluated, sentence_ids(evaluated, posts), fold)
    if "prob" not in evaluated.columns:
        return made
    return replace(
        made, tune=_queries(tune, fold, only_prob=True), train=_queries(train, fold, only_prob=True)
    )


def sentence_ids(view: Unlabelled, posts: Posts) -> pl.Series:
    """Return the ids of the sentences of a view of some posts."""
    place = {post: at for at, post in enumerate(posts.view.posts)}
    numbers = np.array([place[post] for post in view.posts])
    return posts.sentences.gather(posts.view.layout.taken(numbers).sentences)


def tables_of(view: Unlabelled, uids: pl.Series, fold: str) -> Answers:
    """Return the tables of predicted posts; `uids` are the ids of their sentences."""
    candidates = _candidates(view, uids)
    if "prob" not in view.columns:
        return Answers(candidates, _without_gate(view, fold))
    return Answers(candidates, _queries(view, fold))


def joined(folds: Sequence[Answers]) -> Answers:
    """Return the tables of all folds, in the order of the folds."""
    optional = {}
    for name in ("decisions", "tune", "train", "explanations", "words"):
        tables = [getattr(each, name) for each in folds if getattr(each, name) is not None]
        optional[name] = pl.concat(tables) if tables else None
    searches = {fold: found for each in folds for fold, found in each.searches.items()}
    candidates = pl.concat([each.candidates for each in folds])
    return Answers(candidates, **optional, searches=searches)


def _candidates(view: Unlabelled, uids: pl.Series) -> pl.DataFrame:
    """Return one row per candidate of a query, by post and then by criterion."""
    layout, kept = view.layout, np.arange(view.pairs)
    if "candidate" in view.columns:
        kept = np.flatnonzero(view.column("candidate") > 0)
    return pl.DataFrame(
        {
            "post_id": _named(view.posts, layout.owner[layout.pair_sentence[kept]]),
            "criterion_id": _named(view.criteria, layout.pair_criterion[kept]),
            "sent_uid": uids.gather(layout.pair_sentence[kept]),
            "score": view.column(view.ranked_by)[kept],
        }
    )


def _without_gate(view: Unlabelled, fold: str) -> pl.DataFrame | None:
    """Return the decisions of a pipeline with K and no gate: every query returns its K sentences.

    The highest sentence probability is used as the probability of the query.
    """
    if "k" not in view.columns:
        return None
    best = highest_of(view.column("node_prob"), view.layout.pair_offsets)
    stand_in = {"prob": best, "selected_k": view.column("k")}
    return _queries(view.with_columns(stand_in), fold)


def _queries(view: Unlabelled, fold: str, *, only_prob: bool = False) -> pl.DataFrame:
    """Return one row per query. Without states, a query below probability 0.5 returns nothing."""
    columns = {
        "post_id": _named(view.posts, view.layout.query_post),
        "criterion_id": _named(view.criteria, view.layout.query_criterion),
        "prob": pl.Series(view.column("prob")),
    }
    if not only_prob:
        if "k" in view.columns and "selected_k" not in view.columns:
            passed = np.where(view.column("prob") >= 0.5, view.column("k"), 0.0)
            view = view.with_columns({"selected_k": passed})
        for name in ("selected_k", "state", "tau_neg", "tau_pos"):
            if name in view.columns:
                columns[name] = pl.Series(view.column(name))
    frame = pl.DataFrame(columns)
    if "selected_k" in frame.columns:
        frame = frame.with_columns(pl.col("selected_k").cast(pl.Int64))
    if "state" in frame.columns:
        named = pl.Series(STATES).gather(frame["state"].cast(pl.Int64) + 1)
        frame = frame.with_columns(named.alias("state"))
    return frame.with_columns(pl.lit(fold).alias("fold"))


def _named(names: Sequence[str], codes: Ints) -> pl.Series:
    return pl.Series(list(names), dtype=pl.String).gather(codes)
