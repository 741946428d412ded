"""Measures of the gate: how its probability orders queries, and its three states."""

from collections.abc import Sequence
from fractions import Fraction

from assay_oracle import areas
from assay_oracle.areas import Labelled
from assay_oracle.decision import prob, state
from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary
from assay_oracle.rows import Row


def auroc(rows: Sequence[Row], definition: Definition) -> Summary:
    """P(prob+ > prob−) + ½·P(prob+ = prob−) over all pairs of a positive and a negative query.

    Queries without prob stay out. One class only: 0.5 by convention; no prob at all: no value.
    """
    labelled = [(row.query.prob, row.has_evidence) for row in rows if row.query.prob is not None]
    return _under_roc(labelled) if labelled else Summary(None, "no_prob")


def auprc(rows: Sequence[Row], definition: Definition) -> Summary:
    """Average precision of prob, equal ones grouped; one class only: the positive rate."""
    return _average_precision([(prob(row, definition), row.has_evidence) for row in rows])


def score_auroc(rows: Sequence[Row], definition: Definition) -> Summary:
    """The AUROC over queries of the highest candidate score in the place of prob."""
    return _under_roc(_by_highest_score(rows))


def score_auprc(rows: Sequence[Row], definition: Definition) -> Summary:
    """Average precision over queries of the highest candidate score."""
    return _average_precision(_by_highest_score(rows))


def _by_highest_score(rows: Sequence[Row]) -> Labelled:
    return [(row.highest_score, row.has_evidence) for row in rows]


def pair_auroc(rows: Sequence[Row], definition: Definition) -> Summary:
    """The AUROC of the score over all (query, candidate) pairs; one class only: 0.5."""
    return _under_roc(_pairs(rows, definition))


def pair_auprc(rows: Sequence[Row], definition: Definition) -> Summary:
    """Average precision of the score over all (query, candidate) pairs."""
    return _average_precision(_pairs(rows, definition))


def _pairs(rows: Sequence[Row], definition: Definition) -> Labelled:
    return [
        pair for row in rows for pair in zip(row.scores, row.relevance(definition.rel), strict=True)
    ]


def _under_roc(labelled: Labelled) -> Summary:
    if areas.one_class(positive for _, positive in labelled):
        return Summary(0.5, "one_class")
    return Summary(areas.under_roc(labelled))


def _average_precision(labelled: Labelled) -> Summary:
    if areas.one_class(positive for _, positive in labelled):
        return Summary(areas.positive_rate(labelled), "one_class")
    return Summary(areas.average_precision(labelled))


def state_rate(rows: Sequence[Row], definition: Definition) -> Summary:
    """Queries in the state / n."""
    return Summary(float(_share(rows, definition, definition.choice("state").upper())))


def alert_rate(rows: Sequence[Row], definition: Definition) -> Summary:
    """1000 · queries in state POS / n."""
    return Summary(float(1000 * _share(rows, definition, "POS")))


def screening_misses(rows: Sequence[Row], definition: Definition) -> Summary:
    """1000 · queries with evidence in state NEG / n."""
    missed = sum(state(row, definition) == "NEG" and row.has_evidence for row in rows)
    return Summary(float(Fraction(1000 * missed, len(rows))))


def _share(rows: Sequence[Row], definition: Definition, wanted: str) -> Fraction:
    return Fraction(sum(state(row, definition) == wanted for row in rows), len(rows))
