"""Split a plain table into TUNE, where thresholds are chosen, and EVAL, which is scored."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl

from assay.data.label_table import LabelTable
from assay.data.tune_queries import Tune
from assay.errors import InputError, shown

SEED = 0
"""Fixed, so that nobody can try splits until one looks good."""


def with_tune_share(labelled: LabelTable, share: float) -> LabelTable:
    """Return the table with a column `role`: this share of the groups is TUNE, the others are EVAL.

    Groups with and without positives are split separately, and those of each fold, so that both
    parts have positives of every fold where there are enough groups. Without a group column, each
    row is its own group. The same groups always give the same split, whatever the order of rows.
    """
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise InputError.of("`tune_share`", f"is {shown(share)}", "expected a number between 0 and 1")
    source = labelled.table.source
    if "role" in labelled.table.frame.columns:
        problem = "has a column role, which defines TUNE already"
        raise InputError.of(source, problem, "leave out `tune_share`, or the column")
    rows = labelled.tune(whole=True)
    assert rows is not None, "a table has rows"
    chosen = _tune_groups(rows, Fraction(str(share)))
    if not 0 < len(chosen) < len(rows.posts.labels):
        what = "group" if labelled.group else "row"
        problem = f"{len(rows.posts.labels)} {what}s cannot be split"
        raise InputError.of(source, problem, f"expected two {what}s with positives, or two without")
    is_tune = np.isin(rows.posts.codes, chosen)
    role = pl.Series("role", np.where(is_tune, "TUNE", "EVAL"))
    return replace(labelled, table=labelled.table.with_columns(role))


def _tune_groups(rows: Tune, share: Fraction) -> list[int]:
    """Return the codes of the groups that are TUNE."""
    groups, labels = rows.posts.codes, rows.posts.labels
    positive = np.bincount(groups[rows.label], minlength=len(labels)) > 0
    fold_of = np.zeros(len(labels), dtype=np.int64)
    if rows.folds is not None:
        fold_of[groups] = rows.folds.codes
        shared = np.flatnonzero(fold_of[groups] != rows.folds.codes)
        if len(shared):
            problem = f"group {shown(labels[groups[shared[0]]])} has rows in two folds"
            raise InputError.of(rows.source, problem, "folds must not share a group")
    strata: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for code in sorted(range(len(labels)), key=labels.__getitem__):
        fold = "" if rows.folds is None else rows.folds.labels[fold_of[code]]
        strata[fold, bool(positive[code])].append(code)
    generator = np.random.default_rng(SEED)
    chosen: list[int] = []
    for _, codes in sorted(strata.items()):
        rounded = int(share * len(codes) + Fraction(1, 2))
        size = min(max(rounded, 1), len(codes) - 1)  # a single group is EVAL
        chosen += [codes[at] for at in generator.permutation(len(codes))[:size]]
    return chosen
