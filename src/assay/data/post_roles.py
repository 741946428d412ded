"""Roles of posts in a single split: TRAIN, TUNE (validation) or EVAL (test). Only EVAL is scored."""

from __future__ import annotations

import polars as pl

from assay.data import table_checks
from assay.data.readers.table_files import Table, texts
from assay.data.tune_queries import ROLES
from assay.errors import Fault, shown

COLUMNS = ("post_id", "role")
ALIASES = {
    "TRAIN": ("train", "training"),
    "TUNE": ("tune", "val", "valid", "validation", "dev"),
    "EVAL": ("eval", "test"),
}
SPELLINGS = "train, val (or dev, valid, validation, tune) and test (or eval)"


def role_of(name: str) -> str | None:
    """Return the role that a name such as `dev` or `Test` means, or None for any other name."""
    plain = name.strip().lower()
    return next((role for role, names in ALIASES.items() if plain in names), None)


def check_roles(table: Table) -> tuple[Table, list[Fault]]:
    """Return the table with roles spelled as TRAIN, TUNE or EVAL, and what is wrong with it."""
    table = texts(table, *COLUMNS)
    faults = table_checks.filled(table, *COLUMNS) + table_checks.unique(table, "post_id")
    given = table.frame["role"].to_list()
    found = [None if name is None else role_of(name) for name in given]
    faults += [
        table.fault(row, f"role is {shown(given[row])}", f"expected one of {', '.join(ROLES)}")
        for row, role in enumerate(found)
        if role is None and given[row] is not None
    ]
    if "EVAL" not in found and not faults:
        faults.append(Fault(table.source, "", "has no EVAL post", "expected posts to score"))
    return table.with_columns(pl.Series("role", found, dtype=pl.String)), faults


def posts_with(roles: Table, role: str) -> pl.Series:
    """Return the posts that have a role."""
    return roles.frame.filter(pl.col("role") == role)["post_id"]


def role_faults(roles: Table, queries: Table, tune: Table | None, *answered: Table | None) -> list[Fault]:
    """Return the posts without a role, unknown ones, and predictions for posts of another role.

    `answered` are tables that may have EVAL posts only, `tune` one that may have TUNE posts only.
    """
    faults = table_checks.known(roles, queries, "posts", "post_id")
    posts = queries.frame.select("post_id").unique(maintain_order=True)
    without = posts.join(roles.frame, on="post_id", how="anti", maintain_order="left")
    if without.height:
        problem = f"lacks {without.height} posts, the first {shown(without['post_id'][0])}"
        faults.append(Fault(roles.source, "", problem, "expected a role for every post of the corpus"))
    given = [(table, "EVAL") for table in answered] + [(tune, "TUNE")]
    for table, role in given:
        if table is None:
            continue
        other = roles.frame.filter(pl.col("role") != role)
        wrong = table.frame.select("post_id").unique(maintain_order=True)
        wrong = wrong.join(other, on="post_id", maintain_order="left")
        if wrong.height:
            post, has = wrong.row(0)
            problem = f"has {wrong.height} posts of another role, the first {shown(post)}, which is {has}"
            faults.append(Fault(table.source, "", problem, f"expected {role} posts only ({roles.source})"))
    return faults
