"""Utility of a system that retrieves or abstains."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.data.cases import Cases
from assay.metrics.core.decisions import label, positive
from assay.metrics.core.entry import Edge, Kind, Metric, per_query
from assay.metrics.core.family import Costs, measure
from assay.metrics.core.rankings import Values, ratio
from assay.metrics.core.toy_cases import decided
from assay.metrics.selection.evidence import returned_counts
from assay.metrics.selection.selected_k import HALF, SILENT


def utility(cases: Cases, at: str, abstain: float, found: float, missed: float, alarm: float) -> Values:
    """Return +abstain, +found · recall, −missed or −alarm for each query."""
    y, returns = label(cases), positive(cases, at)
    got = returned_counts(cases, 1)
    share = ratio(got["hits"], got["R"])
    value = (
        abstain * (1 - y) * (1 - returns)
        - alarm * (1 - y) * returns
        - missed * y * (1 - returns)
        + found * y * returns * share
    )
    return value, np.zeros(len(cases), dtype=np.uint8)


@measure("utility", on="all")
def utility_entry(
    abstain: Costs = 1,
    found: Costs = 1,
    missed: Costs = 0,
    alarm: Costs = 0,
    at: Literal["returned"] = "returned",
) -> Metric:
    """The whole system: correct abstention and evidence found, less misses and false alarms."""
    return Metric(
        title="Retrieve-or-abstain utility",
        formula="mean of: +abstain if correctly silent, +found · recall if it returns evidence,"
        " −missed if wrongly silent, −alarm if it returns where there is none",
        latex=r"\frac1n\sum_q \begin{cases} +a & y=0, K=0\\ -b & y=0, K>0\\ -m & y=1, K=0\\"
        r" f\,\mathrm{recall} & y=1, K>0 \end{cases}",
        meaning="gives credit for returning nothing on a query without evidence",
        columns=per_query(lambda cases: utility(cases, at, abstain, found, missed, alarm)),
        kind=Kind.SELECTION,
        range=(0.0 - max(missed, alarm), max(abstain, found, 0.0)),
        needs=("selected_k",),
        edges=(
            Edge(decided("0", 0.1, 0, "NEG"), float(abstain), "correctly silent"),
            Edge(decided("0", 0.9, 1, "POS"), -float(alarm), "a false alarm"),
            Edge(SILENT, -float(missed), "evidence missed"),
            Edge(HALF, found / 2, "half of the evidence found"),
        ),
    )
