"""mlscorecheck 1.0.3 as a peer: whatever it flags lint flags, and nothing real is flagged."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from mlscorecheck.check.binary import (
    check_1_dataset_known_folds_mos,
    check_1_dataset_unknown_folds_mos,
    check_1_testset_no_kfold,
)
from mlscorecheck.scores import calculate_scores

import assay

pytestmark = pytest.mark.filterwarnings("ignore")  # of the peer and its solver

NAMES = {
    "acc": "accuracy",
    "sens": "sensitivity",
    "spec": "specificity",
    "ppv": "PPV",
    "npv": "NPV",
    "f1p": "F1",
    "f1n": "F1n",
    "bacc": "balanced accuracy",
    "mcc": "MCC",
    "fm": "Fowlkes-Mallows",
    "gm": "G-mean",
    "ji": "Jaccard",
    "kappa": "kappa",
    "lrp": "LR+",
    "lrn": "LR-",
    "pt": "PT",
    "dor": "DOR",
    "bm": "informedness",
    "mk": "markedness",
    "upm": "UPM",
}
LINEAR = ("acc", "sens", "spec", "bacc")


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def flagged(folder: Path, scores: dict[str, float], digits: int, **options: object) -> bool:
    path = folder / "figures.csv"
    rows = [f"{NAMES[key]},{value:.{digits}f}" for key, value in scores.items()]
    path.write_text("\n".join(["Metric,System", *rows]), encoding="utf-8")
    return assay.lint(path, **options).exit_code == 1  # type: ignore[arg-type]


def moved(scores: dict[str, float], digits: int, rng: random.Random) -> dict[str, float]:
    key = rng.choice(sorted(scores))
    step = rng.choice((-1, 1)) * rng.choice((1, 2, 5, 20, 100)) * 10**-digits
    value = scores[key] + step
    if key in LINEAR:
        value = min(1.0, max(0.0, value))  # the peer's solver refuses others
    return {**scores, key: round(value, digits)}


def single(rng: random.Random) -> tuple[int, int, dict[str, float], int]:
    """A confusion matrix of random size and some of its scores, rounded."""
    p, n, digits = rng.randint(5, 200), rng.randint(5, 400), rng.choice((2, 3, 4))
    counts = {"p": p, "n": n, "tp": rng.randint(0, p), "tn": rng.randint(0, n)}
    keys = rng.sample(sorted(NAMES), rng.randint(2, 6))
    if {"pt", "kappa"} <= set(keys):
        keys.remove("pt")  # the peer raises an AttributeError on that pair
    found = calculate_scores(counts, subset=keys)
    scores = {key: round(value, digits) for key, value in found.items() if value is not None}
    return p, n, {key: value for key, value in scores.items() if abs(value) < 1e6}, digits


def test_single_test_sets(tmp_path: Path) -> None:
    rng = random.Random(20260)
    peers = made = 0
    while made < 500:
        p, n, scores, digits = single(rng)
        if not scores:
            continue
        made += 1
        given = {"n": p + n, "positives": p}
        assert not flagged(tmp_path, scores, digits, **given), (p, n, scores)
        wrong = moved(scores, digits, rng)
        lint = flagged(tmp_path, wrong, digits, **given)
        if lint and peers > 100:
            continue  # whatever the peer says, we agree; enough of it was heard
        peer = check_1_testset_no_kfold(testset={"p": p, "n": n}, scores=dict(wrong), eps=0.5 * 10**-digits)[
            "inconsistency"
        ]
        assert lint or not peer, (p, n, wrong)
        peers += peer
    assert peers > 100


Counts = list[tuple[int, int]]


def fold_scores(folds: Counts, rng: random.Random, digits: int) -> dict[str, float]:
    """Mean scores over folds with random decisions in them."""
    right = [(rng.randint(0, p), rng.randint(0, n)) for p, n in folds]
    both = list(zip(right, folds, strict=True))
    sens = sum(tp / p for (tp, _), (p, _) in both) / len(folds)
    spec = sum(tn / n for (_, tn), (_, n) in both) / len(folds)
    acc = sum((tp + tn) / (p + n) for (tp, tn), (p, n) in both) / len(folds)
    found = {"acc": acc, "sens": sens, "spec": spec, "bacc": (sens + spec) / 2}
    keys = rng.sample(LINEAR, rng.randint(2, 4))
    return {key: round(found[key], digits) for key in keys}


def stratified(p: int, n: int, k: int) -> Counts:
    """As scikit-learn's StratifiedKFold lays them, up to order."""
    folds = [[p // k, n // k] for _ in range(k)]
    for at in range(n % k):
        folds[at][1] += 1
    for at in range(p % k):
        folds[(n % k + at) % k][0] += 1
    return [(a, b) for a, b in folds]


def spread(rng: random.Random, total: int, sizes: list[int]) -> Counts:
    """Positives laid into folds of these sizes, each with both classes."""
    held = [1] * len(sizes)
    while sum(held) < total:
        at = rng.randrange(len(sizes))
        held[at] += held[at] < sizes[at] - 1
    return [(p, size - p) for p, size in zip(held, sizes, strict=True)]


@pytest.mark.parametrize("kind", ["stratified", "listed", "equal"])
def test_means_over_folds(tmp_path: Path, kind: str) -> None:
    rng = random.Random({"stratified": 1, "listed": 2, "equal": 3}[kind])
    peers = 0
    for _ in range({"stratified": 350, "listed": 60, "equal": 90}[kind]):
        digits = rng.choice((2, 3, 4))
        folding: dict[str, object]
        if kind == "stratified":
            k = rng.randint(2, 10)
            folds = stratified(rng.randint(k, 150), rng.randint(k, 300), k)
            spec: object = f"stratified:{k}"
        elif kind == "listed":
            k = rng.randint(2, 6)
            folds = [(rng.randint(1, 30), rng.randint(1, 60)) for _ in range(k)]
            spec = folds
        else:
            k, total = rng.randint(2, 3), rng.randint(12, 30)
            sizes = [total // k + (at < total % k) for at in range(k)]
            folds = spread(rng, rng.randint(k, total // 3), sizes)
            spec = f"equal:{k}"
        p, n = sum(a for a, _ in folds), sum(b for _, b in folds)
        given = {"n": p + n, "positives": p, "folds": spec}
        scores = fold_scores(folds, rng, digits)
        assert not flagged(tmp_path, scores, digits, **given), (folds, scores)
        wrong = moved(scores, digits, rng)
        lint = flagged(tmp_path, wrong, digits, **given)
        if lint and peers > 10:
            continue  # as above
        folding = {"folds": [{"p": a, "n": b} for a, b in folds]}
        check = check_1_dataset_known_folds_mos
        if kind == "equal":
            folding, check = {"n_folds": k, "n_repeats": 1}, check_1_dataset_unknown_folds_mos
        peer = check(
            dataset={"p": p, "n": n},
            folding=folding,
            scores=dict(wrong),
            eps=0.5 * 10**-digits,
            verbosity=0,
            timeout=3,
        )["inconsistency"]
        assert lint or not peer, (folds, wrong)
        peers += peer
    assert peers > 10


@pytest.mark.parametrize(
    "figures", [{"auroc": 1.7}, {"ndcg@10": 3}, {"ece": -1}, {"recall@5": 0.92, "recall@10": 0.81}]
)
def test_what_the_peer_ignores_in_silence(figures: dict[str, float]) -> None:
    peer = check_1_testset_no_kfold(testset={"p": 10, "n": 90}, scores={**figures, "acc": 0.9}, eps=0.005)
    assert not peer["inconsistency"]
    assert assay.lint(figures).exit_code == 1
