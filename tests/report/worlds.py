"""Small bundles of every shape that a report must stand: made from data frames or files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.contracts.contract_toml import parse
from assay.report.figures import figure_files

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "src" / "assay" / "example"
CI = assay.Bootstrap(60)
FEW = """
id = "few"
k = [1, 10]
aggregate = "fold_mean"
[targets]
auroc = ">= 0.5"
[measures]
"ndcg@{k}" = "ndcg@{k}"
"mrr" = "mrr"
"auroc" = "auroc"
"auprc" = "auprc"
"ece" = "ece"
"tp" = "tp:at=0.5"
"f1" = "f1:at=0.5"
"evidence_recall" = "evidence_recall"
"selected_k_mean" = "selected_k:stat=mean"
"alert_precision" = "ppv:at=pos"
"""
"""Measures of every kind, more and less the better, for pages on which each stands five times."""
HOSTILE = (
    "<script>window.hacked=1</script>",
    "</script><script>window.hacked=1</script>",
    "]]><img src=x onerror=window.hacked=1>",
    "\"quoted\" 'twice' `tick` & &amp; {{runs}} ${1}",
    "\u202egnirts \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627\u2066",
    "nul\x00and\x07bell",
    "\\input{/etc/passwd} $\\frac{1}{0}$ %comment #1 ^^41 ~_",
    "[optional] *star* | pipe | [link](javascript:window.hacked=1)",
)


def one_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of something else in the report."""
    monkeypatch.setattr(figure_files, "MAKERS", {"roc": figure_files.MAKERS["roc"]})
    monkeypatch.setattr(figure_files, "FIGURE_HEADLINES", ())


def example_bundle(folder: Path, **options: Any) -> Path:
    """The example that the package carries."""
    result = assay.evaluate(
        EXAMPLE / "predictions", EXAMPLE / "corpus", by="default", bootstrap=CI, **options
    )
    return result.save(folder)


def tables(
    posts: int, criteria: list[str], seed: int = 0, *, rate: float = 0.35, sentences: int = 5
) -> dict[str, Any]:
    """A corpus and its answers; the system is right more often than not."""
    rng = np.random.default_rng(seed)
    names = [f"p{number:03d}" for number in range(posts)]
    rows = [(post, f"{post}.{at}", at) for post in names for at in range(1, sentences + 1)]
    gold, candidates, decisions = [], [], []
    for post in names:
        for criterion in criteria:
            has = rng.random() < rate
            true = set(rng.choice(sentences, rng.integers(1, 3), replace=False)) if has else set()
            gold += [(post, criterion, f"{post}.{at + 1}") for at in sorted(true)]
            for at in range(sentences):
                score = round(float(rng.normal() + 1.6 * (at in true)), 4)
                candidates.append((post, criterion, f"{post}.{at + 1}", score))
            prob = round(float(1 / (1 + np.exp(1.2 - 2.6 * has - rng.normal()))), 4)
            state = "NEG" if prob < 0.25 else "POS" if prob >= 0.7 else "UNCERTAIN"
            k = 0 if state == "NEG" else int(rng.integers(1, 4))
            decisions.append((post, criterion, prob, k, state))
    query = ["post_id", "criterion_id"]
    return {
        "sentences": pl.DataFrame(rows, ["post_id", "sent_uid", "position"], orient="row").with_columns(
            pl.format("Text of {}.", "sent_uid").alias("text")
        ),
        "criteria": pl.DataFrame({"criterion_id": criteria, "text": criteria}),
        "gold": pl.DataFrame(gold, [*query, "sent_uid"], orient="row"),
        "folds": pl.DataFrame({"post_id": names, "fold": [str(at % 3) for at in range(posts)]}),
        "candidates": pl.DataFrame(candidates, [*query, "sent_uid", "score"], orient="row"),
        "decisions": pl.DataFrame(decisions, [*query, "prob", "selected_k", "state"], orient="row"),
    }


def bundle_of(
    made: dict[str, Any], folder: Path, system: str | None = None, contract: assay.Contract | str = "assay/1"
) -> Path:
    """Evaluate tables and save."""
    corpus = assay.Corpus.of(
        **{name: made[name] for name in ("sentences", "criteria", "gold", "folds") if name in made}
    )
    answers = {name: made[name] for name in ("candidates", "decisions") if name in made}
    predictions = assay.Predictions.of(**answers)
    result = assay.evaluate(predictions, corpus, by="default", bootstrap=CI, system=system, contract=contract)
    return result.save(folder)


def many_criteria(folder: Path) -> Path:
    """41 criteria, some with long names."""
    names = [
        f"C.{at:02d}" + (" a criterion whose name goes on and on and on" if at % 9 == 0 else "")
        for at in range(41)
    ]
    return bundle_of(tables(24, names, 3), folder, "many")


