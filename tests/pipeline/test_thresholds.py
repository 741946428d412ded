"""The thresholds of the states: raw scores, what TUNE can promise, pooled by cross-fitting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.data.corpus import Corpus
from assay.experiment.state_thresholds import (
    POOLED,
    TUNE,
    choose,
    chosen_on_tune,
    state_thresholds,
    tune_reused,
)
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan, Protocol
from assay.pipeline.stages.probability_calibration import Calibration, CalibrationSettings
from tests.pipeline.conftest import FAST, toy
from tests.pipeline.stages.test_stages import labelled


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_threshold_on_the_probability_is_one_on_the_raw_score(method: str) -> None:
    draw = np.random.default_rng(5)
    gate = np.sort(draw.normal(size=500))
    evidence = draw.random(500) < 1 / (1 + np.exp(-3 * gate))
    stage = Calibration(CalibrationSettings(method=method))
    given = labelled(gate, evidence)
    stage.fit(given)
    prob = stage.apply(given.view)["prob"].ravel()
    assert (np.diff(prob) > 0).all()  # no plateau: isotonic alone has some
    posts = [str(number) for number in range(500)]
    chosen = choose(prob, evidence, posts, "sensitivity_0.95", 0.9)
    # By hand: the order statistic on the raw scores themselves.
    raw = np.sort(gate[evidence])
    kept = prob >= chosen
    lowest = gate[kept].min()
    assert lowest in raw
    assert (gate[~kept] < lowest).all()


def test_an_alert_threshold_rests_on_a_lower_bound_where_there_is_one() -> None:
    """Plain targeting keeps 90 % on TUNE and misses it on new posts about half of the time."""
    draw = np.random.default_rng(0)
    plain, bounded = 0, 0
    for _ in range(60):
        prob = draw.random(240)
        label = draw.random(240) < prob  # calibrated: the precision above t is (1 + t) / 2
        posts = [str(number) for number in range(240)]
        chosen = chosen_on_tune(prob, label, posts, "precision_0.9", 0.9)
        assert chosen.certified in (True, False)
        bounded += (1 + chosen.value) / 2 < 0.9
        hits = np.cumsum(label[np.argsort(-prob)]) / np.arange(1, 241)
        reached = np.flatnonzero(hits >= 0.9)
        lowest = np.sort(prob)[::-1][reached[-1]] if len(reached) else 1.0
        plain += (1 + lowest) / 2 < 0.9
    assert plain > 20
    assert bounded < plain / 2


def answered() -> tuple[Plan, Corpus, Answers]:
    plan = Plan(Path("toy"), tables=FAST, protocol=Protocol(folds=3, crossfit=2, exclude=("c2",)))
    corpus = Corpus.of(**toy(90))
    return plan, corpus, predict(plan, corpus, choose, processes=1)


def test_the_table_says_what_the_states_used_and_what_could_be_promised() -> None:
    plan, corpus, answers = answered()
    made = state_thresholds(plan, corpus, answers)
    assert made is not None
    assert answers.decisions is not None
    assert made.height == 3 * 2 * 2
    used = answers.decisions.group_by("fold").agg(pl.col("tau_neg", "tau_pos").first())
    taus = {fold: (low, high) for fold, low, high in used.iter_rows()}
    for fold, (low, high) in taus.items():
        own = made.filter(pl.col("fold") == fold, pl.col("chosen_on") == TUNE)
        chosen = dict(own.select("threshold", "value").iter_rows())
        assert high == chosen["tau_pos"]
        assert low == min(chosen["tau_neg"], high)
    low = made.filter(pl.col("threshold") == "tau_neg")
    tune, pooled = (low.filter(pl.col("chosen_on") == each) for each in (TUNE, POOLED))
    # c2 is not trained on, so a TUNE post has one query; each positive is a separate post
    assert tune["units"].to_list() == tune["positives"].to_list()
    for row in tune.iter_rows(named=True):
        assert row["certified"] is False
        assert "not certifiable" in row["note"]
        assert row["confidence"] == pytest.approx(1 - 0.995 ** row["units"])
        assert row["certifiable"] == pytest.approx(0.1 ** (1 / row["units"]))
    assert (pooled["positives"] > tune["positives"]).all()
    assert pooled["note"].to_list() == [f"not certified: {POOLED}"] * 3
    assert not pooled["certified"].any()


def test_pooled_probabilities_are_of_posts_that_the_stage_did_not_learn_from() -> None:
    """TRAIN, TUNE and EVAL of a fold are every post once."""
    _, _, answers = answered()
    assert answers.train is not None
    assert answers.tune is not None
    assert answers.decisions is not None
    for fold in ("0", "1", "2"):
        parts = [
            set(each.filter(pl.col("fold") == fold)["post_id"])
            for each in (answers.train, answers.tune, answers.decisions)
        ]
        assert sum(map(len, parts)) == len(set.union(*parts)) == 90


def test_only_stages_that_keep_the_order_leave_tune_clean() -> None:
    assert not tune_reused(Plan(Path("toy")))
    assert not tune_reused(Plan(Path("toy"), stages=("lexical",)))
