"""Posts, queries and sentences that occur in two places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from assay.evaluation.presentation import counted
from assay.verification.audit.audit_report import AuditSettings, Seen, clean, flagged, found, not_applicable
from assay.verification.audit.facts import Facts
from assay.verification.audit.text.near_posts import (
    PERMUTATIONS,
    SHINGLE,
    bands,
    near_pairs,
    normalised,
    post_words,
    same_words,
)

NO_PARTS = "there are neither folds nor TUNE posts to keep apart"


def shared_posts(facts: Facts, _: AuditSettings) -> Seen:
    """Check for posts with more than one fold."""
    folds = facts.folds
    assert folds is not None, "the check needs folds"
    twice = folds.group_by("post_id").agg(pl.len()).filter(pl.col("len") > 1).sort("post_id")
    looked = f"{folds['post_id'].n_unique()} posts in {folds['fold'].n_unique()} folds"
    if not facts.grouped:
        return not_applicable("it is unknown which queries belong to the same post", looked)
    if twice.is_empty():
        return clean(looked)
    return found(looked, f"{counted(len(twice), 'post')} in two folds", twice["post_id"], posts=len(twice))


def repeated_queries(facts: Facts, _: AuditSettings) -> Seen:
    """Check for repeated queries, and criteria that occur under two ids for one post."""
    looked = f"{len(facts.queries)} queries"
    rows = facts.queries.group_by(facts.keys, maintain_order=True).len().filter(pl.col("len") > 1)
    if not rows.is_empty():
        return found(looked, f"{counted(len(rows), 'key')} of queries repeated", facts.named(rows))
    if facts.criteria is None or "text" not in facts.criteria.columns:
        return clean(looked, "by id; the texts of the criteria are not known")
    texts: dict[str, list[str]] = {}
    for name, text in facts.criteria.select("criterion_id", "text").iter_rows():
        texts.setdefault(normalised(text or ""), []).append(name)
    asked = dict(facts.queries.group_by("criterion_id").agg(pl.col("post_id")).iter_rows())
    twice = [names for text, names in texts.items() if text and _share_posts(names, asked)]
    looked += f", {len(facts.criteria)} criteria"
    if not twice:
        return clean(looked)
    why = f"{counted(len(twice), 'criterion text')} under several ids, so each is asked twice"
    # In a log, a conversation or a user may well ask the same again.
    make = flagged if facts.shared else found
    return make(looked, why, [" = ".join(names) for names in twice], criteria=len(twice))


def _share_posts(criteria: Sequence[str], asked: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a post is asked about two of these criteria."""
    posts = [post for name in criteria for post in set(asked.get(name, ()))]
    return len(posts) > len(set(posts))


def part_of_posts(facts: Facts) -> dict[str, str]:
    """Return where each post belongs: its fold, else its role; empty if unknown."""
    rows = None
    if facts.folds is not None:
        rows = facts.folds.select("post_id", "fold")
    elif facts.roles is not None:
        rows = facts.roles.select("post_id", "role")
    return {} if rows is None else dict(rows.iter_rows())


def same_texts(facts: Facts, _: AuditSettings) -> Seen:
    """Check for posts with the same words in two folds (or in TUNE and EVAL)."""
    assert facts.texts is not None, "the check needs texts"
    groups = same_words(post_words(facts.texts))
    parts = part_of_posts(facts)
    looked = f"{facts.texts['post_id'].n_unique()} posts"
    if not parts:
        why = f"{NO_PARTS}; {counted(len(groups), 'group')} of posts to keep together"
        return not_applicable(why, looked, groups=len(groups))
    apart = [group for group in groups if len({parts.get(post) for post in group}) > 1]
    if not apart:
        return clean(looked, groups=len(groups))
    why = f"{counted(len(apart), 'text')} in two folds or roles"
    return found(looked, why, [" = ".join(sorted(group)) for group in apart], texts=len(apart))


def near_texts(facts: Facts, settings: AuditSettings) -> Seen:
    """Check for near-identical posts in two folds (or in TUNE and EVAL); identical: L003."""
    assert facts.texts is not None, "the check needs texts"
    parts = part_of_posts(facts)
    words = post_words(facts.texts)
    pairs = [
        (one, other, alike)
        for one, other, alike in near_pairs(words, settings.threshold)
        if words[one] != words[other] and (not parts or parts.get(one) != parts.get(other))
    ]
    wide, rows = bands(settings.threshold)
    numbers = {
        "jaccard": settings.threshold,
        "shingle_words": SHINGLE,
        "permutations": PERMUTATIONS,
        "missed_at_threshold": (1 - settings.threshold**rows) ** wide,
        "pairs": len(pairs),
    }
    looked = f"{len(words)} posts, shingles of {SHINGLE} words, Jaccard ≥ {settings.threshold:g}"
    if not parts:
        why = f"{NO_PARTS}; {counted(len(pairs), 'pair')} of posts to keep together"
        return not_applicable(why, looked, **numbers)
    if not pairs:
        return clean(looked, **numbers)
    pairs.sort(key=lambda pair: (-pair[2], pair[0], pair[1]))
    shown = [f"{one} ~ {other} ({alike:.2f})" for one, other, alike in pairs]
    # Two questions may differ in the one word that matters; two posts do not.
    make = flagged if facts.shared else found
    return make(looked, f"{counted(len(pairs), 'pair')} of near-identical posts", shown, **numbers)


def foreign_gold(facts: Facts, _: AuditSettings) -> Seen:
    """Check for gold that is not a sentence of its post: the corpus reader refuses it."""
    if facts.kind == "corpus":
        return clean(f"{len(facts.gold)} gold sentences", "the reader refuses such a corpus")
    return not_applicable("a bundle has no sentences", f"{len(facts.gold)} gold items")


def shared_sentences(facts: Facts, _: AuditSettings) -> Seen:
    """Check for sentence ids in two posts, unless ids restart in every post."""
    tables = [facts.sentences, facts.candidates, facts.gold]
    rows = pl.concat([table.select("post_id", "item") for table in tables if table is not None])
    owners = rows.unique().group_by("item").agg(pl.col("post_id").sort())
    shared = owners.filter(pl.col("post_id").list.len() > 1).sort("item")
    looked = f"{len(owners)} sentence ids"
    if not facts.grouped or len(facts.keys) == 1:
        return not_applicable("in plain IR, a document may answer any query", looked)
    if facts.shared:
        return not_applicable("the corpus says that posts share their candidates", looked)
    if len(shared) * 2 > len(owners):
        return not_applicable("sentence ids restart in every post", looked)
    if shared.is_empty():
        return clean(looked)
    names = [f"{item}: {', '.join(posts[:3])}" for item, posts in shared.head(5).iter_rows()]
    return found(looked, f"{counted(len(shared), 'sentence id')} in two posts", names, ids=len(shared))
