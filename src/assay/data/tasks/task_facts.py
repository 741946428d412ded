"""Limits of facts: the numbers that the reader of a shared task gives per query."""

from __future__ import annotations

from collections.abc import Mapping

from assay.data.cases import FACTS

CORRECT: Mapping[str, tuple[str, ...]] = {
    "abstracts": ("abstracts_labelled", "abstracts_rationalized", "abstracts_rationalized_3"),
    "rationales": ("rationales_selected", "rationales_labelled"),
}
"""Counts that are at most what was retrieved and what is relevant."""
LIMITS: Mapping[str, tuple[float, float]] = {
    "na_prob": (-1e300, 1e300),
    "vacuous_evidence": (0, 2),
    **{name: (0, 1e15) for name in FACTS if name.startswith(("na_place", "abstracts", "rationales"))},
}
"""Smallest and largest value, where it is not a number in [0, 1]."""
