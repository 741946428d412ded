"""A bundle must stay as it is while several of its files are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError, InputError
from assay.evaluation.bundle.bundle_files import MANIFEST, listed_files


@contextmanager
def unchanged(folder: Path) -> Iterator[None]:
    """Refuse what was computed from a bundle that was changed or replaced meanwhile."""
    before = _marks(folder)
    try:
        yield
    except (AssayError, OSError):
        if _marks(folder) != before:
            raise _changed(folder) from None
        raise
    if _marks(folder) != before:
        raise _changed(folder)


def _marks(folder: Path) -> list[tuple[int, ...] | None] | None:
    """Return what the system records of each file when it is written to or replaced."""
    try:
        names = sorted(listed_files(folder))
    except AssayError:
        return None
    return [_mark(folder / name) for name in (MANIFEST, *names)]


def _mark(path: Path) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # a name with a NUL is a ValueError
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _changed(folder: Path) -> InputError:
    problem = "changed while it was being read"
    return InputError.of(str(folder), problem, "run the command again when nobody writes to it")
