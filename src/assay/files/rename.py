"""Renames that replace nothing, and exchanges: each is one step of the operating system."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

_HERE = -100  # AT_FDCWD: paths are relative to the working directory
_ONLY_NEW = 1  # RENAME_NOREPLACE of Linux
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_EXCLUSIVE = 4  # RENAME_EXCL of macOS


def move_to_new(fresh: Path, target: Path) -> None:
    """Rename to a name that must be free."""
    flag = _EXCLUSIVE if sys.platform == "darwin" else _ONLY_NEW
    if _renamed(fresh, target, flag):
        return
    if os.path.lexists(target):
        raise FileExistsError(17, os.strerror(17), str(target))
    fresh.rename(target)


def exchange(fresh: Path, target: Path) -> None:
    """Swap two files or folders in one step; in three where the system has no such step."""
    if _renamed(fresh, target, _EXCHANGE):
        return
    old = fresh.with_name(f"{token_hex(8)}-old")
    target.rename(old)
    try:
        fresh.rename(target)
        try:
            old.rename(fresh)
        except BaseException:
            target.rename(fresh)
            raise
    except BaseException:
        old.rename(target)
        raise


def _renamed(fresh: Path, target: Path, flag: int) -> bool:
    """Return whether the system could do it; False where it has no such call or it failed."""
    try:
        library = ctypes.CDLL(None)
        calls: dict[str, Callable[[bytes, bytes], int]] = {
            "linux": lambda a, b: library.renameat2(_HERE, a, _HERE, b, flag),
            "darwin": lambda a, b: library.renamex_np(a, b, flag),
        }
        call = calls.get(sys.platform)
        return call is not None and call(os.fsencode(fresh), os.fsencode(target)) == 0
    except AttributeError:  # an old C library
        return False
