"""Hand-computed areas under curves and rates at a budget of false positives."""

from collections.abc import Callable

import pytest

from assay_oracle import Outcome, Query, evaluate
from assay_oracle.core.measure import measures

Measure = Callable[..., Outcome]
OF_DECISIONS = [
    name if each.cut is None else f"{name}@0.1"
    for name, each in measures().items()
    if [*each.parameters] == ["at", "on"]
]


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        # Descending .875+ .75− .625+ .375± .125−: 3 + 2 + (1/2 + 1) of nine pairs.
        ("auroc:on=all", 6.5 / 9),
        # (TP, FP) after each prob: (1,0) (1,1) (2,1) (3,2) (3,3).
        ("auprc:on=all", (1 + 2 / 3 + 3 / 5) / 3),
        ("auprc:on=returned", 1.0),  # a, b and e: the positive has the highest prob
        # Highest scores: a 3, c 3 and d none against b 2, e 1 and f none: 3 + 3 + 1/2 of nine.
        ("score_auroc:on=all", 6.5 / 9),
        # (TP, FP) after 3, 2, 1 and nothing at all: (2,0) (2,1) (2,2) (3,3).
        ("score_auprc:on=all", 2 / 3 + 1 / 3 * 3 / 6),
        ("score_auprc:on=predicted", 1.0),
        # Positive pairs score 3 1 3 2, negative ones 2 2 1 1: 4 + 4 + (1 + 2) + 1 of sixteen.
        ("pair_auroc:rel=1,on=all", 12 / 16),
        # (TP, FP) after each score: (2,0) (3,2) (4,4).
        ("pair_auprc:rel=1,on=all", 2 / 4 + 1 / 4 * 3 / 5 + 1 / 4 * 4 / 8),
        # a and c only: 3 1 3 2 against 2: two win, one ties, one loses.
        ("pair_auroc:rel=1,on=evidence", 2.5 / 4),
        # At most .9, 1.5 and 2.1 false positives.
        ("tpr_at_fpr@0.3:threshold=same,on=all", 1 / 3),
        ("fpr_reached@0.3:threshold=same,on=all", 0.0),
        ("tpr_at_fpr@0.5:threshold=same,on=all", 2 / 3),
        ("fpr_reached@0.5:threshold=same,on=all", 1 / 3),
        ("tpr_at_fpr@0.7:threshold=same,on=all", 1.0),
        ("fpr_reached@0.7:threshold=same,on=all", 2 / 3),
        # Each by its own threshold: a (just) and c pass, and so does e.
        ("tpr_at_fpr@0.05:threshold=tune,on=all", 2 / 3),
        ("fpr_reached@0.05:threshold=tune,on=all", 1 / 3),
    ],
)
def test_value(six: Measure, definition: str, expected: float) -> None:
    outcome = six(definition)
    assert outcome.value == pytest.approx(expected, abs=1e-13)
    assert (outcome.per_query, outcome.by_convention, outcome.reason) == (None, {}, None)


def test_pairs_are_cut_at_the_depth_and_n_stays_the_queries(six: Measure) -> None:
    outcome = six("pair_auroc:rel=1,on=all", depth=1)  # 3 3 against 2 1
    assert (outcome.value, outcome.n) == (1.0, 6)
    assert six("pair_auprc:rel=1,on=predicted").n == 4


@pytest.mark.parametrize(
    ("definition", "labels", "expected", "reason"),
    [
        ("auprc:on=all", (0, 0), 0.0, "one_class"),
        ("auprc:on=all", (1, 1), 1.0, "one_class"),
        ("score_auroc:on=all", (1, 1), 0.5, "one_class"),
        ("score_auprc:on=all", (0, 0), 0.0, "one_class"),
        ("pair_auroc:rel=1,on=all", (1, 1), 0.5, "one_class"),  # no candidates, no pairs
        ("pair_auprc:rel=1,on=all", (1, 1), 0.0, "one_class"),
        ("tpr_at_fpr@0.1:threshold=same,on=all", (0, 0), 0.0, "one_class"),
        ("tpr_at_fpr@0.1:threshold=same,on=all", (1, 1), 1.0, "one_class"),
        ("fpr_reached@0.1:threshold=same,on=all", (0, 0), 0.0, "one_class"),
        ("fpr_reached@0.1:threshold=same,on=all", (1, 1), 0.0, "one_class"),
        ("tpr_at_fpr@0.1:threshold=tune,on=all", (0, 0), 0.0, "zero_denominator"),
        ("tpr_at_fpr@0.1:threshold=tune,on=all", (1, 1), 0.5, None),
        ("fpr_reached@0.1:threshold=tune,on=all", (0, 0), 0.5, None),
        ("fpr_reached@0.1:threshold=tune,on=all", (1, 1), 0.0, "zero_denominator"),
        ("auprc:on=returned", (1, 0), 0.0, "empty_population"),
    ],
)
def test_conventions(
    binary: Measure, definition: str, labels: tuple[int, int], expected: float, reason: str | None
) -> None:
    pairs = list(zip((0.25, 0.75), labels, strict=True))
    outcome = binary(definition, pairs, thresholds={"fpr_0.1": 0.5})
    assert (outcome.value, outcome.reason) == (expected, reason)


