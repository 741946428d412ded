"""One module per tool: `prepare(folder, form)` loads the data and returns what computes the values.

Forms: `trec` (text) and `parquet` are files; `sorted` and `shuffled` are in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from adapters.definitions import Values

Action = Callable[[], Values]
MODULES = {
    "assay": "with_assay",
    "assay_arrays": "with_assay",
    "pytrec_eval": "with_pytrec_eval",
    "ranx": "with_ranx",
    "ir_measures": "with_ir_measures",
}


def prepare(tool: str, folder: Path, form: str) -> Action:
    """Load with one tool; only that tool is imported."""
    module = import_module(f"adapters.{MODULES[tool]}")
    name = "prepare_arrays" if tool == "assay_arrays" else "prepare"
    action: Action = getattr(module, name)(folder, form)
    return action
