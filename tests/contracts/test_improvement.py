"""Point 27 of the disagreements: one rule of relative improvement."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay
from assay.evaluation.comparison.paired_tests import mean_of_fold_improvements, relative_improvement


def test_27_relative_improvement_is_of_the_two_reported_values() -> None:
    found = relative_improvement(0.7330, 0.8206)
    assert found is not None
    assert round(100 * found, 2) == 11.95
    assert round(100 * found, 2) != 10.48  # what one of the documents prints
    assert relative_improvement(0.0, 0.5) is None
    assert relative_improvement(0.5, 0.25) == -0.5


def test_27_a_mean_of_fold_ratios_is_another_figure() -> None:
    before, after = (0.5, 0.8), (0.75, 0.8)
    assert mean_of_fold_improvements(before, after) == pytest.approx((0.5 + 0.0) / 2)
    assert relative_improvement(float(np.mean(before)), float(np.mean(after))) == pytest.approx(0.25 / 1.3)
    assert mean_of_fold_improvements((0.0, 0.8), (0.1, 0.8)) is None


def test_27_a_comparison_follows_the_rule() -> None:
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame({"post_id": ["p", "p", "q", "q"], "sent_uid": ["p1", "p2", "q1", "q2"]}),
        criteria=pl.DataFrame({"criterion_id": ["c"]}),
        gold=pl.DataFrame({"post_id": ["p", "q"], "criterion_id": ["c", "c"], "sent_uid": ["p1", "q1"]}),
        folds=pl.DataFrame({"post_id": ["p", "q"], "fold": [0, 1]}),
    )

    def ranked(*scores: float) -> assay.Predictions:
        frame = pl.DataFrame(
            {
                "post_id": ["p", "p", "q", "q"],
                "criterion_id": ["c"] * 4,
                "sent_uid": ["p1", "p2", "q1", "q2"],
                "score": scores,
            }
        )
        return assay.Predictions.of(frame)

    # mrr of the folds: (1/2, 1) and (1, 1); their means .75 and 1
    made = assay.compare(
        ranked(0.1, 0.2, 0.9, 0.1), ranked(0.3, 0.2, 0.9, 0.1), corpus=corpus, measures=["mrr"], resamples=20
    )["mrr"]
    assert (made.baseline_value, made.system_value) == (0.75, 1.0)
    assert made.relative_improvement == pytest.approx(1 / 3)
    assert made.mean_of_fold_improvements == pytest.approx((1.0 + 0.0) / 2)
