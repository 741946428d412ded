"""Intervals against resampling the rows themselves, on the same draws."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn import metrics as sk

import assay
from assay.contracts.contract_toml import contract
from assay.data.cases import Cases, Grouping
from assay.data.label_table import LabelTable
from assay.data.readers.table_files import Table
from assay.evaluation.intervals import resample
from assay.evaluation.intervals.resample import Strata, draws, replicates
from assay.metrics.core.entry import Scored
from assay.metrics.core.registry import metric


def simulated(seed: int, folds: int, posts: int = 40) -> tuple[Cases, np.ndarray, np.ndarray]:
    """Correlated queries of posts, ties included, with or without folds."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 8, posts)
    post = np.repeat(np.arange(posts), size)
    effect = rng.normal(0, 1, posts)[post]
    label = (rng.random(len(post)) < 1 / (1 + np.exp(-effect + 0.5))).astype(int)
    prob = np.round(1 / (1 + np.exp(-effect - label + rng.normal(0, 1, len(post)))), 1)
    frame = pl.DataFrame({"prob": prob, "label": label, "post": [f"p{p:03}" for p in post]})
    cases = LabelTable(Table(frame, "t"), "prob", "label", "post").cases(contract("assay/1").ranking)
    if folds:
        groupings = {**cases.groupings, "fold": Grouping(post % folds, tuple(map(str, range(folds))))}
        from dataclasses import replace

        cases = replace(cases, groupings=groupings)
    return cases, label, prob


def by_rows(name: str, label: np.ndarray, prob: np.ndarray) -> float:
    chosen = (prob >= 0.5).astype(int)
    one_class = len(set(label.tolist())) < 2
    if name == "auroc":
        return 0.5 if one_class else float(sk.roc_auc_score(label, prob))
    if name == "auprc":
        return float(label.mean()) if one_class else float(sk.average_precision_score(label, prob))
    if name == "brier":
        return float(np.mean((prob - label) ** 2))
    if name == "f1:at=0.5":
        return float(sk.f1_score(label, chosen, zero_division=0))
    if name == "mcc:at=0.5":
        return float(np.nan_to_num(sk.matthews_corrcoef(label, chosen)))
    fpr, tpr, _ = sk.roc_curve(label, prob, drop_intermediate=False)
    return float(tpr[fpr <= 0.1].max())


@pytest.mark.parametrize("folds", [0, 3])
@pytest.mark.parametrize("seed", range(3))
def test_values_equal_resampled_rows(seed: int, folds: int) -> None:
    cases, label, prob = simulated(seed, folds)
    plan = assay.Bootstrap(20, seed=seed)
    strata = Strata.of(cases, "post")
    counts = np.concatenate(list(draws(strata, plan.resamples, plan.seed)))
    assert (counts.sum(axis=1) == 40).all()
    for name in ("auroc", "auprc", "brier", "f1:at=0.5", "mcc:at=0.5", "tpr_at_fpr@0.10"):
        scored = Scored.of(metric(name), cases)
        ours = replicates([(scored, folds > 0)], strata, [counts])[0].values
        for row, mine in zip(counts.astype(int), ours, strict=True):
            times = row[strata.unit]
            parts = []
            for members in strata.members if folds else [np.arange(40)]:
                rows = np.repeat(np.arange(len(label)), times * np.isin(strata.unit, members))
                with np.errstate(all="ignore"):
                    parts.append(_quiet(name, label[rows], prob[rows]))
            assert mine == pytest.approx(np.mean(parts), abs=1e-9), name


def _quiet(name: str, label: np.ndarray, prob: np.ndarray) -> float:
    import warnings

    if name == "tpr_at_fpr@0.10" and (label.min() == label.max()):
        return float(label.min())  # by convention: no positives 0, no negatives 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return by_rows(name, label, prob)


def table(seed: int = 0) -> LabelTable:
    rng = np.random.default_rng(seed)
    post = np.repeat(np.arange(300), 5)
    label = (rng.random(1500) < 0.2).astype(int)
    prob = np.clip(rng.normal(0.3 + 0.25 * label, 0.17), 0, 1)
    frame = pl.DataFrame({"prob": prob, "label": label, "post": post})
    return assay.read_decisions(frame, group="post")


