"""The references themselves, against numbers worked out on paper."""

from __future__ import annotations

import math

import pytest

from .case import Case, Query
from .handmade import case, gate, query
from .references import reference

# Grade 1 at rank 1, grade 2 at rank 4, one gold item of grade 1 missed: R = 3, n = 5.
# Judged non-relevant: ranks 2 and 5, and one that is not listed. Rank 3 is not judged.
ONE = query("10.20", missed="1", unlisted=1)
LOG3, LOG5 = math.log2(3), math.log2(5)


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ("recall@4", 2 / 3),
        ("recall@4:gold=retrieved", 1),
        ("recall@4:rel=2", 1),
        ("recall@all", 2 / 3),
        ("precision@3", 1 / 3),
        ("precision@10", 2 / 10),
        ("precision@10:denominator=k_eff", 2 / 5),
        ("precision@10:denominator=min_r_k", 2 / 3),
        ("precision@all", 2 / 5),
        ("hit@3:rel=2", 0),
        ("mrr:rel=2", 1 / 4),
        ("mrr@3:rel=2", 0),
        # Precision at the hits is 1/1 and 2/4; one hit in the top 2.
        ("map@4", 1.5 / 3),
        ("map@4:denominator=hits", 1.5 / 2),
        ("map@2", 1 / 2),
        ("map@2:denominator=R", 1 / 3),
        ("map@2:denominator=hits", 1),
        # The gains are at ranks 1 and 4; the ideal order is 2, 1, 1.
        ("ndcg@all", (1 + 2 / LOG5) / (2 + 1 / LOG3 + 1 / 2)),
        ("ndcg@2", 1 / (2 + 1 / LOG3)),
        ("ndcg@all:gain=exponential", (1 + 3 / LOG5) / (3 + 1 / LOG3 + 1 / 2)),
        ("ndcg@all:gold=retrieved", (1 + 2 / LOG5) / (2 + 1 / LOG3)),
        # P@4 = 1/2, R@4 = 2/3.
        ("f@4", 4 / 7),
        ("f@4:beta=2", 5 / 8),
        ("judged@4", 3 / 4),
        ("judged@10", 4 / 5),
        ("judged@10:denominator=k", 4 / 10),
        ("unjudged@10", 1 / 10),
        ("unjudged@10:denominator=k_eff", 1 / 5),
        ("rprec", 1 / 3),
        # Nothing non-relevant above the first, one above the second: (1 + 1 − 1/3) / 3.
        ("bpref", 5 / 9),
        # Ranks 1 and 2 are below grade 2 and judged: 1 − min(2, 1)/min(5, 1).
        ("bpref:rel=2", 0),
        ("rbp:p=0.5", 0.5 * (1 + 1 / 8)),
        # Rank 3 is not judged, and neither is anything below rank 5.
        ("rbp_resid:p=0.5", 0.5 * 1 / 4 + 1 / 32),
        # The reader stops at rank 1 with 1/4, else at rank 4 with 3/4.
        ("err@10:gmax=2", 1 / 4 + 3 / 4 * 3 / 4 / 4),
        ("err@3:gmax=2", 1 / 4),
        ("set_precision", 2 / 5),
        ("set_recall", 2 / 3),
        ("set_f", 2 * 2 / (5 + 3)),
        # Precision is at best 1 with one hit, 1/2 with two, and three are never found.
        # 0.4 · 3 = 1.2 needs 2, rounded 1, and int(1.2 + 0.9) = 2.
        ("iprec@0.40", 1 / 2),
        ("iprec@0.40:need=round", 1),
        ("iprec@0.40:need=trec9", 1 / 2),
        # 0.7 · 3 = 2.1 needs 3, rounded 2; as doubles 0.7 · 3 + 0.9 is just below 3.
        ("iprec@0.70", 0),
        ("iprec@0.70:need=round", 1 / 2),
        ("iprec@0.70:need=trec9", 1 / 2),
        # Levels 0 to 0.3 need at most one hit, 0.4 to 0.6 two.
        ("iprec_avg", (4 * 1 + 3 * 1 / 2) / 11),
        # Rounded: 0 to 0.4 need at most one, 0.5 to 0.8 two, 0.9 and 1 three.
        ("iprec_avg:need=round", (5 * 1 + 4 * 1 / 2) / 11),
        ("gm_map", 1 / 2),
        ("num_q", 1),
        ("num_ret", 5),
        ("num_rel", 3),
        ("num_rel_ret", 2),
        ("num_nonrel_judged_ret", 2),
        ("num_nonrel_judged_ret:rel=2", 3),
    ],
)
def test_one_ranking(definition: str, value: float) -> None:
    assert reference(definition, case(ONE)) == pytest.approx(value, abs=1e-14)


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ("map@10", 1 / 3),
        ("map@10:cut=k_eff", 1),
        ("map@all", 1 / 3),
        ("map@all:cut=k_eff", 1),
        ("ndcg@10", 1 / (1 + 1 / LOG3 + 1 / 2)),
        ("ndcg@10:cut=k_eff", 1),
    ],
)
def test_more_gold_than_candidates(definition: str, value: float) -> None:
    assert reference(definition, case(query("1", missed="11"))) == pytest.approx(value)


