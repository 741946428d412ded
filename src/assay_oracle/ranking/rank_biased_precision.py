"""Rank-biased precision (Moffat and Zobel 2008)."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import GMAX, REL, SHARE, later
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query("rbp", {"p": SHARE, **REL, "gain": later("binary", "graded"), "gmax": GMAX}, averaged=True)
def rank_biased_precision(row: Row, definition: Definition) -> Score:
    """(1 − p) · sum over the retrieved relevant items of gain · p^(rank − 1).

    The gain is 1, or with gain=graded the grade / gmax.
    """
    p = definition.number("p")
    graded = definition.choice("gain") == "graded"

    def gain(grade: Fraction) -> Fraction:
        worth = grade / definition.number("gmax") if graded else Fraction(1)
        return worth if grade >= definition.rel else Fraction(0)

    return Score(
        (1 - p) * sum((each * p**above for above, each in enumerate(row.mean_gains(gain))), Fraction(0))
    )


@per_query("rbp_resid", {"p": SHARE}, ranks=False, averaged=True)
def residual(row: Row, definition: Definition) -> Score:
    """The weight of unjudged items, (1 − p) · p^(rank − 1) each, and p^n of the ranks below the list."""
    p = definition.number("p")
    unjudged = [1 - chance for chance in row.chances_judged()]
    return Score(
        p**row.n + (1 - p) * sum((each * p**above for above, each in enumerate(unjudged)), Fraction(0))
    )
