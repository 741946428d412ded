"""What long work says about itself while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar


class Sized(Protocol):
    """Anything with a length, such as a block of resamples."""

    def __len__(self) -> int:
        """How many."""


Progress = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and how much there is."""


T = TypeVar("T", bound=Sized)


def told(blocks: Iterable[T], what: str, total: int, progress: Progress | None) -> Iterator[T]:
    """The same blocks; whoever listens is told how far they have come."""
    done = 0
    for block in blocks:
        yield block
        done += len(block)
        if progress is not None:
            progress(what, min(done, total), total)
