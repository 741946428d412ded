"""Entries of the measures of decisions: the gate, and what was returned."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.data.model import Cases, Ints
from assay.kernels import binary as kernel
from assay.kernels.layout import Convention, Floats, relevant
from assay.metrics.entry import Edge, Metric, Population
from assay.metrics.family import Level, On
from assay.metrics.properties import Kind
from assay.metrics.ranking import Fails, Names
from assay.metrics.reduce import Columns, Ranked, Sums
from assay.metrics.toy import ranking


def auroc(name: str, params: Names, on: On = "all") -> Metric:
    """Probability that a query with evidence has a higher probability than one without."""

    def columns(cases: Cases) -> Columns:
        label = cases.has_evidence.astype(np.float64)
        return Columns({"prob": _given(cases.prob), "label": label})

    return Metric(
        name=name,
        params=params,
        title="Area under the ROC curve",
        formula="P(p⁺ > p⁻) + ½·P(p⁺ = p⁻)",
        latex=r"P(p^+ > p^-) + \tfrac12 P(p^+ = p^-)",
        meaning="how well the gate tells posts with evidence from posts without",
        range=(0.0, 1.0),
        better="higher",
        population=Population(on),
        columns=columns,
        reduce=Ranked(
            "prob",
            lambda order, columns, counts: kernel.auroc(order, columns["label"], counts),
            0.5,
            Convention.ONE_CLASS,
        ),
        kind=Kind.GATE,
        holds=Kind.GATE.properties,
        fails={},
        needs=("prob",),
        edges=(Edge(ranking("1", prob=0.3), 0.5, "one class only", Convention.ONE_CLASS),),
    )


def evidence_recall(
    name: str,
    params: Names,
    average: Literal["micro"] = "micro",
    rel: Level = 1,
    on: On = "evidence",
) -> Metric:
    """Gold that was returned, of all gold, pooled over the queries."""

    def columns(cases: Cases) -> Columns:
        view = relevant(cases, rel)
        hits = view.hits(np.asarray(_given(cases.selected_k), dtype=np.int64))
        return Columns({"hits": hits.astype(np.float64), "R": view.R.astype(np.float64)})

    return Metric(
        name=name,
        params=params,
        title="Evidence recall",
        formula="Σ gold returned / Σ R",
        latex=r"\frac{\sum_q |\mathrm{gold} \cap \mathrm{returned}|}{\sum_q R}",
        meaning="share of all evidence sentences that the system returns",
        range=(0.0, 1.0),
        better="higher",
        population=Population(on),
        columns=columns,
        reduce=Sums(("hits", "R"), lambda n, hits, R: hits, lambda n, hits, R: R),
        kind=Kind.SELECTION,
        holds=Kind.SELECTION.properties,
        fails={},
        needs=("selected_k",),
        edges=(
            Edge(ranking("1", R=2, selected_k=0), 0.0, "the gate said no"),
            Edge(ranking("10", R=2, selected_k=1), 0.5, "1 of 2"),
            Edge(ranking("0", selected_k=1), 0.0, "no gold", Convention.ZERO_DENOMINATOR),
        ),
    )


def selected_k(
    name: str, params: Names, stat: Literal["median"] = "median", on: On = "all"
) -> Metric:
    """A statistic of the number of sentences returned, zeros included."""
    quantile = {"median": 0.5}[stat]

    def function(order: kernel.Presorted, columns: Columns, counts: Floats) -> kernel.Pair:
        values, total = kernel.quantile(order, counts, quantile)
        return values * total, total

    fails: Fails = {}
    return Metric(
        name=name,
        params=params,
        title="Selected K",
        formula="median of K",
        latex=r"\mathrm{median}_q\,K_q",
        meaning="sentences that a reader of a typical query gets",
        range=(0.0, float("inf")),
        better="neither",
        population=Population(on),
        columns=lambda cases: Columns({"k": _given(cases.selected_k).astype(np.float64)}),
        reduce=Ranked("k", function, 0.0, Convention.EMPTY_POPULATION),
        kind=Kind.SELECTION,
        holds=Kind.SELECTION.properties,
        fails=fails,
        needs=("selected_k",),
        edges=(Edge(ranking("10", selected_k=2), 2.0, "one query"),),
    )


def _given(column: Floats | Ints | None) -> Floats:
    """A decision column that `needs` has made sure of."""
    assert column is not None, "evaluate() skips measures whose columns are absent"
    return np.asarray(column, dtype=np.float64)
