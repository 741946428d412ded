"""scikit-learn scorers of assay's decision measures, for `cross_validate` and `GridSearchCV`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from sklearn.metrics import make_scorer

from assay.contracts.contract_toml import DEFAULT, contract
from assay.data.label_table import LabelTable
from assay.data.readers.table_files import Table
from assay.errors import InputError, MeasureError
from assay.evaluation.evaluate import evaluate

__all__ = ["score", "scorer"]


def scorer(measure: str, *, pos_label: Any = 1, contract_id: str = DEFAULT) -> Callable[..., float]:
    """Return a scorer of a measure of labels and probabilities.

    As in scikit-learn, a measure that is better when lower, such as `ece`, is scored with a negative
    sign, so that a higher score is always better.

    Parameters
    ----------
    measure
        A name, such as `ece`, `auroc` or `brier_score_loss`, or a definition id.
    pos_label
        The class that counts as positive.
    contract_id
        The contract that the name is looked up in.

    Returns
    -------
    callable
        A scorer of scikit-learn, `scorer(estimator, X, y)`. It needs `predict_proba`.

    Raises
    ------
    MeasureError
        If the measure needs more than labels and probabilities, or has no direction.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> X, y = [[i % 7] for i in range(40)], [int(i % 7 > 3) for i in range(40)]
    >>> scoring = {"ece": scorer("ece"), "auroc": scorer("auroc")}
    >>> scores = cross_validate(LogisticRegression(), X, y, scoring=scoring, cv=2)
    >>> scores["test_auroc"].tolist()
    [1.0, 1.0]

    """
    under = contract(contract_id)
    (name,) = under.expanded([measure], labels=True) or (measure,)
    entry = under.resolve(name)
    if entry.needs != ("prob",):
        missing = ", ".join(set(entry.needs) - {"prob"}) or "rankings"
        raise MeasureError(f"{measure} needs {missing}; a scorer has labels and probabilities only")
    if entry.better == "neither":
        raise MeasureError(f"{measure} is neither better higher nor better lower; a scorer needs a direction")
    return make_scorer(  # type: ignore[no-any-return] # scikit-learn has no types
        score,
        response_method="predict_proba",
        greater_is_better=entry.better == "higher",
        definition=entry.id,
        pos_label=pos_label,
    )


def score(y_true: Any, y_prob: Any, *, definition: str, pos_label: Any = 1) -> float:
    """Return the value of a definition id, with its own sign, for labels and probabilities."""
    classes = np.unique(np.asarray(y_true))
    if len(classes) > 2 or (len(classes) == 2 and pos_label not in classes):
        problem = f"has the classes {', '.join(map(str, classes[:5]))}"
        raise InputError.of("y_true", problem, f"expected two classes, one of them pos_label={pos_label!r}")
    labels = (np.asarray(y_true) == pos_label).astype(np.int64)
    frame = pl.DataFrame({"label": labels, "prob": np.asarray(y_prob, dtype=np.float64)})
    result = evaluate(LabelTable(Table(frame, "y_true and y_prob"), "prob", "label"), measures=[definition])
    return result[definition].value
