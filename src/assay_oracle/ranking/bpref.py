"""Binary preference: how many judged non-relevant items rank above the relevant ones."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import REL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row
from assay_oracle.ranking.geometric_mean import geometric_mean
from assay_oracle.statistics.tied_orders import groups


def _averaged(row: Row, definition: Definition) -> Score:
    """Among its non-relevant ties, a relevant item has 0, 1, … of them above it, all equally likely."""
    gold_count = row.gold_count(definition.rel)
    nonrelevant = sum(0 <= grade < definition.rel for grade in row.judgements)
    bound, total, above = min(nonrelevant, gold_count), Fraction(0), 0
    for group in groups(row):
        tied = sum(grade is not None and 0 <= grade < definition.rel for grade in group.grades)
        penalties = [min(above + more, gold_count) for more in range(tied + 1)]
        mean = Fraction(sum(penalties), (tied + 1) * bound) if bound else Fraction(0)
        total += group.relevant(definition.rel) * (1 - mean)
        above += tied
    return Score(total / gold_count)


@per_query("bpref", REL, has_gold=has_relevant, averaged=_averaged)
def bpref(row: Row, definition: Definition) -> Score:
    """1/R · sum over retrieved relevant r of 1 − min(above r, R) / min(N, R).

    `above r` counts the judged non-relevant items above r, N those of the judgements; the term is
    1 if there are none above.
    """
    gold_count = row.gold_count(definition.rel)
    nonrelevant = sum(0 <= grade < definition.rel for grade in row.judgements)
    total, above = Fraction(0), 0
    flags = zip(row.relevance(definition.rel), row.judged_nonrelevant(definition.rel), strict=True)
    for is_relevant, is_nonrelevant in flags:
        above += is_nonrelevant
        if is_relevant and above == 0:
            total += 1
        elif is_relevant:
            total += 1 - Fraction(min(above, gold_count), min(nonrelevant, gold_count))
    return Score(total / gold_count)


@geometric_mean("gm_bpref")
def uncut_bpref(row: Row, definition: Definition) -> Fraction:
    """The bpref of one query with gold."""
    return bpref(row, definition).value
