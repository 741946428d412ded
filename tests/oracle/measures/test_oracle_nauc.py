"""Hand-computed areas under abstention: the curve, the values, the confidences, the conventions."""

from math import log2

import pytest

from assay_oracle import Outcome, Query, evaluate

# By rank: C 0 0 1, A 0 1 (and one missed), B 1.
JUDGEMENTS = [("C", "z", 1), ("A", "y", 1), ("A", "w", 1), ("B", "x", 1)]
CANDIDATES = [
    ("C", "x", 8.0),
    ("C", "y", 8.0),
    ("C", "z", 2.0),
    ("A", "x", 9.0),
    ("A", "y", 1.0),
    ("B", "x", 10.0),
]
QUERIES = [
    Query("C", prob=0.5, selected_k=1),
    Query("A", prob=0.2, selected_k=0),
    Query("B", prob=0.9, selected_k=1),
]
NDCG_OF_A = (1 / log2(3)) / (1 + 1 / log2(3))


def run(definition: str, queries: list[Query] = QUERIES) -> Outcome:
    rows = (queries, JUDGEMENTS, CANDIDATES)
    return evaluate(*rows, [definition])[definition]


def of_three(lowest: float, middle: float, highest: float) -> float:
    """The value for three queries, given by ascending confidence.

    0, 0.3, 0.6, … 2.7 round to 0 0 1 1 1 2 2 2 2 and (at most) 2: the trapezoids hold 1.5 times the
    mean of three, 3 times that of two and 4.5 times the last.
    """

    def gain(x: float, y: float, z: float) -> float:
        mean = (x + y + z) / 3
        return (1.5 * mean + 3 * (y + z) / 2 + 4.5 * z) / 10 - 0.9 * mean

    return gain(lowest, middle, highest) / gain(*sorted((lowest, middle, highest)))


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        # std is 4 for A, 0 for B, sqrt(8) for C: B, C, A. At 2, C has found nothing.
        ("nauc@2:of=hit,by=std,on=all", 0.4),  # 1 0 1: gain 0.1 of 0.25
        ("nauc@2:of=hit,by=std,on=predicted", 0.4),
        ("nauc@2:of=precision,by=std,on=all", of_three(1 / 2, 0, 1 / 2)),  # over k, not over n
        ("nauc@2:of=recall,by=std,on=all", of_three(1, 0, 1 / 2)),
        ("nauc@2:of=mrr,by=std,on=all", of_three(1, 0, 1 / 2)),
        ("nauc@2:of=map,by=std,on=all", of_three(1, 0, 1 / 4)),
        ("nauc@2:of=ndcg,by=std,on=all", of_three(1, 0, NDCG_OF_A)),
        ("nauc@1:of=recall,by=std,on=all", of_three(1, 0, 0)),
        ("nauc@all:of=mrr,by=std,on=all", of_three(1, 1 / 3, 1 / 2)),
        # max is 8, 9 and 10 for C, A and B; diff1 0, 8 and 0, where C comes first.
        ("nauc@2:of=map,by=max,on=all", 1.0),
        ("nauc@2:of=map,by=diff1,on=all", of_three(0, 1, 1 / 4)),
        ("nauc@2:of=map,by=prob,on=all", of_three(1 / 4, 0, 1)),
        ("nauc@2:of=map,by=prob,on=returned", 1.0),  # C and B
    ],
)
def test_value(definition: str, expected: float) -> None:
    outcome = run(definition)
    assert outcome.value == pytest.approx(expected, rel=1e-13)
    assert (outcome.per_query, outcome.by_convention, outcome.reason) == (None, {}, None)


@pytest.mark.parametrize(
    ("of", "lowest", "middle", "highest"),
    [
        ("map", 1 / 2, 1, 1 / 4),  # over R, not over min(R, k), which would be 1 everywhere
        ("recall", 1 / 2, 1, 1 / 4),
    ],
)
def test_gold_that_no_cut_can_hold(of: str, lowest: float, middle: float, highest: float) -> None:
    gold = {"q": 2, "r": 1, "s": 4}  # each has one of them in its top 1
    queries = [Query(name, prob=prob) for name, prob in zip(gold, (0.1, 0.2, 0.3), strict=True)]
    judgements = [(name, str(i), 1) for name, count in gold.items() for i in range(count)]
    definition = f"nauc@1:of={of},by=prob,on=all"
    outcome = evaluate(queries, judgements, [(name, "0", 1.0) for name in gold], [definition])
    expected = of_three(lowest, middle, highest)
    assert outcome[definition].value == pytest.approx(expected, rel=1e-13)


def hits(marks: str, probs: list[float]) -> Outcome:
    """nAUC of hit@1 where each query's one candidate is relevant or not, as `marks` says."""
    ids = [f"q{i}" for i in range(len(marks))]
    queries = [Query(name, prob=prob) for name, prob in zip(ids, probs, strict=True)]
    judgements = [(name, "x", int(mark)) for name, mark in zip(ids, marks, strict=True)]
    definition = "nauc@1:of=hit,by=prob,on=all"
    return evaluate(queries, judgements, [(name, "x", 1.0) for name in ids], [definition])[definition]


