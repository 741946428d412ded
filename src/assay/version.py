"""The name, the version and the day of the distribution, where every layer can see them."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

DISTRIBUTION = "evidence-assay"
"""What pip installs; `assay` is taken. `make generated` copies it to pyproject.toml and to the pages."""
VERSION = "0.1.0"
RELEASED = date(2026, 11, 16)


def published() -> date:
    """Return the day that archives are told: SOURCE_DATE_EPOCH where it is set, else the version's own.

    A clock would make two bundles of the same input differ.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC).date() if epoch.isdigit() else RELEASED


def pip_install(extra: str) -> str:
    """Return the command that installs an extra.

    >>> pip_install("spark").startswith("pip install '")
    True
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"
