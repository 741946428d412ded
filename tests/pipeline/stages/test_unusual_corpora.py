"""Corpora with an unusual share of evidence, or unusual criteria."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from assay.data.corpus import Corpus
from assay.experiment.state_thresholds import choose
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan
from assay.pipeline.stages.no_evidence_gate import NoEvidenceGate
from assay.pipeline.view_layout import asked_everywhere
from assay.pipeline.views import Labelled, Unlabelled
from tests.pipeline.conftest import FAST, toy
from tests.pipeline.stages.test_stages import tokens_of

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


def test_a_criterion_that_only_one_fold_asks_is_ranked_as_the_others_were() -> None:
    """Evidence is always the last sentence, and no word of a criterion is in a post."""
    tables = toy(posts=120, rate=0.0)
    last = tables["sentences"].group_by("post_id", maintain_order=True).last()
    number = pl.col("post_id").str.slice(1).cast(int)
    name = pl.when(number % 3 == 0).then(pl.lit("new")).otherwise((number % 3).cast(str))
    folds = last.select("post_id", fold=name)
    asked = folds.join(pl.DataFrame({"criterion_id": ["c1", "c2", "c3"]}), how="cross")
    asked = asked.filter((pl.col("fold") == "new") == (pl.col("criterion_id") == "c3")).select(QUERY)
    tables |= {
        "criteria": pl.DataFrame({"criterion_id": ["c1", "c2", "c3"], "text": ["alpha", "beta", "gamma"]}),
        "queries": asked,
        "folds": folds,
        "gold": asked.filter(number // 3 % 2 == 0).join(last, on="post_id").select(*QUERY, "sent_uid"),
    }
    plan = Plan(Path("toy"), tables=FAST | {"matching": FAST["matching"] | {"enough": 4}})
    made = predict(plan, Corpus.of(**tables), choose, processes=1)
    unseen = tables["gold"].filter(pl.col("criterion_id") == "c3")
    assert top_is_evidence(made, unseen) > 0.9


def test_the_gate_of_a_criterion_that_is_not_taught_is_that_of_the_matching_model() -> None:
    posts, draw = 40, np.random.default_rng(0)
    layout = asked_everywhere(map(str, range(posts)), ("taught", "new"), np.arange(posts + 1))
    names = ("node", "score", "match_gate", "post_score", "evidence_score")
    columns = {name: draw.normal(size=2 * posts) for name in names}
    view = Unlabelled(layout, tokens_of(["x"] * posts, ["a", "b"]), columns)
    stage, new = NoEvidenceGate(), layout.query_criterion == 1
    stage.fit(Labelled(view, draw.random(2 * posts) < 0.5, ~new))
    gate = stage.apply(view)["gate"]
    assert (gate[new] == columns["match_gate"][new]).all()
    assert (gate[~new] != columns["match_gate"][~new]).all()
