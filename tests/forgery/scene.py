"""The original inputs of an evaluation as files, and the honest bundle of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import assay
from assay.contracts.contract import Contract
from assay.contracts.contract_toml import contract
from assay.evaluation.evaluate import evaluate_under

Frames = Mapping[str, Any]
KEY = ["post_id", "criterion_id"]
MEASURES = (
    "ndcg@3",
    "recall@3",
    "auroc",
    "ece",
    "sensitivity",
    "tune/sensitivity",
    "tune/fpr",
    "evidence_recall",
    "screening_sensitivity",
    "exact_match",
)
PLAN = assay.Bootstrap(12, seed=3)
SYSTEM = "predictions"


@dataclass(frozen=True, slots=True)
class Scene:
    """What an honest evaluator has: tables, their folders, and the bundle."""

    folder: Path
    frames: Frames
    bundle: Path

    @property
    def originals(self) -> assay.Originals:
        """The input files and the options that `assay evaluate` was given."""
        return assay.Originals(
            self.folder / "predictions", self.folder / "corpus", contract=contract("assay/1"), system=SYSTEM
        )


def scene(folder: Path, seed: int) -> Scene:
    """Write tables and evaluate them."""
    frames = tables(seed)
    write(frames, folder)
    return Scene(folder, frames, evaluated(folder, folder / "bundle"))


def evaluated(
    inputs: Path,
    target: Path,
    *,
    rules: Contract | None = None,
    system: str = SYSTEM,
    tune_reused: bool = False,
) -> Path:
    """The bundle of the tables in a folder."""
    result = evaluate_under(
        rules or contract("assay/1"),
        inputs / "predictions",
        inputs / "corpus",
        by=["criterion_id"],
        measures=MEASURES,
        system=system,
        bootstrap=PLAN,
        tune_reused=tune_reused,
    )
    return result.save(target)


def write(frames: Frames, folder: Path) -> None:
    for name, frame in frames.items():
        path = folder / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.write_csv(path)


def states(decisions: pl.DataFrame) -> pl.DataFrame:
    """Decisions with the states that follow from probability and thresholds, and no K for NEG."""
    prob, low, high = (pl.col(name) for name in ("prob", "tau_neg", "tau_pos"))
    state = (
        pl.when(prob < low)
        .then(pl.lit("NEG"))
        .when(prob >= high)
        .then(pl.lit("POS"))
        .otherwise(pl.lit("UNCERTAIN"))
    )
    return decisions.with_columns(state=state).with_columns(
        selected_k=pl.when(pl.col("state") == "NEG").then(0).otherwise(pl.col("selected_k"))
    )


def tables(seed: int) -> Frames:
    """Posts in three folds with two criteria, a gate that helps and scores that help; TUNE."""
    draw = np.random.default_rng(seed)
    sentences, gold, listed, decided, tune, folds = [], [], [], [], [], []
    for at in range(int(draw.integers(12, 19))):
        post, fold = f"p{at:02}", at % 3
        folds.append((post, str(fold)))
        size = int(draw.integers(4, 8))
        sentences += [(post, f"{post}.{place}") for place in range(size)]
        for criterion in ("c", "d"):
            label = bool(draw.random() < 0.5)
            hits: Any = draw.choice(size, int(draw.integers(1, 3)), replace=False) if label else []
            gold += [(post, criterion, f"{post}.{place}", 1) for place in sorted(hits)]
            scores = np.round(draw.normal(size=size) + np.isin(np.arange(size), hits), 1)
            listed += [(post, criterion, f"{post}.{p}", float(s)) for p, s in enumerate(scores) if p % 4 < 3]
            prob = round(float(np.clip(draw.normal(0.35 + 0.2 * label, 0.25), 0, 1)), 2)
            decided.append((post, criterion, prob, int(draw.integers(1, 3)), 0.2, 0.6))
            tune.append((post, criterion, prob, str((fold + 1) % 3)))
    decisions = pl.DataFrame(decided, schema=[*KEY, "prob", "selected_k", "tau_neg", "tau_pos"], orient="row")
    return {
        "corpus/sentences": pl.DataFrame(sentences, schema=["post_id", "sent_uid"], orient="row"),
        "corpus/criteria": pl.DataFrame({"criterion_id": ["c", "d"]}),
        "corpus/gold": pl.DataFrame(gold, schema=[*KEY, "sent_uid", "grade"], orient="row"),
        "corpus/folds": pl.DataFrame(folds, schema=["post_id", "fold"], orient="row"),
        "predictions/candidates": pl.DataFrame(listed, schema=[*KEY, "sent_uid", "score"], orient="row"),
        "predictions/decisions": states(decisions),
        "predictions/tune": pl.DataFrame(tune, schema=[*KEY, "prob", "fold"], orient="row"),
    }
