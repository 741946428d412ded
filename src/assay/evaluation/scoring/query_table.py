"""The table of queries: ids, counts, decisions, thresholds, and the value of each measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.array_types import Floats
from assay.data.cases import STATES, Cases

RESERVED = ("answered", "n", "gold", "has_evidence", "prob", "selected_k", "state", "tau_neg", "tau_pos")
"""Columns of the table of queries that a grouping of the same name does not replace."""


def per_query(cases: Cases, columns: Mapping[str, Floats], by: Sequence[str] = ()) -> pl.DataFrame:
    """Return the values per query; outside the population NaN here, and null in the frame."""
    facts: dict[str, NDArray[Any]] = {}
    for name in dict.fromkeys(("post_id", "fold", *by)):
        each = cases.groupings.get(name)
        if each is not None and name not in (*cases.keys.columns, *RESERVED):
            facts[name] = np.array(each.labels, dtype=object)[each.codes]
    positive = cases.gold_query[cases.gold_grade >= 1]
    facts |= {
        "answered": cases.answered,
        "n": cases.n,
        "gold": np.bincount(positive, minlength=len(cases)),
        "has_evidence": cases.has_evidence,
    }
    for name in ("prob", "selected_k"):
        if getattr(cases, name) is not None:
            facts[name] = getattr(cases, name)
    if cases.state is not None:
        facts["state"] = np.array(STATES)[cases.state]
    for name, column in cases.taus.items():
        facts[name] = column
    for rule, column in cases.thresholds.items():
        facts[f"threshold_{rule}"] = column
    return cases.keys.with_columns(
        *(pl.Series(name, values) for name, values in facts.items()),
        *(pl.Series(name, values).fill_nan(None) for name, values in columns.items()),
    )