def no_negatives(folder: Path) -> Path:
    """Every query has evidence."""
    return bundle_of(tables(20, ["A", "B", "C"], 5, rate=2.0), folder, "no negatives")


def plain_ir(folder: Path) -> Path:
    """A run and judgements, no decisions at all."""
    judged = assay.read_trec(EXAMPLE / "qrels.txt", EXAMPLE / "run.txt")
    return assay.evaluate(judged, bootstrap=CI).save(folder)


def decisions_alone(folder: Path) -> Path:
    """Labels and probabilities, no rankings."""
    rng = np.random.default_rng(1)
    label = (rng.random(300) < 0.3).astype(int)
    prob = np.round(np.clip(0.3 * rng.random(300) + 0.5 * label + 0.1, 0, 1), 4)
    folder.parent.mkdir(parents=True, exist_ok=True)
    path = folder.parent / "labels.csv"
    pl.DataFrame({"label": label, "prob": prob}).write_csv(path)
    return assay.evaluate(assay.read_decisions(path), bootstrap=CI).save(folder)


def runs(folder: Path, number: int, posts: int = 40) -> list[Path]:
    """Systems on the same corpus, each a little worse than the one before; few measures."""
    few = parse(FEW, "few.toml")
    made = tables(posts, ["sleep", "mood", "focus"], 11)
    paths = []
    for at in range(number):
        rng = np.random.default_rng(at)
        noisy = made["candidates"].with_columns(
            (pl.col("score") + pl.Series(rng.normal(0, 0.35 * at, made["candidates"].height))).round(4)
        )
        prob = made["decisions"]["prob"].to_numpy()
        moved = np.clip(prob + rng.normal(0, 0.07 * at, len(prob)), 0, 1).round(4)
        states = np.where(moved < 0.25, "NEG", np.where(moved >= 0.7, "POS", "UNCERTAIN"))
        k = np.where(states == "NEG", 0, np.maximum(1, made["decisions"]["selected_k"].to_numpy()))
        decided = made["decisions"].with_columns(
            pl.Series("prob", moved), pl.Series("state", states), pl.Series("selected_k", k)
        )
        new = {**made, "candidates": noisy, "decisions": decided}
        paths.append(bundle_of(new, folder / f"run{at}", f"system {at}", few))
    return paths


def hostile_corpus(folder: Path, long: int = 1_000_000) -> tuple[Path, Path]:
    """Folders of a corpus and predictions whose every field is hostile."""
    corpus, predictions = folder / "corpus", folder / HOSTILE[0].replace("/", "∕")
    for each in (corpus, predictions):
        each.mkdir(parents=True)
    posts = [f"post {text}" for text in HOSTILE]
    criteria = [f"criterion {text}" for text in HOSTILE]
    sentences, gold, candidates, decisions = [], [], [], []
    for at, post in enumerate(posts):
        uids = [f"s{number} {post}" for number in range(3)]
        texts = [HOSTILE[at], "x" * long if at == 0 else HOSTILE[-1 - at], "plain"]
        sentences += [[post, uid, n, text] for n, (uid, text) in enumerate(zip(uids, texts, strict=True))]
        for which, criterion in enumerate(criteria):
            if (at + which) % 3 == 0:
                gold.append([post, criterion, uids[which % 3]])
            candidates += [[post, criterion, uid, 1.0 - 0.1 * n] for n, uid in enumerate(uids)]
            prob = ((at * 7 + which * 3) % 10) / 10
            state = "NEG" if prob < 0.3 else "POS" if prob >= 0.7 else "UNCERTAIN"
            decisions.append([post, criterion, prob, 0 if state == "NEG" else 2, state])
    query = ["post_id", "criterion_id"]
    _csv(corpus / "sentences.csv", ["post_id", "sent_uid", "position", "text"], sentences)
    _csv(corpus / "criteria.csv", ["criterion_id", "text"], [[each, each] for each in criteria])
    _csv(corpus / "gold.csv", [*query, "sent_uid"], gold)
    _csv(
        corpus / "folds.csv", ["post_id", "fold"], [[post, HOSTILE[at % 2]] for at, post in enumerate(posts)]
    )
    _csv(predictions / "candidates.csv", [*query, "sent_uid", "score"], candidates)
    _csv(predictions / "decisions.csv", [*query, "prob", "selected_k", "state"], decisions)
    return corpus, predictions


def _csv(path: Path, head: list[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(head)
        writer.writerows(rows)


def hostile(folder: Path) -> tuple[Path, Path]:
    """The bundle of hostile tables, and its corpus."""
    corpus, predictions = hostile_corpus(folder)
    result = assay.evaluate(predictions, corpus, by="default", bootstrap=CI)
    return result.save(folder / "bundle"), corpus
