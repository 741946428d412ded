"""Classifiers on one test set: binary and with several classes, scored by scikit-learn."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from tests.verification.lint.generate.render import Generated, Printed, as_file, number, pick_format

MODELS = ("SVM", "Random forest", "XGBoost", "BERT", "RoBERTa", "Logistic regression")
DATA = ("MIMIC", "eICU", "SST-2", "IMDB", "CoLA", "Reddit")
Labels = NDArray[np.int64]


def drawn(rng: random.Random, classes: int, size: int) -> tuple[Labels, Labels, NDArray[np.float64]]:
    """Labels, predictions and scores of the positive class; some classes may never be predicted."""
    np_rng = np.random.default_rng(rng.randint(0, 2**31))
    weights = np_rng.dirichlet(np.full(classes, 1.5))
    truth = np_rng.choice(classes, size, p=weights)
    truth[:classes] = np.arange(classes)
    right = np_rng.random(size) < rng.uniform(0.3, 0.98)
    guess = np.where(right, truth, np_rng.integers(0, classes, size))
    score = np.clip(np_rng.normal(0.3 + 0.4 * (guess > 0), 0.2), 0, 1)
    return truth, guess, score


def binary_scores(truth: Labels, guess: Labels, score: NDArray[np.float64]) -> dict[str, float]:
    """What papers print of a binary classifier."""
    tn, fp, fn, _ = metrics.confusion_matrix(truth, guess, labels=[0, 1]).ravel()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: dict[str, float] = {
            "Accuracy": metrics.accuracy_score(truth, guess),
            "Precision": metrics.precision_score(truth, guess, zero_division=0),
            "Recall": metrics.recall_score(truth, guess),
            "F1": metrics.f1_score(truth, guess, zero_division=0),
            "AUROC": metrics.roc_auc_score(truth, score),
            "AUPRC": metrics.average_precision_score(truth, score),
            "MCC": metrics.matthews_corrcoef(truth, guess),
            "Cohen's kappa": metrics.cohen_kappa_score(truth, guess),
            "Balanced accuracy": metrics.balanced_accuracy_score(truth, guess),
            "Specificity": tn / (tn + fp),
            "FPR": fp / (tn + fp),
            "Brier score": metrics.brier_score_loss(truth, score),
            "F2": metrics.fbeta_score(truth, guess, beta=2, zero_division=0),
        }
        if tn + fn:
            found["NPV"] = tn / (tn + fn)
    return found


def several_scores(truth: Labels, guess: Labels, average: str) -> dict[str, float]:
    """What papers print with several classes, often without the name of the average."""
    prf = metrics.precision_recall_fscore_support(truth, guess, average=average, zero_division=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "Accuracy": metrics.accuracy_score(truth, guess),
            "Precision": prf[0],
            "Recall": prf[1],
            "F1": prf[2],
            "MCC": metrics.matthews_corrcoef(truth, guess),
            "Balanced accuracy": metrics.balanced_accuracy_score(truth, guess),
            "Kappa": metrics.cohen_kappa_score(truth, guess),
        }


def binary(rng: random.Random) -> Generated:
    """Models on one test set, with n and positives in the table, given, or nowhere."""
    size = rng.choice((25, 60, 150, 400, 1379))
    truth, _, _ = drawn(rng, 2, size)
    digits, percent = rng.choice((2, 3, 4)), rng.random() < 0.3
    rows: list[Any] = []
    names: list[str] = []
    for model in rng.sample(MODELS, rng.randint(1, 4)):
        _, guess, score = drawn(rng, 2, size)
        found = binary_scores(truth, guess, score)
        names = names or rng.sample(sorted(found), rng.randint(3, len(found)))
        values = [number(found.get(name, float("nan")), digits, percent=percent) for name in names]
        rows.append([model, *values])
    where = rng.choice(("table", "options", "nowhere"))
    options: dict[str, Any] = {}
    head = ["Model", *names]
    positives = int(truth.sum())
    if where == "table":
        head += ["n", "positives"]
        rows = [[*row, str(size), str(positives)] for row in rows]
    elif where == "options":
        options = {"n": size, "positives": positives}
    table = Printed([head], rows)
    planted = _rates_that_no_counts_give(
        table, names, positives, digits, percent=percent, known=where != "nowhere"
    )
    kind, style = pick_format(rng), rng.randint(0, 99)
    if not planted and rng.random() < 0.4:
        table = table.turned()
    return as_file("classifiers", table, kind, style, options, planted)


def _rates_that_no_counts_give(
    table: Printed, names: list[str], positives: int, digits: int, *, percent: bool, known: bool
) -> list[tuple[str, Printed]]:
    """Recall just between two neighbouring whole numbers over the positives."""
    if not known or "Recall" not in names or positives > 60 or digits < 3:
        return []
    between = (positives // 2 + 0.5) / positives
    if percent and digits < 4:
        return []
    text = number(between, digits, percent=percent)
    return [("A513", table.with_cell(0, names.index("Recall") + 1, text))]


def several_classes(rng: random.Random) -> Generated:
    """Averages over classes, named or not."""
    classes, size = rng.randint(3, 6), rng.choice((80, 300, 1200))
    average = rng.choice(("macro", "weighted", "micro"))
    named = rng.random() < 0.6
    digits, percent = rng.choice((2, 3, 4)), rng.random() < 0.4
    truth, _, _ = drawn(rng, classes, size)
    form = rng.choice(("{a} {m}", "{m} ({a})", "{m}_{a}", "{a}-{m}")) if named else "{m}"
    rows, head = [], []
    for model in rng.sample(MODELS, rng.randint(1, 4)):
        _, guess, _ = drawn(rng, classes, size)
        found = several_scores(truth, guess, average)
        head = [
            "Model",
            *(
                form.format(a=average, m=name) if name in ("Precision", "Recall", "F1") else name
                for name in found
            ),
        ]
        rows.append([model, *(number(value, digits, percent=percent) for value in found.values())])
    if rng.random() < 0.3:  # the size of the test set under the name of scikit-learn
        head, rows = [*head, "Support"], [[*row, str(size)] for row in rows]
    table = Printed([head], rows)
    at = head.index(form.format(a=average, m="F1") if named else "F1")
    planted = [("A503", table.with_cell(0, at, number(0.999, max(digits, 3), percent=percent)))]
    first = [float(cell) / (100 if percent else 1) for cell in rows[0][2:4]]
    if max(first) > 0.95:
        planted = []
    return as_file("classifiers", table, pick_format(rng), rng.randint(0, 99), {}, planted)


def splits_and_sets(rng: random.Random) -> Generated:
    """Dev and test, or several data sets, next to each other."""
    split = rng.random() < 0.5
    places = ["dev", "test"] if split else rng.sample(DATA, rng.randint(2, 4))
    form = rng.choice(("{p} {m}", "{m} ({p})", "{p}_{m}", "levels"))
    digits, percent = rng.choice((2, 3)), rng.random() < 0.5
    names = rng.sample(("Accuracy", "Precision", "Recall", "F1", "AUROC", "Specificity"), rng.randint(2, 4))
    # Each place has its own measures.
    shown = {place: rng.sample(names, rng.randint(1, len(names))) for place in places}
    truths = {place: drawn(rng, 2, rng.choice((40, 90, 500)))[0] for place in places}
    rows = []
    for model in rng.sample(MODELS, rng.randint(1, 4)):
        cells = []
        for place in places:
            _, guess, score = drawn(rng, 2, len(truths[place]))
            found = binary_scores(truths[place], guess, score)
            cells += [number(found[name], digits, percent=percent) for name in shown[place]]
        rows.append([model, *cells])
    if form == "levels":
        top = ["", *(place for place in places for _ in shown[place])]
        head = [top, ["Model", *(name for place in places for name in shown[place])]]
        return as_file("data sets", Printed(head, rows), pick_format(rng, levels=2), rng.randint(0, 99), {})
    head = [["Model", *(form.format(p=place, m=name) for place in places for name in shown[place])]]
    return as_file("data sets", Printed(head, rows), pick_format(rng), rng.randint(0, 99), {})


def learning_curve(rng: random.Random) -> Generated:
    """Accuracy by the number of training examples, in a column called n."""
    rows = []
    for n in (10, 50, 100, 500):
        truth, guess, score = drawn(rng, 2, 333)
        found = binary_scores(truth, guess, score)
        rows.append([str(n), *(number(found[name], 3) for name in ("Accuracy", "F1", "AUROC"))])
    head = ["n", "Accuracy", "F1", "AUROC"]
    if rng.random() < 0.5:
        head, rows = ["Model", *head], [["BERT", *row] for row in rows]
    return as_file("classifiers", Printed([head], rows), pick_format(rng), rng.randint(0, 99), {})


FAMILIES: Mapping[str, Callable[[random.Random], Generated]] = {
    "binary": binary,
    "several": several_classes,
    "splits": splits_and_sets,
    "curve": learning_curve,
}
