"""Hand-computed counts of decisions, and the rates and costs that follow."""

from collections.abc import Callable
from math import inf, sqrt

import pytest

from assay_oracle import Outcome, Query, evaluate

Measure = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("at", "tp", "fp", "tn", "fn"),
    [
        ("0.5", 2, 1, 2, 1),  # a and c; b
        ("0.375", 3, 2, 1, 0),  # a threshold that is met is passed
        ("0", 3, 3, 0, 0),
        ("1", 0, 0, 3, 3),
        ("tune", 3, 2, 1, 0),
        ("not_neg", 2, 2, 1, 1),  # a and c; b and e
        ("pos", 1, 0, 3, 2),  # a
        ("returned", 1, 2, 1, 2),  # a; b and e
    ],
)
def test_counts(six: Measure, at: str, tp: int, fp: int, tn: int, fn: int) -> None:
    values = [six(f"{name}:at={at},on=all").value for name in ("tp", "fp", "tn", "fn")]
    assert values == [tp, fp, tn, fn]


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        # TP 3, FP 2, TN 1, FN 0.
        ("tp:at=tune,on=all", 3),
        ("fp:at=tune,on=all", 2),
        ("tn:at=tune,on=all", 1),
        ("fn:at=tune,on=all", 0),
        ("sensitivity:at=tune,on=all", 1.0),
        ("specificity:at=tune,on=all", 1 / 3),
        ("fpr:at=tune,on=all", 2 / 3),
        ("fnr:at=tune,on=all", 0.0),
        ("ppv:at=tune,on=all", 3 / 5),
        ("npv:at=tune,on=all", 1.0),
        ("f1:at=tune,on=all", 6 / 8),
        ("accuracy:at=tune,on=all", 4 / 6),
        ("mcc:at=tune,on=all", 3 / sqrt(5 * 3 * 3 * 1)),
        ("balanced_accuracy:at=tune,on=all", (1 + 1 / 3) / 2),
        # TP 1, FP 2, TN 1, FN 2.
        ("sensitivity:at=returned,on=all", 1 / 3),
        ("fnr:at=returned,on=all", 2 / 3),
        ("npv:at=returned,on=all", 1 / 3),
        ("mcc:at=returned,on=all", (1 - 4) / sqrt(3 * 3 * 3 * 3)),
        ("ppv:at=returned,on=returned", 1 / 3),
        # One false positive and one false negative of six.
        ("expected_cost:fp=1,fn=10,at=0.5,on=all", 11 / 6),
        ("expected_cost:fp=0.5,fn=0,at=0.5,on=all", 0.5 / 6),
        ("expected_cost:fp=1,fn=10,at=pos,on=all", 20 / 6),
        ("net_benefit@0.25:on=all", 3 / 6 - 2 / 6 * (1 / 3)),
        ("net_benefit@0.625:on=all", 2 / 6 - 1 / 6 * (5 / 3)),
    ],
)
def test_value(six: Measure, definition: str, expected: float) -> None:
    outcome = six(definition)
    assert outcome.value == pytest.approx(expected, abs=1e-15)
    assert (outcome.per_query, outcome.by_convention, outcome.reason) == (None, {}, None)


@pytest.mark.parametrize(
    ("name", "pairs", "expected"),
    [
        ("sensitivity", [(0.75, 0), (0.25, 0)], 0.0),
        ("fnr", [(0.75, 0), (0.25, 0)], 0.0),
        ("specificity", [(0.75, 1), (0.25, 1)], 0.0),
        ("fpr", [(0.75, 1), (0.25, 1)], 0.0),
        ("ppv", [(0.25, 0), (0.25, 1)], 0.0),
        ("npv", [(0.75, 0), (0.75, 1)], 0.0),
        ("f1", [(0.25, 0)], 0.0),
        ("mcc", [(0.75, 1), (0.25, 1)], 0.0),
        ("mcc", [(0.75, 1), (0.75, 0)], 0.0),
        ("balanced_accuracy", [(0.75, 1), (0.25, 1)], 0.25),
        ("balanced_accuracy", [(0.25, 0)], 0.5),
    ],
)
def test_zero_denominator(
    binary: Measure, name: str, pairs: list[tuple[float, int]], expected: float
) -> None:
    outcome = binary(f"{name}:at=0.5,on=all", pairs)
    assert (outcome.value, outcome.reason) == (expected, "zero_denominator")


def test_f1_without_a_hit_is_a_plain_zero(binary: Measure) -> None:
    outcome = binary("f1:at=0.5,on=all", [(0.75, 0), (0.25, 1)])
    assert (outcome.value, outcome.reason) == (0.0, None)


def test_a_decimal_threshold_is_met_by_a_prob_that_is_spelled_alike(binary: Measure) -> None:
    # The float 0.3 is a little below 3/10; both sides are rounded alike.
    assert binary("tp:at=0.3,on=all", [(0.3, 1)]).value == 1.0
    assert binary("net_benefit@0.3:on=all", [(0.3, 1)]).value == 1.0


def test_each_fold_has_its_own_threshold() -> None:
    queries = [
        Query("q", fold=0, prob=0.5, thresholds={"tune": 0.4}),
        Query("r", fold=1, prob=0.5, thresholds={"tune": 0.6}),
    ]
    definition = "tp:at=tune,on=all"
    judgements = [("q", "x", 1), ("r", "x", 1)]
    outcome = evaluate(queries, judgements, [], [definition])[definition]
    assert (outcome.value, outcome.folds) == (1.0, {0: 1.0, 1: 0.0})


RULES = ["fpr_0.05", "fpr_.05", "sensitivity_0.995", "precision_0.10", "conformal_.9", "f1"]


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_reads_its_own_threshold_under_its_spelling(rule: str) -> None:
    # Only by `rule` is q decided (just) and r not; every other rule would turn both around.
    others = dict.fromkeys({*RULES, "tune", f"tune_{rule}"} - {rule}, 0.6)
    queries = [
        Query("q", prob=0.5, thresholds={**others, rule: 0.5}),
        Query("r", prob=0.6, thresholds={**others, rule: inf}),
    ]
    judgements = [("q", "x", 1), ("r", "x", 1)]
    ids = [f"tp:at=tune_{rule},on=all", f"macro_f1:over=posts,empty=0,at=tune_{rule},on=all"]
    outcomes = evaluate(queries, judgements, [], ids)
    assert [outcome.value for outcome in outcomes.values()] == [1.0, 0.5]


def test_a_rule_spelled_otherwise_is_missing(binary: Measure) -> None:
    with pytest.raises(ValueError, match=r"query 'q0' has no threshold 'fpr_0\.10'"):
        binary("f1:at=tune_fpr_0.10,on=all", [(0.5, 1)], thresholds={"fpr_0.1": 0.5})
    with pytest.raises(ValueError, match=r"query 'q0' has no threshold 'f1'"):
        binary("f1:at=tune_f1,on=all", [(0.5, 1)], thresholds={"tune": 0.5, "tune_f1": 0.5})
