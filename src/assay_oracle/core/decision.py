"""What was decided about a query: fields that must be there, and decision against label."""

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from assay_oracle.core.definition import Definition
from assay_oracle.core.rows import Row


class Cells(NamedTuple):
    """How many queries fall in each cell of decision against label."""

    tp: int
    fp: int
    tn: int
    fn: int


_CELLS = {
    (True, True): Cells(1, 0, 0, 0),
    (True, False): Cells(0, 1, 0, 0),
    (False, False): Cells(0, 0, 1, 0),
    (False, True): Cells(0, 0, 0, 1),
}


def cell(decision: bool, label: bool) -> Cells:
    """Return the cells of one query."""
    return _CELLS[decision, label]


def decision_cell(row: Row, definition: Definition) -> Cells:
    """Return the cells of one query under the definition's `at`; the label is has_evidence."""
    return cell(decided(row, definition), row.has_evidence)


def prob(row: Row, definition: Definition) -> float:
    """Return the query's prob; raise a ValueError if it has none."""
    if row.query.prob is None:
        raise _missing(row, definition, "prob")
    return row.query.prob


def probability(row: Row, definition: Definition) -> float:
    """Return the query's prob for a measure that takes it as a probability, from 0 to 1."""
    value = prob(row, definition)
    if not 0 <= value <= 1:
        raise ValueError(f"{definition.text}: query {row.query.id!r} has a prob of {value}; expected 0 to 1")
    return value


def trillionths(number: Fraction) -> int:
    """Round to 12 decimal digits, which undoes the binary rounding of a short decimal."""
    return round(number * 10**12)


@lru_cache(maxsize=1 << 16)
def _decimal(prob: float) -> int:
    """Round a probability, which several measures ask for."""
    return trillionths(Fraction(prob))


def confidence(row: Row, definition: Definition) -> int:
    """Return |prob − at| in trillionths, so that 0.3 and 0.7 are equally far from 0.5."""
    return abs(_decimal(prob(row, definition)) - trillionths(definition.number("at")))


def state(row: Row, definition: Definition) -> str:
    """Return the query's state; raise a ValueError if it has none."""
    if row.query.state is None:
        raise _missing(row, definition, "state")
    return row.query.state


def selected_k(row: Row, definition: Definition) -> int:
    """Return the query's selected_k; raise a ValueError if it has none."""
    if row.query.selected_k is None:
        raise _missing(row, definition, "selected_k")
    return row.query.selected_k


def threshold(row: Row, definition: Definition, rule: str) -> float:
    """Return the threshold that a rule set for this query; raise a ValueError if it set none."""
    if rule not in row.query.thresholds:
        raise _missing(row, definition, f"threshold {rule!r}")
    return row.query.thresholds[rule]


def decided(row: Row, definition: Definition) -> bool:
    """Return whether the query is decided positive under the definition's `at`.

    A decimal t: prob >= t; tune: prob >= its tuned threshold; tune_RULE: prob >= the threshold that
    RULE set; not_neg: state other than NEG; pos: state POS; returned: selected_k >= 1.
    """
    at = definition.choice("at")
    if at == "not_neg":
        return state(row, definition) != "NEG"
    if at == "pos":
        return state(row, definition) == "POS"
    if at == "returned":
        return selected_k(row, definition) >= 1
    if at.startswith("tune"):
        return prob(row, definition) >= threshold(row, definition, at.removeprefix("tune_"))
    return reaches(row, definition, definition.number("at"))


def reaches(row: Row, definition: Definition, decimal: Fraction) -> bool:
    """Return whether prob >= the float nearest to the decimal, as a prob of 0.3 is to reach 0.3."""
    return prob(row, definition) >= float(decimal)


def _missing(row: Row, definition: Definition, what: str) -> ValueError:
    return ValueError(f"{definition.text}: query {row.query.id!r} has no {what}")
