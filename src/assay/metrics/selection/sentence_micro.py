"""Precision, recall and F1 of the returned sentences, pooled over queries."""

from __future__ import annotations

from typing import Literal

from assay.metrics.core.entry import Edge, Kind, Metric
from assay.metrics.core.family import Level, measure
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Sums, quotient
from assay.metrics.core.toy_cases import decided
from assay.metrics.selection.evidence import returned_counts
from assay.metrics.selection.selected_k import HALF, SILENT

FORMULAS = {
    "precision": ("Σ gold returned / Σ K", r"\frac{\sum_q h_q}{\sum_q K_q}", 1.0),
    "recall": ("Σ gold returned / Σ R", r"\frac{\sum_q h_q}{\sum_q R_q}", 0.5),
    "f1": ("2·Σ gold returned / (Σ K + Σ R)", r"\frac{2 \sum_q h_q}{\sum_q K_q + \sum_q R_q}", 2 / 3),
}


@measure("sentence_micro", on="all", printed_as=("sentence f1", "sentence level f1", "micro sentence f1"))
def sentence_micro_entry(of: Literal["precision", "recall", "f1"] = "f1", rel: Level = 1) -> Metric:
    """Precision, recall or F1 of all returned sentences together."""
    formula, latex, half = FORMULAS[of]
    sums = {
        "precision": Sums(("hits", "k"), lambda n, hits, k: quotient(hits, k)),
        "recall": Sums(("hits", "R"), lambda n, hits, gold: quotient(hits, gold)),
        "f1": Sums(("hits", "k", "R"), lambda n, hits, k, gold: quotient(2 * hits, k + gold)),
    }
    nothing = Convention.ZERO_DENOMINATOR if of == "precision" else Convention.NONE
    empty = decided("0", 0.1, 0, "NEG")
    return Metric(
        title=f"Pooled sentence {of if of != 'f1' else 'F1'}",
        formula=formula,
        latex=latex,
        meaning="quality of the returned sentences, where each sentence counts alike, false alarms too",
        notes=(
            "With `on=all`, sentences that are returned for queries without evidence are errors; with "
            "`on=evidence`, `precision` and `recall` are the micro averages of `evidence_precision` and "
            "`evidence_recall`.",
            "Manning, Raghavan and Schütze 2008, section 13.6 (micro-averaging).",
        ),
        columns=lambda cases: returned_counts(cases, rel),
        reduce=sums[of],
        kind=Kind.SELECTION,
        needs=("selected_k",),
        edges=(
            Edge(SILENT, 0.0, "nothing returned", nothing),
            Edge(HALF, half, "1 of 1 returned, 1 of 2 gold"),
            Edge(empty, 0.0, "nothing to return, nothing returned", Convention.ZERO_DENOMINATOR),
        ),
    )