def test_populations_differ_by_the_queries_they_hold() -> None:
    # Evidence found, evidence not listed, no evidence, and nothing ranked.
    four = case(query("1", k=1), query("0", missed="1"), query("0", k=1), query("", missed="1"))
    values = {on: reference(f"hit@1:on={on}", four) for on in ("evidence", "all", "predicted", "returned")}
    assert values == pytest.approx({"evidence": 1 / 3, "all": 1 / 4, "predicted": 1 / 3, "returned": 1 / 2})
    # AP is 1, 0 and 0: the cube root of 1 · 0.001 · 0.001.
    assert reference("gm_map:floor=0.001", four) == pytest.approx(0.01)


def test_equal_scores_keep_the_order_of_the_input() -> None:
    tied = Query("q", "p", "c", (("a", 1.0), ("b", 1.0), ("c", 2.0)), {"b": 1}, 0.5, 0, "NEG")
    assert reference("mrr", case(tied)) == pytest.approx(1 / 3)


# 0.9 is above all three negatives; 0.8 is above two and ties with one.
FIVE = ((1, 0.9), (0, 0.8), (1, 0.8), (0, 0.3), (0, 0.1))
TUNE = ((0.85, True), (0.6, False), (0.2, True))


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ("auroc", 5.5 / 6),
        ("auprc", 1 / 2 * 1 + 1 / 2 * 2 / 3),
        ("tpr_at_fpr@0.10", 1 / 2),
        ("fpr_reached@0.10", 0),
        # One false alarm of three is 0.3333…, more than 0.333.
        ("tpr_at_fpr@0.333", 1 / 2),
        ("tpr_at_fpr@0.34", 1),
        ("fpr_reached@0.34", 1 / 3),
        # On TUNE no false alarm is allowed, so the threshold is 0.85.
        ("tpr_at_fpr@0.10:threshold=tune", 1 / 2),
        ("fpr_reached@0.10:threshold=tune", 0),
        ("f1:at=tune_fpr_0.10", 2 / 3),
        # F1 on TUNE is 2/3 at 0.85, 1/2 at 0.6 and 4/5 at 0.2.
        ("tp:at=tune_f1", 2),
        ("fp:at=tune_f1", 2),
        # At 0.5: TP 2, FP 1, TN 2, FN 0.
        ("sensitivity", 1),
        ("specificity", 2 / 3),
        ("fpr", 1 / 3),
        ("fnr", 0),
        ("ppv", 2 / 3),
        ("npv", 1),
        ("f1", 4 / 5),
        ("accuracy", 4 / 5),
        ("mcc", 4 / 6),
        ("balanced_accuracy", 5 / 6),
        ("expected_cost", 1 / 5),
        # At 0.85 one of two is missed and costs 10.
        ("expected_cost:at=0.85", 10 / 5),
        # A decision is p ≥ t.
        ("fp:at=0.8", 1),
        ("fp:at=0.81", 0),
        ("net_benefit@0.20", 2 / 5 - 2 / 5 * 0.2 / 0.8),
    ],
)
def test_one_gate(definition: str, value: float) -> None:
    assert reference(definition, gate(*FIVE, tune=TUNE)) == pytest.approx(value, abs=1e-14)


