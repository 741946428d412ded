"""Progress reports of long work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TypeVar

Progress = Callable[[str, int, int], None]
"""Is called with what is being done, how much of it is done, and the total."""
T = TypeVar("T", bound=Sized)


def told(blocks: Iterable[T], what: str, total: int, progress: Progress | None) -> Iterator[T]:
    """Pass the blocks on, and report how many of their elements are done."""
    done = 0
    for block in blocks:
        yield block
        done += len(block)
        if progress is not None:
            progress(what, min(done, total), total)
