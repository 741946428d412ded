"""Optional libraries, imported on use; a missing one names the extra to install."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from assay.errors import MissingExtraError


def extra(module: str, name: str = "pipeline") -> Any:
    """Import a module of an extra."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{package} is not installed; install the extra: pip install 'assay[{name}]'"
        ) from None


def sklearn(module: str) -> Any:
    """Import a module of scikit-learn."""
    return extra(f"sklearn.{module}")
