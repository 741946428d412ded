"""Joining, ranking, populations, spread, folds, groups and the measures that are no means."""

from math import exp, inf, log, nan, sqrt

import pytest

from assay_oracle import Query, evaluate, evaluate_groups

HIT = "hit@1:rel=1,on=all"
PRECISION = "precision@2:denominator=k,rel=1,on={}"

# q1: hits at 1 and 2; q2: hit at 2; q3: gold, but not answered; q4: answered, no gold.
QUERIES = [
    Query("q1", post="a", fold=0, prob=0.9, selected_k=1),
    Query("q2", post="a", fold=0, prob=0.4, selected_k=2),
    Query("q3", post="b", fold=1, prob=0.4),
    Query("q4", post="b", fold=1, prob=0.1, selected_k=0),
]
JUDGEMENTS = [
    ("q1", "x", 1.0),
    ("q1", "y", 2.0),
    ("q2", "x", 0.0),
    ("q2", "y", 1.0),
    ("q3", "x", 1.0),
    ("q4", "x", -1.0),
]
CANDIDATES = [
    ("q2", "y", 0.5),
    ("q1", "y", 0.1),
    ("q4", "x", 1.0),
    ("q1", "x", 0.2),
    ("q2", "x", 0.7),
    ("q4", "y", 0.0),
]


def test_populations() -> None:
    ids = [PRECISION.format(on) for on in ("evidence", "all", "predicted", "returned")]
    outcomes = evaluate(QUERIES, JUDGEMENTS, CANDIDATES, ids).values()
    evidence, everything, predicted, returned = outcomes
    # Precision@2 is 1, 1/2, 0 (not answered), 0.
    assert (evidence.n, evidence.value) == (3, 1.5 / 3)
    assert (everything.n, everything.value) == (4, 1.5 / 4)
    assert (predicted.n, predicted.value) == (3, 1.5 / 3)
    assert (returned.n, returned.value) == (2, 1.5 / 2)  # q3 has no K, which counts as 0
    assert evidence.by_convention == everything.by_convention == {"no_candidates": 1}
    assert predicted.by_convention == returned.by_convention == {}
    for outcome in outcomes:
        assert outcome.per_query == {"q1": 1.0, "q2": 0.5, "q3": 0.0, "q4": 0.0}


def test_the_label_is_at_level_one_whatever_rel_is() -> None:
    definition = "recall@1:gold=all,rel=2,on=evidence"
    outcome = evaluate(QUERIES, JUDGEMENTS, CANDIDATES, [definition])[definition]
    assert (outcome.n, outcome.by_convention) == (3, {"no_gold": 2})


def test_spread_is_ddof_1_and_linear_interpolation() -> None:
    definition = PRECISION.format("all")
    result = evaluate(QUERIES, JUDGEMENTS, CANDIDATES, [definition])[definition]
    # 0, 0, 1/2, 1: mean 3/8; squares (9 + 9 + 1 + 25)/64 = 11/16, over 3.
    assert result.std == pytest.approx(sqrt(11 / 48), abs=1e-15)
    # Positions 0.75, 1.5 and 2.25 of the sorted values.
    assert (result.p25, result.median, result.p75) == (0.0, 0.25, 0.625)


def test_spread_of_a_single_query() -> None:
    result = evaluate([Query("q")], [("q", "x", 1)], [("q", "x", 0)], [HIT])[HIT]
    assert (result.std, result.p25, result.median, result.p75) == (None, 1.0, 1.0, 1.0)


def test_folds_are_evaluated_alone() -> None:
    definition = PRECISION.format("evidence")
    result = evaluate(QUERIES, JUDGEMENTS, CANDIDATES, [definition])[definition]
    # Fold 0: (1 + 1/2)/2; fold 1: only q3 has evidence, and it was not answered.
    assert result.folds == {0: 0.75, 1: 0.0}
    assert result.fold_mean == 0.375
    assert result.fold_std == pytest.approx(0.75 / sqrt(2), abs=1e-15)


def test_the_population_holds_inside_a_fold() -> None:
    definition = "num_q:on=evidence"
    result = evaluate(QUERIES, JUDGEMENTS, CANDIDATES, [definition])[definition]
    assert result.folds == {0: 2.0, 1: 1.0}


def test_a_query_without_fold_means_no_folds() -> None:
    result = evaluate([*QUERIES, Query("q5")], JUDGEMENTS, CANDIDATES, [HIT])[HIT]
    assert (result.folds, result.fold_mean, result.fold_std) == ({}, None, None)


