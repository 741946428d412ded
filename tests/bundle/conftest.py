"""Results with everything in them: folds, states, K, TUNE, groups and intervals."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from tests.command import exit_code

PLAN = assay.Bootstrap(60, seed=3)


def tables(seed: int, posts: int = 24) -> tuple[assay.Corpus, assay.Predictions]:
    """A corpus of three criteria in three folds, half of the posts TUNE of the next fold."""
    generator = np.random.default_rng(seed)
    key = ["post_id", "criterion_id"]
    sentences, gold, listed, decided, tune, folds = [], [], [], [], [], []
    for at in range(posts):
        post, fold = f"p{at:03}", at % 3
        folds.append((post, str(fold)))
        size = int(generator.integers(3, 9))
        sentences += [(post, f"{post}.{place}") for place in range(size)]
        for criterion in ("c", "d", "e"):
            label = generator.random() < 0.4
            hits: Any = generator.choice(size, int(generator.integers(1, 3)), replace=False) if label else []
            gold += [(post, criterion, f"{post}.{place}", 1) for place in hits]
            if generator.random() < 0.3:
                gold.append((post, criterion, f"{post}.{next(p for p in range(size) if p not in hits)}", 0))
            scores = np.round(generator.normal(size=size) + np.isin(np.arange(size), hits), 1)
            listed += [(post, criterion, f"{post}.{p}", float(s)) for p, s in enumerate(scores) if p % 5 < 4]
            prob = round(float(np.clip(generator.normal(0.3 + 0.3 * label, 0.2), 0, 1)), 3)
            state = "NEG" if prob < 0.2 else "UNCERTAIN" if prob < 0.6 else "POS"
            k = 0 if state == "NEG" else int(generator.integers(0, 3))
            decided.append((post, criterion, prob, k, state, 0.2, 0.6))
            tune.append((post, criterion, prob, str((fold + 1) % 3)))
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame(sentences, schema=["post_id", "sent_uid"], orient="row"),
        criteria=pl.DataFrame({"criterion_id": ["c", "d", "e"]}),
        gold=pl.DataFrame(gold, schema=[*key, "sent_uid", "grade"], orient="row"),
        folds=pl.DataFrame(folds, schema=["post_id", "fold"], orient="row"),
    )
    answered = assay.Predictions.of(
        pl.DataFrame(listed, schema=[*key, "sent_uid", "score"], orient="row"),
        pl.DataFrame(
            decided, schema=[*key, "prob", "selected_k", "state", "tau_neg", "tau_pos"], orient="row"
        ),
        pl.DataFrame(tune, schema=[*key, "prob", "fold"], orient="row"),
    )
    return corpus, answered


@pytest.fixture(scope="session")
def result() -> assay.Result:
    corpus, answered = tables(1)
    return assay.evaluate(answered, corpus, by="default", bootstrap=PLAN)


@pytest.fixture(scope="session")
def plain() -> assay.Result:
    example = files("assay.example")
    judged = assay.read_trec(str(example / "qrels.txt"), str(example / "run.txt"))
    return assay.evaluate(judged, contract="trec_eval/10", bootstrap=PLAN)


@pytest.fixture(scope="session")
def labels() -> assay.Result:
    generator = np.random.default_rng(8)
    label = generator.random(90) < 0.3
    frame = pl.DataFrame(
        {
            "label": label.astype(int),
            "prob": np.round(np.clip(generator.normal(0.3 + 0.3 * label, 0.2), 0, 1), 3),
            "post": [f"p{at // 3}" for at in range(90)],
            "role": ["TUNE" if at < 30 else "EVAL" for at in range(90)],
        }
    )
    return assay.evaluate(assay.read_decisions(frame, group="post"), bootstrap=PLAN)


@pytest.fixture(scope="session")
def bundle(result: assay.Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return result.save(tmp_path_factory.mktemp("bundle") / "whole")


def every_eval_schema() -> bytes:
    """The schema out of the wheel that `make test` fetches; it needs a newer Python to install."""
    wheels = sorted(Path(".venv/wheels").glob("every_eval_ever-*.whl"))
    if not wheels:
        pytest.skip("the wheel of every-eval-ever is absent; make test fetches it")
    with zipfile.ZipFile(wheels[0]) as wheel:
        return wheel.read("every_eval_ever/schemas/eval.schema.json")


@pytest.fixture
def call_cli(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Run a command as a user would; its exit code and what it printed."""

    def run(*arguments: str) -> tuple[int, str]:
        code = exit_code(monkeypatch, *arguments)
        return code, capsys.readouterr().out

    return run
