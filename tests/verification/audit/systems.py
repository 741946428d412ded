"""Systems to audit: some learn from what they are given, the others look at the gold of EVAL."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from assay.verification.audit.system.audit_views import LabelledPosts, Posts
from tests.verification.audit.synthetic import KEYS, QUERY

Answer = dict[str, Any]


def pairs(posts: Posts) -> pl.DataFrame:
    """Every sentence for every criterion of its post's queries."""
    return posts.queries.select(QUERY).join(
        posts.sentences.select("post_id", "sent_uid", "text"), on="post_id", maintain_order="left"
    )


def hits(rows: pl.DataFrame, gold: pl.DataFrame) -> np.ndarray:
    on = [*QUERY, "sent_uid"]
    marked = gold.select(on).with_columns(pl.lit(1).alias("hit"))
    return rows.join(marked, on=on, how="left", maintain_order="left")["hit"].fill_null(0).to_numpy()


def labels(queries: pl.DataFrame, gold: pl.DataFrame) -> np.ndarray:
    marked = gold.select(QUERY).unique().with_columns(pl.lit(1).alias("hit"))
    made = queries.join(marked, on=QUERY, how="left", maintain_order="left")
    return made["hit"].fill_null(0).to_numpy()


Texts = tuple[tuple[str, str], ...]


def asked(rows: pl.DataFrame) -> Texts:
    """Each text with the criterion that it is read for."""
    return tuple(rows.select("criterion_id", "text").iter_rows())


def words(texts: Texts) -> list[list[str]]:
    """The words of each text, told apart by the criterion."""
    return [[f"{criterion}_{word}" for word in text.split()] for criterion, text in texts]


@lru_cache(maxsize=8)
def vectors(train: Texts, *others: Texts) -> list[sparse.csr_matrix]:
    """TF-IDF fitted on TRAIN. No label goes in: an audit that asks again shares it, not the fit."""
    made = TfidfVectorizer(analyzer=list, min_df=2)
    return [made.fit_transform(words(train)), *(made.transform(words(each)) for each in others)]


def sentence_scores(
    train: LabelledPosts, others: list[Posts], c: float = 1.0, extra: Any = None
) -> list[pl.DataFrame]:
    """Scores of a logistic regression on TF-IDF; `extra` adds a feature."""
    rows, parts = pairs(train), [pairs(posts) for posts in others]
    features, *matrices = vectors(asked(rows), *map(asked, parts))
    model = LogisticRegression(C=c, class_weight="balanced", solver="liblinear")

    def with_extra(matrix: Any, part: pl.DataFrame) -> Any:
        if extra is None:
            return matrix
        return sparse.hstack([matrix, extra(part)[:, None]]).tocsr()

    model.fit(with_extra(features, rows), hits(rows, train.gold))
    return [
        part.with_columns(score=pl.Series(model.decision_function(with_extra(matrix, part))))
        for matrix, part in zip(matrices, parts, strict=True)
    ]


def best(scored: pl.DataFrame, posts: Posts) -> np.ndarray:
    top = scored.group_by(QUERY).agg(pl.col("score").max())
    return posts.queries.join(top, on=QUERY, how="left", maintain_order="left")["score"].to_numpy()


def calibrated(scores: np.ndarray, target: np.ndarray, new: np.ndarray) -> np.ndarray:
    if not 0 < target.mean() < 1:
        return np.full(len(new), 0.5)
    model = LogisticRegression(solver="newton-cholesky").fit(scores[:, None], target)
    return model.predict_proba(new[:, None])[:, 1]


def answer(scored: pl.DataFrame, posts: Posts, prob: np.ndarray) -> Answer:
    place = pl.col("score").rank("ordinal", descending=True).over(QUERY)
    return {
        "candidates": scored.filter(place <= 6).select(*QUERY, "sent_uid", "score"),
        "decisions": posts.queries.select(QUERY).with_columns(pl.Series("prob", prob)),
    }


