"""scikit-learn's figures where it has the measure: nDCG of one query, AUROC."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import ndcg_score, roc_auc_score

import assay
import assay.compat
from assay.metrics.core.ranked_steps import Presorted
from assay.metrics.detection.areas import auroc


@pytest.mark.parametrize("seed", range(20))
def test_ndcg_without_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.choice([0, 0, 1, 2], size=15).astype(float)
    truth[0] = 1.0
    scores = rng.permutation(15).astype(float)
    for k in (1, 3, 10, 20):
        theirs = ndcg_score([truth], [scores], k=k)
        assert assay.compat.compute_ndcg_at_k(truth.tolist(), scores.tolist(), k) == pytest.approx(theirs)


@pytest.mark.parametrize("seed", range(10))
def test_auroc_with_ties_and_counts(seed: int) -> None:
    """A row of counts is the same as the rows themselves, repeated."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, 200).astype(float)
    prob = rng.integers(0, 20, 200) / 20
    counts = rng.integers(0, 4, (5, 200)).astype(float)
    wins, pairs = auroc(Presorted.of(prob, label).steps(counts.T.astype(int)))
    for row in range(5):
        times = counts[row].astype(int)
        theirs = roc_auc_score(np.repeat(label, times), np.repeat(prob, times))
        assert wins[row] / pairs[row] == pytest.approx(theirs, abs=1e-12)
