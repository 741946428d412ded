"""Recall and precision of the returned sentences."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.data.cases import Cases
from assay.metrics.core.entry import Edge, Kind, Metric, per_query
from assay.metrics.core.family import Level, measure
from assay.metrics.core.rankings import ALL, Convention, Values, conventions, ratio, relevant
from assay.metrics.core.reduce import MEAN, Columns, Sums, quotient
from assay.metrics.core.toy_cases import decided
from assay.metrics.selection.selected_k import HALF, SILENT, returned_k

RECALL_FORMULAS = {
    "macro": "mean of (gold returned / R)",
    "micro": "Σ gold returned / Σ R",
    "micro_conditional": "Σ gold returned / Σ R, both where something was returned",
    "retrieved": "Σ gold returned / Σ gold among the candidates",
}


def returned_counts(cases: Cases, level: int) -> Columns:
    """Return per query: gold returned, R, R where anything was returned, gold retrieved, K."""
    view = relevant(cases, level)
    k = returned_k(cases)
    total = view.R.astype(np.float64)
    return Columns(
        {
            "hits": view.hits(k.astype(np.int64)).astype(np.float64),
            "R": total,
            "conditional": total * (k >= 1),
            "retrieved": view.hits(ALL).astype(np.float64),
            "k": k,
        }
    )


def evidence_recall(cases: Cases, rel: int) -> Values:
    """Return gold returned / R of each query."""
    columns, view = returned_counts(cases, rel), relevant(cases, rel)
    codes = conventions(cases.n, (view.R == 0, Convention.NO_GOLD))
    return ratio(columns["hits"], columns["R"]), codes


def evidence_precision(cases: Cases, rel: int) -> Values:
    """Return gold returned / K of each query."""
    columns = returned_counts(cases, rel)
    codes = np.where(columns["k"] == 0, Convention.NOTHING_RETURNED, 0).astype(np.uint8)
    return ratio(columns["hits"], columns["k"]), codes


@measure("evidence_recall")
def evidence_recall_entry(
    average: Literal["macro", "micro", "micro_conditional", "retrieved"] = "macro", rel: Level = 1
) -> Metric:
    """Gold returned, over all gold."""
    is_macro = average == "macro"
    below = {"micro_conditional": "conditional", "retrieved": "retrieved"}.get(average, "R")
    micro = Sums(("hits", below), lambda n, hits, gold: quotient(hits, gold))
    no_gold = Convention.NO_GOLD if is_macro else Convention.ZERO_DENOMINATOR
    edges = [Edge(decided("0", 0.9, 1, "POS"), 0.0, "no gold", no_gold)]
    if average in ("macro", "micro"):
        edges += [Edge(SILENT, 0.0, "nothing returned"), Edge(HALF, 0.5, "1 of 2")]
    elif average == "retrieved":
        edges += [Edge(SILENT, 0.0, "nothing returned"), Edge(HALF, 1.0, "1 of the 1 ranked")]
    else:
        edges.append(Edge(SILENT, 0.0, "nothing returned", Convention.ZERO_DENOMINATOR))
    return Metric(
        title="Evidence recall",
        formula=RECALL_FORMULAS[average],
        latex=r"\frac1{|Q|}\sum_q \frac{|\mathrm{gold} \cap \mathrm{returned}|}{R}"
        if is_macro
        else r"\frac{\sum_q |\mathrm{gold} \cap \mathrm{returned}|}{\sum_q R}",
        meaning="share of the evidence sentences that is returned",
        columns=per_query(lambda cases: evidence_recall(cases, rel))
        if is_macro
        else lambda cases: returned_counts(cases, rel),
        reduce=MEAN if is_macro else micro,
        kind=Kind.SELECTION,
        needs=("selected_k",),
        edges=tuple(edges),
    )


@measure("evidence_precision")
def evidence_precision_entry(average: Literal["macro", "micro"] = "macro", rel: Level = 1) -> Metric:
    """Gold returned, over all that was returned."""
    is_macro = average == "macro"
    nothing = Convention.NOTHING_RETURNED if is_macro else Convention.ZERO_DENOMINATOR
    return Metric(
        title="Evidence precision",
        formula="mean of (gold returned / K)" if is_macro else "Σ gold returned / Σ K",
        latex=r"\frac1{|Q|}\sum_q \frac{|\mathrm{gold} \cap \mathrm{returned}|}{K_q}"
        if is_macro
        else r"\frac{\sum_q |\mathrm{gold} \cap \mathrm{returned}|}{\sum_q K_q}",
        meaning="share of the returned sentences that is evidence",
        columns=per_query(lambda cases: evidence_precision(cases, rel))
        if is_macro
        else lambda cases: returned_counts(cases, rel),
        reduce=MEAN if is_macro else Sums(("hits", "k"), lambda n, hits, k: quotient(hits, k)),
        kind=Kind.SELECTION,
        needs=("selected_k",),
        edges=(Edge(SILENT, 0.0, "nothing returned", nothing), Edge(HALF, 1.0, "1 of 1")),
    )
