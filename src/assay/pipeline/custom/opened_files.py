"""Which files users' stages open, by Python's audit events, for `assay audit`.

Only Python's own calls are seen. A library that opens files in C or Rust is not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CODE = (".py", ".pyc", ".pyi", ".so", ".pyd", ".dll", ".dylib")
WRITES = os.O_WRONLY | os.O_RDWR
PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile")


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that a stage opened, or a program that it started."""

    stage: str
    step: str  # import, fit or apply
    path: str  # absolute; of a program, its name
    kind: str  # read, write or program


_records: list[dict[Opened, None]] = []
_current: list[tuple[str, str]] = []
_hooked = False


@contextmanager
def recording() -> Iterator[dict[Opened, None]]:
    """Collect what users' stages open meanwhile."""
    global _hooked  # noqa: PLW0603 # a hook can be added but not removed
    if not _hooked:
        sys.addaudithook(_heard)
        _hooked = True
    made: dict[Opened, None] = {}
    _records.append(made)
    try:
        yield made
    finally:
        _records.remove(made)


@contextmanager
def running(stage: str, step: str) -> Iterator[None]:
    """Attribute what is opened meanwhile to a stage."""
    _current.append((stage, step))
    try:
        yield
    finally:
        _current.pop()


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if not _records or not _current:
        return
    if event == "open":
        opened = _opened(*arguments[:3])
    elif event in PROGRAMS:
        opened = (str(arguments[0]), "program")
    else:
        return
    if opened is not None:
        for record in _records:
            record[Opened(*_current[-1], *opened)] = None


def _opened(path: Any, mode: Any, flags: Any) -> tuple[str, str] | None:
    """Return the file and how it is opened; None for code, devices and numbered descriptors."""
    if not isinstance(path, str | bytes):
        return None
    name = os.path.abspath(os.fsdecode(path))
    if name.endswith(CODE) or name.startswith(("/dev/", "/proc/", "/sys/")) or "__pycache__" in name:
        return None
    writes = bool(flags & WRITES) if isinstance(flags, int) else any(each in str(mode) for each in "wax+")
    return name, "write" if writes else "read"


def inside(opened: Opened, folder: Path) -> bool:
    """Return whether a file is in a folder, also through links."""
    path = Path(os.path.realpath(opened.path))
    return opened.kind != "program" and path.is_relative_to(folder.resolve())
