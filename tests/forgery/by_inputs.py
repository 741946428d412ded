"""Forgeries of what the numbers rest on: tables are edited, then evaluated by assay itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

from tests.bundle.rebuild import document_of, rebuilt
from tests.forgery.scene import KEY, Frames, Scene, evaluated, states, write

Edit = Callable[[dict[str, Any], Random], None]
GOLD, CANDIDATES, DECISIONS = "corpus/gold", "predictions/candidates", "predictions/decisions"
TUNE, FOLDS, SENTENCES = "predictions/tune", "corpus/folds", "corpus/sentences"


def from_tables(edit: Edit) -> Callable[[Scene, Random, Path], Path]:
    """Return a forger: edit the tables, evaluate them, and claim the genuine input files."""

    def forge(honest: Scene, draw: Random, target: Path) -> Path:
        frames = dict(honest.frames)
        while all(frames[name].equals(honest.frames[name]) for name in frames):
            edit(frames, draw)
        write(frames, target / "inputs")
        bundle = evaluated(target / "inputs", target / "bundle")
        document = document_of(bundle)
        document["inputs"] = document_of(honest.bundle)["inputs"]
        return rebuilt(bundle, document)

    return forge


def labels(frames: dict[str, Any], draw: Random) -> None:
    """Let queries that were decided wrongly have the label that was decided."""
    decided = frames[DECISIONS].join(_evidence(frames), on=KEY, how="left", maintain_order="left")
    said, true = pl.col("prob") >= 0.5, pl.col("evidence").is_not_null()
    wrong = decided.filter(said != true).select(KEY).rows()
    for post, criterion in draw.sample(wrong, min(len(wrong), draw.randint(1, 6))):
        query = (pl.col("post_id") == post) & (pl.col("criterion_id") == criterion)
        gold = frames[GOLD]
        if gold.filter(query).height:
            frames[GOLD] = gold.filter(~query)
            continue
        first = frames[CANDIDATES].filter(query).sort("score", descending=True)["sent_uid"][0]
        row = pl.DataFrame([(post, criterion, first, 1)], schema=gold.schema, orient="row")
        frames[GOLD] = pl.concat([gold, row])


def probabilities(frames: dict[str, Any], draw: Random) -> None:
    """Move probabilities towards the labels."""
    share = draw.choice((0.1, 0.3, 0.6))
    decided = frames[DECISIONS].join(_evidence(frames), on=KEY, how="left", maintain_order="left")
    label = pl.col("evidence").is_not_null().cast(pl.Float64)
    prob = (pl.col("prob") + (label - pl.col("prob")) * share).round(3)
    frames[DECISIONS] = states(decided.with_columns(prob=prob).drop("evidence"))


def scores(frames: dict[str, Any], draw: Random) -> None:
    """Give candidates that are gold a higher score."""
    gold = frames[GOLD].select(*KEY, "sent_uid", hit=pl.lit(draw.choice((0.3, 1.0, 5.0))))
    listed = frames[CANDIDATES].join(gold, on=[*KEY, "sent_uid"], how="left", maintain_order="left")
    better = (pl.col("score") + pl.col("hit").fill_null(0.0)).round(3)
    frames[CANDIDATES] = listed.with_columns(score=better).drop("hit")


def candidates(frames: dict[str, Any], draw: Random) -> None:
    """Put gold that the system did not return at the top of its lists; or drop a false one."""
    listed, gold = frames[CANDIDATES], frames[GOLD].select(*KEY, "sent_uid")
    absent = gold.join(listed, on=[*KEY, "sent_uid"], how="anti", maintain_order="left")
    if absent.height:
        row = absent.sample(1, seed=draw.randrange(10**6)).with_columns(score=pl.lit(9.0))
        frames[CANDIDATES] = pl.concat([listed, row])
        return
    false = listed.join(gold, on=[*KEY, "sent_uid"], how="anti", maintain_order="left")
    row = false.sample(1, seed=draw.randrange(10**6))
    frames[CANDIDATES] = listed.join(row, on=[*KEY, "sent_uid"], how="anti", maintain_order="left")


def selected_k(frames: dict[str, Any], draw: Random) -> None:
    """Return nothing where there is no evidence, and more where there is."""
    decided = frames[DECISIONS].join(_evidence(frames), on=KEY, how="left", maintain_order="left")
    more = pl.min_horizontal(pl.col("selected_k") + draw.randint(1, 2), 3)  # its candidates
    better = pl.when(pl.col("evidence").is_null()).then(0).otherwise(more)
    frames[DECISIONS] = states(decided.with_columns(selected_k=better).drop("evidence"))


def state_thresholds(frames: dict[str, Any], draw: Random) -> None:
    """Move the thresholds of the three states, and the states with them."""
    moved = {"tau_neg": round(draw.uniform(0.01, 0.19), 2), "tau_pos": 0.6}
    frames[DECISIONS] = states(
        frames[DECISIONS].with_columns(**{name: pl.lit(value) for name, value in moved.items()})
    )


def queries(frames: dict[str, Any], draw: Random) -> None:
    """Leave out posts."""
    posts = frames[FOLDS]["post_id"].to_list()
    gone = draw.sample(posts, draw.randint(1, 3))
    for name, frame in frames.items():
        if "post_id" in frame.columns:
            frames[name] = frame.filter(~pl.col("post_id").is_in(gone))


def tune(frames: dict[str, Any], draw: Random) -> None:
    """Invent other TUNE probabilities, so that other thresholds are chosen."""
    frame = frames[TUNE]
    frames[TUNE] = frame.with_columns(prob=pl.Series([round(draw.random(), 3) for _ in range(frame.height)]))


def folds(frames: dict[str, Any], draw: Random) -> None:
    """Exchange the folds of two posts."""
    first, second = draw.sample(frames[FOLDS]["post_id"].to_list(), 2)
    fold = dict(frames[FOLDS].rows())
    if fold[first] == fold[second]:
        return
    swap = {first: fold[second], second: fold[first]}
    later = {post: str((int(each) + 1) % 3) for post, each in swap.items()}
    for name, new in ((FOLDS, swap), (TUNE, later)):
        frames[name] = frames[name].with_columns(
            fold=pl.col("post_id").replace_strict(new, default=pl.col("fold"))
        )


def _evidence(frames: Frames | dict[str, Any]) -> pl.DataFrame:
    return frames[GOLD].select(KEY).unique(maintain_order=True).with_columns(evidence=pl.lit(1))


EDITS: dict[str, Edit] = {
    each.__name__: each
    for each in (
        labels,
        probabilities,
        scores,
        candidates,
        selected_k,
        state_thresholds,
        queries,
        tune,
        folds,
    )
}
