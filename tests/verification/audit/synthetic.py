"""A synthetic corpus without leaks, predictions without leaks, and folders of both."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

import assay

CRITERIA = ("A", "B", "C", "D")
WORDS = np.array([f"w{at}" for at in range(600)])
KEYS = {name: tuple(f"{name.lower()}key{at}" for at in range(8)) for name in CRITERIA}
QUERY = ("post_id", "criterion_id")
FOLDS = 3


@dataclass
class World:
    """Tables to change before they are written."""

    corpus: dict[str, Any]
    predictions: dict[str, Any] = field(default_factory=dict)

    def copy(self) -> World:
        return replace(self, corpus=dict(self.corpus), predictions=dict(self.predictions))

    def write(self, folder: Path) -> tuple[Path, Path]:
        homes = folder / "corpus", folder / "predictions"
        for home, tables in zip(homes, (self.corpus, self.predictions), strict=True):
            home.mkdir(parents=True, exist_ok=True)
            for name, table in tables.items():
                table.write_csv(home / f"{name}.csv")
        return homes

    def audit(self, folder: Path) -> assay.AuditReport:
        corpus, predictions = self.write(folder)
        return assay.audit(corpus, predictions if self.predictions else None)

    def bundle(self, folder: Path) -> Path:
        corpus, predictions = self.write(folder)
        return assay.evaluate(predictions, corpus).save(folder / "bundle")


def corpus_tables(seed: int, posts: int = 90, rate: float = 0.25) -> dict[str, Any]:
    """Drawn once: the tables do not change, the dict is the caller's."""
    return dict(_drawn(seed, posts, rate))


@cache
def _drawn(seed: int, posts: int, rate: float) -> dict[str, Any]:
    draws = np.random.default_rng([seed, 1])
    sentences, gold = [], []
    for at in range(posts):
        post = f"p{at:03d}"
        size = int(draws.integers(7, 13))
        texts = [draws.choice(WORDS, size=9).tolist() for _ in range(size)]
        for criterion in CRITERIA:
            if draws.random() < rate:
                for place in draws.choice(size, size=int(draws.integers(1, 3)), replace=False):
                    gold.append((post, criterion, f"{post}.{place}"))
                    if draws.random() < 0.8:  # some evidence has no sign that could be learned
                        texts[place][:2] = draws.choice(KEYS[criterion], size=2).tolist()
            if draws.random() < 0.3:  # and some signs stand where there is no evidence
                texts[int(draws.integers(size))][4] = str(draws.choice(KEYS[criterion]))
        sentences += [(post, f"{post}.{place}", place, " ".join(text)) for place, text in enumerate(texts)]
    of = assay.folds({row[0] for row in sentences}, FOLDS, seed)
    return {
        "sentences": pl.DataFrame(
            sentences, schema=["post_id", "sent_uid", "position", "text"], orient="row"
        ),
        "criteria": pl.DataFrame(
            {"criterion_id": CRITERIA, "text": [f"criterion number {c}" for c in CRITERIA]}
        ),
        "gold": pl.DataFrame(gold, schema=[*QUERY, "sent_uid"], orient="row"),
        "folds": pl.DataFrame({"post_id": list(of), "fold": list(of.values())}),
    }


def queries_of(corpus: dict[str, Any]) -> pl.DataFrame:
    posts = corpus["sentences"].select("post_id").unique(maintain_order=True)
    counts = corpus["gold"].group_by(QUERY).agg(pl.len().alias("gold"))
    queries = posts.join(corpus["criteria"].select("criterion_id"), how="cross")
    queries = queries.join(counts, on=QUERY, how="left", maintain_order="left")
    return queries.with_columns(pl.col("gold").fill_null(0)).join(
        corpus["folds"], on="post_id", how="left", maintain_order="left"
    )


def prediction_tables(
    corpus: dict[str, Any], seed: int, *, cut: str = "fixed", digits: int = 15, signal: float = 1.5
) -> dict[str, Any]:
    """Answers of a fair system: noisy scores, noisy probabilities, thresholds from TUNE posts.

    `cut` is how lists end: at a fixed length, at a score, or not at all; `signal` how far the
    scores of gold are above the others, in standard deviations.
    """
    draws = np.random.default_rng([seed, 2])
    rows = queries_of(corpus).join(
        corpus["sentences"].select("post_id", "sent_uid"), on="post_id", maintain_order="left"
    )
    marked = corpus["gold"].with_columns(pl.lit(1).alias("hit"))
    rows = rows.join(marked, on=[*QUERY, "sent_uid"], how="left", maintain_order="left")
    score = rows["hit"].fill_null(0).to_numpy() * signal + draws.normal(size=len(rows))
    rows = rows.with_columns(pl.Series("score", score))
    place = pl.col("score").rank("ordinal", descending=True).over(QUERY)
    kept = {"fixed": place <= 6, "score": pl.col("score") > 0.3, "none": place >= 1}[cut]
    candidates = rows.filter(kept).select(*QUERY, "sent_uid", "score")

    queries = queries_of(corpus)
    shift = (queries["gold"] > 0).to_numpy() * 1.6 - 1.2

    def prob() -> pl.Series:
        values = 1 / (1 + np.exp(-shift - draws.normal(size=len(queries))))
        return pl.Series("prob", np.round(values, digits))

    decisions, own = queries.with_columns(prob()), []
    tune = []
    for fold in range(FOLDS):
        others = sorted(queries.filter(pl.col("fold") != fold)["post_id"].unique())
        _, chosen = assay.split(others, (0.7, 0.3), seed + fold)
        mine = queries.with_columns(prob()).filter(pl.col("post_id").is_in(chosen))
        tune.append(mine.with_columns(pl.lit(fold).alias("fold")))
        low, high = (
            assay.choose_threshold(mine["prob"], mine["gold"] > 0, rule).value
            for rule in ("sensitivity_0.95", "precision_0.8")
        )
        own.append((fold, min(low, 0.5), min(max(high, 0.5), 1.0)))
    taus = pl.DataFrame(own, schema=["fold", "tau_neg", "tau_pos"], orient="row")
    decisions = decisions.join(taus, on="fold", how="left", maintain_order="left")
    return {
        "candidates": candidates,
        "decisions": decisions.select(*QUERY, "prob", "tau_neg", "tau_pos"),
        "tune": pl.concat(tune).select(*QUERY, "fold", "prob"),
    }


@cache
def _clean(seed: int, cut: str, digits: int, signal: float) -> World:
    corpus = corpus_tables(seed)
    tables = prediction_tables(corpus, seed, cut=cut, digits=digits, signal=signal)
    return World(corpus, tables)


def clean_world(seed: int, *, cut: str = "fixed", digits: int = 15, signal: float = 1.5) -> World:
    """Made once; what is planted in a copy stays in it."""
    return _clean(seed, cut, digits, signal).copy()


@cache
def _saved(seed: int) -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        home = clean_world(seed).bundle(Path(folder))
        paths = [path for path in home.rglob("*") if path.is_file()]
        return {str(path.relative_to(home)): path.read_bytes() for path in paths}


def clean_bundle(seed: int, folder: Path) -> Path:
    """The bundle of a clean world, evaluated once; this copy may be changed."""
    for name, content in _saved(seed).items():
        path = folder / "bundle" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder / "bundle"
