"""Optional libraries, imported where they are used; one that is missing says what to install."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from assay.errors import AssayError


class MissingExtraError(AssayError):
    """A library of an extra is not installed."""


def extra(module: str, name: str = "pipeline") -> Any:
    """A module of an extra."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"this needs {package}, which is not installed; pip install 'assay[{name}]'"
        ) from None


def sklearn(module: str) -> Any:
    """A module of scikit-learn."""
    return extra(f"sklearn.{module}")
