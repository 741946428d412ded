"""Cross-validation: values of folds, means with ± of several kinds, stratified folds."""

from __future__ import annotations

import random
import statistics
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from tests.verification.lint.generate.classifiers import MODELS, binary_scores, drawn
from tests.verification.lint.generate.rankings import DATA, NAMES, judged, scored
from tests.verification.lint.generate.render import Generated, Printed, as_file, as_json, number, pick_format

Values = dict[str, list[float]]


def ranked(rng: random.Random, folds: int) -> Values:
    """Ranking measures of each fold, under printed names."""
    keys = [pattern.format(k=k) for pattern in NAMES for k in (1, 5, 10) if "{k}" in pattern or k == 1]
    shown = {
        key: names[0].format(k=k)
        for pattern, names in NAMES.items()
        for k in (1, 5, 10)
        if (key := pattern.format(k=k)) in keys
    }
    kept = rng.sample(sorted(shown), rng.randint(2, 6))
    found = [scored(rng, judged(rng, graded=False))[1] for _ in range(folds)]
    return {shown[key]: [fold[key] for fold in found] for key in kept}


def classified(rng: random.Random, folds: int) -> tuple[Values, dict[str, Any]]:
    """Rates of each stratified fold, and what lint may be told of the folds."""
    size = rng.choice((60, 150, 600))
    truth, guess, score = drawn(rng, 2, size)
    truth[: 3 * folds], truth[3 * folds : 6 * folds] = 0, 1
    order = np.random.default_rng(rng.randint(0, 2**31)).permutation(size)
    truth, guess, score = truth[order], guess[order], score[order]
    stratified = rng.random() < 0.5
    splitter = StratifiedKFold(folds) if stratified else KFold(folds)
    parts = [test for _, test in splitter.split(truth.reshape(-1, 1), truth)]
    if any(len(set(truth[part])) < 2 for part in parts):
        stratified = True
        parts = [test for _, test in StratifiedKFold(folds).split(truth.reshape(-1, 1), truth)]
    found = [binary_scores(truth[part], guess[part], score[part]) for part in parts]
    names = [name for name in found[0] if all(name in fold for fold in found)]
    kept = rng.sample(names, rng.randint(3, len(names)))
    options: dict[str, Any] = {}
    if rng.random() < 0.5:
        listed = [(int(truth[part].sum()), int((1 - truth[part]).sum())) for part in parts]
        options = {"folds": listed}
    elif rng.random() < 0.5:
        told = rng.choice((folds, f"stratified:{folds}" if stratified else f"equal:{folds}"))
        options = {"folds": told, "n": size, "positives": int(truth.sum())}
    return {name: [fold[name] for fold in found] for name in kept}, options


def spread(rng: random.Random, values: list[float]) -> float:
    """A standard deviation over n − 1 or n, two of them, or a standard error."""
    kind = rng.choice(("sample", "sample", "population", "two", "error"))
    found = statistics.stdev(values) if kind != "population" else statistics.pstdev(values)
    return found * {"two": 2.0, "error": len(values) ** -0.5}.get(kind, 1.0)


def fold_columns(rng: random.Random) -> Generated:
    """Measures in rows; folds, mean and std in columns."""
    folds, digits = rng.choice((3, 5, 10)), rng.choice((2, 3, 4))
    values, options = (
        (ranked(rng, folds), {"folds": folds}) if rng.random() < 0.5 else (classified(rng, folds))
    )
    deviation = statistics.stdev if rng.random() < 0.5 else statistics.pstdev
    rows = [
        [name, *(number(value, digits) for value in (*each, statistics.fmean(each), deviation(each)))]
        for name, each in values.items()
    ]
    table = Printed([["Metric", *(f"Fold {at + 1}" for at in range(folds)), "Mean", "Std"]], rows)
    mean = statistics.fmean(next(iter(values.values())))
    wrong = number(mean - 0.05 if mean > 0.5 else mean + 0.05, digits)
    planted = [("A901", table.with_cell(0, folds + 1, wrong))]
    return as_file("cross-validation", table, pick_format(rng), rng.randint(0, 99), options, planted)


