"""The TRAIN, TUNE and EVAL posts of each outer fold of a corpus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assay.array_types import Ints
from assay.data.corpus import Corpus
from assay.data.splits import folds, split
from assay.errors import InputError, shown
from assay.pipeline.corpus_views import Posts
from assay.pipeline.protocol.nested_fold import Parts
from assay.pipeline.protocol.post_split import (
    SPLIT,
    own_split,
    refuse_split_names,
    roles_of,
    single_split,
    subsample,
)
from assay.pipeline.run_config import Plan
from assay.pipeline.views import Labelled

LEAST_TRAIN = 2
"""TRAIN posts that cross-fitting needs."""


def outer_folds(corpus: Corpus, plan: Plan) -> dict[str, str]:
    """Return the fold of each post, sorted by fold: the corpus's own, or drawn with the seed.

    The folds of a single split are its three parts.
    """
    single, protocol = plan.protocol.kind == SPLIT, plan.protocol
    if corpus.folds is not None:
        own, source = dict(corpus.folds.frame.select("post_id", "fold").iter_rows()), corpus.folds.source
        if single:
            return own_split(own, source)
        refuse_split_names(own, source)
        if len(set(own.values())) < 2:
            raise InputError.of(source, "has only one fold", "expected at least two")
        return dict(sorted(own.items(), key=lambda item: (item[1], item[0])))
    posts = corpus.sentences.frame["post_id"].unique(maintain_order=True).to_list()
    if single:
        return single_split(posts, protocol.shares, protocol.seed)
    if len(posts) < protocol.folds:
        problem = f"the corpus has {len(posts)} posts for {protocol.folds} folds"
        raise InputError.of(plan.source, problem, "expected a post for each; set folds in [protocol]")
    made = folds(posts, protocol.folds, protocol.seed)
    return {post: str(fold) for post, fold in sorted(made.items(), key=lambda item: item[1])}


def eval_folds(outer: dict[str, str], plan: Plan) -> list[str]:
    """Return the folds that are predicted: all of them, or only the test part of a split."""
    names = list(dict.fromkeys(outer.values()))
    return names[-1:] if plan.protocol.kind == SPLIT else names


def role_table(outer: dict[str, str]) -> pl.DataFrame:
    """Return the role of each post of a split, as predictions record it."""
    roles = roles_of(outer)
    return pl.DataFrame({"post_id": list(roles), "role": list(roles.values())})


def check_excluded(corpus: Corpus, plan: Plan) -> None:
    """Check that the criteria excluded from training exist, and that others remain."""
    known = corpus.criteria.frame["criterion_id"].to_list()
    unknown = [name for name in plan.protocol.exclude if name not in known]
    if unknown and not (plan.exclude_any and len(unknown) < len(plan.protocol.exclude)):
        names = " or ".join(map(shown, unknown)) if plan.exclude_any else shown(unknown[0])
        problem = f"the profile excludes {names}" if plan.exclude_any else f"exclude names criterion {names}"
        advice = "; set exclude in [protocol]" if plan.exclude_any else ""
        raise InputError.of(plan.source, problem, f"expected some of {', '.join(known[:12])}{advice}")
    if set(known) <= set(plan.protocol.exclude):
        raise InputError.of(plan.source, "excludes every criterion", "keep at least one to train on")


def parts_of(posts: Posts, outer: dict[str, str], fold: str, plan: Plan) -> Parts:
    """Return TRAIN, TUNE and EVAL of a fold; TRAIN and TUNE are split from what is not EVAL."""
    view = posts.view
    taught = ~np.isin(np.array(view.criteria), np.array(plan.protocol.exclude, dtype=str))
    whole = Labelled(view, posts.gold, taught[view.layout.query_criterion])
    numbers = post_numbers(view.posts, outer, fold, plan)
    return Parts(
        train=whole.take(numbers[0]),
        tune=whole.take(numbers[1]),
        eval=view.take(numbers[2]),
        facts={"texts": posts.texts, "posts": [each.tolist() for each in numbers]},
    )


def post_numbers(posts: Sequence[str], outer: dict[str, str], fold: str, plan: Plan) -> list[Ints]:
    """Return the positions of the TRAIN, TUNE and EVAL posts of a fold among all posts."""
    place = {post: at for at, post in enumerate(posts)}
    return [np.array(sorted(place[post] for post in part)) for part in post_parts(posts, outer, fold, plan)]


def post_parts(
    posts: Sequence[str], outer: dict[str, str], fold: str, plan: Plan
) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """Return the ids of the TRAIN, TUNE and EVAL posts of a fold."""
    protocol = plan.protocol
    train: Sequence[str]
    tune: Sequence[str]
    if protocol.kind == SPLIT:
        roles = roles_of(outer)
        train, tune = ([post for post in posts if roles[post] == role] for role in ("TRAIN", "TUNE"))
    else:
        rest = [post for post in posts if outer[post] != fold]
        if int(protocol.train * len(rest)) < LEAST_TRAIN:
            problem = f"fold {shown(fold)} leaves {len(rest)} posts for TRAIN and TUNE"
            raise InputError.of(plan.source, problem, f"expected {LEAST_TRAIN} or more for TRAIN alone")
        train, tune = split(rest, (protocol.train, _rest(protocol.train)), protocol.seed)
    train = subsample(train, protocol.train_posts, protocol.seed)
    if len(train) < LEAST_TRAIN:
        problem = f"fold {shown(fold)} has {len(train)} TRAIN posts"
        raise InputError.of(plan.source, problem, f"expected at least {LEAST_TRAIN}")
    return train, tune, [post for post in posts if outer[post] == fold]


def _rest(share: float) -> float:
    return float(f"{1 - share:.12g}")
