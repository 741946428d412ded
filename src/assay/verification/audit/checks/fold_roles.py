"""Posts with two roles in one fold."""

from __future__ import annotations

import polars as pl

from assay.evaluation.presentation import counted
from assay.verification.audit.audit_report import AuditSettings, Seen, clean, found, not_applicable
from assay.verification.audit.facts import Facts


def tune_in_eval(facts: Facts, _: AuditSettings) -> Seen:
    """Check whether thresholds were chosen on posts that are scored."""
    return _both(facts, "TUNE", "EVAL")


def train_in_tune(facts: Facts, _: AuditSettings) -> Seen:
    """Check whether the inner split was made by query: posts have queries in both parts."""
    return _both(facts, "TRAIN", "TUNE")


def train_in_eval(facts: Facts, _: AuditSettings) -> Seen:
    """Check whether the system learned from posts that are scored."""
    return _both(facts, "TRAIN", "EVAL")


def _both(facts: Facts, one: str, other: str) -> Seen:
    roles = facts.roles
    assert roles is not None, "the check needs roles"
    if not facts.grouped:
        return not_applicable("it is unknown which queries belong to the same post")
    first, second = (roles.filter(pl.col("role") == role) for role in (one, other))
    looked = f"{len(first)} {one} and {len(second)} {other} posts, counted in each fold"
    missing = [role for role, rows in ((one, first), (other, second)) if rows.is_empty()]
    if missing:
        return not_applicable(f"no query has the role {' or '.join(missing)}", looked)
    pairs = first.join(second, on="post_id", suffix="_other").filter(
        pl.col("fold").is_null() | pl.col("fold_other").is_null() | (pl.col("fold") == pl.col("fold_other"))
    )
    if pairs.is_empty():
        return clean(looked)
    pairs = pairs.with_columns(pl.coalesce("fold", "fold_other").alias("fold"))
    pairs = pairs.select("post_id", "fold").unique().sort("fold", "post_id")
    shown = [post if fold is None else f"{post} in fold {fold}" for post, fold in pairs.iter_rows()]
    posts = pairs["post_id"].n_unique()
    return found(
        looked, f"{counted(posts, 'post')} with the roles {one} and {other} in one fold", shown, posts=posts
    )
