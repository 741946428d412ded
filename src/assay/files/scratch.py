"""Scratch space next to the target: exclusive, unpredictable, cleared."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from assay.files.locks import claim, locked, release

PREFIX = ".assay.unfinished-"


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """Give a new folder in `parent`, which is removed at the end, with all that is left in it.

    Nobody can prepare its name, and it is locked as long as its owner lives: folders of processes
    that were killed are recognised by their free locks, and cleared away here.
    """
    fresh, lock = parent / f"{PREFIX}{token_hex(8)}", None
    try:
        with locked(parent) as held:  # between a scratch folder and its lock nobody may clear
            if held:
                _clear(parent)
            fresh.mkdir(mode=0o700)
            lock = claim(fresh)
        yield fresh
    finally:
        remove_scratch(fresh, lock)


def remove_scratch(folder: Path, lock: int | None) -> None:
    """Remove a scratch folder, also where a signal comes meanwhile or a first attempt fails."""
    try:
        _attempt_to_remove(folder)
    finally:
        if os.path.lexists(folder):
            _attempt_to_remove(folder)
        if lock is not None:
            release(lock)


def _attempt_to_remove(folder: Path) -> None:
    with suppress(OSError):  # some errors are raised in spite of `ignore_errors`
        shutil.rmtree(folder, ignore_errors=True)


def _clear(parent: Path) -> None:
    for left in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):  # its owner removes it at this moment
            lock = None if left.is_symlink() or not left.is_dir() else claim(left)
            if lock is not None:
                remove_scratch(left, lock)


def contents(folder: Path) -> list[Path]:
    """Return what is in a folder, without scratch space."""
    return [path for path in folder.iterdir() if not path.name.startswith(PREFIX)]


def paths_below(folder: Path) -> list[Path]:
    """Return everything below a folder, sorted. A folder that cannot be read is an error, not empty."""
    found, folders = [], [folder]
    while folders:
        for path in folders.pop().iterdir():
            found.append(path)
            if path.is_dir() and not path.is_symlink():
                folders.append(path)
    return sorted(found)


def write_new(path: Path, data: bytes | str, *, sync: bool = False) -> None:
    """Create a file that must not exist, never through a link."""
    _write_parts(path, (data.encode() if isinstance(data, str) else data,), sync=sync)


def _write_parts(path: Path, parts: Iterable[bytes | memoryview], *, sync: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        for part in parts:
            file.write(part)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def write_file(path: Path, parts: Iterable[bytes | memoryview], *, keep: bool = False) -> None:
    """Write a scratch file next to the target, then rename it; errors are the system's own.

    With `keep`, a file that is there by then stays as it is: others may have mapped it into memory.
    """
    fresh = path.with_name(f"{PREFIX}{token_hex(8)}")
    try:
        _write_parts(fresh, parts, sync=True)
        if not (keep and _linked(fresh, path)):
            fresh.replace(path)
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


def _linked(fresh: Path, path: Path) -> bool:
    """Give a file a second name unless that exists; return False where there are no such links."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


def settle(fresh: Path) -> None:
    """Bring a file, or everything in a folder, to the disk before its name is there."""
    paths = [fresh, *paths_below(fresh)] if fresh.is_dir() else [fresh]
    for path in paths:
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    for path in paths:
        if path.is_dir():
            sync_folder(path)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    with suppress(OSError):  # some file systems cannot
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
