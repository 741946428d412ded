"""One side of the bootstrap benchmark: `bootstrap_child.py assay|values|sklearn RESAMPLES`."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import polars as pl

import assay

POSTS, CRITERIA, SEED = 1_477, 10, 20240611
BUDGETS = ("0.01", "0.03", "0.05", "0.10")
CUTS = ("0.1", "0.3", "0.5")
AT_CUTS = ("sensitivity", "specificity", "ppv", "npv", "fpr", "f1", "mcc", "balanced_accuracy")
WHOLE = (
    "auroc:on=all",
    "auprc:on=all",
    *(f"tpr_at_fpr@{each}:threshold=same" for each in BUDGETS),
    "ece:bins=10",
    "brier:on=all",
    *(f"{name}:at={cut}" for cut in CUTS for name in AT_CUTS),
)
EACH = ("auroc:on=all", "auprc:on=all")
Values = dict[str, float]


def data() -> tuple[np.ndarray, np.ndarray]:
    """Return labels and probabilities, posts × criteria. A post has an effect; half of them tie."""
    rng = np.random.default_rng(SEED)
    effect = rng.normal(0, 1, POSTS)[:, None]
    rate = rng.normal(-2.7, 0.4, CRITERIA)
    label = rng.random((POSTS, CRITERIA)) < 1 / (1 + np.exp(-effect - rate))
    noise = rng.normal(0, 1, label.shape)
    prob = 1 / (1 + np.exp(-(0.7 * effect + rate + 1.8 * label + noise)))
    prob[::2] = np.round(prob[::2], 3)
    # a bin edge differs between a decimal and a float, so edges are avoided
    prob += 1e-4 * np.isclose(prob * 10, np.rint(prob * 10))
    return label.astype(np.int64), prob


def asked() -> tuple[assay.Predictions, assay.Corpus]:
    """Return the data as tables for assay; each post has one sentence."""
    label, prob = data()
    posts, criteria = (f"p{at:04}" for at in range(POSTS)), [f"c{at}" for at in range(CRITERIA)]
    names = list(posts)
    keys = pl.DataFrame({"post_id": np.repeat(names, CRITERIA), "criterion_id": np.tile(criteria, POSTS)})
    sentence = keys.with_columns((pl.col("post_id") + "s").alias("sent_uid"))
    corpus = assay.Corpus.of(
        sentences=sentence.select("post_id", "sent_uid").unique(maintain_order=True),
        criteria=pl.DataFrame({"criterion_id": criteria}),
        gold=sentence.filter(label.ravel() == 1),
    )
    candidates = sentence.with_columns(pl.lit(1.0).alias("score"))
    decisions = keys.with_columns(pl.Series("prob", prob.ravel()))
    return assay.Predictions.of(candidates, decisions), corpus


def with_assay(resamples: int) -> int:
    """Compute intervals as a user would, and return how many there are."""
    predictions, corpus = asked()
    plan = assay.Bootstrap(resamples, SEED)
    whole = assay.evaluate(predictions, corpus, measures=WHOLE, bootstrap=plan)
    parts = assay.evaluate(predictions, corpus, measures=EACH, by=["criterion_id"], bootstrap=plan).groups[
        "criterion_id"
    ]
    found = [value.interval for value in whole.values()]
    found += [row[name].interval for row in parts.values() for name in EACH]
    return sum(each is not None for each in found)


def draws(resamples: int) -> np.ndarray:
    """Return how often each post counts: the draws that assay makes."""
    from assay.evaluation.intervals.resample import Strata  # not timed
    from assay.evaluation.intervals.resample import draws as drawn

    strata = Strata(np.repeat(np.arange(POSTS), CRITERIA), (np.arange(POSTS),))
    return np.concatenate(list(drawn(strata, resamples, SEED))).astype(np.int64)


def values_of_assay(resamples: int) -> dict[str, list[float]]:
    """Return the measures under each draw."""
    from dataclasses import replace

    from assay.data.alignment.corpus_cases import align_corpus
    from assay.evaluation.intervals.resample import Strata, replicates
    from assay.metrics.core.entry import Scored

    predictions, corpus = asked()
    cases = align_corpus(corpus, predictions, assay.contract("assay/1").ranking)
    criterion = cases.groupings["criterion_id"]
    measures = {name: Scored.of(assay.metric(name), cases) for name in WHOLE}
    for code, label in enumerate(criterion.labels):
        for name in EACH:
            inside = measures[name].inside & (criterion.codes == code)
            measures[f"{name} {label}"] = replace(measures[name], inside=inside)
    strata = Strata.of(cases, "post")
    counts = draws(resamples).astype(np.float64)
    found = replicates([(each, False) for each in measures.values()], strata, [counts])
    return {name: each.values.tolist() for name, each in zip(measures, found, strict=True)}


def one_resample(y: np.ndarray, p: np.ndarray, criterion: np.ndarray) -> Values:
    """Compute each curve and each table of counts once; the rest by arithmetic."""
    from sklearn import metrics as sk

    found = {"auroc:on=all": sk.roc_auc_score(y, p), "auprc:on=all": sk.average_precision_score(y, p)}
    fpr, tpr, _ = sk.roc_curve(y, p, drop_intermediate=False)
    for budget in BUDGETS:
        found[f"tpr_at_fpr@{budget}:threshold=same"] = tpr[fpr <= float(budget)].max()
    bins = np.searchsorted(np.linspace(0, 1, 11)[1:-1], p)
    gaps = np.bincount(bins, weights=p - y, minlength=10)
    found["ece:bins=10"] = np.abs(gaps).sum() / len(y)
    found["brier:on=all"] = sk.brier_score_loss(y, p)
    for cut in CUTS:
        tn, fp, fn, tp = sk.confusion_matrix(y, p >= float(cut)).ravel().tolist()
        hit, spared = tp / (tp + fn), tn / (tn + fp)
        f1 = 2 * tp / (2 * tp + fp + fn)
        scale = ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5
        mcc = (tp * tn - fp * fn) / scale
        precisions = tp / (tp + fp), tn / (tn + fn)
        at_cut = (hit, spared, *precisions, fp / (tn + fp), f1, mcc, (hit + spared) / 2)
        found |= {f"{name}:at={cut}": value for name, value in zip(AT_CUTS, at_cut, strict=True)}
    for code in range(CRITERIA):
        here = criterion == code
        found[f"auroc:on=all c{code}"] = sk.roc_auc_score(y[here], p[here])
        found[f"auprc:on=all c{code}"] = sk.average_precision_score(y[here], p[here])
    return {name: float(value) for name, value in found.items()}


def with_sklearn(resamples: int) -> tuple[float, dict[str, list[float]]]:
    """Return CPU seconds of the loop, and its values."""
    label, prob = data()
    y, p = label.ravel(), prob.ravel()
    post, criterion = np.divmod(np.arange(len(y)), CRITERIA)
    counts = draws(resamples)
    one_resample(y, p, criterion)  # imports
    start = time.process_time()
    found = []
    for times in counts:
        rows = np.repeat(np.arange(len(y)), times[post])
        found.append(one_resample(y[rows], p[rows], criterion[rows]))
    cpu = time.process_time() - start
    return cpu, {name: [each[name] for each in found] for name in found[0]}


if __name__ == "__main__":
    mode, number = sys.argv[1], int(sys.argv[2])
    if mode == "assay":
        print(json.dumps({"intervals": with_assay(number)}))
    elif mode == "values":
        print(json.dumps(values_of_assay(number)))
    else:
        seconds, values = with_sklearn(number)
        print(json.dumps({"cpu": seconds, "values": values}))
