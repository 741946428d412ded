"""Areas under ROC and precision–recall curves, by brute force."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..case import Query
from .definition import Definition, ratio

Labelled = Sequence[tuple[float, bool]]  # value and whether it belongs to the positive class


def roc(rows: Labelled) -> float:
    """Compare every positive with every negative; a tie counts half. One class gives 0.5."""
    positives = [value for value, positive in rows if positive]
    negatives = [value for value, positive in rows if not positive]
    if not positives or not negatives:
        return 0.5
    wins = sum((p > n) + 0.5 * (p == n) for p in positives for n in negatives)
    return wins / (len(positives) * len(negatives))


def precision_recall(rows: Labelled) -> float:
    """Add precision times recall gained at each distinct value. One class gives its own rate."""
    total = sum(positive for _, positive in rows)
    if total in (0, len(rows)):
        return ratio(total, len(rows))
    area, recall = 0.0, 0.0
    for cut in sorted({value for value, _ in rows}, reverse=True):
        above = [positive for value, positive in rows if value >= cut]
        area += (sum(above) / total - recall) * sum(above) / len(above)
        recall = sum(above) / total
    return area


def by_prob(queries: Sequence[Query], d: Definition) -> Labelled:
    return [(query.prob, query.has_evidence) for query in queries]


def by_pair(queries: Sequence[Query], d: Definition) -> Labelled:
    """Return every candidate of every query; one that is not judged is not relevant."""
    return [
        (score, query.judged.get(item, 0) >= d.rel) for query in queries for item, score in query.candidates
    ]


def by_best_score(queries: Sequence[Query], d: Definition) -> Labelled:
    """Return the best score per query; a query without candidates is below all others."""
    return [
        (max((score for _, score in query.candidates), default=-math.inf), query.has_evidence)
        for query in queries
    ]


AREAS = {
    "auroc": (by_prob, roc),
    "auprc": (by_prob, precision_recall),
    "pair_auroc": (by_pair, roc),
    "pair_auprc": (by_pair, precision_recall),
    "score_auroc": (by_best_score, roc),
    "score_auprc": (by_best_score, precision_recall),
}
