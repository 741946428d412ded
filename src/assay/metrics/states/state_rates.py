"""Shares of queries in each state, and alerts and misses per thousand queries."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.data.cases import STATES, Cases
from assay.metrics.core.decisions import label
from assay.metrics.core.entry import Edge, Kind, Metric
from assay.metrics.core.family import measure
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Columns, Reduced, Sums, quotient
from assay.metrics.core.toy_cases import decided

ALERT = decided("1", 0.9, 1, "POS")
SKIPPED = decided("1", 0.1, 0, "NEG")
WHAT = {"neg": "skipped", "uncertain": "sent to human review", "pos": "alerted"}


def in_state(cases: Cases, state: str) -> Floats:
    """Return 1 where the query is in the state."""
    return np.asarray(np.asarray(cases.state) == STATES.index(state.upper()), dtype=np.float64)


def share_of_queries(scale: float) -> Sums:
    """Return the reduce scale · count / n."""

    def reduce(n: Floats, count: Floats) -> Reduced:
        return quotient(scale * count, n, 0.0, Convention.EMPTY_POPULATION)

    return Sums(("count",), reduce)


def _all_are_trials(columns: Columns) -> tuple[Floats, Floats]:
    return columns["count"], np.ones_like(columns["count"])


@measure("rate", on="all")
def rate_entry(state: Literal["neg", "uncertain", "pos"] = "neg") -> Metric:
    """Share of the queries in a state."""
    name = state.upper()
    return Metric(
        title=f"{name} rate",
        formula=f"queries in {name} / n",
        latex=rf"\frac{{n_\mathrm{{{name}}}}}{{n}}",
        meaning=f"share of queries {WHAT[state]}",
        columns=lambda cases: Columns({"count": in_state(cases, state)}),
        reduce=share_of_queries(1.0),
        kind=Kind.DECISION,
        better="neither",
        needs=("state",),
        share=_all_are_trials,
        edges=(Edge(ALERT, float(state == "pos"), "one query, in POS"),),
    )


@measure("alert_rate_per_1000", on="all", printed_as=("alerts per 1000",))
def alert_rate_per_1000_entry() -> Metric:
    """Alerts per thousand queries."""
    return Metric(
        title="Alerts per 1000 queries",
        formula="1000 · POS / n",
        latex=r"1000\,\frac{n_\mathrm{POS}}{n}",
        meaning="alerts that somebody must look at",
        columns=lambda cases: Columns({"count": in_state(cases, "pos")}),
        reduce=share_of_queries(1000.0),
        kind=Kind.DECISION,
        range=(0.0, 1000.0),
        better="neither",
        needs=("state",),
        share=_all_are_trials,
        edges=(Edge(ALERT, 1000.0, "one query, in POS"),),
    )


@measure(
    "screening_fn_per_1000",
    on="all",
    printed_as=("fn per 1000", "fn/1000", "misses per 1000", "false negatives per 1000"),
)
def screening_fn_per_1000_entry() -> Metric:
    """Queries with evidence that were skipped, per thousand queries of any kind."""
    return Metric(
        title="Screening misses per 1000 queries",
        formula="1000 · (evidence and NEG) / n",
        latex=r"1000\,\frac{FN_\mathrm{screen}}{n}",
        meaning="missed evidence per thousand queries; not a share of the evidence",
        columns=lambda cases: Columns({"count": in_state(cases, "neg") * label(cases)}),
        reduce=share_of_queries(1000.0),
        kind=Kind.DECISION,
        range=(0.0, 1000.0),
        better="lower",
        needs=("state",),
        share=_all_are_trials,
        edges=(
            Edge(SKIPPED, 1000.0, "one query, missed"),
            Edge(ALERT, 0.0, "one query, found"),
            Edge(decided("0", 0.1, 0, "NEG"), 0.0, "one query, correctly skipped"),
        ),
    )
