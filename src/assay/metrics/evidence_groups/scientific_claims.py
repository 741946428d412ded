"""Abstracts and rationale sentences of scientific claims, as the scorers of SciFact count them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.metrics.core.entry import Edge, Kind, Metric
from assay.metrics.core.family import measure
from assay.metrics.core.reduce import Columns, Reduced, Sums, quotient
from assay.metrics.core.toy_cases import Toy

Stat = Literal["precision", "recall", "f1"]
TITLES = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
FORMULAS = {
    "precision": ("correct / predicted", r"\frac{\sum c}{\sum p}"),
    "recall": ("correct / gold", r"\frac{\sum c}{\sum g}"),
    "f1": ("2·P·R / (P + R)", r"\frac{2PR}{P+R}"),
}
ABSTRACTS = {
    "label_only": ("abstracts_labelled", "abstracts with the right label"),
    "rationalized": (
        "abstracts_rationalized",
        "abstracts with the right label and a whole rationale among the first 3 predicted sentences, or "
        "among as many as the shortest rationale has, if that is more",
    ),
    "rationalized_3": (
        "abstracts_rationalized_3",
        "abstracts with the right label and a whole rationale among the first 3 predicted sentences",
    ),
}
SCIFACT = "Wadden et al. 2020 (SciFact)."
TWICE = "A sentence that is predicted twice counts twice among the predicted ones."
SENTENCES = {
    "selection": ("rationales_selected", "sentences of rationales that were predicted as a whole"),
    "label": (
        "rationales_labelled",
        "sentences of rationales that were predicted as a whole, in abstracts with the right label",
    ),
}


def _stat(stat: str) -> Sums:
    def function(_: Floats, correct: Floats, retrieved: Floats, relevant: Floats) -> Reduced:
        precision, recall = quotient(correct, retrieved), quotient(correct, relevant)
        if stat == "precision":
            return precision
        if stat == "recall":
            return recall
        p, r = precision.values, recall.values
        return quotient(2 * p * r, p + r)

    return Sums(("correct", "retrieved", "relevant"), function)


def _entry(unit: str, fact: str, what: str, stat: str) -> Metric:
    names = (fact, f"{unit}_retrieved", f"{unit}_relevant")
    formula, latex = FORMULAS[stat]
    noun = {"abstracts": "abstracts", "rationales": "rationale sentences"}[unit]
    return Metric(
        title=f"{TITLES[stat]} of {noun}",
        formula=f"{formula}, over all claims; correct: {what}",
        latex=latex,
        meaning=f"{noun} pooled over all claims; correct are {what}",
        notes=(SCIFACT, TWICE) if unit == "rationales" else (SCIFACT,),
        columns=lambda cases: Columns(
            dict(
                zip(("correct", "retrieved", "relevant"), (cases.facts[each] for each in names), strict=True)
            ),
            np.zeros(len(cases), dtype=np.uint8),
        ),
        reduce=_stat(stat),
        kind=Kind.DECISION,
        needs=names,
        edges=(
            Edge(Toy(facts=tuple((name, 2.0) for name in names)), 1.0, "all predicted, all correct"),
            Edge(Toy(facts=((names[0], 0.0), (names[1], 2.0), (names[2], 2.0))), 0.0, "nothing correct")
            if stat != "f1"
            else Edge(Toy(facts=((names[0], 1.0), (names[1], 2.0), (names[2], 1.0))), 2 / 3, "one too many"),
        ),
    )


@measure("abstract_score", on="all")
def abstract_score_entry(
    correct: Literal["label_only", "rationalized", "rationalized_3"] = "label_only", stat: Stat = "f1"
) -> Metric:
    """Precision, recall or F1 of evidence abstracts, pooled over claims."""
    return _entry("abstracts", *ABSTRACTS[correct], stat)


@measure("rationale_score", on="all")
def rationale_score_entry(correct: Literal["selection", "label"] = "selection", stat: Stat = "f1") -> Metric:
    """Precision, recall or F1 of rationale sentences, pooled over claims."""
    return _entry("rationales", *SENTENCES[correct], stat)
