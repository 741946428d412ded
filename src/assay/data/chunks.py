"""Candidates of whole queries on their way from a reader to alignment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.data.match import pick
from assay.data.model import Floats, Ints

AT_ONCE = 1 << 18


class Scattered(Exception):  # noqa: N818 # not an error: parts given out so far must be dropped
    """The lines of a query turned out not to stand together."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lists that stand one after the other: list i is rows starts[i] … starts[i+1]-1."""

    names: list[str]
    starts: Ints
    items: pl.Series
    scores: Floats

    def parts(self) -> Iterator[Chunk]:
        """The same lists in parts of some AT_ONCE rows, which stay in the processor's cache."""
        ends = np.append(self.starts[1:], len(self.scores))
        first = 0
        while first < len(self.names):
            begin = int(self.starts[first])
            last = max(int(np.searchsorted(ends, begin + AT_ONCE, side="right")), first + 1)
            rows = slice(begin, int(ends[last - 1]))
            yield Chunk(
                self.names[first:last],
                self.starts[first:last] - begin,
                self.items[rows],
                self.scores[rows],
            )
            first = last

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Chunk:
        """From columns query, item, number; the order of the input is kept inside each query."""
        query, item, number = frame.columns
        starts = run_starts(frame[query])
        names = pick(frame[query], starts).to_list()
        if len(set(names)) < len(names):
            codes, ordered = encode(frame[query])
            order = np.argsort(codes, kind="stable")
            frame = frame[order]
            starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
            names = list(ordered)
        return cls(names, starts, frame[item], frame[number].to_numpy())


def whole_queries(frames: Iterable[pl.DataFrame]) -> Iterator[Chunk]:
    """Chunks of whole queries from frames (query, item, number) that may end inside a query.

    Only one frame and the open query are held. `Scattered` where a query comes a second time.
    """
    closed: set[str] = set()
    held: list[pl.DataFrame] = []  # of one query, which may go on in the next frame
    open_name: str | None = None
    for fresh in frames:
        if fresh.is_empty():
            continue
        starts = run_starts(fresh.to_series())
        names = pick(fresh.to_series(), starts).to_list()
        starts += sum(frame.height for frame in held)
        if open_name == names[0]:
            starts[0] = 0
        elif open_name is not None:
            starts, names = np.append(0, starts), [open_name, *names]
        if len(set(names)) < len(names) or not closed.isdisjoint(names):
            raise Scattered
        held.append(fresh)
        open_name = names.pop()
        if names:
            frame, last = pl.concat(held), int(starts[-1])
            held = [frame[last:]]
            closed.update(names)
            _, items, numbers = frame[:last]
            yield from Chunk(names, starts[:-1], items, numbers.to_numpy()).parts()
    if held:
        yield Chunk.of(pl.concat(held))


def run_starts(names: pl.Series) -> Ints:
    """Rows where a name differs from the one before. There are no nulls."""
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


def encode(names: pl.Series) -> tuple[Ints, tuple[str, ...]]:
    """Codes in order of first appearance, and the names behind them."""
    unique = names.unique(maintain_order=True)
    position = unique.to_frame("name").with_row_index("code")
    codes = names.to_frame("name").join(position, on="name", how="left", maintain_order="left")
    return codes["code"].to_numpy().astype(np.int64), tuple(unique.cast(pl.String).to_list())
