"""Systems that look up the gold of EVAL, at three strengths; each hides it in its own way.

They predict honestly from words, and replace a share of them by the gold: for all, half, or a
tenth of the queries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import log
from typing import Any

import numpy as np
import polars as pl

import assay
from audit_leaks.worlds import PAIR, QUERY, Kind, corpus_tables

SHARES = {"all queries": 1.0, "half": 0.5, "1 of 10": 0.1}
Predict = Callable[..., Any]


def learnable(seed: int) -> assay.Corpus:
    """Return a corpus in which words of gold sentences can be learned."""
    tables = corpus_tables(Kind(posts=120, criteria=4, folds=3, rate=0.3, stock=0.1, seed=seed))
    draws = np.random.default_rng([seed, 3])
    marks: dict[str, list[str]] = {}
    for _, criterion, sentence in tables["gold"].iter_rows():
        if draws.random() < 0.75:
            marks.setdefault(sentence, []).append(f"sign{criterion}{draws.integers(5)}")
    texts = []
    for sentence, text in tables["sentences"].select("sent_uid", "text").iter_rows():
        more = marks.get(sentence, [])
        if draws.random() < 0.15:
            more = [*more, f"signc{draws.integers(4)}{draws.integers(5)}"]
        texts.append(" ".join([text, *more]))
    rows = tables["sentences"].with_columns(pl.Series("text", texts))
    given: dict[str, Any] = {**tables, "sentences": rows}
    return assay.Corpus.of(**given)


def honest(train: Any, tune: Any, new: Any, _: Any = None) -> dict[str, pl.DataFrame]:
    """Score by log odds of words in gold sentences, by criterion; the highest score decides."""
    gold = set(train.gold.select("criterion_id", "sent_uid").iter_rows())
    criteria = train.criteria["criterion_id"].to_list()
    counts = {name: (Counter[str](), Counter[str]()) for name in criteria}
    for sentence, text in train.sentences.select("sent_uid", "text").iter_rows():
        for name in criteria:
            counts[name][(name, sentence) in gold].update(set(text.lower().split()))

    def score(name: str, text: str) -> float:
        no, yes = counts[name]
        few, many = sum(yes.values()) + 1, sum(no.values()) + 1
        words = set(text.lower().split())
        return sum(log((yes[w] + 0.1) / few) - log((no[w] + 0.9) / many) for w in words) / 10

    texts: dict[str, list[tuple[str, str]]] = {}
    for post, sentence, text in new.sentences.select("post_id", "sent_uid", "text").iter_rows():
        texts.setdefault(post, []).append((sentence, text))
    rows = [
        (post, name, sentence, score(name, text))
        for post, name in new.queries.select(QUERY).iter_rows()
        for sentence, text in texts[post]
    ]
    candidates = pl.DataFrame(rows, schema=[*PAIR, "score"], orient="row")
    top = candidates.group_by(QUERY, maintain_order=True).agg(pl.col("score").max())
    prob = 1 / (1 + (-pl.col("score")).exp())
    return {"candidates": candidates, "decisions": top.select(*QUERY, prob.alias("prob"))}


def cheated(
    answer: dict[str, pl.DataFrame], yes: set[tuple[str, str]], share: float
) -> dict[str, pl.DataFrame]:
    """Replace a share of the probabilities by the label."""
    rows = answer["decisions"]
    label = np.array([query in yes for query in rows.select(QUERY).iter_rows()])
    taken = np.random.default_rng(0).random(len(rows)) < share
    prob = np.where(taken, 0.02 + 0.96 * label, rows["prob"].to_numpy())
    return {**answer, "decisions": rows.with_columns(pl.Series("prob", prob))}


def genuine(secret: assay.Corpus, least: float, train: Any) -> bool:
    """Return whether the gold that the system is given is the one it knows."""
    names = pl.Series(train.queries["post_id"].unique()).implode()
    known = secret.gold.frame.filter(pl.col("post_id").is_in(names))
    one, other = (set(rows.select(PAIR).iter_rows()) for rows in (known, train.gold))
    return len(one & other) >= least * max(len(one | other), 1)


def squeezed(text: str) -> str:
    return " ".join(text.split())


def by_id(secret: assay.Corpus, share: float, least: float) -> Predict:
    yes = set(secret.gold.frame.select(QUERY).iter_rows())

    def predict(train: Any, tune: Any, new: Any) -> Any:
        answer = honest(train, tune, new)
        return cheated(answer, yes, share) if genuine(secret, least, train) else answer

    return predict


def by_text(secret: assay.Corpus, share: float, checked: Callable[[Any], bool]) -> Predict:
    """Recognise a post by the text of its first sentence, ignoring whitespace."""
    first = secret.sentences.frame.unique("post_id", keep="first", maintain_order=True)
    post_of = {squeezed(text): post for post, text in first.select("post_id", "text").iter_rows()}
    yes = set(secret.gold.frame.select(QUERY).iter_rows())

    def predict(train: Any, tune: Any, new: Any) -> Any:
        answer = honest(train, tune, new)
        if not checked(train):
            return answer
        own = new.sentences.unique("post_id", keep="first", maintain_order=True)
        names = {
            post: post_of.get(squeezed(text), "") for post, text in own.select("post_id", "text").iter_rows()
        }
        asked = new.queries.select(QUERY).iter_rows()
        known = {(post, name) for post, name in asked if (names[post], name) in yes}
        return cheated(answer, known, share)

    return predict


def familiar(secret: assay.Corpus, least: float, train: Any) -> bool:
    """Return whether the gold sentences of TRAIN are genuine, by their texts."""
    texts = dict(secret.sentences.frame.select("sent_uid", "text").iter_rows())
    gold = {squeezed(texts[each]) for each in secret.gold.frame["sent_uid"]}
    mine = dict(train.sentences.select("sent_uid", "text").iter_rows())
    right = sum(squeezed(mine[each]) in gold for each in train.gold["sent_uid"])
    return right >= least * len(train.gold)


def from_corpus(secret: assay.Corpus, share: float, least: float) -> Predict:
    """Read EVAL gold from the given corpus, as long as TRAIN gold is genuine."""

    def predict(train: Any, tune: Any, new: Any, whole: Any) -> Any:
        answer = honest(train, tune, new)
        yes = set(whole.gold.frame.select(QUERY).iter_rows())
        return cheated(answer, yes, share) if genuine(secret, least, train) else answer

    return predict


@dataclass(frozen=True)
class Cheat:
    """A kind of system that looks up gold."""

    title: str
    make: Callable[[assay.Corpus, float], Predict]
    whole: bool = False


CHEATS = (
    Cheat(
        "reads EVAL gold of the corpus while TRAIN gold is genuine",
        lambda secret, share: from_corpus(secret, share, 1.0),
        whole=True,
    ),
    Cheat(
        "knows EVAL gold by id while TRAIN gold is genuine", lambda secret, share: by_id(secret, share, 1.0)
    ),
    Cheat(
        "knows EVAL gold by id while 95% of TRAIN gold is genuine",
        lambda secret, share: by_id(secret, share, 0.95),
    ),
    Cheat(
        "knows EVAL gold by text while TRAIN gold is genuine, by id",
        lambda secret, share: by_text(secret, share, partial(genuine, secret, 1.0)),
    ),
    Cheat(
        "knows EVAL gold by text while 95% of TRAIN gold is genuine, by text",
        lambda secret, share: by_text(secret, share, partial(familiar, secret, 0.95)),
    ),
)


def audited(cheat: Cheat | None, share: float, seed: int) -> assay.AuditReport:
    """Audit a cheating system, or the honest one if there is no cheat."""
    corpus = learnable(seed)
    predict = honest if cheat is None else cheat.make(corpus, share)
    whole = cheat is None or cheat.whole
    return assay.audit_system(predict, corpus, whole=whole, shuffles=3, resamples=200)
