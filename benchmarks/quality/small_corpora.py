"""The no-evidence gate on small corpora: AUROC with two baselines, mean over the EVAL folds.

`make bench-small` draws five random subsets of 50, 100 and 200 posts of each corpus found in
../shared/data, runs the default pipeline on each, and writes benchmarks/quality/small_corpora.md. The
baselines are the highest score of the same pipeline, and one logistic regression per criterion on
TF-IDF of the whole post, fitted on all posts that are not in EVAL (the pipeline learns from 70% of
them).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import polars as pl

from assay.data.corpus import QUERY, Corpus, read_corpus
from assay.data.predictions import Predictions
from assay.evaluation.evaluate import evaluate
from assay.experiment.run_baselines import by_highest, fold_table
from assay.experiment.state_thresholds import choose
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan

HERE = Path(__file__).parent
DATA = HERE.parents[2] / "shared" / "data"
CORPORA, SIZES, DRAWS = ("hoc", "psytar", "contractnli"), (50, 100, 200), 5
SYSTEMS = ("gate", "highest score", "logistic regression")
MARGIN = 0.005


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--corpora", nargs="+", default=CORPORA)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "small_corpora.md")
    options = parser.parse_args()
    found: dict[tuple[str, int], list[list[float]]] = {}
    for name in options.corpora:
        if not (options.data / name).is_dir():
            print(f"{name} is not in {options.data.name}; left out", file=sys.stderr)
            continue
        corpus = read_corpus(options.data / name)
        for size in options.sizes:
            found[name, size] = [scored(subset(corpus, size, seed)) for seed in range(DRAWS)]
            print(name, size, np.mean(found[name, size], axis=0).round(4), file=sys.stderr)
            options.output.write_text(page(found))


def subset(corpus: Corpus, size: int, seed: int) -> Corpus:
    """Return some posts of a corpus, drawn with the seed."""
    posts = sorted(corpus.sentences.frame["post_id"].unique().to_list())
    kept = np.random.default_rng(seed).choice(posts, size, replace=False).tolist()
    columns = {
        "sentences": ["post_id", "sent_uid", "position", "text"],
        "gold": ["post_id", "criterion_id", "sent_uid"],
        "queries": list(QUERY),
    }
    tables = {
        name: getattr(corpus, name).frame.select(names).filter(pl.col("post_id").is_in(kept))
        for name, names in columns.items()
    }
    return Corpus.of(corpus.name, criteria=corpus.criteria.frame, **tables)


def scored(corpus: Corpus) -> list[float]:
    """Return the AUROC of the gate and of both baselines, mean over the EVAL folds."""
    plan = Plan(Path(corpus.name))
    answers, fold = predict(plan, corpus, choose), fold_table(corpus, plan)
    assert answers.decisions is not None
    decided = (answers.decisions, by_highest(answers.candidates, corpus, fold), regressions(corpus, fold))
    out = []
    for decisions in decided:
        kept = decisions.select(*QUERY, "prob", "fold")
        given = Predictions.of(answers.candidates, kept)
        out.append(evaluate(given, corpus, measures=["auroc"])["auroc"].value)
    return out


def regressions(corpus: Corpus, fold: pl.DataFrame) -> pl.DataFrame:
    """Return the probabilities of one logistic regression per criterion and fold."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    texts = corpus.sentences.frame.group_by("post_id", maintain_order=True).agg(pl.col("text").str.join(" "))
    marked = corpus.gold.frame.select(QUERY).unique().with_columns(pl.lit(True).alias("label"))
    asked = corpus.queries.frame.select(QUERY).join(marked, on=QUERY, how="left", maintain_order="left")
    table = asked.with_columns(pl.col("label").fill_null(False)).join(
        fold, on="post_id", maintain_order="left"
    )
    table = table.join(texts, on="post_id", maintain_order="left").with_columns(pl.lit(0.0).alias("prob"))
    parts = []
    for held in fold["fold"].unique().sort():
        for _, rows in table.group_by("criterion_id", maintain_order=True):
            train, own = rows.filter(pl.col("fold") != held), rows.filter(pl.col("fold") == held)
            labels = train["label"].to_numpy()
            if own.is_empty():
                continue
            if labels.all() or not labels.any():
                parts.append(own.with_columns(pl.lit(float(labels.mean())).alias("prob")))
                continue
            weights = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
            model = LogisticRegression(max_iter=500)
            model.fit(weights.fit_transform(train["text"].to_list()), labels)
            prob = model.predict_proba(weights.transform(own["text"].to_list()))[:, 1]
            parts.append(own.with_columns(pl.Series("prob", prob)))
    return pl.concat(parts)


def page(found: dict[tuple[str, int], list[list[float]]]) -> str:
    """Return the table: mean over the draws, and the means over the corpora."""
    lines = ["# The no-evidence gate on small corpora", "", (__doc__ or "").split("\n\n", 1)[1].strip(), ""]
    lines += ["| posts | corpus | " + " | ".join(SYSTEMS) + " |", "|---:|---|" + "---:|" * len(SYSTEMS)]
    for size in sorted({size for _, size in found}):
        means = {name: np.mean(rows, axis=0) for (name, each), rows in found.items() if each == size}
        for name, values in [*means.items(), ("**mean**", np.mean(list(means.values()), axis=0))]:
            lines.append(f"| {size} | {name} | " + " | ".join(f"{each:.4f}" for each in values) + " |")
        worst = np.mean(list(means.values()), axis=0)
        verdict = "yes" if worst[0] >= worst[1:].max() - MARGIN else "NO"
        lines.append(f"| | at most {MARGIN} below both baselines | {verdict} | | |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
