"""Areas under the ROC and precision–recall curves, of queries and of (query, candidate) pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.array_types import Codes
from assay.data.cases import Cases, Pairs
from assay.metrics.core.decisions import given, label
from assay.metrics.core.entry import Edge, Kind, Metric, Property, Witness
from assay.metrics.core.family import Level, measure
from assay.metrics.core.ranked_steps import Pair, Steps, sum_products
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import ByClass, Columns, Reduced, quotient
from assay.metrics.core.toy_cases import decided

Area = Callable[[Steps], Reduced]
ONE = decided("1", 0.3, 1, "POS")
NONE = decided("0", 0.3, 1, "POS")
FLIP = Witness(
    decided("1", 0.9, 1, "POS"),
    "the two classes play different roles",
    (decided("0", 0.8, 1, "POS"), decided("0", 0.1, 0, "NEG")),
)


def auroc(steps: Steps) -> Pair:
    """Return the Mann–Whitney statistic with ties counted half, and positives × negatives."""
    pairs = steps.positives.astype(np.float64) * steps.negatives
    lost = sum_products(steps.gained, steps.above + steps.alarms) / 2  # ties count half
    return pairs - lost, pairs


def auprc(steps: Steps) -> Pair:
    """Return Σ over values of positives × precision at the value, and the positives.

    This is average precision with tied values grouped.
    """
    listed = np.maximum(steps.hits + steps.alarms, 1)
    return sum_products(steps.gained, steps.hits / listed), steps.positives.astype(np.float64)


def one_class(steps: Steps) -> Codes:
    """Return the convention of resamples with one class only."""
    missing = (steps.positives == 0) | (steps.negatives == 0)
    return np.where(missing, Convention.ONE_CLASS, 0).astype(np.uint8)


def roc_area(steps: Steps) -> Reduced:
    """Return the AUROC of each resample; 0.5 by convention with one class only."""
    return quotient(*auroc(steps), 0.5, Convention.ONE_CLASS)


def pr_area(steps: Steps) -> Reduced:
    """Return the AUPRC of each resample; the positive rate by convention with one class only."""
    reduced = quotient(*auprc(steps), 0.0, Convention.ONE_CLASS)
    return Reduced(reduced.values, one_class(steps))


def by_prob(cases: Cases) -> Columns:
    """Return the probability and label of each query."""
    return Columns({"prob": given(cases.prob), "label": label(cases)})


def kept_pairs(cases: Cases) -> Pairs:
    """Return the pairs that `needs` guarantees."""
    assert cases.pairs is not None, "evaluate() leaves out measures whose columns are absent"
    return cases.pairs


def by_pair(cases: Cases, level: int) -> Columns:
    """Return the score and label of each (query, candidate) pair."""
    pairs = kept_pairs(cases)
    relevant = (pairs.grade >= level).astype(np.float64)
    arrays = {"prob": pairs.score, "label": relevant, "owner": pairs.query}
    return Columns(arrays, queries=len(cases))


def by_top_score(cases: Cases) -> Columns:
    """Return the highest score and label of each query; without candidates, the lowest float."""
    pairs = kept_pairs(cases)
    top = np.full(len(cases), np.finfo(np.float64).min)
    np.maximum.at(top, pairs.query, pairs.score)
    return Columns({"top": top, "label": label(cases)})


@measure(
    "auroc",
    on="all",
    printed_as=("roc auc", "auc roc", "auc", "rocauc", "area under roc"),
    spellings=(("scikit-learn", "roc_auc roc_auc_score"),),
)
def auroc_entry() -> Metric:
    """Probability that a query with evidence has a higher probability than one without."""
    return Metric(
        title="Area under the ROC curve",
        abbreviation="AUROC",
        formula="P(p⁺ > p⁻) + ½·P(p⁺ = p⁻)",
        latex=r"P(p^+ > p^-) + \tfrac12 P(p^+ = p^-)",
        meaning="how well the probabilities separate queries with evidence from the others",
        columns=by_prob,
        reduce=ByClass(roc_area),
        kind=Kind.GATE,
        needs=("prob",),
        edges=(Edge(ONE, 0.5, "one class only", Convention.ONE_CLASS),),
    )


@measure(
    "auprc",
    on="all",
    printed_as=("pr auc", "auc pr", "average precision", "ap", "aupr", "prauc"),
    spellings=(("scikit-learn", "average_precision average_precision_score"),),
)
def auprc_entry() -> Metric:
    """Area under the precision–recall curve, as average precision with tied values grouped."""
    return Metric(
        title="Area under the precision–recall curve",
        abbreviation="AUPRC",
        formula="Σ over distinct p of (recall gained) · precision",
        latex=r"\sum_g (R_g - R_{g-1})\,P_g",
        meaning="precision of the alerts over all recalls; chance gives the positive rate",
        columns=by_prob,
        reduce=ByClass(pr_area),
        kind=Kind.GATE,
        needs=("prob",),
        edges=(
            Edge(ONE, 1.0, "only positives: the positive rate", Convention.ONE_CLASS),
            Edge(NONE, 0.0, "only negatives: the positive rate", Convention.ONE_CLASS),
        ),
        fails={Property.LABEL_FLIP: FLIP},
    )


def _pair_metric(rel: int, of: Area, title: str) -> Metric:
    is_roc = of is roc_area
    area = "P(s⁺ > s⁻) + ½·P(s⁺ = s⁻)" if is_roc else "average precision"
    none = Edge(
        decided("0", 0.3, 1, "POS"), 0.5 if is_roc else 0.0, "no relevant candidate", Convention.ONE_CLASS
    )
    return Metric(
        title=title,
        formula=f"{area} over (query, candidate) pairs",
        latex=r"P(s^+ > s^-) + \tfrac12 P(s^+ = s^-)" if is_roc else r"\sum_g \Delta R_g\,P_g",
        meaning="how well scores separate evidence sentences from the others, across queries",
        columns=lambda cases: by_pair(cases, rel),
        reduce=ByClass(of),
        kind=Kind.DECISION,
        needs=("pairs",),
        resamples=2000,
        edges=(none, Edge(decided("10", 0.3, 1, "POS"), 1.0, "relevant first")),
    )


@measure("pair_auroc", on="all")
def pair_auroc_entry(rel: Level = 1) -> Metric:
    """AUROC over (query, candidate) pairs."""
    return _pair_metric(rel, roc_area, "Pair-level area under the ROC curve")


@measure("pair_auprc", on="all")
def pair_auprc_entry(rel: Level = 1) -> Metric:
    """AUPRC over (query, candidate) pairs."""
    return _pair_metric(rel, pr_area, "Pair-level area under the precision–recall curve")


def _score_metric(of: Area, title: str) -> Metric:
    is_roc = of is roc_area
    return Metric(
        title=title,
        formula=("P(s⁺ > s⁻) + ½·P(s⁺ = s⁻)" if is_roc else "average precision")
        + ", s the highest score of a query",
        latex=r"P(s^+ > s^-) + \tfrac12 P(s^+ = s^-),\; s_q = \max_i s_{qi}"
        if is_roc
        else r"\sum_g \Delta R_g\,P_g,\; s_q = \max_i s_{qi}",
        meaning="how well the best score of a query predicts evidence, for systems without a gate",
        columns=by_top_score,
        reduce=ByClass(of, "top"),
        kind=Kind.DECISION,
        needs=("pairs",),
        resamples=2000,
        edges=(
            Edge(ONE, 0.5 if is_roc else 1.0, "only positives", Convention.ONE_CLASS),
            Edge(NONE, 0.5 if is_roc else 0.0, "only negatives", Convention.ONE_CLASS),
        ),
    )


@measure("score_auroc", on="all")
def score_auroc_entry() -> Metric:
    """AUROC of the highest candidate score: replaces AUROC where there is no probability."""
    return _score_metric(roc_area, "Area under the ROC curve of the best score")


@measure("score_auprc", on="all")
def score_auprc_entry() -> Metric:
    """AUPRC of the highest candidate score: replaces AUPRC where there is no probability."""
    return _score_metric(pr_area, "Area under the precision–recall curve of the best score")
