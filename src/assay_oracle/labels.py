"""Measures that look at the queries of a post, or of a criterion, together."""

from collections.abc import Hashable, Sequence
from fractions import Fraction

from assay_oracle.confusion import Counts, confusion
from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary, mean
from assay_oracle.rows import Row


def _post(row: Row) -> Hashable:
    """A query without a post is its own, apart from every post that has a name."""
    return (row.query.post,) if row.query.post is not None else ("alone", row.query.id)


def _counts(rows: Sequence[Row], definition: Definition, over: str) -> list[Counts]:
    """The confusion counts of each post, or of each criterion (None is one without a name)."""
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        key = _post(row) if over == "posts" else row.query.criterion
        groups.setdefault(key, []).append(row)
    return [confusion(members, definition) for members in groups.values()]


def exact_match(rows: Sequence[Row], definition: Definition) -> Summary:
    """Posts all of whose queries are decided as their label / posts."""
    posts = _counts(rows, definition, "posts")
    return Summary(float(mean([Fraction(c.fp + c.fn == 0) for c in posts])))


def hamming_score(rows: Sequence[Row], definition: Definition) -> Summary:
    """Mean over posts of (right decisions / queries)."""
    return Summary(float(_hamming(rows, definition)))


def hamming_loss(rows: Sequence[Row], definition: Definition) -> Summary:
    """1 − Hamming score."""
    return Summary(float(1 - _hamming(rows, definition)))


def _hamming(rows: Sequence[Row], definition: Definition) -> Fraction:
    posts = _counts(rows, definition, "posts")
    return mean([Fraction(c.tp + c.tn, c.tp + c.fp + c.tn + c.fn) for c in posts])


def _f1(c: Counts, undefined: Fraction) -> Fraction:
    """2TP / (2TP + FP + FN); `undefined` where nothing is positive, neither label nor decision."""
    denominator = 2 * c.tp + c.fp + c.fn
    return Fraction(2 * c.tp, denominator) if denominator else undefined


def macro_f1(rows: Sequence[Row], definition: Definition) -> Summary:
    """Mean of F1 over posts or criteria; one without positives and alarms counts as `empty`."""
    groups = _counts(rows, definition, definition.choice("over"))
    return Summary(float(mean([_f1(c, definition.number("empty")) for c in groups])))


def weighted_f1(rows: Sequence[Row], definition: Definition) -> Summary:
    """Sum of w·F1 / sum of w over posts or criteria, w = positive labels; 0 where no label is."""
    groups = _counts(rows, definition, definition.choice("over"))
    total = sum(c.tp + c.fn for c in groups)
    if total == 0:
        return Summary(0.0, "zero_denominator")
    weighted = sum(((c.tp + c.fn) * _f1(c, Fraction(0)) for c in groups), Fraction(0))
    return Summary(float(weighted / total))
