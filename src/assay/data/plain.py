"""Plain IR: judgements (qrels) and a run, where each query is its own post.

Run queries without judgements are left out and counted, or count with no gold where the rules say
so; judged queries that the run lacks are misses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.data.align import Hits, Judgements, Lists, Rules, assemble, find_hits, group_lists
from assay.data.match import Lookup
from assay.data.model import Cases, Counts, Ints
from assay.errors import Fault, InputError, shown

Frames = Iterable[pl.DataFrame]


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgements by query name: columns query, item, grade, checked for repeats."""

    source: str
    names: tuple[str, ...]  # queries in order of first appearance
    judgements: Judgements

    @classmethod
    def of(cls, frame: pl.DataFrame, source: str, explain: Callable[[], list[Fault]]) -> Qrels:
        """From columns query, item, number; a repeated pair is a fault."""
        query, item, number = frame.columns
        codes, names = encode(frame[query])
        if len(Lookup(codes, frame[item]).repeated()):
            raise InputError(explain())
        grades = frame[number].cast(pl.Float64).to_numpy()
        return cls(source, names, Judgements.of(codes, frame[item], grades))


@dataclass(frozen=True, slots=True)
class Run:
    """Answers of one system: frames of whole queries (query, item, number), read when needed."""

    source: str
    frames: Callable[[], Frames]
    explain: Callable[[], list[Fault]]
    whole: Callable[[], pl.DataFrame]  # all rows at once, where queries do not stand together


def encode(names: pl.Series) -> tuple[Ints, tuple[str, ...]]:
    """Codes in order of first appearance, and the names behind them."""
    unique = names.unique(maintain_order=True)
    position = pl.DataFrame({"name": unique, "code": np.arange(len(unique))})
    codes = names.to_frame("name").join(position, on="name", how="left", maintain_order="left")
    return codes["code"].to_numpy().astype(np.int64), tuple(unique.cast(pl.String).to_list())


class _Names:
    """Query names to codes; unknown ones get no code, or a new one."""

    def __init__(self, names: tuple[str, ...], *, grow: bool) -> None:
        self.codes = {name: code for code, name in enumerate(names)}
        self.grow = grow
        self.left_out = 0

    def code(self, name: str) -> int:
        if self.grow:
            return self.codes.setdefault(name, len(self.codes))
        return self.codes.get(name, -1)


def plain_cases(qrels: Qrels, run: Run, rules: Rules) -> Cases:
    """Join, rank and count a run against judgements."""
    from assay.data.readers.trec import Restart  # noqa: PLC0415 # only text readers raise it

    try:
        return _cases(qrels, run, run.frames(), rules)
    except Restart:
        return _cases(qrels, run, [run.whole()], rules)


def _cases(qrels: Qrels, run: Run, frames: Frames, rules: Rules) -> Cases:
    names = _Names(qrels.names, grow=rules.unjudged_queries == "zero")
    parts = [_part(frame, qrels, run, names, rules) for frame in frames]
    keys = pl.DataFrame({"query_id": list(names.codes)}, schema={"query_id": pl.String()})
    cases = assemble(keys, qrels.judgements, parts)
    if not cases.answered.any():
        shared = f"no query of the run is in {qrels.source}"
        raise InputError.of(run.source, shared, "run and judgements must share query ids")
    counts = Counts(
        queries=len(cases),
        evidence=int(cases.has_evidence.sum()),
        missing=int((~cases.answered).sum()),
        left_out=names.left_out,
        resorted=sum(part.resorted for part in parts),
        candidates=int(cases.n.sum()),
    )
    return replace(cases, counts=counts)


def _part(frame: pl.DataFrame, qrels: Qrels, run: Run, names: _Names, rules: Rules) -> Hits:
    query, item, number = frame.columns
    items, scores = frame[item], frame[number].to_numpy()
    column = frame[query]
    starts = (column != column.shift(1)).fill_null(True).arg_true().to_numpy().astype(np.int64)
    listed = column.gather(starts).to_list()
    if len(set(listed)) == len(listed):
        lists = Lists(np.arange(len(listed)), starts, items, scores)
    else:
        codes, listed_names = encode(column)
        lists, _ = group_lists(codes, items, scores)
        listed = list(listed_names)
    lookup = Lookup(lists.owner, lists.items)
    if len(lookup.repeated()):
        raise InputError(run.explain())
    codes = np.array([names.code(name) for name in listed], dtype=np.int64)
    names.left_out += int(np.count_nonzero(codes < 0))
    hits = find_hits(replace(lists, codes=codes), lookup, qrels.judgements, rules)
    known = hits.codes >= 0
    return replace(hits, codes=hits.codes[known], n=hits.n[known])


def repeated_rows(frame: pl.DataFrame, source: str) -> list[Fault]:
    """Rows of a frame whose (query, item) stands in an earlier row."""
    query, item = frame.columns[:2]
    codes, _ = encode(frame[query])
    rows = Lookup(codes, frame[item]).repeated()
    faults = []
    for row in rows.tolist():
        problem = f"document {shown(frame[item][row])} of query {shown(frame[query][row])}"
        faults.append(
            Fault(
                source, f"row {row + 1}", f"{problem} is there twice", "each document once a query"
            )
        )
    return faults
