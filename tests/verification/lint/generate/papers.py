"""Habits of papers and tools: intervals, counts, sweeps, cut-offs in headers, nested JSON."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
from sklearn import metrics

from tests.verification.lint.direct import Query, Variant, ranking_means
from tests.verification.lint.generate.classifiers import DATA, MODELS, binary_scores, drawn
from tests.verification.lint.generate.rankings import SYSTEMS, judged, scored
from tests.verification.lint.generate.render import Generated, Printed, as_file, as_json, number, pick_format


def intervals(rng: random.Random) -> Generated:
    """Values with percentile intervals of a bootstrap."""
    truth, guess, score = drawn(rng, 2, rng.choice((80, 300)))
    np_rng = np.random.default_rng(rng.randint(0, 2**31))
    names = ["Accuracy", "Recall", "F1", "AUROC", "MCC"]
    draws: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(12):
        kept = np_rng.integers(0, len(truth), len(truth))
        if 0 < truth[kept].sum() < len(kept):
            found = binary_scores(truth[kept], guess[kept], score[kept])
            for name in names:
                draws[name].append(found[name])
    estimates = binary_scores(truth, guess, score)
    form = rng.choice(("{v} [{a}, {b}]", "{v} ({a}–{b})", "{v} (95% CI: {a}-{b})"))
    if any(min(each) < 0 for each in draws.values()):
        form = "{v} [{a}, {b}]"
    cells = []
    for name in names:
        low, high = np.quantile(draws[name], (0.025, 0.975))
        shown = [number(float(value), 3) for value in (estimates[name], low, high)]
        cells.append(form.format(v=shown[0], a=shown[1], b=shown[2]))
    table = Printed([["Model", *names]], [["Ours", *cells]])
    wrong = form.format(v="0.800", a="0.900", b="0.700")
    planted = [("A802", table.with_cell(0, 1, wrong))]
    kind = rng.choice(("md", "tsv", "tex"))
    return as_file("classifiers", table, kind, rng.randint(0, 99), {}, planted)


def counts(rng: random.Random) -> Generated:
    """The four counts next to rates."""
    rows = []
    size = rng.choice((40, 200, 900))
    for model in rng.sample(MODELS, rng.randint(1, 3)):
        truth, guess, score = drawn(rng, 2, size)
        tn, fp, fn, tp = metrics.confusion_matrix(truth, guess, labels=[0, 1]).ravel()
        found = binary_scores(truth, guess, score)
        rates = [number(found[name], 3) for name in ("Accuracy", "Precision", "Recall", "F1", "MCC")]
        rows.append([model, *map(str, (tp, fp, tn, fn)), *rates])
    head = ["Model", "TP", "FP", "TN", "FN", "Accuracy", "Precision", "Recall", "F1", "MCC"]
    table = Printed([head], rows)
    value = float(rows[0][5])
    wrong = f"{value - 0.1 if value > 0.5 else value + 0.1:.3f}"
    planted = [("A513", table.with_cell(0, 5, wrong))]
    return as_file("classifiers", table, pick_format(rng), rng.randint(0, 99), {}, planted)


def sizes_by_set(rng: random.Random) -> Generated:
    """One data set per row, with its size and positives."""
    rows = []
    for name in rng.sample(DATA, rng.randint(2, 4)):
        size = rng.choice((33, 70, 150))
        truth, guess, score = drawn(rng, 2, size)
        found = binary_scores(truth, guess, score)
        values = [number(found[key], 3) for key in ("Accuracy", "Recall", "F1")]
        rows.append([name, str(size), str(int(truth.sum())), *values])
    table = Printed([["Dataset", "n", "Positives", "Accuracy", "Recall", "F1"]], rows)
    n = int(rows[0][1])
    wrong = number((n // 2 + 0.5) / n, 3)
    planted = [("A513", table.with_cell(0, 3, wrong))]
    return as_file("data sets", table, pick_format(rng), rng.randint(0, 99), {}, planted)


def sweep(rng: random.Random) -> Generated:
    """Thresholds, shots or neighbours in rows: k is then no cut-off."""
    head = rng.choice(("k", "Threshold", "Shots", "Temperature"))
    rows = []
    for at in (1, 2, 5, 10):
        truth, guess, score = drawn(rng, 2, 200)
        found = binary_scores(truth, guess, score)
        cell = str(at) if head in ("k", "Shots") else f"{at / 10:.1f}"
        rows.append([cell, *(number(found[key], 3) for key in ("Precision", "Recall", "F1"))])
    table = Printed([[head, "Precision", "Recall", "F1"]], rows)
    return as_file("classifiers", table, pick_format(rng), rng.randint(0, 99), {})


def cut_offs_above(rng: random.Random) -> Generated:
    """A header of two levels: measures above cut-offs, or cut-offs of a measure in the caption."""
    qrels = judged(rng, graded=False)
    percent = rng.random() < 0.5
    systems = rng.sample(SYSTEMS, rng.randint(2, 4))
    values = [scored(rng, qrels)[1] for _ in systems]
    style = rng.randint(0, 99)
    if rng.random() < 0.4:
        cuts = (1, 5, 20, 100)
        rows = [
            [s, *(number(v[f"recall_{k}"], 3, percent=percent) for k in cuts)]
            for s, v in zip(systems, values, strict=True)
        ]
        form = rng.choice(("@{k}", "k={k}", "{k}"))
        table = Printed(
            [["Model", *(form.format(k=k) for k in cuts)]], rows, caption="Recall at k of all models"
        )
        planted = [
            (
                "A301",
                table.with_cell(0, 1, "97.0" if percent else "0.970").with_cell(
                    0, 2, "51.0" if percent else "0.510"
                ),
            )
        ]
        return as_file("rankings", table, rng.choice(("md", "tex")), style, {}, planted)
    groups = (("Recall", "recall", (5, 20)), ("nDCG", "ndcg_cut", (5, 10)), ("P", "P", (1, 5)))
    top = ["", *(name for name, _, cuts in groups for _ in cuts)]
    form = rng.choice(("@{k}", "k={k}"))
    head = ["Model", *(form.format(k=k) for _, _, cuts in groups for k in cuts)]
    rows = [
        [s, *(number(v[f"{key}_{k}"], 3, percent=percent) for _, key, cuts in groups for k in cuts)]
        for s, v in zip(systems, values, strict=True)
    ]
    table = Printed([top, head], rows)
    swap = table.with_cell(0, 1, "97.0" if percent else "0.970")
    planted = [("A301", swap.with_cell(0, 2, "51.0" if percent else "0.510"))]
    kind = pick_format(rng, levels=2)
    return as_file("rankings", table, kind, style, {}, planted)


def variants(rng: random.Random) -> Generated:
    """Other definitions of precision, recall and AP, by plain Python."""
    queries = [
        Query(tuple(rng.randint(0, 1) for _ in range(rng.randint(1, 25))), rng.choice((0, 0, 1, 4)))
        for _ in range(rng.randint(1, 30))
    ]
    queries[0] = Query((1, *queries[0].hits[1:]), queries[0].missed)
    kind = Variant(
        rng.choice(("R", "min_r_k", "hits")), rng.random() < 0.5, rng.random() < 0.3, rng.random() < 0.3
    )
    means = ranking_means(queries, (1, 3, 5, 10), kind)
    prefix = rng.choice(("", "cosine_", "dot_"))
    shown = {
        prefix + (f"precision@{name[2:]}" if name.startswith("P@") else name): value
        for name, value in means.items()
    }
    if rng.random() < 0.5:
        return as_json("rankings", shown, {})
    digits = rng.choice((2, 3, 4))
    table = Printed([["Metric", "Ours"]], [[n, number(v, digits)] for n, v in shown.items()])
    return as_file("rankings", table, pick_format(rng), rng.randint(0, 99), {})


def many_labels(rng: random.Random) -> Generated:
    """A summary of several labels per item: exact match, Hamming, three averages of F1."""
    np_rng = np.random.default_rng(rng.randint(0, 2**31))
    rows = []
    for model in rng.sample(MODELS, rng.randint(1, 3)):
        truth = (np_rng.random((150, 5)) < 0.3).astype(int)
        wrong = np_rng.random(truth.shape) < rng.uniform(0, 0.4)
        guess = np.where(wrong, 1 - truth, truth)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            averages = [
                metrics.f1_score(truth, guess, average=kind, zero_division=0)
                for kind in ("micro", "macro", "weighted", "samples")
            ]
        exact, loss = metrics.accuracy_score(truth, guess), metrics.hamming_loss(truth, guess)
        rows.append([model, *(number(value, 3) for value in (exact, loss, *averages))])
    head = ["Model", "Exact match", "Hamming loss", "Micro F1", "Macro F1", "Weighted F1", "Samples F1"]
    return as_file("classifiers", Printed([head], rows), pick_format(rng), rng.randint(0, 99), {})


def nested_json(rng: random.Random) -> Generated:
    """Data sets, then systems, then measures; or a flat object with data sets in its keys."""
    names = {"R@5": "recall_5", "R@20": "recall_20", "MRR": "recip_rank", "Hit@5": "success_5"}
    body: dict[str, Any] = {}
    for place in rng.sample(("nq", "tqa", "hotpot", "fiqa"), 2):
        qrels = judged(rng, graded=False)
        body[place] = {}
        for system in rng.sample(SYSTEMS, 2):
            found = scored(rng, qrels)[1]
            body[place][system] = {name: round(found[key], 4) for name, key in names.items()}
    if rng.random() < 0.5:
        flat = {
            f"{place} {name}": value
            for place, systems in body.items()
            for name, value in next(iter(systems.values())).items()
        }
        return as_json("data sets", flat, {})
    return as_json("data sets", body, {})


def scales(rng: random.Random) -> Generated:
    """Percent and shares in one table, and marks of significance."""
    rows = []
    for model in rng.sample(MODELS, rng.randint(2, 4)):
        truth, guess, score = drawn(rng, 2, 300)
        found = binary_scores(truth, guess, score)
        mark = rng.choice(("", "*", "†", " (+1.2)"))
        rows.append(
            [
                model,
                number(found["Accuracy"], 3, percent=True) + mark,
                number(found["F1"], 3),
                number(found["AUROC"], 3),
                number(found["MCC"], 3),
            ]
        )
    table = Printed([["Model", "Accuracy", "F1", "AUROC", "MCC"]], rows)
    return as_file("classifiers", table, pick_format(rng), rng.randint(0, 99), {})


def groups_of_methods(rng: random.Random) -> Generated:
    """Headings are kinds of methods, and the change is to the best method under another one."""
    qrels = judged(rng, graded=False)
    measures = {"R@5": "recall_5", "nDCG@10": "ndcg_cut_10", "MRR": "recip_rank"}
    systems = ("BM25", "QLD", "DPR", "ANCE", "Ours")
    values = {system: scored(rng, qrels)[1] for system in systems}
    rows = [[s, *(number(values[s][key], 4) for key in measures.values())] for s in systems]
    best = {key: max(values[s][key] for s in systems[:-1]) for key in measures.values()}
    change = [
        f"{100 * (values['Ours'][key] / best[key] - 1):+.1f}%" if best[key] else "–"
        for key in measures.values()
    ]
    rows.append([rng.choice(("Improvement", "Δ over best baseline", "Gain (%)")), *change])
    sections = ["Sparse", "Sparse", "Dense", "Dense", "Proposed", "Proposed"]
    table = Printed([["Model", *measures]], rows, sections)
    planted = []
    if min(values[system]["recall_5"] for system in systems) > 0.05:
        planted = [("A701", table.with_cell(5, 1, "+5733.9%"))]
    return as_file("rankings", table, pick_format(rng), rng.randint(0, 99), {}, planted)


FAMILIES = (
    intervals,
    counts,
    sizes_by_set,
    sweep,
    cut_offs_above,
    variants,
    many_labels,
    nested_json,
    scales,
    groups_of_methods,
)
