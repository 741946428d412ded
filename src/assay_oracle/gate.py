"""Measures of the decision whether, and how much, to return."""

from collections.abc import Sequence
from fractions import Fraction

from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary, quantile
from assay_oracle.rows import Row


def auroc(rows: Sequence[Row], definition: Definition) -> Summary:
    """P(prob+ > prob−) + ½·P(prob+ = prob−) over all pairs of a positive and a negative query.

    Queries without prob stay out. One class only: 0.5 by convention; no prob at all: no value.
    """
    labelled = [(row.query.prob, row.has_evidence) for row in rows if row.query.prob is not None]
    if not labelled:
        return Summary(None, "no_prob")
    positives = sum(label for _, label in labelled)
    negatives = len(labelled) - positives
    if positives == 0 or negatives == 0:
        return Summary(0.5, "one_class")
    counts: dict[float, list[int]] = {}
    for prob, label in labelled:
        counts.setdefault(prob, [0, 0])[label] += 1
    wins, negatives_below = Fraction(0), 0
    for prob in sorted(counts):
        negatives_here, positives_here = counts[prob]
        wins += positives_here * (negatives_below + Fraction(negatives_here, 2))
        negatives_below += negatives_here
    return Summary(float(wins / (positives * negatives)))


def evidence_recall(rows: Sequence[Row], definition: Definition) -> Summary:
    """Sum of relevant items in the top selected_k / sum of R; no K at all: no value."""
    sizes = _returned(rows)
    if sizes is None:
        return Summary(None, "no_selected_k")
    gold_count = sum(row.gold_count(definition.rel) for row in rows)
    if gold_count == 0:
        return Summary(0.0, "zero_denominator")
    found = sum(
        sum(row.relevance(definition.rel, size)) for row, size in zip(rows, sizes, strict=True)
    )
    return Summary(float(Fraction(found, gold_count)))


def selected_k(rows: Sequence[Row], definition: Definition) -> Summary:
    """The median of the selected K by linear interpolation; no K at all: no value."""
    sizes = _returned(rows)
    if sizes is None:
        return Summary(None, "no_selected_k")
    return Summary(float(quantile([Fraction(size) for size in sizes], Fraction(1, 2))))


def _returned(rows: Sequence[Row]) -> list[int] | None:
    """How many items each query returns: one without a K returns none; None if no query has a K."""
    sizes = [row.query.selected_k for row in rows]
    if all(size is None for size in sizes):
        return None
    return [size or 0 for size in sizes]
