"""Settings of the process that make every command faster.

CPU seconds, medians of 11 runs on two cores, of `assay metric show ndcg@10` and of
`assay evaluate predictions --corpus corpus -m ndcg@3 -m auroc` on the example, with all settings:
0.248 and 0.316. Each function has the times without it.
"""

from __future__ import annotations

import gc
import os


def collect_no_garbage() -> None:
    """Leave cycles alone, because a command ends soon (without: 0.267 and 0.338)."""
    gc.disable()


def leave_garbage() -> None:
    """Let the interpreter end without looking for cycles (without: 0.285 and 0.357)."""
    gc.freeze()


def use_one_blas_thread() -> None:
    """Start no thread per core for small matrices (without: 0.272 and 0.360).

    A value that the user has set is kept.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