def test_a_fold_with_an_empty_population_is_zero_and_one_without_a_value_is_left_out() -> None:
    queries = [Query("q", fold="a", selected_k=1), Query("r", fold="b")]
    ids = ["hit@1:rel=1,on=evidence", "selected_k:stat=median,on=all"]
    hit, size = evaluate(queries, [("q", "x", 1)], [("q", "x", 0)], ids).values()
    assert hit.folds == {"a": 1.0, "b": 0.0}
    assert size.folds == {"a": 1.0}


@pytest.mark.parametrize(
    "definition", ["hit@1:rel=1,on=evidence", "auroc:on=evidence", "num_ret:on=evidence"]
)
def test_empty_population(definition: str) -> None:
    result = evaluate([Query("q")], [], [("q", "x", 0)], [definition])[definition]
    assert (result.value, result.n, result.reason) == (0.0, 0, "empty_population")
    assert (result.std, result.median) == (None, None)


def test_groups() -> None:
    definition = PRECISION.format("all")
    groups = evaluate_groups(QUERIES, JUDGEMENTS, CANDIDATES, [definition], by=lambda query: query.post)
    assert {post: outcomes[definition].value for post, outcomes in groups.items()} == {"a": 0.75, "b": 0.0}
    assert groups["b"][definition].per_query == {"q3": 0.0, "q4": 0.0}


@pytest.mark.parametrize(("ties", "expected"), [("stable", 1.0), ("docno_desc", 0.0)])
def test_ties(ties: str, expected: float) -> None:
    candidates = [("q", "Z", 1.0), ("q", "é", 1.0), ("q", "z", 1.0)]
    result = evaluate([Query("q")], [("q", "Z", 1)], candidates, [HIT], ties=ties)[HIT]
    assert result.value == expected


def test_docno_desc_goes_by_utf8_bytes() -> None:
    # U+FF61 is EF BD A1 and U+1F600 is F0 9F 98 80: the latter comes first.
    candidates = [("q", "\uff61", 1.0), ("q", "\U0001f600", 1.0)]
    judgements = [("q", "\U0001f600", 1)]
    result = evaluate([Query("q")], judgements, candidates, [HIT], ties="docno_desc")[HIT]
    assert result.value == 1.0


def test_depth_cuts_after_ranking() -> None:
    ids = ["num_ret:on=all", "set_recall:rel=1,on=evidence"]
    retrieved, recall = evaluate(QUERIES, JUDGEMENTS, CANDIDATES, ids, depth=1).values()
    # One candidate each of q1, q2 and q4; recall is 1/2, 0 and 0 on q1, q2 and q3.
    assert retrieved.value == 3.0
    assert recall.value == pytest.approx(1 / 6, abs=1e-15)


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("num_q:on=all", 4),
        ("num_q:on=predicted", 3),
        ("num_ret:on=all", 6),
        ("num_ret:on=evidence", 4),
        ("num_rel:rel=1,on=all", 4),
        ("num_rel:rel=2,on=all", 1),
        ("num_rel_ret:rel=1,on=all", 3),
        ("num_nonrel_judged_ret:rel=1,on=all", 1),  # q4's x was only in the pool
        ("num_nonrel_judged_ret:rel=2,on=all", 3),
        # 0.9 beats 0.1, 0.4 beats 0.1, 0.4 beats 0.1: three positives, one negative.
        ("auroc:on=all", 1.0),
        # One of q1's two gold items in its top 1, q2's one in its top 2, q3 returns nothing: 2/4.
        ("evidence_recall:average=micro,rel=1,on=evidence", 2 / 4),
        # K = 1, 2, 0 (none given) and 0.
        ("selected_k:stat=median,on=all", 0.5),
        ("selected_k:stat=median,on=predicted", 1.0),
    ],
)
def test_measures_over_the_whole_population(definition: str, expected: float) -> None:
    result = evaluate(QUERIES, JUDGEMENTS, CANDIDATES, [definition])[definition]
    assert result.value == expected
    assert result.per_query is None
    assert (result.std, result.by_convention, result.reason) == (None, {}, None)


def test_auroc_counts_half_for_equal_probabilities() -> None:
    probabilities = {"a": 0.8, "b": 0.5, "c": 0.5, "d": 0.2}
    queries = [Query(name, prob=prob) for name, prob in probabilities.items()]
    judgements = [("a", "x", 1), ("c", "x", 1)]
    result = evaluate([*queries, Query("e")], judgements, [], ["auroc:on=all"])["auroc:on=all"]
    # a beats b and d, c ties with b and beats d: (2 + 1/2 + 1)/4; e has no probability.
    assert (result.value, result.n) == (3.5 / 4, 5)


