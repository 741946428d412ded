"""Curves against scikit-learn's, and their bands against curves of rows that are really repeated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn import metrics as sk

import assay
from assay.contracts.contract_toml import contract
from assay.data.cases import Grouping
from assay.evaluation.intervals.curve_bands import curves_of
from assay.evaluation.intervals.resample import Strata, draws


def table(seed: int, posts: int = 40, decimals: int = 2) -> tuple[pl.DataFrame, assay.Bootstrap]:
    rng = np.random.default_rng(seed)
    post = np.repeat(np.arange(posts), rng.integers(1, 8, posts))
    effect = rng.normal(0, 1, posts)[post]
    label = (rng.random(len(post)) < 1 / (1 + np.exp(1 - effect))).astype(int)
    prob = np.round(1 / (1 + np.exp(-effect - label + rng.normal(0, 1, len(post)))), decimals)
    return pl.DataFrame({"prob": prob, "label": label, "post": post}), assay.Bootstrap(50, seed)


@pytest.mark.parametrize("seed", range(4))
def test_points_are_those_of_scikit_learn(seed: int) -> None:
    frame, _ = table(seed)
    found = assay.curves(assay.read_decisions(frame))
    fpr, tpr, at = sk.roc_curve(frame["label"], frame["prob"], drop_intermediate=False)
    assert found.roc.x == pytest.approx(fpr, abs=1e-12)
    assert found.roc.y == pytest.approx(tpr, abs=1e-12)
    assert (found.roc.threshold == at).all()
    precision, recall, at = sk.precision_recall_curve(frame["label"], frame["prob"])
    # scikit-learn: lowest threshold first, and a point (0, 1) that no threshold has
    assert found.pr.x == pytest.approx(recall[:-1][::-1], abs=1e-12)
    assert found.pr.y == pytest.approx(precision[:-1][::-1], abs=1e-12)
    assert (found.pr.threshold == at[::-1]).all()
    assert found.roc.band is None
    assert (found.positives, found.negatives) == (frame["label"].sum(), frame.height - frame["label"].sum())


@pytest.mark.parametrize("folds", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_bands_are_those_of_repeated_rows(seed: int, folds: int) -> None:
    frame, plan = table(seed)
    y, p, post = (frame[name].to_numpy() for name in ("label", "prob", "post"))
    cases = assay.read_decisions(frame, group="post").cases(contract("assay/1").ranking)
    fold = Grouping(post % folds, tuple(map(str, range(folds))))
    cases = replace(cases, groupings={**cases.groupings, "fold": fold})
    found = curves_of(cases, plan)
    strata = Strata.of(cases, "post")
    tprs, precisions = [], []
    for counts in np.concatenate(list(draws(strata, plan.resamples, plan.seed))).astype(int):
        rows = np.repeat(np.arange(len(y)), counts[strata.unit])
        fpr, tpr, _ = sk.roc_curve(y[rows], p[rows], drop_intermediate=False)
        negatives, positives = int((y[rows] == 0).sum()), int(y[rows].sum())
        alarms = np.rint(fpr * negatives)
        tprs.append([tpr[alarms * 200 <= step * negatives].max() for step in range(201)])
        precision, recall, _ = sk.precision_recall_curve(y[rows], p[rows])
        hits = np.rint(recall * positives)[:-1]  # falls as the threshold rises
        precisions.append([precision[:-1][hits * 200 >= step * positives][-1] for step in range(1, 201)])
    for curve, drawn in ((found.roc, tprs), (found.pr, precisions)):
        assert curve.band is not None
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        assert curve.band.low == pytest.approx(low, abs=1e-12)
        assert curve.band.high == pytest.approx(high, abs=1e-12)
        assert (curve.band.resamples, curve.band.left_out) == (50, 0)
    assert found.roc.band is not None
    assert found.pr.band is not None
    assert found.roc.band.x == pytest.approx(np.linspace(0, 1, 201))
    assert found.pr.band.x == pytest.approx(np.linspace(0, 1, 201)[1:])


def test_the_band_at_a_budget_is_the_interval_of_the_measure() -> None:
    frame, plan = table(3, posts=80, decimals=3)
    given = assay.read_decisions(frame, group="post")
    band = assay.curves(given, bootstrap=plan).roc.band
    name = "tpr_at_fpr@0.05"
    interval = assay.evaluate(given, measures=[name], bootstrap=plan)[name].interval
    assert band is not None
    assert interval is not None
    assert (band.low[10], band.high[10]) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_resamples_of_one_class_are_left_out_and_counted() -> None:
    frame = pl.DataFrame({"prob": [0.9, 0.2, 0.4], "label": [1, 0, 0], "post": ["a", "b", "c"]})
    plan = assay.Bootstrap(400)
    found = assay.curves(assay.read_decisions(frame, group="post"), bootstrap=plan)
    assert found.roc.band is not None
    # no positive: (2/3)³; no negative: (1/3)³
    assert found.roc.band.left_out / 400 == pytest.approx(9 / 27, abs=0.1)
    assert (found.roc.band.low == 1.0).all()


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_has_no_curve(label: int) -> None:
    frame = pl.DataFrame({"prob": [0.9, 0.2], "label": [label, label]})
    with pytest.raises(assay.InputError, match="queries with evidence"):
        assay.curves(assay.read_decisions(frame))


def test_a_system_without_decisions_has_no_curve() -> None:
    run = assay.read_trec(
        pl.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1]}), {"q": [("d", 1.0)]}
    )
    with pytest.raises(assay.InputError, match="gave no decisions"):
        assay.curves(run)
