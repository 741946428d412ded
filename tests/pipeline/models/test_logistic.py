"""Our logistic regression against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from assay.pipeline.models.sparse_logistic import fit_logistic, minimise


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


def test_a_quadratic_by_hand() -> None:
    # ½ Σ i·(x − i)² has its minimum at x = i
    scale = np.arange(1.0, 6.0)

    def objective(at: np.ndarray) -> tuple[float, np.ndarray]:
        return float(0.5 * (scale * (at - scale) ** 2).sum()), scale * (at - scale)

    assert np.allclose(minimise(objective, np.zeros(5), 1e-9, 200), scale, atol=1e-8)
    assert np.array_equal(minimise(objective, np.zeros(5), 1e-9, 0), np.zeros(5))
