"""Plain IR: judgements (qrels) and a run, where each query is its own post.

Run queries without judgements are left out and counted, or count with no gold where the rules say
so; judged queries that the run lacks are misses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.data.align import Hits, Judgements, Lists, Rules, assemble, find_hits
from assay.data.chunks import Chunk, Scattered, encode
from assay.data.match import Lookup
from assay.data.model import Cases, Counts
from assay.errors import Fault, InputError, shown
from assay.files.source import InputFile


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgements by query name: columns query, item, grade, checked for repeats."""

    source: str
    names: tuple[str, ...]  # queries in order of first appearance
    judgements: Judgements
    file: InputFile | None = None

    @classmethod
    def of(cls, frame: pl.DataFrame, source: str, explain: Callable[[], object]) -> Qrels:
        """From columns query, item, number; a repeated pair is a fault, which `explain` raises."""
        query, item, number = frame.columns
        codes, names = encode(frame[query])
        if len(Lookup(codes, frame[item]).repeated()):
            explain()
        grades = frame[number].cast(pl.Float64).to_numpy()
        return cls(source, names, Judgements.of(codes, frame[item], grades))


@dataclass(frozen=True, slots=True)
class Run:
    """Answers of one system, in chunks of whole queries that are read when needed."""

    source: str
    chunks: Callable[[], Iterable[Chunk]]
    whole: Callable[[], Chunk]  # all at once, where queries do not stand together
    explain: Callable[[], object]  # raises: where documents stand twice
    file: InputFile | None = None


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
    try:
        return _cases(qrels, run, run.chunks(), rules)
    except Scattered:
        return _cases(qrels, run, [run.whole()], rules)


def _cases(qrels: Qrels, run: Run, chunks: Iterable[Chunk], rules: Rules) -> Cases:
    names = _Names(qrels.names, grow=rules.unjudged_queries == "zero")
    parts = [_part(chunk, qrels, run, names, rules) for chunk in chunks]
    keys = pl.DataFrame({"query_id": list(names.codes)}, schema={"query_id": pl.String()})
    cases = assemble(keys, qrels.judgements, parts)
    if not cases.answered.any():
        shared = f"no query of the run is in {qrels.source}"
        raise InputError.of(run.source, shared, "expected run and judgements must share query ids")
    counts = Counts(
        queries=len(cases),
        evidence=int(cases.has_evidence.sum()),
        missing=int((~cases.answered).sum()),
        missing_evidence=int((cases.has_evidence & ~cases.answered).sum()),
        left_out=names.left_out,
        resorted=sum(part.resorted for part in parts),
        candidates=int(cases.n.sum()),
    )
    return replace(cases, counts=counts)


def _part(chunk: Chunk, qrels: Qrels, run: Run, names: _Names, rules: Rules) -> Hits:
    codes = np.array([names.code(name) for name in chunk.names], dtype=np.int64)
    lists = Lists(codes, chunk.starts, chunk.items, chunk.scores)
    lookup = Lookup(lists.owner, lists.items)
    if len(lookup.repeated()):
        run.explain()
    names.left_out += int(np.count_nonzero(codes < 0))
    hits = find_hits(lists, lookup, qrels.judgements, rules)
    known = codes >= 0
    confidence = {name: values[known] for name, values in hits.confidence.items()}
    return replace(hits, codes=codes[known], n=hits.n[known], confidence=confidence)


def explain_rows(frame: pl.DataFrame, source: str) -> None:
    """Raise: rows of a frame whose (query, item) stands in an earlier row."""
    query, item = frame.columns[:2]
    codes, _ = encode(frame[query])
    rows = Lookup(codes, frame[item]).repeated()
    faults = []
    for row in rows.tolist():
        problem = f"document {shown(frame[item][row])} of query {shown(frame[query][row])}"
        faults.append(
            Fault(
                source,
                f"row {row + 1}",
                f"{problem} is there twice",
                "expected each document once a query",
            )
        )
    raise InputError(faults)
