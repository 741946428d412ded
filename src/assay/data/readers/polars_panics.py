"""Panics of Polars: it prints them on stderr by itself, before Python can catch them.

A library must not touch the stderr of its process, so they are hidden only where the command line
asks for it: there no other thread writes meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

STDERR = 2
_hidden = False


def hide_panics() -> None:
    """Hide what Polars prints when it panics, from now on."""
    global _hidden  # noqa: PLW0603 # a setting of the process
    _hidden = True


@contextmanager
def quiet() -> Iterator[None]:
    """Send what the process writes on stderr to nowhere, where `hide_panics` was called."""
    if not _hidden:
        yield
        return
    try:
        kept, nowhere = os.dup(STDERR), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # stderr is closed, or no handle is left
        yield
        return
    os.dup2(nowhere, STDERR)
    try:
        yield
    finally:
        os.dup2(kept, STDERR)
        os.close(kept)
        os.close(nowhere)