def fold_rows(rng: random.Random) -> Generated:
    """One row per fold, then mean and std; one model or several."""
    folds, digits = rng.choice((3, 5)), rng.choice((2, 3, 4))
    models = rng.sample(MODELS, rng.randint(1, 2))
    rows: list[list[str]] = []
    names: list[str] = []
    for model in models:
        values, _ = classified(rng, folds)
        names = names or list(values)
        absent = [float("nan")] * folds
        values = {name: values.get(name, absent) for name in names}
        rows += [
            [model, str(at + 1), *(number(values[name][at], digits) for name in names)] for at in range(folds)
        ]
        means = [number(statistics.fmean(values[name]), digits) for name in names]
        rows.append([model, "Mean", *means])
        stds = [number(float(np.std(values[name], ddof=1)), digits) for name in names]
        rows.append([model, "Std", *stds])
    head = ["Model", "Fold", *names]
    if len(models) == 1:
        head, rows = head[1:], [row[1:] for row in rows]
    table = Printed([head], rows)
    return as_file("cross-validation", table, pick_format(rng), rng.randint(0, 99), {})


def plus_minus(rng: random.Random) -> Generated:
    """mean ± spread of several models or data sets, with or without n and positives given."""
    folds, digits, percent = rng.choice((3, 5, 10)), rng.choice((3, 4)), rng.random() < 0.5
    if rng.random() < 0.5:
        values, options = ranked(rng, folds), {"folds": folds}
    else:
        values, options = classified(rng, folds)
    cells = []
    for each in values.values():
        mean, dev = statistics.fmean(each), spread(rng, each)
        shown = [number(value, digits, percent=percent) for value in (mean, dev)]
        cells.append(" ± ".join(shown))
    if rng.random() < 0.3:
        options = {}
    table = Printed([["Model", *values]], [["Ours", *cells]])
    if rng.random() < 0.4:
        table = table.turned()
    return as_file("cross-validation", table, pick_format(rng), rng.randint(0, 99), options)


def fold_json(rng: random.Random) -> Generated:
    """{mean, std, folds} of each measure, or what `cross_validate` gives."""
    folds = rng.choice((3, 5))
    values, _ = classified(rng, folds)
    if rng.random() < 0.5:
        body: dict[str, Any] = {
            name: {"mean": statistics.fmean(each), "std": statistics.stdev(each), "folds": each}
            for name, each in values.items()
        }
        return as_json("cross-validation", body, {})
    trained = {name: rng.sample(each, len(each)) for name, each in values.items()}
    body = {"fit_time": 1.25, "score_time": 0.02}
    for name, each in values.items():
        body[f"test_{name}"] = round(statistics.fmean(each), 4)
        body[f"train_{name}"] = round(statistics.fmean(trained[name]), 4)
    return as_json("cross-validation", body, {})


def data_sections(rng: random.Random) -> Generated:
    """mean ± std of two models on data sets that are headings inside the table."""
    data = rng.sample(DATA, 2)
    folds, rows, sections = 5, [], []
    names = ["MRR", "R@5", "R@10", "nDCG@10", "P@1"]
    keys = ["recip_rank", "recall_5", "recall_10", "ndcg_cut_10", "P_1"]
    for place in data:
        qrels = [judged(rng, graded=False) for _ in range(folds)]
        for model in ("BM25", "Ours"):
            found = [scored(rng, each)[1] for each in qrels]
            cells = []
            for key in keys:
                values = [fold[key] for fold in found]
                cells.append(f"{statistics.fmean(values):.3f} ± {statistics.stdev(values):.3f}")
            rows.append([model, *cells])
            sections.append(place)
    table = Printed([["Model", *names]], rows, sections)
    wrong = ("A301", table.with_cell(0, 2, "0.999").with_cell(0, 3, "0.500"))
    return as_file("cross-validation", table, pick_format(rng), rng.randint(0, 99), {}, [wrong])
