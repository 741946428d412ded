"""Progress bars on stderr, for work of more than two seconds, where somebody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.evaluation.progress import Progress

PATIENCE = 2.0  # seconds


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """A listener that draws a bar with the time left; None where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 # only a terminal needs it
    from rich.progress import Progress as Bars  # noqa: PLC0415
    from rich.progress import TaskID  # noqa: PLC0415

    began = time.monotonic()
    bars = Bars(console=Console(stderr=True), transient=True)
    tasks: dict[str, TaskID] = {}

    def listen(what: str, done: int, total: int) -> None:
        if time.monotonic() - began < PATIENCE:
            return
        if not tasks:
            bars.start()
        if what not in tasks:
            tasks[what] = bars.add_task(what, total=total)
        bars.update(tasks[what], completed=done)

    try:
        yield listen
    finally:
        if tasks:
            bars.stop()