def test_half_a_query_is_rounded_to_even() -> None:
    # 0 0.5 1 1.5 2 2.5 3 3.5 4 4.5 are 0 0 1 2 2 2 3 4 4 4. The means of what is kept are
    # 3/5 3/5 3/4 2/3 2/3 2/3 1 1 1 1 and at best 3/5 3/5 3/4 1 …: areas .715 and .815, flat .54.
    assert hits("01011", [0.1, 0.2, 0.3, 0.4, 0.5]).value == pytest.approx(7 / 11, rel=1e-13)


def test_the_worst_order_may_be_far_below_zero() -> None:
    # 0 0 0 1 1 … of two queries: 1/2 1/2 1/2 0 0 … against 1/2 1/2 1/2 1 1 …
    assert hits("01", [0.9, 0.1]).value == pytest.approx(-1.0, rel=1e-13)
    # 0 0 1 1 2 2 2 3 3 3 of four: 3/4 3/4 2/3 2/3 1/2 1/2 1/2 0 0 0 against 3/4 3/4 1 1 …:
    # (9/8 + 4/3 + 3/2) / 10 and (9/8 + 15/2) / 10, flat 27/40.
    worst = (9 / 8 + 4 / 3 + 3 / 2 - 27 / 4) / (9 / 8 + 15 / 2 - 27 / 4)
    assert hits("1011", [0.3, 0.9, 0.2, 0.1]).value == pytest.approx(worst, rel=1e-13)


def test_of_equal_confidence_the_first_is_left_out_first() -> None:
    assert hits("01", [0.5, 0.5]).value == 1.0
    assert hits("10", [0.5, 0.5]).value == -1.0


@pytest.mark.parametrize(
    ("marks", "expected"), [("1", "zero_denominator"), ("000", "zero_denominator"), ("011", None)]
)
def test_nothing_to_gain_is_zero_by_convention(marks: str, expected: str | None) -> None:
    outcome = hits(marks, [0.5] * len(marks))
    assert outcome.reason == expected
    assert (outcome.value == 0.0) == (expected is not None)


def test_ndcgs_that_differ_by_rounding_only_are_equal() -> None:
    # The grades 0 1 2 in ever other units: the same nDCG, up to its last digit.
    units = range(1, 30)
    queries = [Query(f"q{unit}") for unit in units]
    judgements = [(f"q{unit}", f"d{i}", i * unit / 10) for unit in units for i in range(3)]
    candidates = [(f"q{unit}", f"d{i}", -float(i)) for unit in units for i in range(3)]
    ids = ["ndcg@3:gain=linear,gold=all,cut=k,on=all", "nauc@3:of=ndcg,by=max,on=all"]
    ndcg, area = evaluate(queries, judgements, candidates, ids).values()
    assert ndcg.per_query is not None
    assert len(set(ndcg.per_query.values())) > 1
    assert (area.value, area.reason) == (0.0, "zero_denominator")


@pytest.mark.parametrize(
    ("by", "order", "expected"),
    [
        ("max", "ab", 1.0),  # −inf is below −5
        ("max", "ba", 1.0),
        ("std", "ab", -1.0),  # both 0: as they come
        ("std", "ba", 1.0),
        ("diff1", "ab", -1.0),
        ("diff1", "ba", 1.0),
    ],
)
def test_a_query_without_candidates(by: str, order: str, expected: float) -> None:
    # a has one relevant candidate, b none at all.
    definition = f"nauc@1:of=hit,by={by},on=all"
    queries = [Query(name) for name in order]
    outcome = evaluate(queries, [("a", "x", 1)], [("a", "x", -5.0)], [definition])[definition]
    assert (outcome.value, outcome.n) == (expected, 2)


@pytest.mark.parametrize(("depth", "expected"), [(None, 1.0), (2, -1.0)])
def test_the_depth_cuts_the_scores_too(depth: int | None, expected: float) -> None:
    # q is spread wider than r by its third candidate, but less by its first two.
    scores = {"q": (11.0, 10.0, 1.0), "r": (4.0, 2.0, 1.0)}
    candidates = [(name, str(i), score) for name in "qr" for i, score in enumerate(scores[name])]
    rows = ([Query("q"), Query("r")], [("q", "0", 1)], candidates)
    definition = "nauc@1:of=hit,by=std,on=all"
    assert evaluate(*rows, [definition], depth=depth)[definition].value == expected


def test_no_population_and_no_prob() -> None:
    outcome = run("nauc@2:of=hit,by=max,on=returned", [Query("C"), Query("A"), Query("B")])
    assert (outcome.value, outcome.n, outcome.reason) == (0.0, 0, "empty_population")
    with pytest.raises(ValueError, match="query 'A' has no prob"):
        run("nauc@2:of=hit,by=prob,on=all", [Query("A"), Query("B", prob=0.5), Query("C")])


def test_each_fold_has_its_own_curve() -> None:
    queries = [Query(f"q{i}", fold=i % 2, prob=prob) for i, prob in enumerate((0.1, 0.9, 0.8, 0.2))]
    judgements = [(f"q{i}", "x", int(i > 1)) for i in range(4)]
    candidates = [(f"q{i}", "x", 1.0) for i in range(4)]
    definition = "nauc@1:of=hit,by=prob,on=all"
    outcome = evaluate(queries, judgements, candidates, [definition])[definition]
    assert outcome.folds == {0: 1.0, 1: -1.0}
