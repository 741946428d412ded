"""Give freed memory back to the system."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any


def release_memory() -> None:
    """Return the free pages of the C library's heap to the system, where it is glibc.

    Arrays of some megabytes leave gaps that glibc keeps. With two folds of Hallmarks of Cancer at a
    time that was 200 MB of 890, and as much while the predictions were evaluated.
    """
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # other C libraries, and Windows
        return None
