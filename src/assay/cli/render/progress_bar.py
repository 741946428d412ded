"""A progress line on stderr, for work of more than two seconds, on a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.evaluation.progress import Progress

PATIENCE = 2.0  # seconds
PAUSE = 0.1  # seconds between two drawings
BAR = 30  # columns
CLEAR = "\r\x1b[K"


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """A listener that draws a bar with the time left; None where stderr is not a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    began: dict[str, float] = {}
    start = drawn = time.monotonic()
    shown = False

    def listen(what: str, done: int, total: int) -> None:
        nonlocal drawn, shown
        now = time.monotonic()
        first = began.setdefault(what, now)
        if now - start < PATIENCE or now - drawn < PAUSE:
            return
        drawn, shown = now, True
        _write(CLEAR + _line(what, done, total, now - first))

    try:
        yield listen
    finally:
        if shown:
            _write(CLEAR)


def _line(what: str, done: int, total: int, seconds: float) -> str:
    """Return the bar, cut to the window: a longer line could not be cleared."""
    full = round(BAR * done / total) if total else 0
    minutes, rest = divmod(round(seconds / done * (total - done)) if done else 0, 60)
    left = f", {minutes}:{rest:02d} left" if done else ""
    line = f"{what} {'━' * full}{'─' * (BAR - full)} {done:,} of {total:,}{left}"
    with suppress(OSError):
        return line[: os.get_terminal_size(sys.stderr.fileno()).columns - 1]
    return line


def _write(text: str) -> None:
    with suppress(OSError):  # the terminal may be gone, the work goes on
        sys.stderr.write(text)
        sys.stderr.flush()
