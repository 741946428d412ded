"""Plain IR data: judgements, and a run in chunks of whole queries. Each query is its own post."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints
from assay.data.ids import SPREAD, Items, Lookup, encode, pick
from assay.data.packed_text.packed_lines import PackedLines
from assay.errors import ScatteredQueriesError
from assay.files.input_file import InputFile


@dataclass(frozen=True, slots=True)
class Judgements:
    """Judged items by query code; an item with a grade below 0 is pooled but not judged."""

    query: Ints  # sorted
    items: Items
    grade: Floats

    @classmethod
    def of(cls, query: Ints, items: Items, grade: Floats) -> Judgements:
        """Sort by query; every grade below 0 becomes -1."""
        order = np.argsort(query, kind="stable")
        return cls(query[order], pick(items, order), np.maximum(grade[order], -1.0))

    def of_queries(self, codes: Ints) -> tuple[Ints, Ints]:
        """Return the rows that judge the given query codes, and the place of each row's code."""
        low = np.searchsorted(self.query, codes, side="left")
        many = np.searchsorted(self.query, codes, side="right") - low
        place = np.repeat(np.arange(len(codes)), many)
        offset = np.arange(len(place)) - np.repeat(np.cumsum(many) - many, many)
        return np.repeat(low, many) + offset, place


@dataclass(frozen=True, slots=True, repr=False)
class Qrels:
    """Judgements by query name, without repeated pairs."""

    source: str
    names: tuple[str, ...]  # queries in order of first appearance
    judgements: Judgements
    file: InputFile | None = None

    def __repr__(self) -> str:
        return f"Qrels({self.source!r}, {len(self.names):,} queries)"

    @classmethod
    def of_lines(cls, lines: PackedLines, source: str) -> Qrels | None:
        """Build from lines that NumPy has parsed; None where pairs may occur twice."""
        names = dict.fromkeys(lines.names)
        codes = dict(zip(names, range(len(names)), strict=True))
        changes = np.fromiter(map(codes.__getitem__, lines.names), dtype=np.int64, count=len(lines.names))
        query = np.repeat(changes, np.diff(lines.starts, append=len(lines.numbers)))
        keys = np.sort(lines.items.hashes ^ (query.view(np.uint64) * SPREAD))
        if (keys[1:] == keys[:-1]).any():
            return None
        return cls(source, tuple(codes), Judgements.of(query, lines.items, lines.numbers))

    @classmethod
    def of(cls, frame: pl.DataFrame, source: str, explain: Callable[[], object]) -> Qrels:
        """Build from columns query, item, number; `explain` raises where a pair is repeated."""
        query, item, number = frame.columns
        codes, names = encode(frame[query])
        if len(Lookup(codes, frame[item]).repeated()):
            explain()
        grades = frame[number].cast(pl.Float64).to_numpy()
        return cls(source, names, Judgements.of(codes, frame[item], grades))


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive candidate lists: list i is rows starts[i] … starts[i+1]-1."""

    names: list[str]
    starts: Ints
    items: Items
    scores: Floats

    @classmethod
    def of(cls, frame: pl.DataFrame, starts: Ints | None = None) -> Chunk:
        """Group columns query, item, number by query; each list keeps the order of the input.

        `starts` are the rows where the query changes, if they are known.
        """
        query, item, number = frame.columns
        starts = run_starts(frame[query]) if starts is None else starts
        names = pick(frame[query], starts).to_list()
        if len(set(names)) < len(names):
            codes, ordered = encode(frame[query])
            order = np.argsort(codes, kind="stable")
            frame = frame[order]
            starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
            names = list(ordered)
        return cls(names, starts, frame[item], frame[number].to_numpy())


Chunks = Callable[[], Iterable[Chunk]]
"""Reads a run once, from its start."""
Pairs = Collection[tuple[str, str]]
"""Queries, each with an item."""
TREC = "trec"
"""The form of TREC text; those of tables are in `readers/file_kinds`."""


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """Answers of one system, read in chunks of whole queries each time they are needed."""

    source: str
    chunks: Chunks  # raises ScatteredQueriesError where the lines of a query are not together
    whole: Callable[[], Chunk]  # reads the run at once, whatever the order of its lines
    explain: Callable[[], object]  # raises the faults: which documents are repeated
    file: InputFile | None = None
    parts: tuple[InputFile, ...] = ()  # where several files hold the run
    align: Align | None = None  # another engine that joins and ranks; None: this process
    form: str | None = None  # of the file, where it can be read in parts
    columns: Mapping[str, str] | None = None  # names of columns that are not recognised
    gathered: Chunks | None = None  # as `chunks`, whatever the order of the lines; None: use `whole`
    explain_pairs: Callable[[Pairs], object] | None = None  # as `explain`, of these pairs, in parts

    def __repr__(self) -> str:
        return f"Run({self.source!r})"


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with its judgements, ready to be evaluated."""

    qrels: Qrels
    run: Run
    contract: str | None = None  # of a shared task, under which it is evaluated unless another is named
    options: Mapping[str, Any] = field(default_factory=dict)  # of that contract