def test_of_equally_good_thresholds_the_largest_is_taken() -> None:
    # F1 is 2·1/(2 + 1) at 0.9 and 2·2/(4 + 2) at 0.1.
    tune = ((0.9, True), (0.5, False), (0.5, False), (0.1, True))
    assert reference("tp:at=tune_f1", gate((1, 0.5), (1, 0.9), tune=tune)) == 1


def test_areas_over_pairs_and_over_best_scores() -> None:
    # Scores are 0, −1, … by rank: relevant 0, 0 and −1; not relevant 0, −1 (not judged).
    three = case(query("11"), query("0."), query("1"))
    # 0 ties with 0 and is above −1, twice; −1 is below 0 and ties with −1.
    assert reference("pair_auroc", three) == pytest.approx((1.5 + 1.5 + 0.5) / 6)
    assert reference("pair_auprc", three) == pytest.approx(2 / 3 * 2 / 3 + 1 / 3 * 3 / 5)
    assert reference("score_auroc", three) == pytest.approx(0.5)


def test_one_class_only() -> None:
    only = gate((1, 0.4), (1, 0.6))
    assert reference("auroc", only) == 0.5
    assert reference("auprc", only) == 1
    assert reference("auprc", gate((0, 0.4))) == 0
    assert reference("calibration_slope", only) == 0
    assert reference("calibration_intercept", only) == 0


def fours() -> Case:
    """Four queries at 0.9 with one positive, four at 0.1 with none."""
    return gate(*((int(at == 0), 0.9) for at in range(4)), *((0, 0.1) for _ in range(4)))


@pytest.mark.parametrize(
    ("rows", "definition", "value"),
    [
        # 0.1 is in the first bin, 0.15 in the second: (0.9 + 0.15) / 2.
        ([(1, 0.1), (0, 0.15)], "ece", 0.525),
        # 0.3 and 1 − 0.7 are the same decimal: one bin, |0.3 − 0.5|.
        ([(1, 0.3), (0, 1 - 0.7)], "ece", 0.2),
        # 1 − 0.9 is a little below 0.1 as a double, and 0.1 as a decimal.
        ([(1, 1 - 0.9), (0, 0.05)], "ece", 0.5 - 0.075),
        ([(1, 0.0), (0, 0.1)], "ece", 0.45),
        # Thirds are edges of 15 bins: 1/3 belongs to the fifth, with 0.3.
        ([(1, 1 / 3), (0, 0.3)], "ece:bins=15", 0.5 - (1 / 3 + 0.3) / 2),
        ([(1, 0.3), (0, 0.3)], "ece_debiased", 0),
        # 0.3 and 0.7 are equally sure and one of them is wrong: risks 1/2 and 1/2.
        ([(0, 0.7), (0, 0.3)], "aurc", 0.5),
        ([(1, 0.7), (1, 0.3)], "aurc", 0.5),
        ([(1, 0.3), (1, 0.7)], "aurc", 0.5),
        # Right, wrong, right: risks 0, 1/2, 1/3. With the error last: 0, 0, 1/3.
        ([(1, 0.9), (0, 0.8), (1, 0.6)], "aurc", (1 / 2 + 1 / 3) / 3),
        ([(1, 0.9), (0, 0.8), (1, 0.6)], "eaurc", 1 / 6),
    ],
)
def test_decimals(rows: list[tuple[int, float]], definition: str, value: float) -> None:
    assert reference(definition, gate(*rows)) == pytest.approx(value)


def test_calibration_in_two_bins() -> None:
    # Gaps are 0.9 − 1/4 and 0.1 − 0.
    assert reference("ece", fours()) == pytest.approx((0.65 + 0.1) / 2)
    assert reference("ece_floor", fours()) == pytest.approx(2 * math.sqrt(2 / math.pi * 0.36) / 8)
    # 0.65² − (1/4 · 3/4)/3 = 0.36, and 0.1² with nothing to take off.
    assert reference("ece_debiased", fours()) == pytest.approx(math.sqrt((0.36 + 0.01) / 2))
    assert reference("brier", fours()) == pytest.approx((0.01 + 3 * 0.81 + 4 * 0.01) / 8)
    assert reference("brier_reliability", fours()) == pytest.approx((0.4225 + 0.01) / 2)
    assert reference("brier_resolution", fours()) == pytest.approx(1 / 64)
    assert reference("brier_uncertainty", fours()) == pytest.approx(7 / 64)


