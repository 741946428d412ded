"""No false alarm on assay's own results: the example, and random data under every shipped contract."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import assay
from assay.contracts.contract_toml import SHIPPED

EXAMPLE = Path(__file__).parents[3] / "src" / "assay" / "example"

OF_CORPORA = [each for each in SHIPPED if each not in ("squad2/1", "fever/1", "scifact/1", "nomiracl/1")]
"""Contracts with measures of predictions for a corpus; the others need the files of a task."""


def sound(report: assay.LintReport) -> None:
    assert report.impossible == (), [(each.code, each.numbers) for each in report.impossible]


def drawn(seed: int, *, folds: int, few: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Posts, criteria, gold of one grade, candidates with ties and omissions, decisions."""
    rng = random.Random(seed)
    posts = [f"p{at}" for at in range(6 if few else 24)]
    criteria = ["A.1", "A.2", "A.3"]
    sentences, gold, candidates, decisions = [], [], [], []
    for post in posts:
        names = [f"{post}s{at}" for at in range(rng.randint(1, 7))]
        sentences += [(post, name, at, "text") for at, name in enumerate(names)]
        for criterion in criteria:
            gold += [(post, criterion, name) for name in names if rng.random() < 0.15]
            kept = [name for name in names if rng.random() < 0.9]
            candidates += [(post, criterion, name, rng.choice((0.1, 0.4, 0.5, 0.9))) for name in kept]
            prob = rng.choice((0.0, 0.1, 0.3, 0.5, 0.8, 1.0))
            state = "NEG" if prob < 0.2 else "POS" if prob >= 0.7 else "UNCERTAIN"
            selected = 0 if state == "NEG" else rng.randint(0, len(kept))
            decisions.append((post, criterion, prob, selected, state, 0.2, 0.7))

    def table(rows: list[Any], *names: str) -> pl.DataFrame:
        return pl.DataFrame(rows, schema=list(names), orient="row")

    corpus = {
        "sentences": table(sentences, "post_id", "sent_uid", "position", "text"),
        "criteria": table([(name, name) for name in criteria], "criterion_id", "text"),
        "gold": table(gold, "post_id", "criterion_id", "sent_uid"),
    }
    if folds:
        laid = [(post, at % folds) for at, post in enumerate(posts)]
        corpus["folds"] = table(laid, "post_id", "fold")
    query = ("post_id", "criterion_id")
    predictions = {
        "candidates": table(candidates, *query, "sent_uid", "score"),
        "decisions": table(decisions, *query, "prob", "selected_k", "state", "tau_neg", "tau_pos"),
    }
    return corpus, predictions


@pytest.mark.parametrize("contract", OF_CORPORA)
def test_the_example(contract: str) -> None:
    result = assay.evaluate(
        EXAMPLE / "predictions",
        EXAMPLE / "corpus",
        contract=assay.contract(contract),
        bootstrap=assay.Bootstrap(50),
    )
    report = assay.lint(result.to_dict())
    assert report.figures > 10
    sound(report)


@pytest.mark.parametrize("contract", OF_CORPORA)
@pytest.mark.parametrize("folds", [0, 3])
def test_random_data(contract: str, folds: int) -> None:
    for seed in range(6):
        corpus, predictions = drawn(seed, folds=folds, few=seed % 2 == 0)
        result = assay.evaluate(
            assay.Predictions.of(**predictions), assay.Corpus.of(**corpus), contract=assay.contract(contract)
        )
        sound(assay.lint(result.to_dict()))


def test_a_changed_value_of_a_result_is_found() -> None:
    """A fold mean that is not the mean of its folds, and a rate that no counts give."""
    result = assay.evaluate(EXAMPLE / "predictions", EXAMPLE / "corpus").to_dict()
    for entry in result["measures"]:
        if entry["name"] == "mrr":
            entry["value"] += 0.01
        if entry["name"] == "sensitivity":
            entry["pooled"] += 0.01
    report = assay.lint(result)
    assert {"A901", "A513"} <= set(report.codes)
    assert report.exit_code == 1
