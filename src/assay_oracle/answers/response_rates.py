"""Shares of responses by what they say."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import choice
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row

EVER = {"only_if_ever": choice("any", "answerable", "unanswerable", "invalid")}


def _says(row: Row, fact: str) -> bool:
    return row.query.facts[fact] == 1


@per_query("hallucination_rate", EVER, ranks=False)
def hallucination_rate(row: Row, definition: Definition) -> Score:
    """1 if the response is an answer."""
    return Score(Fraction(_says(row, "said_answerable")))


@per_query("false_refusal_rate", EVER, ranks=False)
def false_refusal_rate(row: Row, definition: Definition) -> Score:
    """1 if the response says that there is no answer."""
    return Score(Fraction(_says(row, "said_unanswerable")))


@per_query("invalid_rate", EVER, ranks=False)
def invalid_rate(row: Row, definition: Definition) -> Score:
    """1 if the response says neither."""
    return Score(Fraction(not (_says(row, "said_answerable") or _says(row, "said_unanswerable"))))


@per_query("response_accuracy", ranks=False)
def response_accuracy(row: Row, definition: Definition) -> Score:
    """1 if the response answers a query with evidence, or refuses one without."""
    return Score(Fraction(_says(row, "said_answerable" if row.has_evidence else "said_unanswerable")))
