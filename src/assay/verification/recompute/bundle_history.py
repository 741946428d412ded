"""Additions to the bundle format since 2026-11-18: an older bundle lacks them legitimately."""

from __future__ import annotations

import re
from typing import Any

LATER = re.compile(r"(.*/)?(counts/missing_evidence|(groups|measures)/.+/exact)")
LATER_COLUMNS = (
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "num_nonrel_judged_ret",
    "rate",
    "alert_rate_per_1000",
    "screening_fn_per_1000",
)
"""Measure families whose values were added to `per_query.csv`."""


def is_older(document: dict[str, Any]) -> bool:
    """Return whether a document was written before contracts had dated corrections."""
    return "corrected" not in document["contract"]


def is_later(place: str, given: Any) -> bool:
    """Return whether a document lacks a place only because it was added later."""
    return given is None and LATER.fullmatch(place) is not None


def later_columns(document: dict[str, Any]) -> set[str]:
    """Return the measures of a document that have no column in an older `per_query.csv`."""
    return {
        each["name"]
        for each in document["measures"]
        if str(each["definition"]).partition(":")[0] in LATER_COLUMNS
    }
