"""FEVER: labels of claims, and the evidence for them."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query, pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import CUT, choice
from assay_oracle.core.query_score import Score
from assay_oracle.core.reduction import Number
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, ratio, sums_of
from assay_oracle.evidence_groups.group_recall import whole_group

EMPTY = {"empty": choice("1", "0")}
GROUP_WITHOUT_ITEM = 2


@per_query("label_accuracy", ranks=False)
def label_accuracy(row: Row, definition: Definition) -> Score:
    """Whether the label is right."""
    return Score(Fraction(row.query.facts["label_correct"]))


@per_query("strict_score", {"spurious": choice("credited", "refused")}, cut=CUT, ranks=False)
def strict_score(row: Row, definition: Definition) -> Score:
    """Right label, and on a verifiable claim a whole group, with or without other sentences."""
    facts = row.query.facts
    if not facts["label_correct"]:
        return Score(Fraction(0))
    if not facts["verifiable"] or facts["vacuous_evidence"] == GROUP_WITHOUT_ITEM:
        return Score(Fraction(1))
    clean = definition.choice("spurious") == "credited" or all(row.relevance(1, definition.k))
    return Score(Fraction(clean and whole_group(row, definition.k, 1)))


def _parts(row: Row, definition: Definition) -> tuple[Number, Number, Number]:
    """Precision and recall of a verifiable claim, and 1; zeros for any other."""
    if not row.query.facts["verifiable"]:
        return Fraction(0), Fraction(0), Fraction(0)
    flags = row.relevance(1, definition.k)
    empty = Fraction(definition.parameters.get("empty", "1"))
    precise = Fraction(sum(flags), len(flags)) if flags else empty
    found = bool(row.query.facts["vacuous_evidence"]) or whole_group(row, definition.k, 1)
    return precise, Fraction(found), Fraction(1)


def _precision(sums: Sums) -> Number:
    return sums[1] / sums[3] if sums[3] else Fraction(1)


def _recall(sums: Sums) -> Number:
    return sums[2] / sums[3] if sums[3] else Fraction(0)


@pooled("claim_precision", EMPTY, cut=CUT, via=sums_of(_parts))
def claim_precision(sums: Sums, definition: Definition) -> Summary:
    """Mean over verifiable claims; 1 by convention without any."""
    return Summary(float(_precision(sums)), None if sums[3] else "zero_denominator")


@pooled("claim_recall", cut=CUT, via=sums_of(_parts))
def claim_recall(sums: Sums, definition: Definition) -> Summary:
    """Mean over verifiable claims; 0 by convention without any."""
    return ratio(sums[2], sums[3])


@pooled("claim_f1", EMPTY, cut=CUT, via=sums_of(_parts))
def claim_f1(sums: Sums, definition: Definition) -> Summary:
    """2·P·R / (P + R)."""
    p, r = _precision(sums), _recall(sums)
    return ratio(2 * p * r, p + r)
