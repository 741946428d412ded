"""Our logistic regression against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from assay.pipeline.regressions.lbfgs import minimise
from assay.pipeline.regressions.logistic_regression import contrast, fit_logistic


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("strength", [0.1, 3.0, 50.0])
def test_the_same_minimum_as_scikit_learn(sparse: bool, strength: float) -> None:
    draw = np.random.default_rng(2)
    dense = draw.normal(size=(300, 12)) * (draw.random((300, 12)) < 0.4)
    gold = draw.random(300) < 1 / (1 + np.exp(-dense[:, 0] * 2 + dense[:, 1] + 1.5))
    peer = LogisticRegression(C=strength, class_weight="balanced", tol=1e-9, max_iter=1000)
    peer.fit(dense, gold)
    made = fit_logistic(sp.csr_matrix(dense) if sparse else dense, gold, strength, 1e-8, 1000)
    assert np.allclose(made.weights, peer.coef_[0], atol=1e-4)
    assert made.intercept == pytest.approx(peer.intercept_[0], abs=1e-4)
    assert np.allclose(made.decision_function(dense), peer.decision_function(dense), atol=1e-3)


def test_single_precision_stays_close() -> None:
    draw = np.random.default_rng(4)
    dense = draw.normal(size=(200, 30)).astype(np.float32)
    gold = dense[:, 0] + draw.normal(size=200) > 0
    one, two = (
        fit_logistic(sp.csr_matrix(each), gold, 1.0, 1e-5, 500) for each in (dense, dense.astype(np.float64))
    )
    assert one.weights.dtype == np.float32
    assert np.allclose(one.weights, two.weights, atol=1e-3)


def test_contrast_by_hand() -> None:
    # sums of the positives: 3, 1, 0; of the others: 1, 1, 2; with smoothing 1: 4, 2, 1 of 7 and 2, 2, 3 of 7
    features = sp.csr_matrix(np.array([[2.0, 1, 0], [1, 0, 0], [1, 1, 2]]))
    gold = np.array([True, True, False])
    logs = np.array([np.log(2), 0.0, np.log(3)])
    assert np.allclose(contrast(features, gold, 1.0), logs / logs.mean(), atol=1e-12)


@pytest.mark.parametrize("smoothing", [0.1, 1e-50, 1e6])
def test_contrast_is_finite(smoothing: float) -> None:
    features = np.ones((4, 3), dtype=np.float32)
    gold = np.array([True, False, True, False])
    made = contrast(sp.csr_matrix(features), gold, smoothing)
    assert made.dtype == np.float32
    assert np.allclose(made, 0.0)
    features[gold, 0] = features[~gold, 1] = 0.0
    assert np.isfinite(contrast(sp.csr_matrix(features), gold, smoothing)).all()


def test_a_quadratic_by_hand() -> None:
    # ½ Σ i·(x − i)² has its minimum at x = i
    scale = np.arange(1.0, 6.0)

    def objective(at: np.ndarray) -> tuple[float, np.ndarray]:
        return float(0.5 * (scale * (at - scale) ** 2).sum()), scale * (at - scale)

    assert np.allclose(minimise(objective, np.zeros(5), 1e-9, 200), scale, atol=1e-8)
    assert np.array_equal(minimise(objective, np.zeros(5), 1e-9, 0), np.zeros(5))
