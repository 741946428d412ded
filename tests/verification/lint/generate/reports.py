"""scikit-learn's classification reports: text, dict, and the tables that people make of them."""

from __future__ import annotations

import json
import random
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import classification_report

from tests.verification.lint.generate.classifiers import MODELS, drawn
from tests.verification.lint.generate.render import Generated, Printed, rendered

NAMES = ("negative", "positive", "neutral", "class 3", "A.1", "none of these")
Arguments = dict[str, Any]


def arguments(rng: random.Random) -> Arguments:
    """Labels and predictions: two classes, several, or several labels per item."""
    kind = rng.choice(("binary", "binary", "several", "several", "labels", "subset"))
    size = rng.choice((12, 40, 150, 800))
    digits = rng.choice((2, 3, 4))
    zero = rng.choice((0, 0, 0, 1, np.nan))
    if kind == "labels":
        np_rng = np.random.default_rng(rng.randint(0, 2**31))
        truth = (np_rng.random((size, 4)) < 0.3).astype(int)
        noise = np_rng.random((size, 4)) < rng.uniform(0, 0.4)
        made: Arguments = {"y_true": truth, "y_pred": np.where(noise, 1 - truth, truth)}
        made["target_names"] = [f"label {at}" for at in range(4)]
    else:
        classes = 2 if kind == "binary" else rng.randint(3, 6)
        truth, guess, _ = drawn(rng, classes, size)
        made = {"y_true": truth, "y_pred": guess}
        if kind == "subset":
            made["labels"] = list(range(1, classes))
        elif rng.random() < 0.5:
            made |= {"labels": list(range(classes)), "target_names": list(NAMES[:classes])}
    if kind == "several" and rng.random() < 0.15:
        weights = [rng.uniform(0.5, 2) for _ in range(size)]
        made["sample_weight"] = np.array(weights)  # supports are no whole numbers
    return {**made, "digits": digits, "zero_division": zero}


def as_text(made: Arguments) -> str:
    """The report as it is printed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(classification_report(**made))


def as_dict(made: Arguments) -> dict[str, Any]:
    """The report as a dict, unrounded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dict(classification_report(**made, output_dict=True))


def text_report(rng: random.Random) -> Generated:
    """One report or several, with a line of a log above each, or in a README."""
    parts, weighted = [], []
    for model in rng.sample(MODELS, rng.randint(1, 3)):
        made = arguments(rng)
        weighted.append("sample_weight" in made)
        parts.append(f"=== {model} ===\n\n{as_text(made)}")
    text = "\n\n".join(parts)
    planted = [] if weighted[0] else _planted_text(text)
    if rng.random() < 0.3:
        text = f"# Results\n\n```\n{text}\n```\n"
        planted = [(code, f"# Results\n\n```\n{each}\n```\n") for code, each in planted]
    name = "README.md" if text.startswith("#") else "report.txt"
    return Generated("scikit-learn", name, text, {}, tuple(planted))


_MACRO = re.compile(r"(macro avg\s+)(\d\.\d+)(?=(?:\s+\d\.\d+){2}\s+\d+)")


def _planted_text(text: str) -> list[tuple[str, str]]:
    """Another macro precision, and a support that is not that of the other averages."""
    found = _MACRO.search(text)
    if found is None:
        return []
    value = float(found[2])
    other = value - 0.2 if value > 0.5 else value + 0.2
    wrong = f"{found[1]}{other:.{len(found[2]) - 2}f}"
    planted = [("A521", text[: found.start()] + wrong + text[found.end() :])]
    support = re.search(r"(macro avg(?:\s+\d\.\d+){3}\s+)(\d+)", text)
    if support is not None:
        more = f"{support[1]}{int(support[2]) + 7}"
        planted.append(("A524", text[: support.start()] + more + text[support.end() :]))
    if "nan" in text.split("macro avg", maxsplit=1)[0]:
        planted = planted[1:]  # a class without a value: its mean cannot be checked
    return planted


def json_report(rng: random.Random) -> Generated:
    """`output_dict=True`, one model or several."""
    models = rng.sample(MODELS, rng.randint(1, 2))
    found = {model: as_dict(arguments(rng)) for model in models}
    body = found[models[0]] if len(models) == 1 else found
    planted = []
    text = json.dumps(body).replace("NaN", '"nan"')
    report = json.loads(text) if len(models) == 1 else json.loads(text)[models[0]]
    average = report.get("weighted avg", {})
    if isinstance(average.get("recall"), float) and 0.1 < average["recall"] < 0.9:
        average["recall"] += 0.05
        other = report if len(models) == 1 else {models[0]: report}
        planted = [("A523" if "accuracy" in report or "micro avg" in report else "A522", json.dumps(other))]
    return Generated("scikit-learn", "report.json", text, {}, tuple(planted))


def frame_report(rng: random.Random) -> Generated:
    """The dict as a data frame, printed as a table; the accuracy row repeats its value."""
    made = arguments(rng)
    digits = made["digits"]
    frame = pd.DataFrame(as_dict(made))
    if rng.random() < 0.7:
        frame = frame.T
    frame = frame.round(digits)
    whole = rng.random() < 0.5
    rows = []
    for name, values in frame.iterrows():
        cells = []
        for column, value in values.items():
            count = "support" in (name, column) and whole and float(value).is_integer()
            cells.append(f"{value:.0f}" if count else f"{value:.{digits}f}")
        rows.append([str(name), *("nan" if "nan" in cell else cell for cell in cells)])
    table = Printed([[rng.choice(("", "class")), *map(str, frame.columns)]], rows)
    kind, style = rng.choice(("md", "csv", "tex")), rng.randint(0, 99)
    planted = _planted_frame(table, digits, made)
    return Generated(
        "scikit-learn",
        f"report.{kind}",
        rendered(table, kind, style),
        {},
        tuple((code, rendered(each, kind, style)) for code, each in planted),
    )


def _planted_frame(table: Printed, digits: int, made: Arguments) -> list[tuple[str, Printed]]:
    """Another weighted F1, where rows are classes."""
    names = [row[0] for row in table.rows]
    head = list(table.head[0])
    if "weighted avg" not in names or "f1-score" not in head:
        return []
    column = head.index("f1-score")
    if any("nan" in row for row in table.rows) or "sample_weight" in made:
        return []
    at = names.index("weighted avg")
    value = float(table.rows[at][column])
    other = value - 0.2 if value > 0.5 else value + 0.2
    return [("A522", table.with_cell(at, column, f"{other:.{digits}f}"))]


def by_model(rng: random.Random) -> Generated:
    """Reports of several models in one table, with a column for the model."""
    rows, digits = [], rng.choice((2, 3))
    size, classes = rng.choice((30, 200)), rng.randint(2, 4)
    truth, _, _ = drawn(rng, classes, size)
    for model in rng.sample(MODELS, 2):
        _, guess, _ = drawn(rng, classes, size)
        found = as_dict({"y_true": truth, "y_pred": guess, "zero_division": 0})
        for name, row in found.items():
            if isinstance(row, dict):
                cells = [f"{row[key]:.{digits}f}" for key in ("precision", "recall", "f1-score")]
                rows.append([model, name, *cells, f"{row['support']:.0f}"])
    table = Printed([["Model", "Class", "P", "R", "F1", "Support"]], rows)
    kind = rng.choice(("md", "csv", "tex"))
    return Generated("scikit-learn", f"table.{kind}", rendered(table, kind, rng.randint(0, 99)))