def test_slope_and_intercept() -> None:
    # One of three at 1/4 and two of three at 3/4: logits ∓log 3, observed ∓log 2.
    rows = [(1, 0.25), (0, 0.25), (0, 0.25), (0, 0.75), (1, 0.75), (1, 0.75)]
    assert reference("calibration_slope", gate(*rows)) == pytest.approx(math.log(2) / math.log(3))
    assert reference("calibration_intercept", gate(*rows)) == pytest.approx(0, abs=1e-12)
    # All at 1/2, three of four positive: the logit of 3/4 is missing.
    half = [(1, 0.5), (1, 0.5), (1, 0.5), (0, 0.5)]
    assert reference("calibration_intercept", gate(*half)) == pytest.approx(math.log(3))
    assert reference("calibration_slope", gate(*half)) == 0


def test_leaving_out_the_wrong_one_of_two() -> None:
    # From 30% on one query is left: 0.5, 0.5, 0.5, then seven times 1 at best, 0 at worst.
    # Areas 0.775 and 0.125 against 0.45 of a flat curve.
    worst = case(query("1", prob=0.2), query("0", missed="1", prob=0.8))
    assert reference("nauc@1:of=hit,by=prob", worst) == pytest.approx(-1)
    best = case(query("1", prob=0.8), query("0", missed="1", prob=0.2))
    assert reference("nauc@1:of=hit,by=prob", best) == pytest.approx(1)
    # Of equal confidences the first is left out first.
    assert reference("nauc@1:of=hit,by=max", best) == pytest.approx(-1)


A = query("101", missed="1", k=1, state="POS", post="p1", criterion="c1")
B = query("1", k=0, state="NEG", post="p1", criterion="c2")
C = query("0", k=0, state="UNCERTAIN", post="p2", criterion="c1")
D = query("0000", k=3, state="POS", post="p2", criterion="c2")


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ("evidence_recall", (1 / 3 + 0) / 2),
        ("evidence_recall:average=micro", 1 / 4),
        ("evidence_recall:average=micro_conditional", 1 / 3),
        # Two gold items of A and one of B are among the candidates.
        ("evidence_recall:average=retrieved", 1 / 3),
        ("evidence_precision", 1 / 2),
        ("evidence_precision:average=micro,on=all", 1 / 4),
        ("utility", (1 / 3 + 0 + 1 + 0) / 4),
        ("utility:abstain=2,found=3,missed=4,alarm=5", (1 - 4 + 2 - 5) / 4),
        # K is 1, 0, 0, 3.
        ("selected_k", 1),
        ("selected_k:on=returned", 2),
        ("selected_k:stat=median", 0.5),
        ("selected_k:stat=p75", 1.5),
        ("selected_k:stat=p90", 2.4),
        ("selected_k:stat=max", 3),
        ("selected_k:stat=total", 4),
        ("selected_k:stat=std", math.sqrt((0 + 1 + 1 + 4) / 3)),
        ("rate:state=pos", 1 / 2),
        ("alert_rate_per_1000", 500),
        ("screening_fn_per_1000", 250),
        # Returned: A right, B missed, C right, D a false alarm.
        ("exact_match", 0),
        ("hamming_score", 1 / 2),
        ("hamming_loss", 1 / 2),
        ("macro_f1", (2 / 3 + 0) / 2),
        ("macro_f1:over=criteria", (1 + 0) / 2),
        ("weighted_f1", (1 * 1 + 1 * 0) / 2),
        ("weighted_f1:over=posts", 2 / 3),
        # Not NEG: A, C and D. POS: A and D.
        ("ppv:at=not_neg", 1 / 3),
        ("ppv:at=pos", 1 / 2),
        ("sensitivity:at=returned", 1 / 2),
    ],
)
def test_decisions_of_two_posts(definition: str, value: float) -> None:
    assert reference(definition, case(A, B, C, D)) == pytest.approx(value)


def test_a_post_rightly_left_alone_has_an_f1_by_convention() -> None:
    assert reference("macro_f1", case(C)) == 0
    assert reference("macro_f1:empty=1", case(C)) == 1
