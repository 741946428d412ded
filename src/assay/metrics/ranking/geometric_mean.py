"""The terms of measures that are the geometric mean of a value per query."""

from __future__ import annotations

import numpy as np

from assay.metrics.core.rankings import Values
from assay.metrics.core.reduce import Columns


def logarithms(values: Values, floor: float) -> Columns:
    """Return log max(value, floor) of each query, and which of the values are conventions."""
    found, codes = values
    return Columns({"log": np.log(np.maximum(found, floor))}, codes)
