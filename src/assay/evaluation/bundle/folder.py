"""Folders that appear whole or not at all."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from glob import escape
from pathlib import Path

from assay.errors import InputError

UNFINISHED = ".unfinished-"
_HERE = -100  # AT_FDCWD: paths are relative to the working directory
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


def write_folder(target: Path, fill: Callable[[Path], None], *, overwrite: bool) -> None:
    """Let `fill` write a new folder beside the target, then put it there in one step.

    A kill at any moment leaves the old folder or the new one. An existing target is refused unless
    `overwrite`, and is then exchanged with the new one. What a killed save left is cleared away.
    """
    refuse_existing(target, overwrite=overwrite)
    target = target.absolute()
    clear_leftovers(target, UNFINISHED)
    fresh = target.with_name(f".{target.name}{UNFINISHED}{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh.mkdir()
        fill(fresh)
        settle(fresh)
        if target.exists():
            exchange(fresh, target)
        else:
            fresh.rename(target)
        _sync(target.parent)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise InputError.of(str(target), problem, "expected a place to write to") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)  # what failed, or the folder that was replaced


def refuse_existing(target: Path, *, overwrite: bool) -> None:
    """Raise where something stands at the target that must not be replaced."""
    if not os.path.lexists(target):
        return
    if not overwrite:
        raise InputError.of(str(target), "exists", "expected a new folder, or --overwrite")
    if not (target / "MANIFEST.json").is_file() and (not target.is_dir() or any(target.iterdir())):
        problem = "exists and is not a bundle"
        raise InputError.of(str(target), problem, "only a bundle is overwritten")


def clear_leftovers(target: Path, mark: str) -> None:
    """Remove folders that work on this target left beside it when it was killed."""
    for left in target.parent.glob(f".{escape(target.name)}{mark}*"):
        owner = left.name.rpartition("-")[2]
        if owner.isdigit() and not _alive(int(owner)):
            shutil.rmtree(left, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return process != os.getpid()


def settle(folder: Path) -> None:
    """Everything in the folder is on disk before its name is."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    for path in [*sorted(folder.rglob("*")), folder]:
        if path.is_dir():
            _sync(path)


def _sync(folder: Path) -> None:
    with suppress(OSError):  # some file systems cannot
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def exchange(fresh: Path, target: Path) -> None:
    """Swap two folders in one step; in two where the system knows no such step."""
    library = ctypes.CDLL(None, use_errno=True)
    swap = {
        "linux": lambda a, b: library.renameat2(_HERE, a, _HERE, b, _EXCHANGE),
        "darwin": lambda a, b: library.renamex_np(a, b, _EXCHANGE),
    }.get(sys.platform)
    with suppress(AttributeError):  # an old C library
        if swap is not None and swap(os.fsencode(fresh), os.fsencode(target)) == 0:
            return
    old = fresh.with_name(fresh.name + "-old")
    target.rename(old)
    fresh.rename(target)
    shutil.rmtree(old, ignore_errors=True)
