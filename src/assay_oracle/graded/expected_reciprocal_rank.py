"""Expected reciprocal rank (Chapelle et al. 2009)."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import CUT, LEVEL
from assay_oracle.core.query_score import Score, two_to_the
from assay_oracle.core.rows import Row
from assay_oracle.statistics.tied_orders import groups, mean_products


def _check_grades(row: Row, definition: Definition) -> None:
    """Refuse any judgement above gmax: its probability of satisfaction would exceed 1."""
    gmax = definition.number("gmax")
    for grade in row.judgements:
        if grade > gmax:
            raise ValueError(
                f"{definition.text}: query {row.query.id!r} has a grade of {grade}; "
                f"expected at most gmax = {gmax}"
            )


def _averaged(row: Row, definition: Definition) -> Score:
    """Sum over ranks of 1 / rank times the drop of the mean chance of reading on."""
    scale = two_to_the(definition.number("gmax"))
    total, still_looking = Fraction(0), Fraction(1)
    for group in groups(row):
        factors = [
            1 - (two_to_the(grade) - 1) / scale for grade in group.grades if grade is not None and grade > 0
        ]
        on = mean_products(factors, group.size)
        for place in range(1, group.ranks_within(definition.k) + 1):
            total += still_looking * (on[place - 1] - on[place]) / (group.above + place)
        still_looking *= on[-1]
    return Score(total)


@per_query("err", {"gmax": LEVEL}, cut=CUT, check=_check_grades, averaged=_averaged)
def expected_reciprocal_rank(row: Row, definition: Definition) -> Score:
    """Sum over r <= k of 1/r · S_r · product over i < r of (1 − S_i).

    S_i = (2^grade_i − 1) / 2^gmax is the probability that item i satisfies the user.
    """
    scale = two_to_the(definition.number("gmax"))
    total, still_looking = Fraction(0), Fraction(1)
    for rank, grade in enumerate(row.gains(definition.k), start=1):
        satisfied = (two_to_the(grade) - 1) / scale
        total += still_looking * satisfied / rank
        still_looking *= 1 - satisfied
    return Score(total)
