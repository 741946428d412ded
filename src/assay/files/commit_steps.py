"""Steps of a commit: renames and appended text, each of which can be undone."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError
from assay.files.rename import exchange, move_to_new

Check = Callable[[Path], None]
"""Raises where something at the target must not be replaced; asked again under the lock."""


def anything(_: Path) -> None:
    """Allow whatever is at the target."""


@dataclass(slots=True)
class Step:
    """Put `fresh` at the target, or take away what is there where nothing is to replace it."""

    fresh: Path
    target: Path
    check: Check
    removes: bool = False
    replaced: bool = False
    moved: tuple[int, int] | None = None  # what is to be renamed; None: not begun

    def do(self) -> None:
        """Rename; what was at the target is then at `fresh`."""
        self.check(self.target)
        there = os.path.lexists(self.target)
        self.replaced = there
        self.moved = _identity(self.target if self.removes else self.fresh)
        if self.removes:
            if there:
                move_to_new(self.target, self.fresh)
        elif there:
            exchange(self.fresh, self.target)
        else:
            move_to_new(self.fresh, self.target)

    def undo(self) -> None:
        """Rename back, if this step was done: a signal may have come right after its rename."""
        place = self.fresh if self.removes else self.target
        if self.moved is None or _identity(place) != self.moved:
            return
        if self.removes:
            move_to_new(self.fresh, self.target)
        elif self.replaced:
            exchange(self.fresh, self.target)
        else:
            move_to_new(self.target, self.fresh)
        self.moved = None


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what stays the same when a file or folder is renamed; None where there is none."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


@dataclass(frozen=True, slots=True)
class Merge:
    """Put what is in `fresh` by the time of the commit into a folder that is there."""

    fresh: Path
    target: Path
    check: Check

    def steps(self) -> list[Step]:
        """Return one step per file."""
        paths = sorted(self.fresh.iterdir())
        checks = [self.check, *[refuse_other_kinds] * (len(paths) - 1)]
        return [
            Step(each, self.target / each.name, check) for each, check in zip(paths, checks, strict=False)
        ]


@dataclass(slots=True)
class Append:
    """Add text to the end of a file, which others add to as well."""

    data: bytes
    target: Path
    size: int | None = None  # of the file before; None: not done
    is_new: bool = False

    def do(self) -> None:
        """Write to the end of the file."""
        refuse_other_kinds(self.target)
        self.is_new = not self.target.exists()
        with self.target.open("ab") as file:
            self.size = file.tell()
            file.write(self.data)

    def undo(self) -> None:
        """Cut what was written, also where the disk became full on the way."""
        if self.is_new and self.size is not None:
            self.target.unlink()
        elif self.size is not None:
            os.truncate(self.target, self.size)
        self.size = None


def refuse_other_kinds(target: Path) -> None:
    """Raise where a file would replace a folder, a device or a pipe."""
    try:
        mode = os.stat(target).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    of_the_system = target.parent == Path("/dev") or target.parent.is_relative_to("/proc")
    if not stat.S_ISREG(mode) or of_the_system:  # /dev/stdout may be a regular file
        kind = "a folder" if stat.S_ISDIR(mode) else "a device or a pipe"
        problem = f"cannot be written (it is {kind})"
        raise InputError.of(str(target), problem, "expected the name of a file")
