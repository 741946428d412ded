"""Hand-computed measures of the top selected_k: how many, how much of the gold, how clean."""

from collections.abc import Callable
from math import sqrt

import pytest

from assay_oracle import Outcome, Query, evaluate

Measure = Callable[..., Outcome]
UTILITY = "utility:abstain={},found={},missed={},alarm={},at=returned,on={}"


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        # K = 2, 1, 0, 0, 3, 0.
        ("selected_k:stat=mean,on=all", 1.0),
        ("selected_k:stat=median,on=all", 0.5),
        ("selected_k:stat=p25,on=all", 0.0),
        ("selected_k:stat=p75,on=all", 1.75),
        ("selected_k:stat=p90,on=all", 2.5),
        ("selected_k:stat=min,on=all", 0.0),
        ("selected_k:stat=max,on=all", 3.0),
        ("selected_k:stat=std,on=all", sqrt(8 / 5)),
        ("selected_k:stat=total,on=all", 6.0),
        ("selected_k:stat=mean,on=returned", 2.0),
        ("selected_k:stat=mean,on=evidence", 2 / 3),
        # One hit (a); R = 3, 2 and 2; among the candidates 2 and 2.
        ("evidence_recall:average=micro,rel=1,on=all", 1 / 7),
        ("evidence_recall:average=micro_conditional,rel=1,on=all", 1 / 3),
        ("evidence_recall:average=retrieved,rel=1,on=all", 1 / 4),
        # K sums to six: e asks for three and has one candidate.
        ("evidence_precision:average=micro,rel=1,on=all", 1 / 6),
        ("evidence_precision:average=micro,rel=1,on=evidence", 1 / 2),
    ],
)
def test_value(six: Measure, definition: str, expected: float) -> None:
    outcome = six(definition)
    assert outcome.value == pytest.approx(expected, abs=1e-15)
    assert (outcome.per_query, outcome.by_convention, outcome.reason) == (None, {}, None)


@pytest.mark.parametrize(
    ("definition", "expected", "by_convention"),
    [
        ("evidence_recall:average=macro,rel=1,on=evidence", 1 / 9, {"no_candidates": 1}),
        ("evidence_recall:average=macro,rel=1,on=all", 1 / 18, {"no_gold": 3, "no_candidates": 1}),
        ("evidence_recall:average=macro,rel=1,on=returned", 1 / 9, {"no_gold": 2}),
        ("evidence_precision:average=macro,rel=1,on=all", 1 / 12, {"nothing_returned": 3}),
        ("evidence_precision:average=macro,rel=1,on=returned", 1 / 6, {}),
        (UTILITY.format(1, 1, 0, 0, "all"), (1 / 3 + 1) / 6, {}),
        (UTILITY.format("0.5", 2, 3, "0.25", "all"), (2 / 3 - 0.25 - 3 - 3 - 0.25 + 0.5) / 6, {}),
        (UTILITY.format(1, 1, 0, 0, "evidence"), 1 / 9, {}),
    ],
)
def test_mean_over_queries(
    six: Measure, definition: str, expected: float, by_convention: dict[str, int]
) -> None:
    outcome = six(definition)
    assert outcome.value == pytest.approx(expected, abs=1e-15)
    assert (outcome.by_convention, outcome.reason) == (by_convention, None)
    assert outcome.per_query is not None
    assert list(outcome.per_query) == list("abcdef")


def test_per_query_values(six: Measure) -> None:
    zeros = dict.fromkeys("abcdef", 0.0)
    recall = six("evidence_recall:average=macro,rel=1,on=all")
    precision = six("evidence_precision:average=macro,rel=1,on=all")
    utility = six(UTILITY.format(1, 2, 3, 4, "all"))
    assert recall.per_query == zeros | {"a": 1 / 3}
    assert precision.per_query == zeros | {"a": 1 / 2}
    assert utility.per_query == {"a": 2 / 3, "b": -4, "c": -3, "d": -3, "e": -4, "f": 1}


@pytest.mark.parametrize(
    ("definition", "selected", "labels", "expected"),
    [
        ("selected_k:stat=std,on=all", [2], [1], 0.0),
        ("evidence_recall:average=micro,rel=1,on=all", [2, 2], [0, 0], 0.0),
        ("evidence_recall:average=micro_conditional,rel=1,on=all", [0, 1], [1, 0], 0.0),
        ("evidence_recall:average=retrieved,rel=1,on=all", [1], [1], 0.0),
        ("evidence_precision:average=micro,rel=1,on=all", [0, 0], [1, 0], 0.0),
    ],
)
def test_zero_denominator(definition: str, selected: list[int], labels: list[int], expected: float) -> None:
    queries = [Query(f"q{i}", selected_k=k) for i, k in enumerate(selected)]
    judgements = [(f"q{i}", "x", y) for i, y in enumerate(labels)]
    outcome = evaluate(queries, judgements, [], [definition])[definition]
    assert (outcome.value, outcome.reason) == (expected, "zero_denominator")


def test_precision_has_no_code_for_an_empty_list() -> None:
    definition = "evidence_precision:average=macro,rel=1,on=all"
    outcome = evaluate([Query("q", selected_k=2)], [("q", "x", 1)], [], [definition])[definition]
    assert (outcome.value, outcome.by_convention) == (0.0, {})


def test_the_utility_is_found_at_level_one_and_rel_is_the_measures_own() -> None:
    ids = [
        UTILITY.format(1, 1, 0, 0, "all"),
        "evidence_recall:average=macro,rel=2,on=all",
        "evidence_recall:average=micro,rel=2,on=all",
        "evidence_precision:average=macro,rel=2,on=all",
    ]
    judgements = [("q", "x", 1), ("q", "y", 2), ("q", "z", 2), ("q", "w", 1)]
    candidates = [("q", "x", 3.0), ("q", "y", 2.0)]
    outcomes = evaluate([Query("q", selected_k=2)], judgements, candidates, ids).values()
    assert [outcome.value for outcome in outcomes] == [2 / 4, 1 / 2, 1 / 2, 1 / 2]


def test_the_returned_items_are_among_those_within_the_depth(six: Measure) -> None:
    definition = "evidence_recall:average=retrieved,rel=1,on=all"
    assert six(definition, depth=1).value == 1 / 2  # a and c keep one candidate each


@pytest.mark.parametrize("stat", ["mean", "std", "total"])
def test_no_k_at_all_means_no_value(stat: str) -> None:
    definition = f"selected_k:stat={stat},on=all"
    outcome = evaluate([Query("q"), Query("r")], [], [], [definition])[definition]
    assert (outcome.value, outcome.reason) == (None, "no_selected_k")


def test_a_missing_k_counts_as_nothing_in_the_distribution() -> None:
    ids = ["selected_k:stat=mean,on=all", "selected_k:stat=mean,on=returned"]
    outcomes = evaluate([Query("q", selected_k=3), Query("r")], [], [], ids).values()
    assert [(outcome.value, outcome.n) for outcome in outcomes] == [(1.5, 2), (3.0, 1)]
