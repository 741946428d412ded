"""Predictive values that the decisions would have at another prevalence, by Bayes' theorem."""

from fractions import Fraction

from assay_oracle.core.decision import decision_cell
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import AT, SHARE
from assay_oracle.core.sums import Sums, ratio, sums_of

UNDEFINED = Summary(0.0, "zero_denominator")


def _rates(sums: Sums) -> tuple[Fraction, Fraction] | None:
    """Return sensitivity and specificity; None where a class is empty."""
    tp, fp, tn, fn = (Fraction(each) for each in sums[1:])
    if tp + fn == 0 or fp + tn == 0:
        return None
    return tp / (tp + fn), tn / (fp + tn)


@pooled("prevalence_ppv", AT, cut=SHARE, via=sums_of(decision_cell))
def positive(sums: Sums, definition: Definition) -> Summary:
    """Sensitivity·x over sensitivity·x + (1 − specificity)·(1 − x)."""
    rates, x = _rates(sums), definition.level
    if rates is None:
        return UNDEFINED
    return ratio(rates[0] * x, rates[0] * x + (1 - rates[1]) * (1 - x))


@pooled("prevalence_npv", AT, cut=SHARE, via=sums_of(decision_cell))
def negative(sums: Sums, definition: Definition) -> Summary:
    """Specificity·(1 − x) over specificity·(1 − x) + (1 − sensitivity)·x."""
    rates, x = _rates(sums), definition.level
    if rates is None:
        return UNDEFINED
    return ratio(rates[1] * (1 - x), rates[1] * (1 - x) + (1 - rates[0]) * x)
