"""Optional libraries, imported on use; a missing one names the extra to install."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from threading import local
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
    before = getattr(_HIDES, "pandas", False)
    if _HIDDEN not in sys.meta_path:  # it stays there: another thread may be going through the list
        sys.meta_path.insert(0, _HIDDEN)
    _HIDES.pandas = True
    try:
        yield
    finally:
        _HIDES.pandas = before


class _Hidden(MetaPathFinder):
    """Say in a thread that hides pandas that it is not installed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "pandas" and getattr(_HIDES, "pandas", False):
            raise ModuleNotFoundError("No module named 'pandas'", name=name)


_HIDDEN, _HIDES = _Hidden(), local()
