"""Several regressions on the same rows against scikit-learn, one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from assay.pipeline.regressions.logistic_batch import FOLDED, WIDTH, Task, _largest, fit_batch
from assay.pipeline.regressions.logistic_regression import Logistic, contrast, fit_logistic
from assay.pipeline.regressions.own_models import Items, OwnModels, ScorerSettings, fit_own


def drawn(rows: int, features: int, tasks: int, seed: int = 3) -> tuple[np.ndarray, list[np.ndarray]]:
    draw = np.random.default_rng(seed)
    dense = draw.random((rows, features)) * (draw.random((rows, features)) < 0.4)
    golds = [
        draw.random(rows) < 1 / (1 + np.exp(1 - 4 * dense[:, at % features] + at / 9)) for at in range(tasks)
    ]
    return dense, golds


def fitted(features: Any, tasks: list[Task], tolerance: float = 1e-9) -> list[Logistic]:
    made = dict(fit_batch(features, tasks, 3.0, tolerance, 3000))
    assert sorted(made) == list(range(len(tasks)))
    return [made[at] for at in range(len(tasks))]


@pytest.mark.parametrize("shape", [(300, 12), (40, 150)])  # more rows than features, and fewer
@pytest.mark.parametrize("count", [1, WIDTH - 1, WIDTH, WIDTH + 1, 3 * WIDTH - 1])
@pytest.mark.parametrize("kind", [sp.csr_matrix, np.asarray])
def test_the_same_minima_as_scikit_learn(shape: tuple[int, int], count: int, kind: Any) -> None:
    dense, golds = drawn(*shape, count)
    made = fitted(kind(dense), [Task(gold) for gold in golds])
    for gold, each in zip(golds, made, strict=True):
        peer = LogisticRegression(C=3.0, class_weight="balanced", tol=1e-10, max_iter=10_000).fit(dense, gold)
        assert np.allclose(each.weights, peer.coef_[0], atol=1e-3)
        assert each.intercept == pytest.approx(peer.intercept_[0], abs=1e-3)


@pytest.mark.parametrize("count", [1, WIDTH + 2])
def test_scaled_features_are_penalised_less(count: int) -> None:
    dense, golds = drawn(200, 20, count)
    dense[:, 4] = 0.5  # as frequent in both classes: its scale is 0
    features = sp.csr_matrix(dense)
    tasks = [Task(gold, 0.1) for gold in golds]
    for gold, each in zip(golds, fitted(features, tasks), strict=True):
        scale = contrast(features, gold, 0.1)
        peer = LogisticRegression(C=3.0, class_weight="balanced", tol=1e-10, max_iter=10_000)
        peer.fit(dense * scale, gold)
        assert np.allclose(each.weights, peer.coef_[0] * scale, atol=2e-3)
        assert np.allclose(each.decision_function(dense), peer.decision_function(dense * scale), atol=2e-3)


def test_both_kinds_of_tasks_next_to_each_other() -> None:
    dense, golds = drawn(150, 30, 6)
    features = sp.csr_matrix(dense)
    mixed = fitted(features, [Task(gold, 0.1 * (at % 2)) for at, gold in enumerate(golds)])
    alone = [fitted(features, [Task(gold, 0.1 * (at % 2))])[0] for at, gold in enumerate(golds)]
    for one, other in zip(mixed, alone, strict=True):
        assert np.allclose(one.weights, other.weights, atol=1e-6)


def test_single_precision_is_as_close_as_a_fit_by_feature() -> None:
    dense, golds = drawn(200, 60, WIDTH)
    features = sp.csr_matrix(dense.astype(np.float32))
    for gold, each in zip(golds, fitted(features, [Task(gold) for gold in golds], 1e-5), strict=True):
        other = fit_logistic(features, gold, 3.0, 1e-5, 3000)
        assert each.weights.dtype == np.float32
        assert np.allclose(each.weights, other.weights, atol=2e-3)


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 200])
def test_it_stops_at_the_tolerance(rows: int) -> None:
    # one feature per row, so that the gradient of each weight is known; 64 features are folded at once
    gold = np.arange(rows + 1) % 2 == 0
    features = sp.csr_matrix(np.eye(rows + 1))
    for each in fitted(features, [Task(gold)] * WIDTH, 1e-3):
        margin = features @ each.weights + each.intercept
        weight = np.where(gold, 0.5 / gold.sum(), 0.5 / (~gold).sum())
        pull = weight * (1 / (1 + np.exp(-margin)) - gold)
        gradient = pull + each.weights / (3.0 * len(gold))
        assert np.abs(gradient).max() <= 1e-3
        assert abs(pull.sum()) <= 1e-3


def test_criteria_with_the_same_rows_are_fitted_together_and_others_alone() -> None:
    dense, golds = drawn(60, 15, 4)
    some = np.flatnonzero(np.arange(60) % 3 > 0)
    rows = [np.arange(60), np.arange(60), some, np.arange(60)]
    items = Items(np.repeat(np.arange(4), [len(each) for each in rows]), np.concatenate(rows))
    gold = np.concatenate([each[row] for each, row in zip(golds, rows, strict=True)])
    told = ScorerSettings(iterations=2000)
    features = sp.csr_matrix(dense)
    made = OwnModels(told)
    made.fit(items, gold, np.arange(4), features)
    assert made.learned().tolist() == [0, 1, 2, 3]
    got = made.fill(items, features, np.zeros(len(gold)))
    for criterion in range(4):
        mine = items.criterion == criterion
        alone = OwnModels(told)
        alone.fit(
            Items(np.zeros(mine.sum(), dtype=int), np.arange(mine.sum())),
            gold[mine], np.arange(1), features[items.row[mine]],
        )  # fmt: skip
        own = Items(np.zeros(mine.sum(), dtype=int), items.row[mine])
        assert np.allclose(alone.fill(own, features, np.zeros(mine.sum())), got[mine], atol=0.02)


def test_as_many_rows_are_not_the_same_rows() -> None:
    dense, golds = drawn(60, 15, 2)
    rows = [np.arange(40), np.arange(20, 60)]
    items = Items(np.repeat(np.arange(2), 40), np.concatenate(rows))
    gold = np.concatenate([each[row] for each, row in zip(golds, rows, strict=True)])
    made = OwnModels(ScorerSettings(strength=0.3, contrast=0.0))
    made.fit(items, gold, np.arange(2), sp.csr_matrix(dense))
    got = made.fill(items, sp.csr_matrix(dense), np.zeros(80))
    for criterion, (each, row) in enumerate(zip(golds, rows, strict=True)):
        peer = LogisticRegression(C=0.3, class_weight="balanced", tol=1e-10, max_iter=10_000)
        expected = peer.fit(dense[row], each[row]).decision_function(dense[row])
        assert np.allclose(got[items.criterion == criterion], expected, atol=0.02)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_criterion_has_the_mean_of_both_fits(smoothing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.pipeline.regressions.own_models.TOLERANCE", 1e-8)
    dense, golds = drawn(200, 20, 3)
    features = sp.csr_matrix(dense)
    made = fit_own(features, golds, ScorerSettings(strength=0.3, iterations=1000, contrast=smoothing))
    for gold, each in zip(golds, made, strict=True):
        expected = []
        for scale in (1.0, contrast(features, gold, smoothing)) if smoothing else (1.0,):
            peer = LogisticRegression(C=0.3, class_weight="balanced", tol=1e-10, max_iter=10_000)
            expected.append(peer.fit(dense * scale, gold).decision_function(dense * scale))
        assert np.allclose(each.decision_function(dense), np.mean(expected, axis=0), atol=2e-3)


def test_a_plain_regression_after_a_scaled_one() -> None:
    dense, golds = drawn(150, 30, 2 * WIDTH)
    made = fitted(sp.csr_matrix(dense), [Task(gold, 0.1 * (at < WIDTH)) for at, gold in enumerate(golds)])
    for gold, each in zip(golds[WIDTH:], made[WIDTH:], strict=True):
        peer = LogisticRegression(C=3.0, class_weight="balanced", tol=1e-10, max_iter=10_000).fit(dense, gold)
        assert np.allclose(each.weights, peer.coef_[0], atol=2e-3)


@pytest.mark.parametrize("rows", [0, 1, FOLDED - 1, FOLDED, 2 * FOLDED + 1])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_value_of_each_column(rows: int, sign: int) -> None:
    for at in range(rows):
        values = np.full((rows, WIDTH), 0.5 * sign)
        values[at, at % WIDTH] = -2 * sign
        assert _largest(values).tolist() == [2 if column == at % WIDTH else 0.5 for column in range(WIDTH)]
    assert _largest(np.zeros((rows, 1))).tolist() == [0]


def test_a_criterion_with_one_class_has_no_model() -> None:
    dense, golds = drawn(30, 5, 2)
    golds[0][:] = True
    items = Items(np.repeat([0, 1], 30), np.tile(np.arange(30), 2))
    made = OwnModels(ScorerSettings())
    made.fit(items, np.concatenate(golds), np.arange(2), sp.csr_matrix(dense))
    assert made.learned().tolist() == [1]


def test_many_entries_are_not_held_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    dense, golds = drawn(100, 20, 2 * WIDTH)
    features = sp.csr_matrix(dense)
    tasks = [Task(gold, 0.1 * (at % 2)) for at, gold in enumerate(golds)]
    together = fitted(features, tasks)
    monkeypatch.setattr("assay.pipeline.regressions.logistic_batch.MOST", features.nnz - 1)
    monkeypatch.setattr(sp.csr_matrix, "tocsc", lambda *_, **__: pytest.fail("held twice"))
    for one, other in zip(fitted(features, tasks), together, strict=True):
        assert np.allclose(one.weights, other.weights, atol=1e-5)
