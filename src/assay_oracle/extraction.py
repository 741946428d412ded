"""Measures of what is returned: the top selected_k of each query's candidates."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from assay_oracle import decision
from assay_oracle.confusion import ratio
from assay_oracle.decision import decided
from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary, mean, quantile, std
from assay_oracle.rows import Row
from assay_oracle.score import Score, by_convention

STATISTICS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "mean": mean,
    "median": lambda sizes: quantile(sizes, Fraction(1, 2)),
    "p25": lambda sizes: quantile(sizes, Fraction(1, 4)),
    "p75": lambda sizes: quantile(sizes, Fraction(3, 4)),
    "p90": lambda sizes: quantile(sizes, Fraction(9, 10)),
    "min": min,
    "max": max,
    "total": lambda sizes: sum(sizes, Fraction(0)),
}


def selected_k(rows: Sequence[Row], definition: Definition) -> Summary:
    """A statistic of selected_k; quantiles by linear interpolation, std with n − 1.

    A query without a K returns nothing; no K at all: no value; std of one query: 0 by convention.
    """
    if _no_k(rows):
        return Summary(None, "no_selected_k")
    sizes = [Fraction(row.query.selected_k or 0) for row in rows]
    if definition.choice("stat") != "std":
        return Summary(float(STATISTICS[definition.choice("stat")](sizes)))
    spread = std(sizes)
    return Summary(0.0, "zero_denominator") if spread is None else Summary(spread)


def _no_k(rows: Sequence[Row]) -> bool:
    return all(row.query.selected_k is None for row in rows)


def _hits(row: Row, rel: int) -> int:
    """Relevant items in the top selected_k."""
    return sum(row.relevance(rel, row.query.selected_k or 0))


def pooled_recall(rows: Sequence[Row], definition: Definition) -> Summary:
    """Sum of hits / sum of R (micro); over the queries with K >= 1 only (micro_conditional);
    or sum of hits / sum of relevant items among the candidates (retrieved).

    A query without a K returns nothing; no K at all: no value.
    """
    if _no_k(rows):
        return Summary(None, "no_selected_k")
    rel, average = definition.rel, definition.choice("average")
    if average == "micro_conditional":
        rows = [row for row in rows if (row.query.selected_k or 0) >= 1]
    hits = sum(_hits(row, rel) for row in rows)
    if average == "retrieved":
        return ratio(hits, sum(sum(row.relevance(rel)) for row in rows))
    return ratio(hits, sum(row.gold_count(rel) for row in rows))


def check_k(row: Row, definition: Definition) -> None:
    """Refuse a query without a K, whatever its gold and its candidates."""
    decision.selected_k(row, definition)


def recall(row: Row, definition: Definition) -> Score:
    """Relevant items in the top selected_k / R."""
    return Score(Fraction(_hits(row, definition.rel), row.gold_count(definition.rel)))


def pooled_precision(rows: Sequence[Row], definition: Definition) -> Summary:
    """Sum of hits / sum of selected_k."""
    returned = sum(decision.selected_k(row, definition) for row in rows)
    return ratio(sum(_hits(row, definition.rel) for row in rows), returned)


def precision(row: Row, definition: Definition) -> Score:
    """Relevant items in the top selected_k / selected_k; 0 by convention where that is 0."""
    size = decision.selected_k(row, definition)
    if size == 0:
        return by_convention("nothing_returned")
    return Score(Fraction(_hits(row, definition.rel), size))


def utility(row: Row, definition: Definition) -> Score:
    """What an answer is worth: without evidence +abstain if nothing is returned, else −alarm; with
    evidence −missed if nothing is returned, else found · (gold in the top selected_k / R).
    """
    returned = decided(row, definition)
    if not row.has_evidence:
        return Score(-definition.number("alarm") if returned else definition.number("abstain"))
    if not returned:
        return Score(-definition.number("missed"))
    return Score(definition.number("found") * Fraction(_hits(row, 1), row.gold_count(1)))
