"""Every query with its ranked candidates as columns, and the names behind the codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.data.alignment.ranks import rank_candidates
from assay.evaluation.presentation import ARROWS
from assay.evaluation.query_columns import query_columns
from assay.metrics.core.names.parameter import is_whole
from assay.report.page.deployed_decisions import decided
from assay.report.page.post_text import Texts, explained_words
from assay.report.report_bundle import Bundle

ROWS = 300_000
"""Largest number of candidates in a page; beyond it, the lists of the page are cut."""
DROPPED = 10
"""Bits of the mantissa that a score loses."""
DEPTHS = (100, 50, 20, 10, 5)
RANKING_VALUES = ("ndcg@{k}", "recall@{k}", "map@{k}", "mrr")
TREC_VALUES = ("ndcg_cut_10", "P_10", "map", "recip_rank", "recall_1000")
VALUES = (*RANKING_VALUES, *TREC_VALUES, "evidence_recall", "evidence_precision", "brier", "utility")
MOST_TASK_VALUES = 4
USUAL = {"ndcg", "map", "mrr", "brier"}
"""Families that tell a contract of rankings or probabilities from that of a shared task."""
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
    rows = bundle.result.query_keys
    if "post_id" not in rows and bundle.has("post_id") and bundle.has(rows[0]):
        document["row_names"] = [str(each) for each in queries[rows[0]]]  # a post has many rows
    for name in ("n", "gold", "answered"):
        columns[name] = queries[name].to_numpy().astype(np.int64)
    if bundle.has("prob"):
        columns["prob"] = bundle.prob
    if bundle.has("state"):
        columns["state"] = bundle.state
    if bundle.has("selected_k"):
        columns["k"] = bundle.selected_k
    made = decided(bundle)
    if made is not None and made[0] == "flagged":
        columns["flagged"] = made[2]
    shown = shown_values(bundle)
    for at, values in enumerate(query_columns(bundle.result, shown)):
        columns[f"value{at}"] = values.fill_null(np.nan).to_numpy().astype(np.float32)
    document["values"] = shown
    document["task"] = is_task(bundle)  # the first value tells how wrong any query is
    ranked, listed = _ranked(bundle, post_code, len(posts), texts)
    return Lists(document | listed, columns | ranked)


def shown_values(bundle: Bundle) -> list[str]:
    """Return the per-query measures that the page shows, the default sort key first."""
    return _usual(bundle) or shown_by_task(bundle)


def _usual(bundle: Bundle) -> list[str]:
    cuts = [value.name.partition("@")[2] for value in bundle.result.measures if value.k_role == "primary"]
    whole = [int(cut) for cut in cuts if is_whole(cut)] or list(bundle.result.contract.k)
    largest = str(max(whole, default=10))
    wanted = [name.replace("{k}", largest) for name in VALUES]
    return [name for name in wanted if bundle.has(name)]


def shown_by_task(bundle: Bundle) -> list[str]:
    """Return the first measures with a value per query, where a contract has none of the usual ones."""
    judged = [] if _usual(bundle) else [each for each in bundle.result.measures if each.better in ARROWS]
    return [value.name for value in judged if bundle.has(value.name)][:MOST_TASK_VALUES]


def is_task(bundle: Bundle) -> bool:
    """Return whether the contract has none of the usual measures, as that of a shared task."""
    ids = bundle.result.contract.measures.values()
    families = {str(each).partition(":")[0].partition("@")[0] for each in ids}
    return bool(shown_by_task(bundle)) and not USUAL & families


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
    numbers, missed = _numbers(bundle, places)
    query = numbers["__query"].to_numpy().astype(np.int64)
    by_id = bundle.result.contract.ranking.ties == "docno_desc"
    rank = rank_candidates(query, numbers["score"].to_numpy(), numbers["item"] if by_id else None)
    fits = [depth for depth in DEPTHS if int((rank <= depth).sum()) <= ROWS]
    depth = None if len(rank) <= ROWS else (fits or DEPTHS[-1:])[0]
    grade = numbers["grade"].to_numpy()
    graded = not np.isin(grade, (0.0, 1.0)).all()
    kept = np.arange(len(rank)) if depth is None else np.flatnonzero((rank <= depth) | (grade > 0))
    taken = numbers[kept]
    del numbers
    if "item" not in taken.columns:
        taken = taken.with_columns(_items(bundle, kept))
    order = np.lexsort((rank[kept], query[kept]))
    taken, rank, query = taken[order], rank[kept[order]], query[kept[order]]
    items, codes, absent = _item_names(
        taken, missed.join(places, on=keys, maintain_order="left"), post, posts
    )
    lists: dict[str, Any] = {"items": items, "missed": absent, "depth": depth}
    if texts is not None:
        lists |= texts.of_items(_post_names(bundle), post, items)
        lists["words"] = explained_words(bundle, post, items)
    columns: Columns = {
        "item": codes,
        "rank": rank,
        "listed": np.bincount(query, minlength=len(bundle.queries)),
        "score": shown_digits(taken["score"].to_numpy()),
        "flags": (taken["grade"].to_numpy() >= 1) + 2 * taken["returned"].to_numpy().astype(np.int64),
    }
    if graded:
        columns["grade"] = taken["grade"].to_numpy().astype(np.float32)
    return columns, lists


def shown_digits(scores: Floats) -> NDArray[np.float32]:
    """Return scores with the three significant digits that the page shows, in fewer bits.

    13 bits of the mantissa keep such a decimal apart from its neighbours (1e-3 of it away at least);
    the rest are zeros, which deflate well: 14,770 queries with 12 candidates take 0.2 MB less.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.floor(np.log10(np.abs(scores)))
        scale = np.power(10.0, 2 - np.where(np.isfinite(size), size, 0.0))
    rounded = np.ascontiguousarray(np.where(np.isfinite(scores), np.round(scores * scale) / scale, scores))
    bits = rounded.astype(np.float32).view(np.uint32)
    kept = (bits + np.uint32(1 << (DROPPED - 1))) & ~np.uint32((1 << DROPPED) - 1)
    return np.where(np.isfinite(scores), kept, bits).astype(np.uint32).view(np.float32)