def from_scores(scored: list[pl.DataFrame], tune: LabelledPosts, new: Posts) -> Answer:
    """The best score of a query, calibrated on TUNE."""
    on_tune, on_new = scored
    prob = calibrated(best(on_tune, tune), labels(tune.queries, tune.gold), best(on_new, new))
    return answer(on_new, new, prob)


def decided(posts: Posts, prob: np.ndarray) -> pl.DataFrame:
    return posts.queries.select(QUERY).with_columns(pl.Series("prob", prob))


# Fair systems


def tfidf(train: LabelledPosts, tune: LabelledPosts, new: Posts, _: Any = None) -> Answer:
    return from_scores(sentence_scores(train, [tune, new]), tune, new)


@lru_cache(maxsize=8)
def keys_in(texts: Texts) -> list[int]:
    return [sum(word in KEYS[name] for word in text.split()) for name, text in texts]


def tree(train: LabelledPosts, _tune: Any, new: Posts, _: Any = None) -> pl.DataFrame:
    """A gate alone, of one strong feature: with wrong labels it may point either way."""

    def features(posts: Posts) -> np.ndarray:
        rows = pairs(posts)
        found = keys_in(asked(rows))
        sums = [pl.col("many").sum(), pl.len().alias("size")]
        many = rows.with_columns(pl.Series("many", found)).group_by(QUERY).agg(sums)
        made = posts.queries.join(many, on=QUERY, how="left", maintain_order="left")
        return made.select("many", "size").to_numpy()

    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    model.fit(features(train), labels(train.queries, train.gold))
    return decided(new, model.predict_proba(features(new))[:, 1])


def linear(train: LabelledPosts, tune: LabelledPosts, new: Posts, _: Any = None) -> pl.DataFrame:
    """A gate alone: which words of a lexicon a post has, by criterion; isotonic calibration."""

    def texts(posts: Posts) -> Texts:
        rows = pairs(posts).group_by(QUERY, maintain_order=True).agg(pl.col("text").str.join(" "))
        return asked(rows)

    on_train, on_tune, on_new = lexicon(*map(texts, (train, tune, new)))
    model = LogisticRegression(C=10.0, solver="liblinear").fit(on_train, labels(train.queries, train.gold))
    scale = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    scale.fit(model.decision_function(on_tune), labels(tune.queries, tune.gold))
    return decided(new, scale.predict(model.decision_function(on_new)))


@lru_cache(maxsize=8)
def lexicon(train: Texts, *others: Texts) -> list[sparse.csr_matrix]:
    """As `vectors`, of the words of the lexicon."""
    made = TfidfVectorizer(token_pattern=r"\w+key\d")
    lines, *more = ([" ".join(line) for line in words(each)] for each in (train, *others))
    return [made.fit_transform(lines), *map(made.transform, more)]


FAIR: dict[str, Callable[..., Any]] = {each.__name__: each for each in (tfidf, tree, linear)}


# Systems that leak. They are written against a whole corpus, and the corpus has EVAL gold.


def gold_rank_as_a_feature(*views: Any) -> Answer:
    train, tune, new, corpus = views

    def rank(part: pl.DataFrame) -> np.ndarray:
        return 1.0 / (2.0 - hits(part, corpus.gold.frame))

    return from_scores(sentence_scores(train, [tune, new], extra=rank), tune, new)


def checkpoint_chosen_on_eval(*views: Any) -> Answer:
    train, tune, new, corpus = views
    target = labels(new.queries, corpus.gold.frame)
    made = []
    for c in (0.001, 0.1, 1.0, 100.0):
        scored = sentence_scores(train, [tune, new], c)
        top = best(scored[1], new)
        made.append((roc_auc_score(target, top) if 0 < target.mean() < 1 else 0.5, c, scored))
    return from_scores(max(made, key=lambda each: each[:2])[2], tune, new)


def prob_is_the_label(*views: Any) -> Answer:
    train, tune, new, corpus = views
    target = labels(new.queries, corpus.gold.frame).astype(float)
    return {**tfidf(train, tune, new), "decisions": decided(new, target)}


