"""Contributions of features add up to the log-odds that scikit-learn gives."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assay.array_types import Bools, Floats
from assay.errors import UnknownTreesError
from assay.pipeline.models.boosting import Boosted, BoostingSettings
from assay.pipeline.models.shrunk_boosting import ShrunkBoosting
from assay.pipeline.models.tree_contributions import tree_contributions

ensemble = pytest.importorskip("sklearn.ensemble")


def rows(seed: int, count: int = 1500, missing: float = 0.15) -> tuple[Floats, Bools]:
    """A category, numbers with gaps, and labels that depend on the category and one number."""
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(count, 7))
    features[:, 0] = draw.integers(0, 12, count)
    gold = features[:, 2] + 2 * np.isin(features[:, 0], (3, 7)) + 0.3 * draw.normal(size=count) > 0.5
    features[draw.random(features.shape) < missing] = np.nan
    return features, gold


@pytest.mark.parametrize("categories", [None, [0]])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("single", [False, True])
def test_the_sum_is_the_decision_function(categories: list[int] | None, missing: float, single: bool) -> None:
    features, gold = rows(1, missing=missing)
    kind = np.float32 if single else np.float64
    model = ensemble.HistGradientBoostingClassifier(
        max_iter=40, learning_rate=0.1, categorical_features=categories, max_features=0.5, random_state=0
    ).fit(features.astype(kind), gold)
    asked = rows(2, missing=missing)[0].astype(kind)
    if categories:
        asked[:5, 0] = 200.0  # a category that TRAIN does not have
    made, base = tree_contributions(model, asked)
    assert made.shape == asked.shape
    assert np.abs(made.sum(axis=1) + base - model.decision_function(asked)).max() < 1e-9


def test_what_decides_everything_is_first_and_noise_is_small() -> None:
    features, gold = rows(3)
    made, _ = Boosted(BoostingSettings(), 0, features, gold).contributions(features)
    size = np.abs(made).mean(axis=0)
    assert np.argsort(-size)[:2].tolist() == [2, 0]
    assert size[[1, 3, 4, 5, 6]].max() < size[0] / 3


def test_a_feature_that_is_always_missing_contributes_nothing() -> None:
    features, gold = rows(4)
    features[:, 3] = np.nan
    model = Boosted(BoostingSettings(), 0, features, gold)
    made, base = model.contributions(features)
    assert not made[:, 3].any()
    assert np.allclose(made.sum(axis=1) + base, model(features), atol=1e-9)


def test_with_one_class_there_is_only_a_base() -> None:
    features, gold = rows(5)
    model = Boosted(BoostingSettings(), 0, features, np.zeros_like(gold))
    made, base = model.contributions(features)
    assert not made.any()
    assert base == model(features)[0]


@pytest.mark.parametrize("half", [0.0, 150.0, 1e9])
def test_trees_and_regression_add_up(half: float) -> None:
    features, gold = rows(6)
    few = features[:, 1:4]
    model = ShrunkBoosting(BoostingSettings(), 0, features, few, gold, half)
    trees, regression, base = model.contributions(features, few)
    whole = trees.sum(axis=1) + regression.sum(axis=1) + base
    assert np.abs(whole - model(features, few)).max() < 1e-9


def test_no_rows() -> None:
    features, gold = rows(7)
    made, _ = Boosted(BoostingSettings(), 0, features, gold).contributions(features[:0])
    assert made.shape == (0, 7)


@pytest.mark.parametrize("model", [SimpleNamespace(), SimpleNamespace(_predictors=[(SimpleNamespace(),)])])
def test_trees_that_are_stored_otherwise_are_said(model: Any) -> None:
    with pytest.raises(UnknownTreesError):
        tree_contributions(model, rows(8)[0])


def test_sums_that_are_not_the_log_odds_are_said() -> None:
    features, gold = rows(9)
    model = ensemble.HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(features, gold)
    honest = model.decision_function
    model.decision_function = lambda given: honest(given) + given[:, 2]
    with pytest.raises(UnknownTreesError, match="do not add up"):
        tree_contributions(model, np.nan_to_num(features))