@pytest.mark.parametrize(
    ("query", "judgements", "definition", "expected", "reason"),
    [
        (Query("q", prob=0.3), [], "auroc:on=all", 0.5, "one_class"),
        (Query("q", prob=0.3), [("q", "x", 1)], "auroc:on=all", 0.5, "one_class"),
        (Query("q"), [], "auroc:on=all", None, "no_prob"),
        (Query("q", selected_k=1), [], "evidence_recall:average=micro,rel=1,on=all", 0.0, "zero_denominator"),
        (Query("q"), [("q", "x", 1)], "evidence_recall:average=micro,rel=1,on=all", None, "no_selected_k"),
        (Query("q"), [], "selected_k:stat=median,on=all", None, "no_selected_k"),
    ],
)
def test_gate_conventions(
    query: Query,
    judgements: list[tuple[str, str, float]],
    definition: str,
    expected: float | None,
    reason: str,
) -> None:
    result = evaluate([query], judgements, [], [definition])[definition]
    assert (result.value, result.reason) == (expected, reason)


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        # AP is 1, 1/2, 0 (not answered) and 0 (no gold); the zeros become the floor.
        ("gm_map:floor=0.01,rel=1,on=all", exp((log(1) + log(0.5) + log(0.01) + log(0.01)) / 4))
    ],
)
def test_geometric_mean_of_average_precision(definition: str, expected: float) -> None:
    result = evaluate(QUERIES, JUDGEMENTS, CANDIDATES, [definition])[definition]
    assert result.value == pytest.approx(expected, abs=1e-15)
    assert result.by_convention == {"no_candidates": 1, "no_gold": 1}
    assert result.per_query is None


@pytest.mark.parametrize(
    ("judgements", "candidates", "words"),
    [
        ([], [("z", "x", 0.0)], "candidates row 1: query 'z' is not in the queries"),
        ([("z", "x", 0.0)], [], "judgements row 1: query 'z' is not in the queries"),
        ([], [("q", "x", 0.0), ("q", "x", 1.0)], "candidates row 2: item 'x' appears twice"),
        ([("q", "x", 0.0), ("q", "x", 1.0)], [], "judgements row 2: item 'x' appears twice"),
        ([], [("q", "x", nan)], "candidates row 1: score is nan; it must be finite"),
        ([("q", "x", nan)], [], "judgements row 1: grade is nan; it must be finite"),
    ],
)
def test_bad_rows_are_refused(
    judgements: list[tuple[str, str, float]], candidates: list[tuple[str, str, float]], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        evaluate([Query("q")], judgements, candidates, [HIT])


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="ties is 'random'; expected stable, docno_desc or expected"):
        evaluate([Query("q")], [], [], [HIT], ties="random")
    with pytest.raises(ValueError, match="depth is 0; expected a positive integer or None"):
        evaluate([Query("q")], [], [], [HIT], depth=0)
    with pytest.raises(ValueError, match="queries: 'q' appears twice"):
        evaluate([Query("q"), Query("q")], [], [], [HIT])
    with pytest.raises(ValueError, match="query 'q': prob is nan; it must be finite"):
        Query("q", prob=nan)
    with pytest.raises(ValueError, match="query 'q': selected_k is -1; expected >= 0"):
        Query("q", selected_k=-1)
    with pytest.raises(ValueError, match="query 'q': state is 'pos'; expected one of"):
        Query("q", state="pos")
    with pytest.raises(ValueError, match="query 'q': threshold 'tune' is nan"):
        Query("q", thresholds={"tune": nan})


def test_a_query_is_hashable_and_a_threshold_may_be_infinite() -> None:
    assert len({Query("q", thresholds={"tune": inf}), Query("q", thresholds={"tune": inf})}) == 1


def test_no_definitions_no_outcomes() -> None:
    assert evaluate(QUERIES, JUDGEMENTS, CANDIDATES, []) == {}


def test_outcomes_are_keyed_by_the_definition_as_given() -> None:
    outcomes = evaluate(QUERIES, JUDGEMENTS, CANDIDATES, [HIT, "num_q:on=all"])
    assert list(outcomes) == [HIT, "num_q:on=all"]
