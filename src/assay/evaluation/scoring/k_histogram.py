"""How many queries return K sentences: overall, by state, and by presence of evidence."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.array_types import Bools, Ints
from assay.data.cases import STATES, Cases

Histogram = Mapping[str, Mapping[int, int]]  # "all", "state=POS" … to K to number of queries


def selected_k_histogram(cases: Cases, selected: Ints) -> Histogram:
    """Return the number of queries at each selected K."""
    groups: dict[str, Bools] = {"all": np.ones(len(cases), dtype=bool)}
    if cases.state is not None:
        groups |= {f"state={name}": cases.state == at for at, name in enumerate(STATES)}
    label = cases.has_evidence
    groups |= {"has_evidence=0": ~label, "has_evidence=1": label}
    histograms = {}
    for name, inside in groups.items():
        values = np.sort(selected[inside])  # not by np.bincount: one K of 10^12 would fill memory
        first = np.flatnonzero(np.diff(values, prepend=-1))
        counts = np.diff(np.append(first, len(values)))
        histograms[name] = dict(zip(values[first].tolist(), counts.tolist(), strict=True))
    return histograms
