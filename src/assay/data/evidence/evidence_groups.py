"""Evidence groups: gold items of a query that are evidence only together."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.array_types import Ints
from assay.data.cases import EvidenceGroups

CODE = "__query"


def groups_of(gold: pl.DataFrame, hits: pl.DataFrame, hit_query: Ints, hit_rank: Ints) -> EvidenceGroups:
    """Join groups with the judged candidates.

    `gold` has one row per member: query code, item, grade and group; an item without a group is a
    group by itself. `hits` has the query code, item and rank of each judged candidate; `hit_query` and
    `hit_rank` are those of the cases, sorted by both.
    """
    alone = pl.col("group").is_null().alias("__alone")
    members = gold.with_columns(pl.coalesce("group", "item").alias("group"), alone)
    members = members.sort(CODE, maintain_order=True)
    first = hits.group_by(CODE, "item").agg(pl.col("rank").min())
    members = members.join(first, on=[CODE, "item"], how="left", maintain_order="left")
    keys = members.select(CODE, "group", "__alone").unique(maintain_order=True).with_row_index("__group")
    members = members.join(keys, on=[CODE, "group", "__alone"], how="left", maintain_order="left")
    group = members["__group"].to_numpy().astype(np.int64)
    query = keys[CODE].to_numpy().astype(np.int64)
    grade = np.full(len(query), np.inf)
    np.minimum.at(grade, group, members["grade"].to_numpy())
    rank = members["rank"].fill_null(-1).to_numpy().astype(np.int64)
    width = 1 + max(int(hit_rank.max(initial=0)), 0)
    wanted = members[CODE].to_numpy().astype(np.int64) * width + rank
    place = np.searchsorted(hit_query * width + hit_rank, wanted)
    return EvidenceGroups(query, grade, group, np.where(rank < 0, -1, place))


def one_per_item(gold: pl.DataFrame) -> pl.DataFrame:
    """Return each judged item once, whatever number of groups it is in."""
    if "group" not in gold.columns:
        return gold
    keys = [name for name in gold.columns if name not in ("group", "grade")]
    return gold.unique(keys, keep="first", maintain_order=True).drop("group")


def other_grades(gold: pl.DataFrame, keys: list[str]) -> list[int]:
    """Return the rows that give an item another grade than an earlier row: in another group, that is."""
    other = gold.select(pl.col("grade").ne_missing(pl.col("grade").first().over(keys))).to_series()
    return other.arg_true().to_list()
