"""Areas under the ROC and the precision-recall curve, of probabilities and of scores."""

import math
from collections.abc import Callable, Sequence

from assay_oracle.core.curves import Formula, Labelled, Step, curve_of, labelled_prob, positives
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import REL
from assay_oracle.core.reduction import Reduction
from assay_oracle.core.rows import Row


def _prob_if_any(row: Row, definition: Definition) -> Labelled:
    return [] if row.query.prob is None else [(row.query.prob, row.has_evidence)]


def _highest_score(row: Row, definition: Definition) -> Labelled:
    return [(row.highest_score, row.has_evidence)]


def _candidates(row: Row, definition: Definition) -> Labelled:
    return list(zip(row.scores, row.relevance(definition.rel), strict=True))


@pooled("auroc", via=curve_of(_prob_if_any))
def auroc(steps: Sequence[Step], negatives: int, definition: Definition) -> Summary:
    """AUROC of the probabilities; queries without one are left out, and no value without any."""
    if not negatives and not positives(steps):
        return Summary(None, "no_prob")
    return area_under_roc(steps, negatives, definition)


@pooled("score_auroc", via=curve_of(_highest_score))  # of the highest score of each query
@pooled("pair_auroc", REL, via=curve_of(_candidates))  # of all (query, candidate) pairs
def area_under_roc(steps: Sequence[Step], negatives: int, definition: Definition) -> Summary:
    """P(score+ > score−) + ½·P(score+ = score−) over all pairs of a positive and a negative.

    With one class only: 0.5 by convention.
    """
    all_positives = positives(steps)
    if not all_positives or not negatives:
        return Summary(0.5, "one_class")
    doubled_wins = sum(p * (2 * (negatives - above) - tied) for p, above, tied in steps)
    return Summary(doubled_wins / (2 * all_positives * negatives))


def _average_precision(steps: Sequence[Step], negatives: int, definition: Definition) -> Summary:
    """Sum the terms in floats, which is fast enough for every resample."""
    all_positives, total, hits = positives(steps), 0.0, 0
    if not all_positives or not negatives:
        return Summary(1.0 if all_positives else 0.0, "one_class")
    for p, above, tied in steps:
        hits += p
        total += p * hits / (hits + above + tied) if p else 0.0
    return Summary(total / all_positives)


def _exactly(labelled: Callable[[Row, Definition], Labelled]) -> Callable[[Formula], Reduction]:
    """Return the maker of a reduction with an exact value and resamples summed in floats."""
    curve = curve_of(labelled)
    return lambda formula: Reduction(curve(formula).value, curve(_average_precision).resample, labelled)


@pooled("auprc", via=_exactly(labelled_prob))
@pooled("score_auprc", via=_exactly(_highest_score))
@pooled("pair_auprc", REL, via=_exactly(_candidates))
def average_precision(steps: Sequence[Step], negatives: int, definition: Definition) -> Summary:
    """Sum over distinct scores, descending, of (R_g − R_{g−1})·P_g.

    R = TP / positives and P = TP / (TP + FP). Each term is rounded once, and so is their sum. With
    one class only: the positive rate by convention.
    """
    all_positives, hits = positives(steps), 0
    if not all_positives or not negatives:
        return Summary(1.0 if all_positives else 0.0, "one_class")
    terms: list[float] = []
    for p, above, tied in steps:
        hits += p
        terms.append(p * hits / (all_positives * (hits + above + tied)))
    return Summary(math.fsum(terms))
