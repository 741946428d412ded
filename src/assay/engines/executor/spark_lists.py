"""On an executor: rows to ranked lists, by the kernels that one process runs too.

A list is what a measure can see of a query: how many candidates it has, and rank, grade and tie
group of the judged ones. Lists go to the driver as Arrow rows; so do faults, as an exception would
make Spark repeat the task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats, Ints
from assay.data.alignment.align import Hits, Lists, RankingRules, find_hits
from assay.data.alignment.list_lookup import ListLookup
from assay.data.ids import pick
from assay.data.runs import Judgements
from assay.engines.executor.list_rows import fault_batch, list_batch, nested, scattered_batch
from assay.engines.executor.spark_rows import PLACE, RowLayout, read_rows
from assay.engines.executor.spark_text import BLOCK, MOST_FAULTS, PART, POSITION, Faults, run_starts
from assay.errors import shown

MOST_RETURNS = 1000
"""A task in which queries come back more often than this leaves all rows to the shuffle."""


@dataclass(frozen=True, slots=True)
class RankPlan:
    """What a task needs to rank: the judgements by query code, and the rules of the contract."""

    layout: RowLayout
    names: tuple[str, ...]  # queries that have judgements, by code
    judgements: Judgements
    rules: RankingRules
    keep_scores: bool = False  # also return the score of every candidate
    only: frozenset[str] | None = None  # these queries alone

    def codes(self) -> dict[str, int]:
        """Return the code of each query."""
        return {name: code for code, name in enumerate(self.names)}


def rank_partition(batches: Iterable[Any], plan: RankPlan, partition: int) -> Iterator[Any]:
    """Give the lists of one task, without a shuffle: a query that Spark cut in two gives two lists.

    Only the rows of one step and those of the open query are in memory.
    """
    faults = Faults()
    codes = plan.codes()
    seen: set[str] = set()
    returns = rows = 0
    for frame in _whole_lists(read_rows(batches, plan.layout, partition, faults)):
        rows += len(frame)
        if returns > MOST_RETURNS or faults.found:
            continue
        starts = list_starts(frame)
        names = pick(frame["query"], starts).to_list()
        fresh = set(names)
        returns += len(names) - len(fresh - seen)
        seen |= fresh
        lists = _ranked(frame, starts, codes, plan, faults)
        if lists is not None:
            yield lists
    if faults.found:
        yield fault_batch(faults)
    elif returns > MOST_RETURNS:
        yield scattered_batch(rows)


def raw_rows(batches: Iterable[Any], plan: RankPlan, partition: int) -> Iterator[Any]:
    """Give the rows that a shuffle brings together by query; their faults were found before."""
    oldest = pl.CompatLevel.oldest()
    for frame in read_rows(batches, plan.layout, partition, Faults()):
        chosen = frame if plan.only is None else frame.filter(pl.col("query").is_in(list(plan.only)))
        yield from chosen.rechunk().to_arrow(compat_level=oldest).to_batches()


def rank_bucket(batches: Iterable[Any], plan: RankPlan) -> Iterator[Any]:
    """Give the lists of all queries of one bucket, whose rows come in any order."""
    frames = [pl.DataFrame(pl.from_arrow(batch)) for batch in batches if batch.num_rows]
    if not frames:
        return
    faults = Faults()
    frame = pl.concat(frames).sort("query", *PLACE)
    del frames
    lists = _ranked(frame, run_starts(_runs(frame)), plan.codes(), plan, faults)
    yield fault_batch(faults) if lists is None else lists


def _whole_lists(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Give rows of whole lists from frames that may end inside one."""
    held: list[pl.DataFrame] = []
    for frame in frames:
        if frame.is_empty():
            continue
        if held and len(list_starts(pl.concat([held[-1][-1:], frame[:1]]))) > 1:
            yield pl.concat(held)
            held = []
        last = int(list_starts(frame)[-1])
        if last:
            yield pl.concat([*held, frame[:last]])
            held = []
        held.append(frame[last:])
    if held:
        yield pl.concat(held)


def _runs(frame: pl.DataFrame) -> Ints:
    """Return a number per row that changes where the query does."""
    name = frame["query"]
    return (name != name.shift(1)).fill_null(True).cast(pl.Int64).cum_sum().to_numpy()


def piece_starts(frame: pl.DataFrame) -> Ints:
    """Return where another file begins, or a piece of a file that is not the next one."""
    position = frame[POSITION].to_numpy()
    backwards: Ints = np.cumsum(np.diff(position, prepend=position[0]) < 0, dtype=np.int64)
    return run_starts(frame[PART].to_numpy(), frame[BLOCK].to_numpy(), backwards)


def list_starts(frame: pl.DataFrame) -> Ints:
    """Return where a list begins: at another query, and at another piece of the input."""
    both: Ints = np.union1d(run_starts(_runs(frame)), piece_starts(frame))
    return both


def _ranked(
    frame: pl.DataFrame, starts: Ints, codes: dict[str, int], plan: RankPlan, faults: Faults
) -> Any | None:
    """Return one row per list; None where a document is listed twice, which is a fault."""
    frame = frame.rechunk()
    names = pick(frame["query"], starts)
    known = np.array([codes.get(name, -1) for name in names.to_list()], dtype=np.int64)
    lists = Lists(known, starts, frame["item"], frame["score"].to_numpy())
    lookup = ListLookup(lists.starts, lists.items)
    hits = find_hits(lists, lookup, plan.judgements, plan.rules)
    repeated = lookup.repeated()[:MOST_FAULTS].tolist()
    for row in repeated:
        query, item = shown(names[int(lists.owner[row])]), shown(frame["item"][row])
        problem = f"document {item} of query {query} is listed twice"
        faults.add(frame.select(PLACE).row(row), problem, "expected each document once per query")
    if repeated:
        return None
    return list_batch(_columns(frame, names, lists, hits, plan))


def _columns(
    frame: pl.DataFrame, names: pl.Series, lists: Lists, hits: Hits, plan: RankPlan
) -> dict[str, Any]:
    owner = np.searchsorted(lists.starts, hits.row, side="right") - 1
    many = np.bincount(owner, minlength=len(names))
    columns: dict[str, Any] = {
        "query": names.to_list(),
        "rows": lists.lengths,
        "n": hits.n,
        "rising": _rising(lists.scores, lists.starts),
        **{name: pick(frame[name], lists.starts).to_numpy() for name in PLACE},
        **{name: nested(getattr(hits, name), many) for name in ("rank", "first", "last", "grade")},
        **hits.confidence,
    }
    if plan.keep_scores:
        columns["scores"] = nested(lists.scores, lists.lengths)
        columns["place"] = nested(hits.row - lists.starts[owner], many)
    return columns


def _rising(scores: Floats, starts: Ints) -> Bools:
    """Return whether the scores of each list rise somewhere, so that it is not sorted."""
    rises = np.zeros(len(scores), dtype=bool)
    rises[1:] = scores[1:] > scores[:-1]
    rises[starts] = False
    return np.logical_or.reduceat(rises, starts)
