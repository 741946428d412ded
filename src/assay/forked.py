"""A child that was forked from a process in which Polars had started its threads.

The child has none of these threads and would wait for them for ever. A hook at the fork detects that,
and the first call that needs Polars raises an error.
"""

from __future__ import annotations

import os

from assay.errors import AssayError

TASKS = "/proc/self/task"
WORKERS = tuple(f"polars-{digit}" for digit in range(10))
_used = _started = False
_stuck = False


def refuse_forked() -> None:
    """Raise in a child that would hang; elsewhere remember that this process uses Polars."""
    global _used  # noqa: PLW0603 # a fact about the process
    if _stuck:
        raise AssayError(
            "this process was forked after Polars had started its threads, which a fork does not "
            "copy: it would wait for ever. Start workers with multiprocessing.get_context"
            '("spawn") or ("forkserver").'
        )
    _used = True


def _before() -> None:
    global _started  # noqa: PLW0603
    _started = _has_threads()


def _in_child() -> None:
    global _stuck  # noqa: PLW0603
    _stuck = _stuck or _started


def _has_threads() -> bool:
    """Return whether Polars' threads run here, whoever started them.

    Linux tells by their names; elsewhere all that is known is whether assay was asked for work.
    """
    try:
        tasks = os.listdir(TASKS)
    except OSError:
        return _used
    return any(_name(task).startswith(WORKERS) for task in tasks)


def _name(task: str) -> str:
    try:
        with open(f"{TASKS}/{task}/comm", encoding="utf-8") as file:
            return file.read()
    except OSError:  # the thread has ended meanwhile
        return ""


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)
