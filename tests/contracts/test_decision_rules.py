"""The disagreements about decisions, one test a point, with the arithmetic in the test."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import assay
import assay.compat
from assay.contracts.contract_toml import contract
from assay.evaluation.result import Result
from assay.metrics.core.registry import metric
from assay.metrics.core.toy_cases import Toy, toy_cases

from ..command import exit_code

# post, criterion, gold, ranked, prob, K, state
Row = tuple[str, str, set[str], list[str], float, int, str]
ROWS: list[Row] = [
    ("p", "c", {"p1"}, ["p1", "p2"], 0.9, 1, "POS"),
    ("p", "d", set(), ["p1", "p2"], 0.9, 2, "POS"),
    ("q", "c", {"q1", "q2", "q9"}, ["q3", "q1", "q2"], 0.4, 2, "UNCERTAIN"),
    ("q", "d", {"q1"}, ["q1"], 0.1, 0, "NEG"),
    ("r", "c", set(), ["r1"], 0.1, 0, "NEG"),
    ("r", "d", set(), ["r1"], 0.2, 0, "NEG"),
]


def evaluated(name: str = "assay/1", **options: Any) -> Result:
    sentences = sorted({(row[0], uid) for row in ROWS for uid in (*row[2], *row[3])})
    gold = [(row[0], row[1], uid) for row in ROWS for uid in sorted(row[2])]
    listed = [(row[0], row[1], uid, -float(place)) for row in ROWS for place, uid in enumerate(row[3])]
    decided = [(row[0], row[1], row[4], row[5], row[6]) for row in ROWS]
    key = ["post_id", "criterion_id"]
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame(sentences, schema=["post_id", "sent_uid"], orient="row"),
        criteria=pl.DataFrame({"criterion_id": ["c", "d"]}),
        gold=pl.DataFrame(gold, schema=[*key, "sent_uid"], orient="row"),
    )
    answered = assay.Predictions.of(
        pl.DataFrame(listed, schema=[*key, "sent_uid", "score"], orient="row"),
        pl.DataFrame(decided, schema=[*key, "prob", "selected_k", "state"], orient="row"),
    )
    return assay.evaluate(answered, corpus, contract=name, **options)


def test_08_areas_are_over_queries_or_over_pairs() -> None:
    # with evidence .9 .4 .1; without .9 .1 .2: pairs won 1/2+1+1, 0+1+1, 0+1/2+0
    assert evaluated()["auroc"].value == pytest.approx(5 / 9)
    # pairs: gold p1 (0), q1 (-1), q2 (-2), q1 of d (0) against 0, -1, -1, 0, 0, 0
    wins = (2 + 4 / 2) + (2 / 2) + 0 + (2 + 4 / 2)
    assert evaluated()["pair_auroc"].value == pytest.approx(wins / 24)
    paper = evaluated("paper/1.0")
    assert paper["auroc"].definition == "pair_auroc:rel=1,on=all"
    assert paper["auroc"].value == pytest.approx(wins / 24)


def test_10_macro_f1_is_over_posts_or_over_criteria() -> None:
    # decided positive: p c, p d, q c. Posts: p 2/3, q 2/3, r 0. Criteria: c 1, d 0.
    result = evaluated()
    assert result["macro_f1_posts"].value == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert result["macro_f1_criteria"].value == pytest.approx((1 + 0) / 2)
    assert evaluated("evidence/1.0.0")["macro_f1"].value == pytest.approx(4 / 9)
    assert evaluated("e2e/1.0")["macro_f1"].value == pytest.approx(1 / 2)
    # positives: posts 1, 2, 0; criteria 2, 1
    assert result["weighted_f1_posts"].value == pytest.approx((1 * 2 / 3 + 2 * 2 / 3) / 3)
    assert result["weighted_f1_criteria"].value == pytest.approx((2 * 1 + 1 * 0) / 3)
    assert result["exact_match"].value == pytest.approx(1 / 3)
    assert result["hamming_score"].value == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)


def test_11_evidence_recall_is_macro_micro_conditional_or_of_the_retrieved() -> None:
    # found 1 of 1, 1 of 3 (q1 in the top 2), 0 of 1 (the gate said no)
    result = evaluated()
    assert result["evidence_recall"].value == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert result["evidence_recall_micro"].value == pytest.approx(2 / 5)
    assert result["evidence_recall_conditional"].value == pytest.approx(2 / 4)
    assert result["evidence_recall_retrieved"].value == pytest.approx(2 / 4)  # q9 was not ranked
    assert evaluated("evidence/1.0.0")["evidence_recall"].value == pytest.approx(4 / 9)
    assert evaluated("e2e/1.0")["evidence_recall_unconditional"].value == pytest.approx(2 / 5)


def test_12_k_is_over_all_queries_and_over_those_with_a_return() -> None:
    result = evaluated(by=["state", "has_evidence"])
    assert result["selected_k_mean"].value == pytest.approx(5 / 6)
    assert result["selected_k_mean_returned"].value == pytest.approx(5 / 3)
    assert result["selected_k_total"].value == 5
    assert result["selected_k_median"].value == pytest.approx(1 / 2)  # 0 0 0 1 2 2
    assert result.groups["state"]["POS"]["selected_k_mean"].value == pytest.approx(3 / 2)
    assert result.groups["has_evidence"]["1"]["selected_k_mean"].value == pytest.approx(1)


def test_13_the_boundary_belongs_to_the_higher_state() -> None:
    assert assay.compat.assign_state(0.2, 0.2, 0.8) == "UNCERTAIN"
    assert assay.compat.assign_state(0.8, 0.2, 0.8) == "POS"
    assert assay.compat.assign_state(0.19, 0.2, 0.8) == "NEG"
    # at=0.9 takes prob 0.9 itself
    assert evaluated(measures=["tp:at=0.9"])["tp:at=0.9"].value == 1


def test_14_two_rates_of_screening_misses() -> None:
    result = evaluated()
    assert result["screening_fn_per_1000"].value == pytest.approx(1000 / 6)
    assert result["screening_miss_rate"].value == pytest.approx(1 / 3)
    assert result["screening_sensitivity"].value == pytest.approx(2 / 3)
    assert result["alert_precision"].value == pytest.approx(1 / 2)
    assert result["neg_rate"].value + result["uncertain_rate"].value + result[
        "pos_rate"
    ].value == pytest.approx(1)


def test_26_what_a_configuration_lacks_is_absent_with_a_reason() -> None:
    qrels = pl.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1]})
    result = assay.evaluate(assay.read_trec(qrels, {"q": [("d", 1.0)]}))
    assert result.absent["alert_precision"] == "the input has rankings but no probabilities or decisions"
    with pytest.raises(assay.MeasureError, match="alert_precision is absent"):
        result["alert_precision"]


def test_26_the_best_score_stands_in_for_a_gate() -> None:
    """With evidence .9 and .2, without .5: one pair of two is won."""
    key = ["post_id", "criterion_id"]
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame({"post_id": ["p", "q", "r"], "sent_uid": ["p1", "q1", "r1"]}),
        criteria=pl.DataFrame({"criterion_id": ["c"]}),
        gold=pl.DataFrame([("p", "c", "p1"), ("q", "c", "q1")], schema=[*key, "sent_uid"], orient="row"),
    )
    scores = [("p", "c", "p1", 0.9), ("q", "c", "q1", 0.2), ("r", "c", "r1", 0.5)]
    listed = pl.DataFrame(scores, schema=[*key, "sent_uid", "score"], orient="row")
    result = assay.evaluate(assay.Predictions.of(listed), corpus)
    assert result["score_auroc"].value == pytest.approx(1 / 2)
    assert result["score_auprc"].value == pytest.approx((1 + 2 / 3) / 2)
    assert result.absent["auroc"] == "the predictions have no decisions table (in a log: no confidence)"
    assert (
        result.absent["alert_precision"]
        == "the predictions have no decisions table (in a log: no confidence)"
    )


def test_30_the_decision_is_spelled() -> None:
    result = evaluated()
    assert result["f1"].definition == "f1:at=0.5,on=all"
    assert result["micro_f1"].definition == "f1:at=returned,on=all"
    assert result["alert_precision"].definition == "ppv:at=pos,on=all"
    assert result["screening_sensitivity"].definition == "sensitivity:at=not_neg,on=all"
    assert result.absent["tune/f1"] == "no threshold was chosen on TUNE"
    # 0.5: p c right, p d wrong; two positives missed
    assert result["f1"].value == pytest.approx(2 / (2 + 1 + 2))


def test_30_labels_of_posts_fall_back_on_tune_and_then_on_a_half() -> None:
    """No K: p c .9 and d .2, q c .4 and d .6; evidence on p c, p d and q d."""
    key = ["post_id", "criterion_id"]
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame({"post_id": ["p", "q", "t"], "sent_uid": ["p1", "q1", "t1"]}),
        criteria=pl.DataFrame({"criterion_id": ["c", "d"]}),
        gold=pl.DataFrame(
            [("p", "c", "p1"), ("p", "d", "p1"), ("q", "d", "q1"), ("t", "c", "t1")],
            schema=[*key, "sent_uid"],
            orient="row",
        ),
    )
    rows = [("p", "c", 0.9), ("p", "d", 0.2), ("q", "c", 0.4), ("q", "d", 0.6)]
    listed = pl.DataFrame([("p", "c", "p1", 1.0)], schema=[*key, "sent_uid", "score"], orient="row")
    decided = pl.DataFrame(rows, schema=[*key, "prob"], orient="row")
    tuned = pl.DataFrame([("t", "c", 0.15), ("t", "d", 0.1)], schema=[*key, "prob"], orient="row")
    result = assay.evaluate(assay.Predictions.of(listed, decided, tuned), corpus)
    assert result["exact_match"].definition == "exact_match:at=tune,on=all"
    assert result["exact_match"].value == 0.5  # t = .15: all four positive, right for p only
    assert result["micro_f1"].definition == "f1:at=tune,on=all"
    assert result.absent["deployment/f1"] == "the decisions have no column selected_k"
    alone = corpus.of(
        sentences=corpus.sentences.frame.head(2),
        criteria=corpus.criteria.frame,
        gold=corpus.gold.frame.head(3),
    )
    result = assay.evaluate(assay.Predictions.of(listed, decided), alone)
    assert result["hamming_score"].definition == "hamming_score:at=0.5,on=all"
    assert result["hamming_score"].value == 0.75  # p d is missed


def test_32_ties_count_half_and_are_grouped() -> None:
    frame = pl.DataFrame({"label": [1, 0, 1, 0], "prob": [0.5, 0.5, 0.5, 0.5]})
    result = assay.evaluate(assay.read_decisions(frame))
    assert result["auroc"].value == 0.5
    assert result["auprc"].value == 0.5  # one group: all recall at precision 2/4


def test_33_a_post_without_gold_and_without_decision_counts_0_or_1() -> None:
    name = "macro_f1:over=posts,empty=1,at=returned,on=all"
    assert evaluated(measures=[name])[name].value == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)


def test_21_the_bootstrap_draws_posts_ten_thousand_times() -> None:
    plan = assay.Bootstrap()
    assert (plan.resamples, plan.unit, plan.method, plan.level) == (10_000, "post", "percentile", 0.95)


def test_deployment_and_gate_agree_where_the_gate_returns() -> None:
    result = evaluated()
    assert result["deployment/fpr"].value == pytest.approx(1 / 3)
    assert result["deployment/sensitivity"].value == pytest.approx(2 / 3)
    returned = [row for row in ROWS if row[5] >= 1]
    share = len(returned) / len(ROWS)
    assert result["selected_k_mean"].value == pytest.approx(result["selected_k_mean_returned"].value * share)


def test_a_right_abstention_is_right() -> None:
    # silent and right: r c, r d: 2. Found 1 and 1/3. Silent and wrong, and the alarm: 0.
    assert evaluated()["utility"].value == pytest.approx((2 + 1 + 1 / 3) / 6)
    weights = "utility:abstain=1,found=1,missed=1,alarm=0.5,at=returned,on=all"
    assert evaluated(measures=[weights])[weights].value == pytest.approx((2 + 4 / 3 - 1 - 0.5) / 6)


def test_contracts_name_the_same_decisions() -> None:
    assert contract("bundle/3.0").names["auroc"] == "auroc:on=all"
    assert contract("e2e/1.0").names["sensitivity"] == "sensitivity:at=tune,on=all"


def test_a_range_from_zero_prints_no_minus(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, "metric", "show", "utility") == 0
    shown = capsys.readouterr().out
    assert " 0 to 1, higher is better" in shown


@pytest.mark.parametrize(
    ("need", "formula", "value"),
    [("ceil", "⌈x·R⌉", 0.2), ("round", "⌊x·R + 0.5⌋", 1.0), ("trec9", "⌊x·R + 0.9⌋", 0.2)],
)
def test_the_formula_of_interpolated_precision_is_the_one_computed(
    need: str, formula: str, value: float
) -> None:
    """Recall 0.1 of R = 14 is 1.4 hits: 2, 1 and 2 of them, found at rank 10, 1 and 10."""
    one = metric(f"iprec@0.10:need={need}")
    assert one.formula.endswith(f"hits@i ≥ {formula}")
    assert f"`{need}` takes {formula}" in one.notes[0]
    case = toy_cases([Toy("1" + "0" * 8 + "1", missed=(1,) * 12)])
    assert one.columns(case)["value"][0] == value
