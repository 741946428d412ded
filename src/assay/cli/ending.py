"""How a command ends: its text and files together, and one line where something ended it."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from assay.cli.render.output import naming_stdout, remark, stop_printing
from assay.errors import FileError, Terminated

if TYPE_CHECKING:
    from assay.files.staging import Staging

ONCE = 2.0
"""Seconds in which a repeated signal does not disturb the clearing up after the first."""


@contextmanager
def signals_end_the_command() -> Iterator[None]:
    """Raise on SIGINT, SIGTERM and SIGHUP, so that processes and scratch files are cleared up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    last = float("-inf")

    def handle(number: int, _: FrameType | None) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        if last - before > ONCE:
            raise KeyboardInterrupt if number == signal.SIGINT else Terminated

    defaults = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    changed = {  # a signal that is ignored, as nohup does, stays so
        number: usual for number, usual in defaults.items() if signal.getsignal(number) == usual
    }
    for number in changed:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, usual in changed.items():
            signal.signal(number, usual)


def finish(staging: Staging, printed: Callable[[], object]) -> None:
    """Print, then put the staged files in their places: where one of them fails, neither stays.

    A reader that closes the pipe, such as `head`, has seen enough: the files are written.
    """
    try:
        printed()
        with naming_stdout():
            sys.stdout.flush()
    except BrokenPipeError:
        stop_printing()
    staging.commit()


def tell(line: str) -> None:
    """Write a line about the progress to stderr; work goes on where nobody can read it."""
    remark(line)


def sentence(error: OSError) -> FileError:
    """Return what to tell about an error of the system that no reader or writer has named."""
    from assay.files.os_errors import failed

    if error.filename is not None:
        return failed("used", error.filename, error)
    return failed("completed", "the command", error)
