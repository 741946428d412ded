"""Entries of the three-state gate: how much is skipped, doubted and alerted."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.data.model import STATES, Cases
from assay.kernels.layout import Convention, Floats
from assay.metrics.decision import decision_metric, label
from assay.metrics.entry import Edge, Metric
from assay.metrics.family import On
from assay.metrics.ranking import Names
from assay.metrics.reduce import Columns, Reduced, Sums, quotient
from assay.metrics.toy import decided

ALERT = decided("1", 0.9, 1, "POS")
SKIPPED = decided("1", 0.1, 0, "NEG")


def in_state(cases: Cases, state: str) -> Floats:
    """1 where the query is in the state."""
    return np.asarray(np.asarray(cases.state) == STATES.index(state.upper()), dtype=np.float64)


def _share(scale: float) -> Sums:
    def reduce(n: Floats, count: Floats) -> Reduced:
        return quotient(scale * count, n, 0.0, Convention.EMPTY_POPULATION)

    return Sums(("count",), reduce)


def _all_are_trials(columns: Columns) -> tuple[Floats, Floats]:
    return columns["count"], np.ones_like(columns["count"])


def rate(
    name: str, params: Names, state: Literal["neg", "uncertain", "pos"] = "neg", on: On = "all"
) -> Metric:
    """Share of the queries in a state."""
    what = {"neg": "skipped", "uncertain": "left to judgement", "pos": "alerted"}[state]
    return decision_metric(
        name, params, on, lambda cases: Columns({"count": in_state(cases, state)}), _share(1.0),
        title=f"{state.upper()} rate", formula=f"queries in {state.upper()} / n",
        latex=rf"\frac{{n_\mathrm{{{state.upper()}}}}}{{n}}", meaning=f"share of queries {what}",
        needs=("state",), better="neither", share=_all_are_trials,
        edges=(Edge(ALERT, float(state == "pos"), "one query, in POS"),),
    )  # fmt: skip


def alert_rate_per_1000(name: str, params: Names, on: On = "all") -> Metric:
    """Alerts per thousand queries."""
    return decision_metric(
        name, params, on, lambda cases: Columns({"count": in_state(cases, "pos")}), _share(1000.0),
        title="Alerts per 1000 queries", formula="1000 · POS / n",
        latex=r"1000\,\frac{n_\mathrm{POS}}{n}", meaning="alerts that somebody must look at",
        needs=("state",), range=(0.0, 1000.0), share=_all_are_trials, better="neither",
        edges=(Edge(ALERT, 1000.0, "one query, in POS"),),
    )  # fmt: skip


def screening_fn_per_1000(name: str, params: Names, on: On = "all") -> Metric:
    """Queries with evidence that were skipped, per thousand queries of any kind."""
    return decision_metric(
        name, params, on,
        lambda cases: Columns({"count": in_state(cases, "neg") * label(cases)}), _share(1000.0),
        title="Screening misses per 1000 queries", formula="1000 · (evidence and NEG) / n",
        latex=r"1000\,\frac{FN_\mathrm{screen}}{n}",
        meaning="missed evidence per thousand queries; not a share of the evidence",
        needs=("state",), range=(0.0, 1000.0), share=_all_are_trials, better="lower",
        edges=(
            Edge(SKIPPED, 1000.0, "one query, missed"),
            Edge(ALERT, 0.0, "one query, found"),
            Edge(decided("0", 0.1, 0, "NEG"), 0.0, "one query, rightly skipped"),
        ),
    )  # fmt: skip
