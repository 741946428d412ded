"""Optional libraries, imported on use; a missing one names the extra to install."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
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
    with _without_pandas():
        return extra(f"sklearn.{module}" if module else "sklearn")


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Hide pandas from scikit-learn while that is imported for the first time.

    It would import pandas, and Arrow with it, to look for a version: 31 MB and half a second in each
    process. Frames that a stage of a user passes to scikit-learn later work as always.
    """
    if "sklearn" in sys.modules or "pandas" in sys.modules:
        yield
        return
    sys.modules["pandas"] = None  # type: ignore[assignment] # importing it raises ImportError
    try:
        yield
    finally:
        del sys.modules["pandas"]
