"""Predictions with a table `roles`: only EVAL posts are scored, the others must not be answered."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import assay
from assay.errors import InputError

CORPUS = {
    "sentences": pl.DataFrame(
        {"post_id": [f"p{at // 2}" for at in range(8)], "sent_uid": [f"s{at}" for at in range(8)]}
    ),
    "criteria": pl.DataFrame({"criterion_id": ["c"]}),
    "gold": pl.DataFrame({"post_id": ["p0", "p2"], "criterion_id": ["c"] * 2, "sent_uid": ["s0", "s5"]}),
}
CANDIDATES = pl.DataFrame(
    {
        "post_id": ["p2", "p2", "p3"],
        "criterion_id": ["c"] * 3,
        "sent_uid": ["s4", "s5", "s6"],
        "score": [0.2, 0.9, 0.1],
    }
)


def predictions(roles: dict[str, str], **more: pl.DataFrame) -> dict[str, Any]:
    table = pl.DataFrame({"post_id": list(roles), "role": list(roles.values())})
    return {"candidates": CANDIDATES, "roles": table, **more}


@pytest.mark.parametrize(
    "names", [("TRAIN", "TUNE", "EVAL"), ("train", "dev", "test"), ("Training", "valid", "Eval")]
)
def test_posts_of_other_roles_are_neither_scored_nor_missing(names: tuple[str, str, str]) -> None:
    train, tune, test = names
    given = predictions({"p0": train, "p1": tune, "p2": test, "p3": test})
    result = assay.evaluate(given, CORPUS, measures=["mrr"])
    assert result["mrr"].value == 1.0
    counts = result.counts
    assert (counts.queries, counts.missing, counts.aside) == (2, 0, 2)
    # Without roles, the queries of the other posts are missing.
    alone = assay.evaluate({"candidates": CANDIDATES}, CORPUS, measures=["mrr"])
    assert (alone["mrr"].value, alone.counts.missing) == (0.5, 2)


def test_an_eval_query_without_an_answer_is_still_missing() -> None:
    given = predictions({"p0": "EVAL", "p1": "TUNE", "p2": "EVAL", "p3": "EVAL"})
    result = assay.evaluate(given, CORPUS, measures=["mrr"])
    assert (result["mrr"].value, result.counts.missing) == (0.5, 1)


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"p0": "TRAIN", "p1": "magic", "p2": "EVAL", "p3": "EVAL"}, "role is 'magic'"),
        ({"p0": "TRAIN", "p2": "EVAL", "p3": "EVAL"}, "lacks 1 posts, the first 'p1'"),
        (
            {"p0": "TRAIN", "p1": "TRAIN", "p2": "EVAL", "p3": "TRAIN"},
            "which is TRAIN; expected EVAL posts only",
        ),
        ({"p0": "TRAIN", "p1": "TRAIN", "p2": "TUNE", "p3": "TRAIN"}, "has no EVAL post"),
        ({"p0": "TRAIN", "p1": "TRAIN", "p2": "EVAL", "p3": "EVAL", "p9": "EVAL"}, "'p9'"),
    ],
)
def test_wrong_roles(roles: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        assay.evaluate(predictions(roles), CORPUS, measures=["mrr"])


def test_thresholds_are_chosen_on_tune_posts_only() -> None:
    tune = pl.DataFrame({"post_id": ["p0"], "criterion_id": ["c"], "prob": [0.5]})
    given = predictions({"p0": "TRAIN", "p1": "TUNE", "p2": "EVAL", "p3": "EVAL"}, tune=tune)
    with pytest.raises(InputError, match="which is TRAIN; expected TUNE posts only"):
        assay.evaluate(given, CORPUS, measures=["mrr"])
