"""Rows 9 and 24, certification, and the rule that a threshold never meets the posts that chose it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay
from assay.contracts.contract_toml import contract, parse

# On TUNE three negatives (.1 .2 .6) and three positives (.3 .7 .8); on EVAL others.
TUNE = [("t1", 0.1, 0), ("t1", 0.2, 0), ("t2", 0.6, 0), ("t2", 0.3, 1), ("t3", 0.7, 1), ("t3", 0.8, 1)]
EVAL = [("e1", 0.75, 0), ("e1", 0.1, 0), ("e2", 0.72, 1), ("e2", 0.2, 1), ("e3", 0.9, 1)]


def frame(rows: list[tuple[str, float, int]], **more: object) -> pl.DataFrame:
    made = pl.DataFrame(rows, schema=["post", "prob", "label"], orient="row")
    return made.with_columns(**{name: pl.lit(value) for name, value in more.items()})


def evaluated(*names: str) -> assay.Result:
    table = assay.read_decisions(frame(EVAL), group="post")
    return assay.evaluate(table, measures=names or None, tune=frame(TUNE))


def test_09_the_threshold_comes_from_tune_and_the_rates_from_eval() -> None:
    """No false alarm allowed: on TUNE t = .7 catches 2 of 3; on EVAL it catches 2 of 3, 1 of 2."""
    result = evaluated()
    assert result["tune/tpr_at_fpr@0.05"].value == pytest.approx(2 / 3)
    assert result["tune/fpr_reached@0.05"].value == pytest.approx(1 / 2)  # over its budget: shown
    chosen = next(each for each in result.thresholds if each.rule == "fpr_0.05")
    assert (chosen.value, chosen.reached) == (0.7, 0.0)
    # on the scored queries themselves the same budget gives another answer
    assert result["tpr_at_fpr@0.05"].definition == "tpr_at_fpr@0.05:threshold=same,on=all"
    assert result["tpr_at_fpr@0.05"].value == pytest.approx(1 / 3)


def test_09_the_budget_is_never_exceeded_where_it_was_chosen() -> None:
    for budget, value, reached in (("0.10", 0.7, 0.0), ("0.34", 0.3, 1 / 3), ("0.33", 0.7, 0.0)):
        chosen = assay.choose_threshold([row[1] for row in TUNE], [row[2] for row in TUNE], f"fpr_{budget}")
        assert (chosen.value, chosen.reached) == pytest.approx((value, reached))


def test_09_of_equal_rates_the_largest_threshold() -> None:
    chosen = assay.choose_threshold([0.9, 0.5, 0.4, 0.3], [1, 0, 0, 0], "fpr_0.90")
    assert chosen.value == 0.9
    nothing = assay.choose_threshold([0.9, 0.5], [0, 1], "fpr_0.50")
    assert nothing.value == float("inf")
    assert "nothing is decided positive" in nothing.note


def test_24_exactly_one_threshold_is_the_deployment_one() -> None:
    result = evaluated()
    deployed = [each for each in result.thresholds if each.deployment]
    assert [each.rule for each in deployed] == ["fpr_0.05"] == [contract("assay/1").deployment]
    assert result["tune/sensitivity"].value == pytest.approx(2 / 3)  # at .7
    assert result["sensitivity"].value == pytest.approx(2 / 3)  # at .5, labelled so
    assert result["sensitivity"].definition == "sensitivity:at=0.5,on=all"
    without = assay.evaluate(assay.read_decisions(frame(EVAL)))
    assert without.thresholds == ()
    assert without.absent["tune/sensitivity"] == "no threshold was chosen on TUNE"


def test_a_rule_may_be_named_in_a_measure() -> None:
    # F1 on TUNE: at .3 2·3/(4+3) = .857, at .7 2·2/(2+3) = .8; on EVAL .3 catches 2, alarms once
    name = "f1:at=tune_f1,on=all"
    result = evaluated(name)
    assert result[name].value == pytest.approx(2 * 2 / (3 + 3))
    with pytest.raises(assay.MeasureError, match=r"no threshold rule is called 'fpr_1\.5'"):
        assay.metric("f1:at=tune_fpr_1.5")


def test_a_contract_names_the_rule() -> None:
    text = 'id = "mine"\n[thresholds]\ndeployment = "f1"\n[measures]\nf = "f1:at=tune"\n'
    result = assay.evaluate(
        assay.read_decisions(frame(EVAL), group="post"), contract=parse(text, "mine.toml"), tune=frame(TUNE)
    )
    assert [each.rule for each in result.thresholds] == ["f1"]
    with pytest.raises(assay.ContractError, match="thresholds is"):
        parse(text.replace('"f1"\n[', '"best"\n['), "mine.toml")


def test_tune_that_overlaps_eval_is_refused() -> None:
    both = frame([*TUNE, ("e2", 0.4, 0)])
    with pytest.raises(assay.InputError, match="post 'e2' is TUNE and EVAL at once"):
        assay.evaluate(assay.read_decisions(frame(EVAL), group="post"), tune=both)


def test_a_threshold_refuses_posts_of_its_own_fold_only() -> None:
    probs, labels, posts = [0.1, 0.9], [0, 1], ["a", "b"]
    chosen = assay.choose_threshold(probs, labels, "f1", posts=posts, fold="1")
    assert chosen.decide([0.95, 0.2], ["c", "d"], "1").tolist() == [True, False]
    assert chosen.decide([0.95], ["a"], "2").tolist() == [True]  # EVAL of another fold's system
    for fold in ("1", None):
        with pytest.raises(assay.InputError, match="a threshold must not meet the posts"):
            chosen.decide([0.95], ["a"], fold)


def nested(extra: tuple[str, str, str] | None = None) -> pl.DataFrame:
    """Two outer folds: each post is EVAL in one of them and TUNE in the other."""
    rows = []
    for post, prob, label in TUNE:
        rows.append((post, "0", "TUNE", prob, label))
        rows.append((post, "1", "EVAL", prob, label))
    for post, prob, label in EVAL:
        rows.append((post, "1", "TUNE", prob, label))
        rows.append((post, "0", "EVAL", prob, label))
    if extra is not None:
        rows.append((*extra, 0.5, 0))
    schema = ["post", "fold", "role", "prob", "label"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_every_fold_has_thresholds_of_its_own() -> None:
    result = assay.evaluate(assay.read_decisions(nested(), group="post", fold="fold"))
    values = {each.fold: each.value for each in result.thresholds if each.rule == "fpr_0.05"}
    assert values == {"0": 0.7, "1": 0.9}
    column = result.per_query()["threshold_fpr_0.05"].to_list()
    assert column == [values[fold] for fold in result.per_query()["fold"]]
    sensitivity = result["tune/sensitivity"].folds
    assert sensitivity is not None
    assert sensitivity.values == pytest.approx({"0": 2 / 3, "1": 0})


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (("e1", "0", "TUNE"), "of fold '0' is TUNE and EVAL at once"),
        (("t9", "2", "EVAL"), "has no query of fold '2'"),
        (("t9", "2", "TUNE"), "has fold '2'"),
        (("t9", "0", "TEST"), "role is 'TEST'; expected one of TRAIN, TUNE, EVAL"),
    ],
)
def test_folds_and_roles_that_cannot_be(extra: tuple[str, str, str], words: str) -> None:
    with pytest.raises(assay.InputError, match=words):
        assay.evaluate(assay.read_decisions(nested(extra), group="post", fold="fold"))


def test_certified_only_where_it_is_true() -> None:
    rng = np.random.default_rng(0)
    for positives, certified in ((460, True), (459, False)):
        prob = rng.uniform(size=positives)
        chosen = assay.choose_threshold(prob, np.ones(positives), "sensitivity_0.995")
        assert chosen.certified is certified
        assert chosen.confidence == pytest.approx(1 - 0.995**positives)
        assert chosen.value == prob.min()
    prob = rng.uniform(size=1000)
    paired = [f"p{at // 2}" for at in range(1000)]
    chosen = assay.choose_threshold(prob, np.ones(1000), "sensitivity_0.995", posts=paired)
    assert chosen.units == 500  # two positives a post are worth one
    reused = assay.choose_threshold(prob, np.ones(1000), "sensitivity_0.995", tune_reused=True)
    assert reused.certified is False
    assert reused.note == "not certified: TUNE was used for more than thresholds"


def test_rules_without_positives_or_negatives() -> None:
    safe = assay.choose_threshold([0.2, 0.4], [0, 0], "sensitivity_0.95")
    assert (safe.value, safe.certified) == (0.0, False)  # everything is passed on: nothing is lost
    silent = assay.choose_threshold([0.2, 0.4], [0, 0], "precision_0.9")
    assert (silent.value, silent.certified) == (float("inf"), False)
    assert assay.choose_threshold([0.2, 0.4], [1, 1], "fpr_0.05").value == 0.2
    assert assay.choose_threshold([0.2, 0.4], [0, 0], "f1").value == float("inf")
