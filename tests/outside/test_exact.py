"""Exact bounds of shares against SciPy, and the histogram of the selected K against counting."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import assay
from assay.data.cases import STATES

PLAN = assay.Bootstrap(50)


def table(seed: int, posts: int, each: int) -> pl.DataFrame:
    generator = np.random.default_rng(seed)
    label = generator.random(posts * each) < 0.3
    prob = np.clip(generator.normal(0.3 + 0.3 * label, 0.2), 0, 1)
    post = [f"p{at // each}" for at in range(posts * each)]
    return pl.DataFrame({"post": post, "label": label.astype(int), "prob": prob})


COUNTS = {
    "sensitivity": (lambda y, d: (y & d).sum(), lambda y, d: y.sum()),
    "specificity": (lambda y, d: (~y & ~d).sum(), lambda y, d: (~y).sum()),
    "fpr": (lambda y, d: (~y & d).sum(), lambda y, d: (~y).sum()),
    "fnr": (lambda y, d: (y & ~d).sum(), lambda y, d: y.sum()),
    "ppv": (lambda y, d: (y & d).sum(), lambda y, d: d.sum()),
    "npv": (lambda y, d: (~y & ~d).sum(), lambda y, d: (~d).sum()),
}


@pytest.mark.parametrize("name", COUNTS)
def test_bounds_equal_scipy(name: str) -> None:
    frame = table(1, 120, 1)
    result = assay.evaluate(assay.read_decisions(frame, group="post"), measures=[name], bootstrap=PLAN)
    y, d = frame["label"].to_numpy() == 1, frame["prob"].to_numpy() >= 0.5
    hits, trials = (int(count(y, d)) for count in COUNTS[name])
    bounds = result[name].exact
    assert bounds is not None
    assert (bounds.hits, bounds.trials, bounds.units) == (hits, trials, trials)
    theirs = stats.binomtest(hits, trials).proportion_ci(0.95, "exact")
    assert (bounds.low, bounds.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    assert (bounds.post_low, bounds.post_high) == pytest.approx((bounds.low, bounds.high))


def test_queries_of_a_post_count_together() -> None:
    """Ten copies of every row: the share is the same, and nobody is surer of it."""
    once = table(2, 60, 1)
    copies = pl.concat([once] * 10)
    exact = [
        assay.evaluate(assay.read_decisions(frame, group="post"), measures=["sensitivity"], bootstrap=PLAN)[
            "sensitivity"
        ].exact
        for frame in (once, copies)
    ]
    first, second = exact
    assert first is not None
    assert second is not None
    assert second.trials == 10 * first.trials
    assert (second.post_low, second.post_high) == pytest.approx((first.low, first.high))
    assert second.high - second.low < first.high - first.low


def test_the_bootstrap_collapses_where_the_exact_bound_does_not() -> None:
    frame = pl.DataFrame({"label": [1] * 50 + [0] * 50, "prob": [0.9] * 50 + [0.1] * 50})
    value = assay.evaluate(assay.read_decisions(frame), measures=["sensitivity"], bootstrap=PLAN)[
        "sensitivity"
    ]
    assert value.interval is not None
    assert value.exact is not None
    assert (value.interval.low, value.interval.high) == (1.0, 1.0)
    assert value.exact.low == pytest.approx(0.025 ** (1 / 50))
    assert value.exact.high == 1.0


def test_no_interval_was_asked_for() -> None:
    result = assay.evaluate(assay.read_decisions(table(1, 20, 1)), measures=["sensitivity"])
    assert result["sensitivity"].exact is None


def predictions(generator: np.random.Generator) -> tuple[assay.Corpus, assay.Predictions, pl.DataFrame]:
    posts = [f"p{at}" for at in range(40)]
    sentences = [(post, f"{post}.{at}") for post in posts for at in range(5)]
    rows = []
    for post in posts:
        state = str(generator.choice(STATES))
        rows.append((post, "c", 0.5, 0 if state == "NEG" else int(generator.integers(0, 6)), state))
    key = ["post_id", "criterion_id"]
    decisions = pl.DataFrame(rows, schema=[*key, "prob", "selected_k", "state"], orient="row")
    gold = [(post, "c", f"{post}.0") for post in posts[::3]]
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame(sentences, schema=["post_id", "sent_uid"], orient="row"),
        criteria=pl.DataFrame({"criterion_id": ["c"]}),
        gold=pl.DataFrame(gold, schema=[*key, "sent_uid"], orient="row"),
    )
    listed = pl.DataFrame(
        [(post, "c", uid, 1.0) for post, uid in sentences], schema=[*key, "sent_uid", "score"], orient="row"
    )
    return corpus, assay.Predictions.of(listed, decisions), decisions


def test_histogram_of_the_selected_k() -> None:
    corpus, answered, decisions = predictions(np.random.default_rng(5))
    found = assay.evaluate(answered, corpus, measures=["selected_k_mean"]).selected_k
    assert set(found) == {"all", *(f"state={name}" for name in STATES), "has_evidence=0", "has_evidence=1"}
    for name, counts in found.items():
        column, _, label = name.partition("=")
        part = decisions
        if column == "state":
            part = decisions.filter(pl.col("state") == label)
        elif column == "has_evidence":
            gold = [f"p{at}" for at in range(0, 40, 3)]
            part = decisions.filter(pl.col("post_id").is_in(gold) == (label == "1"))
        by_hand: dict[int, int] = {}
        for k in part["selected_k"]:
            by_hand[k] = by_hand.get(k, 0) + 1
        assert dict(counts) == by_hand
