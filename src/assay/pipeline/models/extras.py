"""Optional libraries, imported on use; a missing one names the extra to install."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from threading import get_ident
from typing import Any

from assay.errors import MissingExtraError


def extra(module: str, name: str = "pipeline") -> Any:
    """Import a module of an extra."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError.of(module.partition(".")[0], name) from None


def sklearn(module: str = "") -> Any:
    """Import a module of scikit-learn, or all of its basis."""
    with without_pandas():
        return extra(f"sklearn.{module}" if module else "sklearn")


@contextmanager
def without_pandas() -> Iterator[None]:
    """Hide pandas from scikit-learn in this thread, unless it is loaded already.

    scikit-learn would import pandas, and Arrow with it, to look for a version or for missing values in
    frames: 60 MB and half a second in each process. Frames that a stage of a user passes to it work as
    always.
    """
    if "pandas" in sys.modules:
        yield
        return
    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        yield
    finally:
        sys.meta_path.remove(hidden)


class _Hidden(MetaPathFinder):
    """Say in one thread that pandas is not installed."""

    def __init__(self) -> None:
        self._thread = get_ident()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "pandas" and get_ident() == self._thread:
            raise ModuleNotFoundError("No module named 'pandas'", name=name)
