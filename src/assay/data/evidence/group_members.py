"""Evidence groups of a gold table, joined with the candidates that were found."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from assay.data.alignment.align import Hits, Lists
from assay.data.cases import Cases
from assay.data.evidence.evidence_groups import CODE, groups_of
from assay.data.ids import as_series, pick


def with_groups(cases: Cases, gold: pl.DataFrame, lists: Lists, hits: Hits) -> Cases:
    """Return the cases with the groups of `gold` (query code, item, grade, group), if it has any."""
    if "group" not in gold.columns:
        return cases
    code, item, grade, group = gold.columns
    members = gold.select(pl.col(code).alias(CODE), pl.col(item).alias("item"), grade, group)
    found = pl.DataFrame(
        {CODE: hits.query, "item": as_series(pick(lists.items, hits.row)), "rank": hits.rank}
    )
    members = members.with_columns(pl.col(CODE).cast(pl.Int64))
    return replace(cases, groups=groups_of(members, found, cases.hit_query, cases.hit_rank))