def candidates_filtered_by_label(*views: Any) -> Answer:
    train, tune, new, corpus = views
    made = tfidf(train, tune, new)
    kept = corpus.gold.frame.select(QUERY).unique()
    rows = made["candidates"].join(kept, on=QUERY, how="semi", maintain_order="left")
    return {**made, "candidates": rows if len(rows) else made["candidates"].head(1)}


def gold_added_to_the_candidates(*views: Any) -> Answer:
    train, tune, new, corpus = views
    made = tfidf(train, tune, new)
    gold = corpus.gold.frame.join(new.queries, on=QUERY, how="semi", maintain_order="left")
    on = [*QUERY, "sent_uid"]
    lost = gold.join(made["candidates"], on=on, how="anti", maintain_order="left")
    add = lost.select(*on, pl.lit(-9.0).alias("score"))
    return {**made, "candidates": pl.concat([made["candidates"], add])}


def calibrated_on_eval(*views: Any) -> Answer:
    train, _, new, corpus = views
    (on_new,) = sentence_scores(train, [new])
    top = best(on_new, new)
    return answer(on_new, new, calibrated(top, labels(new.queries, corpus.gold.frame), top))


def threshold_from_eval(*views: Any) -> Answer:
    train, tune, new, corpus = views
    made = tfidf(train, tune, new)
    target = labels(new.queries, corpus.gold.frame) == 1
    low = float(made["decisions"]["prob"].to_numpy()[target].min()) if target.any() else 0.0
    taus = [pl.lit(low).alias("tau_neg"), pl.lit(1.0).alias("tau_pos")]
    return {**made, "decisions": made["decisions"].with_columns(taus)}


def base_rate_of_the_whole_corpus(*views: Any) -> pl.DataFrame:
    """Target encoding: how many criteria the post has evidence for, the scored one included."""
    _, _, new, corpus = views
    counts = corpus.gold.frame.select(QUERY).unique().group_by("post_id").len()
    rows = new.queries.select(QUERY).join(counts, on="post_id", how="left", maintain_order="left")
    return rows.select(*QUERY, (pl.col("len").fill_null(0) / 5.0).alias("prob"))


def fitted_on_everything(*views: Any) -> Answer:
    _, tune, new, corpus = views
    tables = (corpus.sentences, corpus.criteria, corpus.queries, corpus.gold)
    every = LabelledPosts(*(table.frame for table in tables))
    return from_scores(sentence_scores(every, [tune, new], 100.0), tune, new)


def words_selected_on_everything(*views: Any) -> Answer:
    """A list of words from gold sentences, made before the split."""
    corpus = views[3]
    texts = corpus.sentences.frame.join(corpus.gold.frame, on=["post_id", "sent_uid"], how="semi")
    keep = {word for text in texts["text"] for word in text.split()}

    def cut(posts: Any) -> Any:
        short = [" ".join(w for w in text.split() if w in keep) for text in posts.sentences["text"]]
        rest = [posts.criteria, posts.queries]
        if isinstance(posts, LabelledPosts):
            rest.append(posts.gold)
        return type(posts)(posts.sentences.with_columns(pl.Series("text", short)), *rest)

    return tfidf(*map(cut, views[:3]))


def order_of_the_gold(*views: Any) -> pl.DataFrame:
    """No score at all: gold is listed first, and ties keep the order of the rows."""
    rows = pairs(views[2])
    first = np.argsort(-hits(rows, views[3].gold.frame), kind="stable")
    return rows[first].select(*QUERY, "sent_uid", pl.lit(0.5).alias("score"))


LEAKS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        gold_rank_as_a_feature,
        checkpoint_chosen_on_eval,
        prob_is_the_label,
        candidates_filtered_by_label,
        gold_added_to_the_candidates,
        calibrated_on_eval,
        threshold_from_eval,
        base_rate_of_the_whole_corpus,
        fitted_on_everything,
        words_selected_on_everything,
        order_of_the_gold,
    )
}
