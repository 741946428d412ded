"""Thresholds of both implementations on the same TUNE queries."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.statistics.exact_binomial import exact_bounds
from assay_oracle.core.exact_bounds import bounds
from assay_oracle.statistics.rules import choose

RULES = (
    "fpr_0.05",
    "fpr_0.10",
    "f1",
    "sensitivity_0.9",
    "sensitivity_0.995",
    "precision_0.8",
    "precision_0.6",
    "conformal_0.9",
    "conformal_0.5",
)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(12))
def test_the_second_implementation_chooses_the_same(rule: str, seed: int) -> None:
    generator = np.random.default_rng(seed)
    n = int(generator.choice([1, 5, 40, 200]))
    label = generator.random(n) < generator.choice([0.0, 0.1, 0.5, 1.0])
    prob = np.round(np.clip(generator.normal(0.3 + 0.3 * label, 0.2), 0, 1), 2)  # many ties
    posts = [f"p{at}" for at in generator.integers(0, max(1, n // 3), n)]
    ours = assay.choose_threshold(prob, label, rule, posts=posts, confidence=0.85)
    rows = [(float(p), bool(y), post) for p, y, post in zip(prob, label, posts, strict=True)]
    theirs = choose(rule, rows, 0.85)
    assert ours.value == theirs.value
    assert ours.reached == pytest.approx(float(theirs.reached), abs=1e-12)
    assert ours.units == pytest.approx(float(theirs.units), abs=1e-9)
    if theirs.confidence is None:
        assert ours.confidence is None
    else:
        assert ours.confidence == pytest.approx(theirs.confidence, abs=1e-9)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (7, 7), (3, 10), (199, 200)])
def test_exact_bounds_are_the_same(hits: int, n: int) -> None:
    assert exact_bounds(hits, n, 0.9) == pytest.approx(bounds(hits, n, 0.9), abs=1e-9)
