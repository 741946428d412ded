"""Columns of a pipeline as tables of predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from assay.data.model import STATES, Ints
from assay.pipeline.posts import Posts
from assay.pipeline.views import Unlabelled

RANKINGS = ("bm25", "similarity", "late", "score", "rerank", "node")  # the last stage's holds


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Tables of predictions; a pipeline without a gate has no TUNE, and decisions if it has a K.

    `train` has the cross-fitted probabilities of TRAIN.
    """

    candidates: pl.DataFrame
    decisions: pl.DataFrame | None = None
    tune: pl.DataFrame | None = None
    train: pl.DataFrame | None = None
    searches: Mapping[str, Any] = field(default_factory=dict)  # by fold, of settings


def answers_of(
    train: Unlabelled, tune: Unlabelled, evaluated: Unlabelled, posts: Posts, fold: str
) -> Answers:
    """The tables of one fold."""
    place = {post: at for at, post in enumerate(posts.view.posts)}
    numbers = np.array([place[post] for post in evaluated.posts])
    made = tables_of(evaluated, [posts.sentences[at] for at in posts.view.rows(numbers)], fold)
    if "prob" not in evaluated.columns:
        return made
    return replace(
        made,
        tune=_queries(tune, fold, only_prob=True),
        train=_queries(train, fold, only_prob=True),
    )


def tables_of(view: Unlabelled, uids: Sequence[str], fold: str) -> Answers:
    """The tables of answered posts; `uids` are the ids of their sentences."""
    candidates = _candidates(view, uids)
    if "prob" not in view.columns:
        return Answers(candidates, _without_gate(view, fold))
    return Answers(candidates, _queries(view, fold))


def joined(folds: Sequence[Answers]) -> Answers:
    """The tables of all folds, in the order of the folds."""
    optional = {}
    for name in ("decisions", "tune", "train"):
        tables = [getattr(each, name) for each in folds if getattr(each, name) is not None]
        optional[name] = pl.concat(tables) if tables else None
    searches = {fold: found for each in folds for fold, found in each.searches.items()}
    candidates = pl.concat([each.candidates for each in folds])
    return Answers(candidates, **optional, searches=searches)


def ranking(view: Unlabelled) -> str:
    """The column that ranks: that of the last stage that gives one."""
    return [name for name in view.columns if name in RANKINGS][-1]


def _candidates(view: Unlabelled, uids: Sequence[str]) -> pl.DataFrame:
    """One row a candidate of a query: post after post, criterion after criterion."""
    taken = view.asked[view.owner]
    if "candidate" in view.columns:
        taken = taken & (view.column("candidate") > 0)
    sentence, criterion = np.nonzero(taken)
    order = np.lexsort((sentence, criterion, view.owner[sentence]))
    sentence, criterion = sentence[order], criterion[order]
    return pl.DataFrame(
        {
            "post_id": _named(view.posts, view.owner[sentence]),
            "criterion_id": _named(view.criteria, criterion),
            "sent_uid": _named(uids, sentence),
            "score": view.column(ranking(view))[sentence, criterion],
        }
    )


def _without_gate(view: Unlabelled, fold: str) -> pl.DataFrame | None:
    """Decisions of a pipeline with K and no gate: every query returns its K sentences.

    The highest probability of a sentence stands in for that of the query.
    """
    if "k" not in view.columns:
        return None
    best = np.maximum.reduceat(view.column("node_prob"), view.offsets[:-1], axis=0)
    stand_in = {"prob": best, "selected_k": view.column("k")}
    return _queries(view.with_columns(stand_in), fold)


def _queries(view: Unlabelled, fold: str, *, only_prob: bool = False) -> pl.DataFrame:
    """One row a query. Without states, a query below a probability of 0.5 returns nothing."""
    post, criterion = np.nonzero(view.asked)
    columns = {
        "post_id": _named(view.posts, post),
        "criterion_id": _named(view.criteria, criterion),
        "prob": pl.Series(view.column("prob")[post, criterion]),
    }
    if not only_prob:
        if "k" in view.columns and "selected_k" not in view.columns:
            passed = np.where(view.column("prob") >= 0.5, view.column("k"), 0.0)
            view = view.with_columns({"selected_k": passed})
        for name in ("selected_k", "state", "tau_neg", "tau_pos"):
            if name in view.columns:
                columns[name] = pl.Series(view.column(name)[post, criterion])
    frame = pl.DataFrame(columns)
    if "selected_k" in frame.columns:
        frame = frame.with_columns(pl.col("selected_k").cast(pl.Int64))
    if "state" in frame.columns:
        named = pl.Series(STATES).gather(frame["state"].cast(pl.Int64) + 1)
        frame = frame.with_columns(named.alias("state"))
    return frame.with_columns(pl.lit(fold).alias("fold"))


def _named(names: Sequence[str], codes: Ints) -> pl.Series:
    return pl.Series(list(names), dtype=pl.String).gather(codes)
