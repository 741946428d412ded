"""Settings of the process that make every command faster.

CPU seconds, medians of 11 runs on two cores, of `assay metric show ndcg@10` and of
`assay evaluate predictions --corpus corpus -m ndcg@3 -m auroc` on the example, with all settings:
0.248 and 0.316. Each function has the times without it.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib.util
import os
import sys
import threading
from contextlib import suppress
from types import ModuleType
from typing import Any

TRIM_THRESHOLD, TOP_PAD, MMAP_THRESHOLD = -1, -2, -3
"""M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD of mallopt."""
MB = 1 << 20
THREADS = 4


def collect_no_garbage() -> None:
    """Leave cycles alone, because a command ends soon (without: 0.267 and 0.338)."""
    gc.disable()


def leave_garbage() -> None:
    """Let the interpreter end without looking for cycles (without: 0.285 and 0.357)."""
    gc.freeze()


def end_at_once() -> None:
    """End a process that has succeeded, without taking its modules apart.

    What was registered for the end is done, and output is flushed. CPU of `assay evaluate` on TREC text of
    14,770 queries with 20 candidates each (medians of 11): 0.250 s, and 0.262 s by way of the interpreter.
    """
    threading._shutdown()  # type: ignore[attr-defined] # as the interpreter does, in this order
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(0)


def use_one_blas_thread() -> None:
    """Start no thread per core for small matrices (without: 0.272 and 0.360).

    A value that the user has set is kept.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class _Unloaded(ModuleType):
    """A package that is loaded when one of its names or modules is first used.

    `LazyLoader` of importlib would load it at `import polars`, which reads `__spec__`.
    """

    def __getattr__(self, name: str) -> Any:
        spec = self.__spec__
        assert spec is not None, "it was made from one"
        assert spec.loader is not None, "it was found with one"
        self.__class__ = ModuleType  # type: ignore[assignment] # it is one from now on
        self.__path__ = spec.submodule_search_locations or []
        spec.loader.exec_module(self)
        return getattr(self, name)


def load_polars_when_used() -> None:
    """Load Polars at its first use: a command that reads TREC text and prints numbers needs none of it.

    CPU of `assay evaluate` on a run of 10,000 lines (medians of 11): 0.20 s, with Polars loaded at once
    0.31 s.
    """
    spec = None if "polars" in sys.modules else importlib.util.find_spec("polars")
    if spec is not None:
        module = importlib.util.module_from_spec(spec)
        module.__class__ = _Unloaded
        del module.__path__
        sys.modules["polars"] = module


def keep_freed_memory() -> None:
    """Keep some memory that was freed, because the next block of a file needs as much.

    CPU of `assay evaluate` on TREC text of 14,770 queries with 20 candidates each (medians of 11): 0.248 s,
    and 0.252 s without; of 7 million lines (medians of 5) 1.01 s and 1.04 s. The peak is the same.
    """
    _set_malloc({TRIM_THRESHOLD: 32 * MB, TOP_PAD: 4 * MB, MMAP_THRESHOLD: 8 * MB})


def hold_little_memory() -> None:
    """Give freed memory back at once and start few threads.

    Polars reads these settings when it is imported, before options are parsed. Values that the user
    has set are kept.
    """
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")
    os.environ.setdefault("POLARS_MAX_THREADS", str(min(THREADS, os.cpu_count() or 1)))
    _set_malloc({MMAP_THRESHOLD: MB})


def keep_freed_tables() -> None:
    """Let Polars keep the memory of a slice for the next one; a value that the user has set is kept.

    Half a second, as Polars has it, is less than a slice takes where many processes share the cores. CPU of
    `assay evaluate` on 98 million rows of Parquet (20 processes waiting for two cores): 3.2 s and 329 MB with
    a minute, 3.8 s and 323 MB with ten seconds. Few arenas keep less memory that another one needs: 342 MB
    with two, 367 MB with the eight that two cores get otherwise (medians of 9).
    """
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:60000,narenas:2")


def return_freed_tables() -> None:
    """Let Polars return the memory of a table soon; a value that the user has set is kept.

    `assay evaluate -o` with 100,000 queries of 10 candidates (`make bench-bundles`): 566 MB and 12.1 CPU s,
    and 623 MB and 11.8 CPU s as Polars has it.
    """
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:10,muzzy_decay_ms:0,narenas:1")


def only_scores_a_run(arguments: list[str]) -> bool:
    """Return whether a command reads a run, slice by slice, and writes no bundle.

    Other commands hold more than slices: 100,000 queries of predictions would take 524 MB, not 369 MB.
    """
    return has_option(arguments, "--run") and not has_option(arguments, "-o", "--output")


def has_option(arguments: list[str], *options: str) -> bool:
    """Return whether an option is among the arguments, as it is or followed by a value."""
    return any(each.split("=")[0] in options for each in arguments)


def _set_malloc(settings: dict[int, int]) -> None:
    with suppress(OSError, AttributeError):  # another C library
        for name, value in settings.items():
            ctypes.CDLL(None).mallopt(name, value)