def test_an_interval_is_reproducible_and_belongs_to_its_seed() -> None:
    names = ["auroc", "brier", "f1"]
    first, again, other = (
        [
            assay.evaluate(table(), measures=names, bootstrap=assay.Bootstrap(300, seed))[name].interval
            for name in names
        ]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert all(a != b for a, b in zip(first, other, strict=True))


def test_labels_and_scores_are_never_drawn_apart() -> None:
    """SciPy's call without `paired` gives an interval around .5 for a gate that is far better."""
    given = table()
    label = given.table.frame["label"].to_numpy()
    prob = given.table.frame["prob"].to_numpy()
    ours = assay.evaluate(given, measures=["auroc"], bootstrap=assay.Bootstrap(500))["auroc"]
    assert ours.value > 0.8
    assert ours.interval is not None
    assert ours.interval.low < ours.value < ours.interval.high
    assert ours.interval.low > 0.75

    def area(y: np.ndarray, p: np.ndarray) -> float:
        return float(sk.roc_auc_score(y, p))

    trap = stats.bootstrap(
        (label, prob),
        area,
        n_resamples=200,
        vectorized=False,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    assert trap.confidence_interval.low < 0.5 < trap.confidence_interval.high


def test_bca_agrees_with_scipy_where_queries_are_the_unit() -> None:
    given = table()
    error = (given.table.frame["prob"] - given.table.frame["label"]).to_numpy() ** 2
    plan = assay.Bootstrap(4000, 3, unit="query", method="bca")
    ours = assay.evaluate(given, measures=["brier"], bootstrap=plan)["brier"].interval
    theirs = stats.bootstrap(
        (error,), np.mean, n_resamples=4000, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval
    assert ours is not None
    assert ours.low == pytest.approx(theirs.low, abs=1e-3)
    assert ours.high == pytest.approx(theirs.high, abs=1e-3)


def test_posts_that_hold_together_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    post = np.repeat(np.arange(100), 10)
    effect = rng.normal(0, 2, 100)[post]
    label = (rng.random(1000) < 1 / (1 + np.exp(-effect))).astype(int)
    frame = pl.DataFrame({"prob": np.full(1000, 0.5), "label": label, "post": post})
    given = assay.read_decisions(frame, group="post")
    name = "accuracy:at=0.5,on=all"
    widths = []
    for unit in ("post", "query"):
        plan = assay.Bootstrap(2000, unit=unit)
        found = assay.evaluate(given, measures=[name], bootstrap=plan)[name].interval
        assert found is not None
        widths.append(found.high - found.low)
    assert widths[0] > 1.5 * widths[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"unit": "word"}, "unit is 'word'"),
        ({"method": "magic"}, "method is 'magic'"),
        ({"resamples": 1}, "1 resamples"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(assay.InputError, match=message):
        assay.Bootstrap(**arguments)  # type: ignore[arg-type]


def test_one_post() -> None:
    frame = pl.DataFrame({"prob": [0.2, 0.9], "label": [0, 1], "post": ["p", "p"]})
    value = assay.evaluate(
        assay.read_decisions(frame, group="post"), measures=["auroc"], bootstrap=assay.Bootstrap(50)
    )["auroc"]
    assert value.interval is not None
    assert (value.interval.low, value.interval.high) == (1.0, 1.0)


def drawn_row_by_row(members: list[np.ndarray], resamples: int, seed: int) -> np.ndarray:
    """As docs/statistics.md defines the draws."""
    out = np.zeros((resamples, sum(map(len, members))))
    for stratum, each in enumerate(members):
        rng = np.random.default_rng([seed, stratum])
        for row in out:
            np.add.at(row, each[rng.integers(0, len(each), len(each))], 1)
    return out


@pytest.mark.parametrize("kept", [0, 16 << 20])
def test_draws_that_are_kept_are_the_same(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resample, "KEPT", kept)
    monkeypatch.setattr(resample, "_kept", [])
    whole, parts = [np.arange(30)], [np.arange(0, 30, 3), np.setdiff1d(np.arange(30), np.arange(0, 30, 3))]
    other = [np.arange(10), np.arange(10, 30)]  # strata of the same sizes
    for members, resamples, seed in (
        (whole, 300, 1), (whole, 300, 1), (whole, 300, 2), (whole, 299, 2), (parts, 299, 2),
        (other, 299, 2), (other, 299, 2), (parts, 299, 2), (whole, 299, 2),
    ):  # fmt: skip
        strata = Strata(np.arange(30), tuple(members))
        expected = drawn_row_by_row(members, resamples, seed)
        next(draws(strata, resamples, seed))  # left unfinished: nothing is kept of it
        for _ in range(2):
            made = list(draws(strata, resamples, seed))
            assert all(each.dtype == np.float64 for each in made)
            assert np.array_equal(np.concatenate(made), expected)
            for each in made:
                each[:] = -1  # what a caller does to its rows stays with the caller
    assert len(resample._kept) == (kept > 0)


def test_counts_beyond_a_byte_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resample, "_kept", [])
    monkeypatch.setattr(resample, "_drawn", lambda *_: iter([np.full((1, 3), 256.0)]))
    for _ in range(2):
        assert [each.tolist() for each in draws(Strata(np.arange(3), (np.arange(3),)), 1, 0)] == [
            [[256.0] * 3]
        ]
    assert not resample._kept
