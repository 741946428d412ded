"""A fault of assay itself: one sentence, exit code 3, and a report without any input text."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from assay.cli.render.output import say
from assay.version import VERSION

EXIT_CODE = 3
LIBRARIES = ("polars", "numpy", "scikit-learn", "torch")
PACKAGE = str(Path(__file__).parents[1]) + os.sep
FRAMES = 50
"""Frames shown at each end of a traceback; endless recursion has a thousand."""


def report_crash(error: BaseException) -> int:
    """Say what happened and where the report is; return the exit code."""
    where = _place(error)
    say(f"a fault of assay, not of your input: {_name(error)}{where}.")
    try:
        handle, path = tempfile.mkstemp(prefix="assay-fault-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(crash_report(error))
    except OSError:
        return EXIT_CODE
    say(f"Please report it with {path}, which contains no text of your input.")
    return EXIT_CODE


def crash_report(error: BaseException) -> str:
    """Return types, files and line numbers; no message, value or path that the input could set."""
    lines = [
        f"assay {VERSION}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        ", ".join(f"{name} {found}" for name in LIBRARIES if (found := _version(name))),
    ]
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        lines += ["", _name(link), *_frames(link)]
        link = link.__cause__ or link.__context__
    return "\n".join(lines) + "\n"


def _frames(error: BaseException) -> list[str]:
    frames = [
        f"  {_file(frame.f_code.co_filename)}:{line} in {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    if len(frames) > 2 * FRAMES:
        left_out = f"  … {len(frames) - 2 * FRAMES} frames"
        frames = [*frames[:FRAMES], left_out, *frames[-FRAMES:]]
    return frames


def _place(error: BaseException) -> str:
    """Return the last line of assay's own code that the error passed."""
    own = [
        f" at {_file(frame.f_code.co_filename)}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename.startswith(PACKAGE)
    ]
    return own[-1] if own else ""


def _file(name: str) -> str:
    """Return a path below its installation root; the rest belongs to the user."""
    roots = [root for root in sys.path if root and name.startswith(root + os.sep)]
    return os.path.relpath(name, max(roots, key=len)) if roots else os.path.basename(name)


def _name(error: BaseException) -> str:
    kind = type(error)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
