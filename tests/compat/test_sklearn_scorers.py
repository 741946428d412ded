"""Names and scorers of scikit-learn against its own functions."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
import sklearn.metrics
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

import assay
from assay.compat.sklearn import score, scorer

PROBABILITIES = ("roc_auc_score", "average_precision_score", "brier_score_loss")
DECISIONS = (
    "accuracy_score",
    "balanced_accuracy_score",
    "f1_score",
    "matthews_corrcoef",
    "precision_score",
    "recall_score",
)
SCORERS = ("roc_auc", "average_precision", "accuracy", "balanced_accuracy", "f1_score", "matthews_corrcoef")


def data(seed: int, size: int = 200) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    labels = np.r_[0, 1, rng.random(size) < 0.3].astype(np.int64)
    probs = np.round(np.clip(rng.normal(0.3 + 0.25 * labels, 0.2), 0, 1), 2)  # rounded: with ties
    return labels, probs


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("contract", ["assay/1", "e2e/1.0", "trec_eval/10"])
def test_names_give_the_values_of_scikit_learn(seed: int, contract: str) -> None:
    labels, probs = data(seed)
    table = assay.read_decisions(pl.DataFrame({"label": labels, "prob": probs}))
    result = assay.evaluate(table, contract=contract, measures=[*PROBABILITIES, *DECISIONS])
    for name in PROBABILITIES:
        theirs = getattr(sklearn.metrics, name)(labels, probs)
        assert result[name].value == pytest.approx(theirs, abs=1e-12), name
    for name in DECISIONS:
        theirs = getattr(sklearn.metrics, name)(labels, probs >= 0.5)
        assert result[name].value == pytest.approx(theirs, abs=1e-12), name


def features(seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(240, 3))
    return x, (x[:, 0] + rng.normal(size=240) > 0.5).astype(np.int64)


def test_cross_validation_gives_scikit_learns_own_scores() -> None:
    x, y = features(0)
    names = {"roc_auc": "roc_auc", "brier": "neg_brier_score", "f1": "f1", "accuracy": "accuracy"}
    mine = {"roc_auc": "roc_auc", "brier": "brier_score_loss", "f1": "f1_score", "accuracy": "accuracy_score"}
    names |= {"precision": "precision", "recall": "recall"}  # which mean other measures to rankings
    mine |= {"precision": "precision", "recall": "recall"}
    model = LogisticRegression()
    theirs = cross_validate(model, x, y, scoring=names, cv=4)
    ours = cross_validate(model, x, y, scoring={key: scorer(name) for key, name in mine.items()}, cv=4)
    for name in names:  # both negate a loss
        assert ours[f"test_{name}"] == pytest.approx(theirs[f"test_{name}"], abs=1e-12), name


def test_a_grid_search_minimises_the_calibration_error() -> None:
    x, y = features(1)
    grid = {"C": [0.0001, 0.01, 1.0]}
    search = GridSearchCV(LogisticRegression(), grid, scoring=scorer("ece"), cv=3).fit(x, y)
    means = search.cv_results_["mean_test_score"]
    assert (means < 0).all()
    assert search.best_params_["C"] == grid["C"][int(np.argmax(means))]
    probs = search.predict_proba(x)[:, 1]
    table = assay.read_decisions(pl.DataFrame({"label": y, "prob": probs}))
    assert scorer("ece")(search, x, y) == -assay.evaluate(table, measures=["ece"])["ece"].value


def test_other_labels_need_the_positive_one() -> None:
    x, y = features(2)
    named = np.where(y == 1, "yes", "no")
    model = LogisticRegression().fit(x, named)
    expected = scorer("brier")(LogisticRegression().fit(x, y), x, y)
    assert scorer("brier", pos_label="yes")(model, x, named) == pytest.approx(expected)
    with pytest.raises(ValueError, match=r"pos_label"):
        scorer("brier")(model, x, named)
    with pytest.raises(assay.InputError, match="two classes"):
        score([0, 1, 2], [0.1, 0.2, 0.3], definition="brier:on=all")


def test_scorers_can_be_pickled() -> None:
    x, y = features(3)
    model = LogisticRegression().fit(x, y)
    made = scorer("auroc")
    assert pickle.loads(pickle.dumps(made))(model, x, y) == made(model, x, y)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ndcg@10", "needs rankings"),
        ("deployment/f1", "needs selected_k"),
        ("calibration_slope", "needs a direction"),
        ("neg_brier_score", "brier_score_loss"),
    ],
)
def test_measures_that_cannot_be_scored(name: str, words: str) -> None:
    with pytest.raises(assay.MeasureError, match=words):
        scorer(name)
