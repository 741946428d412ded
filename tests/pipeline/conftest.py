"""A small corpus that can be learned, and stages that learn it fast."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.data.corpus import Corpus
from assay.experiment.state_thresholds import choose
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan, Protocol
from tests.command import exit_code

FAST = {
    "neighbours": {"trees": 8, "least": 5},
    "gate": {"trees": 8, "least": 5},
    "scorer": {"iterations": 20},
    "matching": {"trees": 8, "gate_trees": 8, "folds": 2},
}
WORDS = {
    "c1": ("sleepless", "awake", "tossing", "insomnia"),
    "c2": ("hungry", "starving", "appetite", "meals"),
}
FILLER = ("street", "window", "garden", "paper", "river", "table", "music", "stone", "cloud", "road")

Tables = dict[str, Any]
Call = Callable[..., tuple[int, str, str]]


def toy(posts: int = 60, sentences: int = 4, seed: int = 0, rate: float = 0.45) -> Tables:
    """Posts of a few sentences; evidence has one of a criterion's words, and so have a few others."""
    draw = np.random.default_rng(seed)
    rows, gold = [], []
    for number in range(posts):
        post = f"p{number:03d}"
        texts = [" ".join(draw.choice(FILLER, 5)) for _ in range(sentences)]
        for criterion, words in WORDS.items():
            if draw.random() < rate:
                at = int(draw.integers(sentences))
                texts[at] += " " + draw.choice(words)
                gold.append((post, criterion, f"{post}_{at}"))
            elif draw.random() < 0.1:
                texts[int(draw.integers(sentences))] += " " + draw.choice(words)
        rows += [(post, f"{post}_{at}", at, text) for at, text in enumerate(texts)]
    return {
        "sentences": pl.DataFrame(rows, schema=["post_id", "sent_uid", "position", "text"], orient="row"),
        "criteria": pl.DataFrame(
            {"criterion_id": list(WORDS), "text": ["cannot sleep, awake", "appetite and meals"]}
        ),
        "gold": pl.DataFrame(gold, schema=["post_id", "criterion_id", "sent_uid"], orient="row"),
    }


def write(tables: Tables, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        frame.write_csv(folder / f"{name}.csv")
    return folder


@pytest.fixture
def answers() -> Callable[..., Answers]:
    def run(tables: Tables, *, stages: tuple[str, ...] | None = None, **protocol: object) -> Answers:
        given = {"stages": stages} if stages else {}
        kept = {name: FAST[name] for name in FAST if stages is None or name in stages}
        plan = Plan(Path("toy"), protocol=Protocol(**protocol), tables=kept, **given)  # type: ignore[arg-type]
        return predict(plan, Corpus.of(**tables), choose, processes=1)

    return run


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """A command in this process, which has read its modules: exit code, stdout, stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        return exit_code(monkeypatch, *arguments), *capsys.readouterr()

    return run
