"""Runs and corpora that are hard for an engine: ties, skew, ids from every Unicode class, cut queries."""

from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from assay.data.synthetic.synthetic_posts import synthesise

QUERIES = 120


def unicode_ids() -> list[str]:
    """One id per class of Unicode that a line of text can hold: no blanks, and nothing unpaired."""
    found: dict[str, str] = {}
    for code in range(0x21, sys.maxunicode):
        mark = chr(code)
        kind = unicodedata.category(mark)
        if kind not in ("Cs", "Cc") and mark not in "#\x85":
            found.setdefault(kind, mark)
    return [f"x{mark}{kind}" for kind, mark in sorted(found.items())]


def run_rows() -> pl.DataFrame:
    """Queries of 1 to 4,000 candidates with scores of one decimal; some sorted, some not."""
    generator = np.random.default_rng(17)
    names = [f"q{number}" for number in range(QUERIES)] + unicode_ids()
    parts = []
    for place, name in enumerate(names):
        length = 4000 if place == 7 else int(generator.integers(1, 300))
        scores = np.round(generator.normal(size=length), 1)
        if place % 2:
            scores = -np.sort(-scores)
        items = [f"d{item}" for item in generator.permutation(length)]
        items[: len(names) // 9] = [f"{name}{item}" for item in items[: len(names) // 9]]
        parts.append(pl.DataFrame({"query_id": [name] * length, "doc_id": items, "score": scores}))
    return pl.concat(parts)


def write_runs(folder: Path) -> Path:
    """Write qrels, and one run as text, Parquet, parts, and with its rows scattered."""
    run = run_rows()
    generator = np.random.default_rng(18)
    judged = run.filter(pl.Series(generator.random(len(run)) < 0.05))
    judged = judged.filter(~pl.col("query_id").is_in(["q3", "q4", "q50"]))  # not judged at all
    grades = generator.integers(-1, 4, len(judged))
    lines = [
        f"{query} 0 {item} {grade}\n"
        for (query, item, _), grade in zip(judged.iter_rows(), grades.tolist(), strict=True)
    ]
    lines += ["unanswered 0 d1 2\n"]
    (folder / "qrels.txt").write_text("".join(lines), encoding="utf-8")
    write_text(run, folder / "run.txt")
    write_text(run.with_columns(score=-pl.col("score")), folder / "other.txt")
    run.write_parquet(folder / "run.parquet", row_group_size=1500)
    order = generator.permutation(len(run))
    write_text(run[order], folder / "scattered.txt")
    (folder / "parts.parquet").mkdir()
    cuts = [0, 3000, 9001, 9001, len(run)]  # a file ends inside a query, one is empty
    for number, (first, end) in enumerate(pairwise(cuts)):
        run[first:end].write_parquet(folder / "parts.parquet" / f"part-{number}.parquet")
    return folder


def write_text(run: pl.DataFrame, path: Path) -> None:
    lines = [f"{query} Q0 {item} 1 {score} tag\n" for query, item, score in run.iter_rows()]
    lines[5:5] = ["# a comment\n", "\n"]
    path.write_text("".join(lines), encoding="utf-8")


def write_corpus(folder: Path) -> Path:
    """Write a corpus with graded gold and folds, and systems `a` and `b` with decisions and TUNE."""
    made = synthesise(60, 3)
    generator = np.random.default_rng(19)
    (folder / "corpus").mkdir()
    grades = pl.Series("grade", generator.integers(1, 4, len(made.gold)))
    for name in ("sentences", "criteria", "folds"):
        getattr(made, name).write_csv(folder / "corpus" / f"{name}.csv")
    made.gold.with_columns(grades).write_csv(folder / "corpus" / "gold.csv")
    pairs = made.sentences.select("post_id", "sent_uid").join(
        made.criteria.select("criterion_id"), how="cross"
    )
    pairs = pairs.select("post_id", "criterion_id", "sent_uid").sort(
        "post_id", "criterion_id", maintain_order=True
    )
    gold = made.gold.select("post_id", "criterion_id", "sent_uid", pl.lit(1.0).alias("is_gold"))
    pairs = pairs.join(gold, on=["post_id", "criterion_id", "sent_uid"], how="left", maintain_order="left")
    for name in ("a", "b"):
        noise = pl.Series(generator.normal(size=len(pairs)))
        scored = pairs.with_columns(score=(pl.col("is_gold").fill_null(0.0) + noise).round(1)).drop("is_gold")
        if name == "b":
            scored = scored[generator.permutation(len(scored))]
        (folder / name).mkdir()
        scored.write_parquet(folder / name / "candidates.parquet", row_group_size=900)
        queries = scored.group_by("post_id", "criterion_id", maintain_order=True).agg(
            pl.col("score").max().alias("top"), pl.len().alias("n")
        )
        prob = (1 / (1 + (-queries["top"]).exp())).round(2).alias("prob")
        decisions = queries.with_columns(prob)
        decisions = decisions.with_columns(
            selected_k=pl.when(pl.col("prob") > 0.8).then(pl.min_horizontal("n", 2)).otherwise(0)
        )
        decisions.select("post_id", "criterion_id", "prob", "selected_k").write_csv(
            folder / name / "decisions.csv"
        )
        tune = decisions.join(made.folds, on="post_id")
        folds = sorted(set(made.folds["fold"].to_list()))
        tune = tune.with_columns(
            pl.col("fold").replace_strict(dict(zip(folds, folds[1:] + folds[:1], strict=True)))
        )
        tune.select("post_id", "criterion_id", "prob", "fold").write_csv(folder / name / "tune.csv")
    return folder