@pytest.mark.parametrize("positive", [0, 1])
def test_pairs_of_one_class(positive: int) -> None:
    ids = ["pair_auroc:rel=1,on=all", "pair_auprc:rel=1,on=all"]
    rows = ([("q", "x", positive)], [("q", "x", 1.0)])
    outcomes = evaluate([Query("q")], *rows, ids).values()
    assert [outcome.value for outcome in outcomes] == [0.5, float(positive)]
    assert {outcome.reason for outcome in outcomes} == {"one_class"}


def test_of_equal_tprs_the_largest_threshold_counts(binary: Measure) -> None:
    pairs = [(0.75, 1), (0.5, 0), (0.25, 0)]  # FPR 0 and 1/2 are both allowed, with TPR 1
    assert binary("fpr_reached@0.6:threshold=same,on=all", pairs).value == 0.0


def test_no_threshold_but_infinity_may_keep_to_the_budget(binary: Measure) -> None:
    pairs = [(0.75, 0), (0.5, 1)]
    assert binary("tpr_at_fpr@0.5:threshold=same,on=all", pairs).value == 0.0
    assert binary("fpr_reached@0.5:threshold=same,on=all", pairs).value == 0.0


def test_the_budget_is_compared_exactly(binary: Measure) -> None:
    # 0.29 · 100 is 28.999999999999996 in floats, but 29 false positives keep to 29 %.
    pairs = [(0.75, 0)] * 29 + [(0.5, 1)] + [(0.25, 0)] * 71
    assert binary("tpr_at_fpr@0.29:threshold=same,on=all", pairs).value == 1.0
    assert binary("tpr_at_fpr@0.28:threshold=same,on=all", pairs).value == 0.0


def test_the_rule_is_named_as_the_id_spells_the_budget(binary: Measure) -> None:
    pairs = [(0.75, 1), (0.25, 0)]
    with pytest.raises(ValueError, match=r"query 'q0' has no threshold 'fpr_0\.10'"):
        binary("tpr_at_fpr@0.10:threshold=tune,on=all", pairs, thresholds={"fpr_0.1": 0.5})


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        ("auprc:on=all", "no prob"),
        ("tpr_at_fpr@0.1:threshold=same,on=all", "no prob"),
        ("tpr_at_fpr@0.1:threshold=tune,on=all", "no prob"),
        ("fpr_reached@0.1:threshold=same,on=all", "no prob"),
        ("net_benefit@0.5:on=all", "no prob"),
        ("ece:bins=10,on=all", "no prob"),
        ("brier:on=all", "no prob"),
        ("aurc:at=0.5,on=all", "no prob"),
        ("calibration_slope:clip=0.000001,on=all", "no prob"),
        ("calibration_intercept:clip=0.000001,on=all", "no prob"),
        *((f"{name}:at=0.5,on=all", "no prob") for name in OF_DECISIONS),
        ("f1:at=tune,on=all", "no prob"),
        ("f1:at=not_neg,on=all", "no state"),
        ("f1:at=pos,on=all", "no state"),
        ("f1:at=returned,on=all", "no selected_k"),
        ("rate:state=pos,on=all", "no state"),
        ("alert_rate_per_1000:on=all", "no state"),
        ("screening_fn_per_1000:on=all", "no state"),
        ("evidence_recall:average=macro,rel=1,on=all", "no selected_k"),
        ("evidence_precision:average=macro,rel=1,on=all", "no selected_k"),
        ("evidence_precision:average=micro,rel=1,on=all", "no selected_k"),
        ("utility:abstain=1,found=1,missed=0,alarm=0,at=returned,on=all", "no selected_k"),
    ],
)
@pytest.mark.parametrize("judgements", [[], [("q", "x", 1)]])
def test_what_a_query_lacks_is_named(
    definition: str, words: str, judgements: list[tuple[str, str, float]]
) -> None:
    with pytest.raises(ValueError, match=f"{definition}: query 'q' has {words}"):
        evaluate([Query("q")], judgements, [], [definition])


def test_a_query_outside_the_population_may_lack_it_and_is_left_out_of_per_query() -> None:
    queries = [Query("q", prob=0.5, selected_k=1), Query("r"), Query("s", prob=0.25)]
    definition = "brier:on=evidence"
    outcome = evaluate(queries, [("q", "x", 1)], [], [definition])[definition]
    assert outcome.per_query == {"q": 0.25, "s": 0.0625}
    assert (outcome.value, outcome.n) == (0.25, 1)
