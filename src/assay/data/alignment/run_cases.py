"""A judged run to `Cases`.

Queries of the run without judgements are left out and counted, or count with no gold where the
rules say so; judged queries that the run lacks are misses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import polars as pl

from assay.data.alignment.align import Hits, Lists, RankingRules, assemble, find_hits
from assay.data.cases import Cases
from assay.data.ids import Lookup
from assay.data.runs import Chunk, Chunks, JudgedRun
from assay.errors import InputError, ScatteredQueriesError


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


def align_run(judged: JudgedRun, rules: RankingRules) -> tuple[Cases, Chunks]:
    """Join, rank and count a run; also return how to read the same candidates once more.

    A run whose queries are scattered over the file is read as a whole.
    """
    run = judged.run
    try:
        return _cases(judged, run.chunks(), rules), run.chunks
    except ScatteredQueriesError:
        return _cases(judged, [run.whole()], rules), lambda: [run.whole()]


def _cases(judged: JudgedRun, chunks: Iterable[Chunk], rules: RankingRules) -> Cases:
    qrels, run = judged.qrels, judged.run
    names = _Names(qrels.names, grow=rules.unjudged_queries == "zero")
    parts = [_part(chunk, judged, names, rules) for chunk in chunks]
    keys = pl.DataFrame({"query_id": list(names.codes)}, schema={"query_id": pl.String()})
    cases = assemble(keys, qrels.judgements, parts)
    if not cases.answered.any():
        problem = f"no query of the run is in {qrels.source}"
        raise InputError.of(run.source, problem, "run and judgements must share query ids")
    return replace(cases, counts=replace(cases.counts, left_out=names.left_out))


def _part(chunk: Chunk, judged: JudgedRun, names: _Names, rules: RankingRules) -> Hits:
    codes = np.array([names.code(name) for name in chunk.names], dtype=np.int64)
    lists = Lists(codes, chunk.starts, chunk.items, chunk.scores)
    lookup = Lookup(lists.owner, lists.items)
    if len(lookup.repeated()):
        judged.run.explain()
    names.left_out += int(np.count_nonzero(codes < 0))
    hits = find_hits(lists, lookup, judged.qrels.judgements, rules)
    known = codes >= 0
    confidence = {name: values[known] for name, values in hits.confidence.items()}
    return replace(hits, codes=codes[known], n=hits.n[known], confidence=confidence)
