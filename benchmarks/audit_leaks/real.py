"""Real corpora with honest systems: lexical overlap with the criterion, and TF-IDF regression.

The corpora are not part of the repository: `--data` names the folder that has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import assay
from audit_leaks.worlds import PAIR, QUERY, World

FOLDS = 5
NAMES = ("hoc", "psytar", "contractnli", "squad2")
LEARNED = ("hoc", "psytar", "contractnli")
"""Corpora with criteria that recur across posts: a model can be fitted for each."""


def folders(data: Path) -> Iterator[tuple[str, World]]:
    """Yield a world for each corpus, system and number of decimals."""
    for name in NAMES:
        if not (data / name).is_dir():
            continue
        tables = {
            path.stem: pl.read_csv(path, infer_schema_length=0)
            for path in sorted((data / name).glob("*.csv"))
        }
        of = assay.folds(dict.fromkeys(tables["sentences"]["post_id"]), FOLDS, 0)
        tables["folds"] = pl.DataFrame({"post_id": list(of), "fold": list(of.values())})
        rows = pairs_of(tables)
        for system in ("overlap", "tfidf")[: 1 + (name in LEARNED)]:
            scored = overlap(rows, tables) if system == "overlap" else tfidf(rows)
            for digits in (15, 2):
                yield f"{name}, {system}, {digits} decimals", answered(tables, scored, digits)


def pairs_of(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return every sentence for every query of its post, with its label and fold."""
    posts = tables["sentences"].select("post_id").unique(maintain_order=True)
    queries = tables.get("queries")
    if queries is None:
        queries = posts.join(tables["criteria"].select("criterion_id"), how="cross")
    rows = queries.select(QUERY).join(
        tables["sentences"].select("post_id", "sent_uid", "text"), on="post_id", maintain_order="left_right"
    )
    gold = tables["gold"].select(PAIR).unique().with_columns(pl.lit(1).alias("hit"))
    rows = rows.join(gold, on=PAIR, how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("hit").fill_null(0), pl.col("text").fill_null(""))
    return rows.join(tables["folds"], on="post_id", how="left", maintain_order="left")


def overlap(rows: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the words of the criterion in the sentence, weighted by their rarity."""
    sentences = {
        uid: set(re.findall(r"\w+", (text or "").lower()))
        for uid, text in tables["sentences"].select("sent_uid", "text").iter_rows()
    }
    counts: dict[str, int] = {}
    for words in sentences.values():
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    asked = {
        name: set(re.findall(r"\w+", text.lower()))
        for name, text in tables["criteria"].select("criterion_id", "text").iter_rows()
    }
    weight = {word: np.log(len(sentences) / many) for word, many in counts.items()}
    score = [
        sum(weight[word] for word in asked[name] & sentences[uid]) / (5 + len(sentences[uid]))
        for name, uid in rows.select("criterion_id", "sent_uid").iter_rows()
    ]
    return rows.with_columns(pl.Series("score", score))


def tfidf(rows: pl.DataFrame) -> pl.DataFrame:
    """Return scores of a regression per criterion, fitted on the other folds."""
    texts = rows.unique("sent_uid", maintain_order=True)
    vectors = TfidfVectorizer(min_df=2, sublinear_tf=True).fit_transform(texts["text"].to_list())
    at = {uid: number for number, uid in enumerate(texts["sent_uid"])}
    parts: list[pl.DataFrame] = []
    for (_,), mine in rows.group_by("criterion_id", maintain_order=True):
        matrix = vectors[[at[uid] for uid in mine["sent_uid"]]]
        hit, fold = mine["hit"].to_numpy(), mine["fold"].to_numpy()
        score = np.zeros(len(mine))
        for each in range(FOLDS):
            train = fold != each
            model: Any = LogisticRegression(C=10.0, solver="liblinear")
            if 0 < hit[train].sum() < train.sum():
                model.fit(matrix[train], hit[train])
                score[~train] = model.decision_function(matrix[~train])
        parts.append(mine.with_columns(pl.Series("score", score)))
    return pl.concat(parts)


def answered(tables: dict[str, pl.DataFrame], scored: pl.DataFrame, digits: int) -> World:
    """Return candidates, probabilities calibrated on TUNE, and thresholds from it.

    TUNE posts of a fold are those of the next fold, which the model of that fold did not see.
    """
    queries = scored.group_by(*QUERY, "fold", maintain_order=True).agg(
        pl.col("score").max().alias("top"), pl.col("hit").max().alias("yes")
    )
    decisions, tune = [], []
    for fold in range(FOLDS):
        own = queries.filter(pl.col("fold") == fold)
        other = queries.filter(pl.col("fold") == (fold + 1) % FOLDS)
        model: Any = LogisticRegression().fit(other.select("top").to_numpy(), other["yes"].to_numpy())
        both = [
            part.with_columns(
                pl.Series("prob", model.predict_proba(part.select("top").to_numpy())[:, 1].round(digits))
            )
            for part in (own, other)
        ]
        low, high = (
            assay.choose_threshold(both[1]["prob"], both[1]["yes"], rule).value
            for rule in ("sensitivity_0.95", "f1")
        )
        taus = [
            pl.lit(min(low, high, 1.0)).alias("tau_neg"),
            pl.lit(min(max(low, high), 1.0)).alias("tau_pos"),
        ]
        decisions.append(both[0].with_columns(taus))
        tune.append(both[1].with_columns(pl.lit(fold).cast(pl.Int64).alias("fold")))
    predictions = {
        "candidates": scored.select(*PAIR, "score"),
        "decisions": pl.concat(decisions).select(*QUERY, "prob", "tau_neg", "tau_pos"),
        "tune": pl.concat(tune).select(*QUERY, "fold", "prob"),
    }
    return World(dict(tables), predictions)
