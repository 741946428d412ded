"""What counts as a positive decision, and the builder that the entries on decisions share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.data.model import STATES, Cases
from assay.kernels.layout import Floats
from assay.metrics.entry import Edge, Metric, Population, Share
from assay.metrics.family import TUNED
from assay.metrics.properties import Kind
from assay.metrics.ranking import Fails, Names
from assay.metrics.reduce import Columns, Reduce

NEEDS = {
    "tune": ("prob", "tune"),
    "not_neg": ("state",),
    "pos": ("state",),
    "returned": ("selected_k",),
}
INFINITE = float("inf")


def needs_of(at: str) -> tuple[str, ...]:
    """Columns of the decisions, and thresholds, that a decision rule looks at."""
    if at.startswith(TUNED):
        return ("prob", at)
    return NEEDS.get(at, ("prob",))


def given(column: Floats | None) -> Floats:
    """A column that `needs` has made sure of."""
    assert column is not None, "evaluate() leaves out measures whose columns are absent"
    return column


def positive(cases: Cases, at: str) -> Floats:
    """1 where the system decides that there is evidence; every threshold decides p ≥ t."""
    if at == "returned":
        return (np.asarray(cases.selected_k) >= 1).astype(np.float64)
    if at in ("not_neg", "pos"):
        state = np.asarray(cases.state)
        chosen = state != STATES.index("NEG") if at == "not_neg" else state == STATES.index("POS")
        return np.asarray(chosen, dtype=np.float64)
    tuned = at == "tune" or at.startswith(TUNED)
    limit = cases.thresholds[at.removeprefix(TUNED)] if tuned else float(at)
    return (given(cases.prob) >= limit).astype(np.float64)


def label(cases: Cases) -> Floats:
    """1 where the query has evidence."""
    return cases.has_evidence.astype(np.float64)


def decision_metric(
    name: str,
    params: Names,
    on: str,
    columns: Callable[[Cases], Columns],
    reduce: Reduce,
    *,
    title: str,
    formula: str,
    latex: str,
    meaning: str,
    needs: tuple[str, ...],
    edges: tuple[Edge, ...],
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 # the entry's own word
    better: str = "higher",
    kind: Kind = Kind.DECISION,
    fails: Fails | None = None,
    resamples: int = 10_000,
    share: Share | None = None,
    notes: tuple[str, ...] = (),
) -> Metric:
    """A measure of decisions; every property of its kind that does not fail holds."""
    return Metric(
        name=name,
        params=params,
        title=title,
        formula=formula,
        latex=latex,
        meaning=meaning,
        range=range,
        better=better,
        population=Population(on),
        columns=columns,
        reduce=reduce,
        kind=kind,
        holds=kind.properties - (fails or {}).keys(),
        fails=fails or {},
        edges=edges,
        needs=needs,
        resamples=resamples,
        share=share,
        notes=notes,
    )
