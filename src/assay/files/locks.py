"""Locks on folders, which threads and processes share, and which end with their owner."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.errors import InputError

PATIENCE = 60.0  # seconds; a lock is held for a few renames
PAUSE = 0.005


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder; give False where its file system has no locks.

    The lock is an `flock` of the folder itself, so it leaves no file behind, ends when its process
    dies, and excludes other threads as well as other processes.
    """
    handle = _opened(folder)
    if handle is None:
        yield False
        return
    try:
        deadline = time.monotonic() + PATIENCE
        while (held := _try(handle)) is False:
            if time.monotonic() > deadline:
                problem = f"is locked by another process for {PATIENCE:.0f} s"
                raise InputError.of(str(folder), problem, "wait until it has finished")
            time.sleep(PAUSE)
        yield held is not None
    finally:
        release(handle)


def claim(folder: Path) -> int | None:
    """Take the lock of a folder if it is free; return a handle to close, or None."""
    handle = _opened(folder)
    if handle is not None and not _try(handle):
        release(handle)
        return None
    return handle


def release(handle: int) -> None:
    """End a lock. It ends even if the system reports an error, which concerns no output."""
    with suppress(OSError):
        os.close(handle)


def _opened(folder: Path) -> int | None:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except PermissionError:  # a folder may be writable and not readable
        return None


def _try(handle: int) -> bool | None:
    """Return whether the lock was taken; None where the file system has none."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
