"""Corpora with an unusual share of evidence, or unusual criteria."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from assay.pipeline.prediction_tables import Answers
from tests.pipeline.conftest import toy

QUERY = ["post_id", "criterion_id"]
Run = Callable[..., Answers]


def top_is_evidence(made: Answers, gold: pl.DataFrame) -> float:
    """Return the share of queries with evidence whose first sentence is evidence."""
    first = made.candidates.sort("score", descending=True, maintain_order=True).group_by(QUERY).first()
    asked = gold.select(QUERY).unique().join(first, on=QUERY)
    return asked.join(gold, on=[*QUERY, "sent_uid"]).height / asked.height


def test_criteria_are_learned_where_every_query_has_evidence(answers: Run) -> None:
    """Only the sentences of a query tell evidence from the rest; its words are not in the criterion."""
    tables = toy()
    tables["queries"] = tables["gold"].select(QUERY).unique(maintain_order=True)
    length = pl.col("text").str.split(" ").list.len()
    padded = pl.when(length == 5).then(pl.col("text") + " street").otherwise(pl.col("text"))
    tables["sentences"] = tables["sentences"].with_columns(text=padded)  # length must not tell either
    tables["criteria"] = tables["criteria"].with_columns(text=pl.lit("criterion"))
    assert top_is_evidence(answers(tables), tables["gold"]) > 0.8
