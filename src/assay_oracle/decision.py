"""What was decided about a query: its inputs, refused where they are missing, and the yes or no."""

from fractions import Fraction

from assay_oracle.definition import Definition
from assay_oracle.rows import Row


def prob(row: Row, definition: Definition) -> float:
    """The query's prob; a ValueError where it has none."""
    if row.query.prob is None:
        raise _missing(row, definition, "prob")
    return row.query.prob


def probability(row: Row, definition: Definition) -> float:
    """The query's prob where the measure reads it as a probability: from 0 to 1."""
    value = prob(row, definition)
    if not 0 <= value <= 1:
        raise ValueError(
            f"{definition.text}: query {row.query.id!r} has a prob of {value}; expected 0 to 1"
        )
    return value


def twelve_digits(number: Fraction) -> Fraction:
    """A number rounded to the decimal that people would have written."""
    return round(number, 12)


def confidence(row: Row, definition: Definition) -> Fraction:
    """How far the prob is from `at`, both taken as decimals: 0.3 and 0.7 are as far from 0.5."""
    at = twelve_digits(definition.number("at"))
    return abs(twelve_digits(Fraction(prob(row, definition))) - at)


def state(row: Row, definition: Definition) -> str:
    """The query's state; a ValueError where it has none."""
    if row.query.state is None:
        raise _missing(row, definition, "state")
    return row.query.state


def selected_k(row: Row, definition: Definition) -> int:
    """The query's selected_k; a ValueError where it has none."""
    if row.query.selected_k is None:
        raise _missing(row, definition, "selected_k")
    return row.query.selected_k


def threshold(row: Row, definition: Definition, rule: str) -> float:
    """The threshold that a rule set for this query; a ValueError where there is none."""
    if rule not in row.query.thresholds:
        raise _missing(row, definition, f"threshold {rule!r}")
    return row.query.thresholds[rule]


def decided(row: Row, definition: Definition) -> bool:
    """Whether the query is decided positive under the definition's `at`.

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
    """Prob >= t, with t the float nearest to the decimal: a prob spelled alike reaches it."""
    return prob(row, definition) >= float(decimal)


def _missing(row: Row, definition: Definition, what: str) -> ValueError:
    return ValueError(f"{definition.text}: query {row.query.id!r} has no {what}")