Align = Callable[[JudgedRun, Any], tuple[Any, Chunks]]
"""As `align_run`: from a judged run and ranking rules to `Cases`, and how to read the candidates again."""


def whole_queries(
    frames: Iterable[pl.DataFrame],
    check: Callable[[str, int], None] | None = None,
    before: Collection[str] = (),
) -> Iterator[Chunk]:
    """Give chunks of whole queries from frames (query, item, number) that may split a query.

    Only one frame and the open query are in memory; `check` is called with that query and the number
    of its rows so far. Raise `ScatteredQueriesError` where a query comes back after another one; the
    queries `before` came already.
    """
    closed = set(before)
    held: list[pl.DataFrame] = []  # of one query, which may go on in the next frame
    open_name: str | None = None
    for fresh in frames:
        if fresh.is_empty():
            continue
        starts = run_starts(fresh.to_series())
        names = pick(fresh.to_series(), starts).to_list()
        if open_name == names[0]:
            rest = int(starts[1]) if len(starts) > 1 else fresh.height
            held.append(fresh[:rest])
            starts, names = starts[1:], names[1:]
        if names:
            if len(set(names)) < len(names) or open_name in names or not closed.isdisjoint(names):
                raise ScatteredQueriesError
            if open_name is not None:
                closed.add(open_name)
                yield _one_query(open_name, held)
            begin, last = int(starts[0]), int(starts[-1])
            held = [fresh[last:]]
            open_name = names.pop()
            if names:
                closed.update(names)
                _, items, numbers = fresh[begin:last]
                del fresh
                yield Chunk(names, starts[:-1] - begin, items, numbers.to_numpy())
        if check is not None and open_name is not None:
            check(open_name, sum(frame.height for frame in held))
    if open_name is not None:
        yield _one_query(open_name, held)


def _one_query(name: str, frames: list[pl.DataFrame]) -> Chunk:
    """Return the rows of a query that was cut: by itself, so that those after it are not copied.

    CPU of `assay evaluate` on 49 million rows of Parquet (medians of 3): 2.1 s, and 2.3 s where it was
    joined with them.
    """
    _, items, numbers = pl.concat(frames)
    return Chunk([name], np.zeros(1, dtype=np.int64), items, numbers.to_numpy())


def run_starts(names: pl.Series) -> Ints:
    """Return the rows where a name differs from the one before. There are no nulls."""
    starts = [np.zeros(0, dtype=np.int64)]
    first, before = 0, None
    for chunk in names.get_chunks():  # one by one: a comparison across chunks would copy them all
        if len(chunk):
            if chunk[0] != before:
                starts.append(np.array([first]))
            changes = (chunk[1:] != chunk[:-1]).arg_true()
            starts.append(changes.to_numpy() + (first + 1))
            first, before = first + len(chunk), chunk[-1]
    return np.concatenate(starts, dtype=np.int64)