def _numbers(bundle: Bundle, places: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return what ranks a candidate and tells whether it is shown, and gold that is not a candidate.

    The items are left out where they do not decide on ranks: only those that are shown are needed.
    """
    keys = list(bundle.result.query_keys)
    by_id = ["item"] if bundle.result.contract.ranking.ties == "docno_desc" else []
    found, parts = [], []
    for part in bundle.loaded.candidate_parts(len(places)):
        rows = part.join(places, on=keys, how="left", maintain_order="left")
        numbers = (pl.col("grade").fill_null(0.0), pl.col("returned").fill_null(0).cast(pl.Int8))
        parts.append(rows.select("__query", "score", *numbers, *by_id))
        on = [*keys, "item"]
        found.append(bundle.gold.select(on).join(part.select(on), on=on, how="semi"))
    missed = bundle.gold.join(pl.concat(found), on=[*keys, "item"], how="anti", maintain_order="left")
    missed = missed.filter(pl.col("grade") > 0)  # an item may be in several groups of evidence
    return pl.concat(parts), missed.unique([*keys, "item"], keep="first", maintain_order=True)


def _items(bundle: Bundle, rows: Ints) -> pl.Series:
    """Return the items of some rows of the candidates, which are read again."""
    parts, first = [pl.Series("item", [], dtype=pl.String)], 0
    for part in bundle.loaded.candidate_parts():
        begin, end = np.searchsorted(rows, (first, first + part.height))
        parts.append(part["item"].gather(rows[begin:end] - first))
        first += part.height
    return pl.concat(parts)


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
