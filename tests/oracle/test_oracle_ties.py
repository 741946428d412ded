"""The two extreme orders of equal scores, spelled out."""

from fractions import Fraction

import pytest

from assay_oracle import Query, parse
from assay_oracle.bundle.parts import part
from assay_oracle.bundle.scored import scored
from assay_oracle.bundle.ties import other_orders, tie_sensitive
from assay_oracle.core.rows import Row


def row(name: str, marks: str, scores: str) -> Row:
    """`-` is a candidate without a judgement; one digit of a score a candidate."""
    grades = tuple(None if mark == "-" else Fraction(mark) for mark in marks)
    judged = tuple(grade for grade in grades if grade is not None)
    return Row(Query(name), grades, judged, tuple(float(score) for score in scores))


def marks(given: Row) -> str:
    return "".join("-" if grade is None else str(grade) for grade in given.ranked)


@pytest.mark.parametrize(
    ("given", "scores", "orders"),
    [
        ("01-2", "5555", {"21-0", "0-12"}),
        ("10-1", "5522", {"101-", "01-1"}),  # only within a group
        ("2-0", "555", {"0-2"}),  # the best order is the list itself
        ("11", "55", set()),
        ("10", "54", set()),
        ("--", "55", set()),
    ],
)
def test_orders(given: str, scores: str, orders: set[str]) -> None:
    found = other_orders([row("q", given, scores)])
    assert {marks(other) for others in found.values() for other in others} == orders


def test_queries_of_the_population_whose_value_changes() -> None:
    rows = [
        row("a", "10", "55"),  # the hit may be second
        row("b", "100", "955"),  # ties of equal grades
        row("c", "-10", "955"),  # the first rank is not in the tie
        row("d", "-0", "55"),  # no evidence
    ]
    whole = part(rows, range(4))
    others = other_orders(rows)
    for text, expected in {
        "hit@1:rel=1,on=evidence": 1,
        "mrr:rel=1,on=all": 2,
        "judged@1:denominator=k,on=all": 1,
        "judged@1:denominator=k,on=evidence": 0,
        "num_q:on=all": None,
    }.items():
        assert tie_sensitive(scored(rows, whole, parse(text)), others) == expected
