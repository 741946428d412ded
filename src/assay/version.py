"""The version of the package and its day, where every layer can see them."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

VERSION = "0.1.0"
RELEASED = date(2026, 11, 16)


def published() -> date:
    """Return the day that archives are told: SOURCE_DATE_EPOCH where it is set, else the version's own.

    A clock would make two bundles of the same input differ.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC).date() if epoch.isdigit() else RELEASED
