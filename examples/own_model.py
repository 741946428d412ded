"""Evaluate a model of your own out of fold, and let the audit look for leaks in it."""

from types import SimpleNamespace

import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import assay

PAIR = ["post_id", "criterion_id", "sent_uid"]


def predict(train, tune, unlabelled):
    """Fit on TRAIN and score the candidates of other posts, whose gold is not given."""
    seen, asked = pairs(train), pairs(unlabelled)
    seen = seen.join(
        train.gold.select(*PAIR, pl.lit(1).alias("label")), on=PAIR, how="left", maintain_order="left"
    )
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(C=10))
    model.fit(seen["input"].to_list(), seen["label"].fill_null(0).to_list())
    return asked.select(*PAIR, pl.Series("score", model.predict_proba(asked["input"].to_list())[:, 1]))


def pairs(part):
    """Return one row per query and candidate, with the text of both."""
    rows = part.queries.join(part.sentences, on="post_id", maintain_order="left_right")
    return rows.with_columns(input=pl.format("{} {}", "criterion_id", "text"))


corpus = assay.read_corpus(assay.example_path("corpus"))
fold_of = dict(corpus.folds.frame.select("post_id", "fold").iter_rows())  # assay.folds(posts) makes new ones
FOLDS = set(fold_of.values())


def part(*folds):
    """Return the tables of the posts in these folds."""
    posts = [post for post, fold in fold_of.items() if fold in folds]
    tables = {name: getattr(corpus, name).frame for name in ("queries", "sentences", "gold")}
    return SimpleNamespace(
        **{name: each.filter(pl.col("post_id").is_in(posts)) for name, each in tables.items()}
    )


scored = [predict(part(*FOLDS - {fold}), None, part(fold)) for fold in sorted(FOLDS)]
print(
    assay.evaluate(pl.concat(scored), corpus, measures=["ndcg@3", "recall@3", "score_auroc"], bootstrap=500)
)

report = assay.audit_system(predict, corpus, folds=fold_of)
print(f"{len(report.leaks)} leaks found by {len(report.findings)} checks")
