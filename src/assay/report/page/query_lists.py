"""Every query with its ranked candidates as columns, and the names behind the codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.array_types import Ints
from assay.data.alignment.ranks import rank_candidates
from assay.metrics.core.family import is_whole
from assay.report.page.post_text import Texts
from assay.report.report_bundle import Bundle

ROWS = 300_000
"""Largest number of candidates in a page; beyond it, the lists of the page are cut."""
DEPTHS = (100, 50, 20, 10, 5)
RANKING_VALUES = ("ndcg@{k}", "recall@{k}", "map@{k}", "mrr")
VALUES = (*RANKING_VALUES, "evidence_recall", "evidence_precision", "brier", "utility")
Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Lists:
    """Names for the document, and columns for the binary part."""

    document: dict[str, Any]
    columns: Columns


def query_lists(bundle: Bundle, texts: Texts | None) -> Lists:
    """Return what the list of queries and the view of one query need."""
    queries = bundle.queries
    posts, post_code = _codes(_post_names(bundle))
    columns: Columns = {"post": post_code, "label": bundle.label.astype(np.int64)}
    document: dict[str, Any] = {"posts": posts, "keys": list(bundle.result.query_keys)}
    for name, source in (("criterion", "criterion_id"), ("fold", "fold")):
        if bundle.has(source) and source not in (bundle.result.query_keys[:1]):
            document[f"{name}_names"], columns[name] = _codes(queries[source].to_list())
    for name in ("n", "gold", "answered"):
        columns[name] = queries[name].to_numpy().astype(np.int64)
    if bundle.has("prob"):
        columns["prob"] = bundle.prob
    if bundle.has("state"):
        columns["state"] = bundle.state
    if bundle.has("selected_k"):
        columns["k"] = bundle.selected_k
    shown = shown_values(bundle)
    for at, name in enumerate(shown):
        columns[f"value{at}"] = queries[name].fill_null(np.nan).to_numpy().astype(np.float32)
    document["values"] = shown
    ranked, listed = _ranked(bundle, post_code, len(posts), texts)
    return Lists(document | listed, columns | ranked)


def shown_values(bundle: Bundle) -> list[str]:
    """Return the per-query measures that the page shows, the default sort key first."""
    cuts = [value.name.partition("@")[2] for value in bundle.result.measures if value.k_role == "primary"]
    whole = [int(cut) for cut in cuts if is_whole(cut)] or list(bundle.result.contract.k)
    largest = str(max(whole, default=10))
    wanted = [name.replace("{k}", largest) for name in VALUES]
    return [name for name in wanted if bundle.has(name)]


def _post_names(bundle: Bundle) -> list[str]:
    for column in ("post_id", *bundle.result.query_keys):
        if bundle.has(column):
            return [str(each) for each in bundle.queries[column]]
    return [f"row {at + 1}" for at in range(len(bundle.queries))]


def _codes(names: list[Any]) -> tuple[list[str], Ints]:
    places = {name: at for at, name in enumerate(dict.fromkeys(names))}
    return [str(name) for name in places], np.array([places[name] for name in names], dtype=np.int64)


def _ranked(bundle: Bundle, post: Ints, posts: int, texts: Texts | None) -> tuple[Columns, dict[str, Any]]:
    """Return candidates in rank order, with items as positions in the list of their post."""
    keys = list(bundle.result.query_keys)
    places = bundle.queries.select(keys).with_row_index("__query")
    rows = bundle.candidates.join(places, on=keys, how="left", maintain_order="left")
    query = rows["__query"].to_numpy().astype(np.int64)
    by_id = bundle.result.contract.ranking.ties == "docno_desc"
    rank = rank_candidates(query, rows["score"].to_numpy(), rows["item"] if by_id else None)
    order = np.lexsort((rank, query))
    ranked, rank = query[order], rank[order]
    fits = [depth for depth in DEPTHS if int((rank <= depth).sum()) <= ROWS]
    depth = None if len(rank) <= ROWS else (fits or DEPTHS[-1:])[0]
    grade = rows["grade"].fill_null(0.0).to_numpy()[order]
    kept = np.ones(len(rank), dtype=bool) if depth is None else (rank <= depth) | (grade > 0)
    taken = rows[order[kept]]
    missed = bundle.gold.join(bundle.candidates, on=[*keys, "item"], how="anti")
    missed = missed.filter(pl.col("grade") > 0).join(places, on=keys, how="inner")
    items, codes, absent = _item_names(taken, missed, post, posts)
    lists: dict[str, Any] = {"items": items, "missed": absent, "depth": depth}
    if texts is not None:
        lists |= texts.of_items(_post_names(bundle), post, items)
    returned = taken["returned"].fill_null(0).to_numpy().astype(np.int64)
    columns: Columns = {
        "item": codes,
        "rank": rank[kept],
        "listed": np.bincount(ranked[kept], minlength=len(bundle.queries)),
        "score": taken["score"].to_numpy().astype(np.float32),
        "flags": (grade[kept] >= 1) + 2 * returned,
    }
    if not np.isin(grade, (0.0, 1.0)).all():
        columns["grade"] = grade[kept].astype(np.float32)
    return columns, lists


def _item_names(
    taken: pl.DataFrame, missed: pl.DataFrame, post: Ints, posts: int
) -> tuple[list[list[str]], Ints, dict[str, list[int]]]:
    names: list[dict[str, int]] = [{} for _ in range(posts)]
    codes = np.empty(len(taken), dtype=np.int64)
    for row, (query, item) in enumerate(taken.select("__query", "item").iter_rows()):
        known = names[post[query]]
        codes[row] = known.setdefault(item, len(known))
    absent: dict[str, list[int]] = {}
    for query, item in missed.select("__query", "item").iter_rows():
        known = names[post[query]]
        absent.setdefault(str(query), []).append(known.setdefault(item, len(known)))
    return [list(each) for each in names], codes, absent
