"""Scores of answers in percent, after answers with a high no-answer probability are withheld."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import REAL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row

ABOVE = {"above": REAL}


def _score(row: Row, definition: Definition, fact: str) -> Score:
    """The score; 1 without evidence and 0 with evidence if the probability is greater than `above`."""
    withheld = Fraction(row.query.facts.get("na_prob", 0.0)) > Fraction(float(definition.choice("above")))
    found = Fraction(not row.has_evidence) if withheld else Fraction(row.query.facts[fact])
    return Score(100 * found)


@per_query("answer_exact", ABOVE, ranks=False)
def answer_exact(row: Row, definition: Definition) -> Score:
    """Whether the answer equals an expected one."""
    return _score(row, definition, "answer_exact")


@per_query("answer_f1", ABOVE, ranks=False)
def answer_f1(row: Row, definition: Definition) -> Score:
    """F1 over the words of the answer and the best expected one."""
    return _score(row, definition, "answer_f1")
