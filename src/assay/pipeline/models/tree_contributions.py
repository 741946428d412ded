"""How much each feature contributes to the output of gradient boosting, by path attribution.

A row reaches one leaf per tree. On its way, the mean output of the TRAIN rows below the current
node changes with every split; that change is credited to the feature that is split on (Saabas,
2014, "Interpreting random forests"). Base and contributions add up to the log-odds.

scikit-learn has no public access to the trees of histogram gradient boosting. This module reads
`_predictors[i][0].nodes`, and checks the sum with the public `decision_function`.
"""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.errors import UnknownTreesError
from assay.pipeline.models.extras import extra

sp = extra("scipy.sparse")

CHECKED = 200  # rows; a tree that is stored otherwise would differ in most of them
CLOSE = 1e-6  # largest difference between the sum of contributions and the log-odds


def tree_contributions(model: Any, features: NDArray[Any]) -> tuple[Floats, float]:
    """Return the contribution of each feature to each row's log-odds, and the base.

    Parameters
    ----------
    model
        A fitted binary `HistGradientBoostingClassifier`; a categorical feature must be the first.
    features
        Rows as for `decision_function`, which may contain NaN.

    Returns
    -------
    tuple
        An array of rows × features, and the mean log-odds of TRAIN: base + the sum of a row is its
        `decision_function`.

    Raises
    ------
    UnknownTreesError
        If the trees cannot be read, or if the sums are not the model's log-odds.

    """
    rows, count = features.shape
    if not rows:
        return np.zeros((0, count)), 0.0
    try:
        trees = [each.nodes for (each,) in model._predictors]
        per_leaf = np.concatenate([_leaf_contributions(nodes, count) for nodes in trees])
        reached = _leaves(model, features)
    except (AttributeError, KeyError, ValueError, IndexError, TypeError) as error:
        raise UnknownTreesError(str(error)) from None
    starts = np.cumsum([0, *(int(nodes["is_leaf"].sum()) for nodes in trees)])[:-1]
    column = (reached + starts).ravel()
    along = np.arange(0, len(column) + 1, len(trees))
    chosen = sp.csr_matrix((np.ones(len(column)), column, along), shape=(rows, len(per_leaf)))
    made = np.asarray(chosen @ per_leaf)
    some = np.linspace(0, rows - 1, min(rows, CHECKED), dtype=np.int64)
    bases = model.decision_function(features[some]) - made[some].sum(axis=1)
    base = float(np.median(bases))
    if np.abs(bases - base).max() > CLOSE:
        raise UnknownTreesError("contributions do not add up to the log-odds")
    return made, base


def _leaf_contributions(nodes: NDArray[Any], count: int) -> Floats:
    """Return the contribution of each feature on the way to each leaf, in the order of the nodes."""
    left, right, size, feature = (nodes[key].tolist() for key in ("left", "right", "count", "feature_idx"))
    inner = np.flatnonzero(nodes["is_leaf"] == 0).tolist()
    means = nodes["value"].tolist()
    for at in reversed(inner):  # children have higher numbers than their parent
        # Values of inner nodes are not scaled by the learning rate, those of leaves are.
        one, other = left[at], right[at]
        means[at] = (means[one] * size[one] + means[other] * size[other]) / (size[one] + size[other])
    paths = np.zeros((len(nodes), count))
    for at in inner:
        for child in (left[at], right[at]):
            paths[child] = paths[at]
            paths[child, feature[at]] += means[child] - means[at]
    return np.asarray(paths[nodes["is_leaf"] == 1])


def _leaves(model: Any, features: NDArray[Any]) -> Ints:
    """Return the number of the leaf that each row reaches, rows × trees.

    A copy of the model whose leaves contain their own numbers predicts them, so scikit-learn itself
    walks the trees: missing values and categories go where they always go.
    """
    numbered = deepcopy(model)
    for (tree,) in numbered._predictors:
        leaf = tree.nodes["is_leaf"] == 1
        tree.nodes["value"][leaf] = np.arange(int(leaf.sum()))
    start = np.full(len(features), float(np.ravel(model._baseline_prediction)[0]))
    sums = [np.array(each).ravel() for each in numbered.staged_decision_function(features)]
    steps = [after - before for before, after in pairwise([start, *sums])]
    return np.round(np.stack(steps, axis=1)).astype(np.int64)
