"""The structure of nested cross-validation: who may learn from whom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.data.corpus import Corpus
from assay.errors import AssayError, InputError
from assay.pipeline.corpus_views import posts_of
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.fold_parts import outer_folds, parts_of
from assay.pipeline.protocol.nested_fold import Crossfit, Parts, run_fold
from assay.pipeline.protocol.stage_cache import Cache
from assay.pipeline.run_config import Plan, Protocol
from assay.pipeline.stage import Learns, Pipeline, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled
from tests.pipeline.conftest import Tables, toy
from tests.pipeline.kinds import open_toy

Run = Callable[..., Answers]
PLAN = Plan(Path("toy"), protocol=Protocol(folds=3, crossfit=3))


def parts(tables: Tables, fold: str = "0", plan: Plan = PLAN) -> Parts:
    corpus = Corpus.of(**tables)
    return parts_of(posts_of(corpus, Cache(None)), outer_folds(corpus, plan), fold, plan)


def test_an_unlabelled_view_has_no_gold() -> None:
    given = parts(toy())
    assert isinstance(given.eval, Unlabelled)
    assert not hasattr(given.eval, "gold")
    assert not any("gold" in name for name in Unlabelled.__slots__)


def test_a_stage_sees_only_what_it_declares() -> None:
    class Greedy(Stage):
        name = "greedy"
        gives = ("out",)

        def apply(self, view: Unlabelled) -> Columns:
            return {"out": view.column("bm25")}

    from assay.pipeline.stages.retriever import Retriever

    with pytest.raises(AssayError, match="no column 'bm25'"):
        run_fold(Retriever() >> Greedy(), parts(toy()), Crossfit(3), Cache(None))


def test_the_three_parts_are_disjoint_and_whole() -> None:
    tables = toy(61)
    sizes = []
    for fold in ("0", "1", "2"):
        made = parts(tables, fold)
        names = [set(made.train.view.posts), set(made.tune.view.posts), set(made.eval.posts)]
        assert sum(map(len, names)) == len(set.union(*names)) == 61
        sizes.append(list(map(len, names)))
    # 61 posts: folds of 20, 20 and 21; then the floor of 70 % is TRAIN
    assert sizes == [[28, 13, 20], [28, 13, 20], [28, 12, 21]]


def test_tune_that_is_eval_cannot_be_made() -> None:
    given = parts(toy())
    with pytest.raises(InputError, match="is in tune and in eval"):
        Parts(given.train, given.tune, given.tune.view, None)


def test_the_same_seed_gives_the_same_bytes(answers: Run) -> None:
    tables = toy()
    first, second = (answers(tables, folds=3, crossfit=2) for _ in range(2))
    other = answers(tables, folds=3, crossfit=2, seed=1)
    assert first.candidates.write_csv() == second.candidates.write_csv()
    assert first.decisions is not None
    assert second.decisions is not None
    assert first.decisions.write_csv() == second.decisions.write_csv()
    assert first.candidates.write_csv() != other.candidates.write_csv()


class Remembers(Stage):
    """Gives 1 where the post was among those it was fitted on."""

    name = "remembers"
    gives = ("seen",)
    learns = Learns.TRAIN

    def fit(self, labelled: Labelled) -> None:
        self._posts = set(labelled.view.posts)

    def apply(self, view: Unlabelled) -> Columns:
        seen = np.array([float(post in self._posts) for post in view.posts])
        return {"seen": seen[view.layout.query_post]}


class Looks(Stage):
    """Learns from `seen`: what it meets on TRAIN."""

    name = "looks"
    needs = ("seen",)
    gives = ("found",)
    learns = Learns.TRAIN
    met: list[float] = []  # noqa: RUF012 # the test reads it

    def fit(self, labelled: Labelled) -> None:
        Looks.met.append(float(labelled.view.column("seen").max()))

    def apply(self, view: Unlabelled) -> Columns:
        return {"found": view.column("seen")}


def test_what_teaches_a_later_stage_is_cross_fitted() -> None:
    Looks.met.clear()
    run_fold(Pipeline((Remembers(), Looks())), parts(toy()), Crossfit(3), Cache(None))
    assert Looks.met == [0.0, 0.0, 0.0]


def test_criteria_that_are_not_trained_on_are_still_answered(answers: Run) -> None:
    tables = toy()
    made = answers(tables, folds=3, crossfit=2, exclude=("c2",))
    assert made.decisions is not None
    assert made.decisions.height == 120
    other = tables["gold"].filter(pl.col("criterion_id") == "c1")
    without = answers({**tables, "gold": other}, folds=3, crossfit=2, exclude=("c2",))
    assert made.candidates.write_csv() == without.candidates.write_csv()


def _only(tables: Tables, criterion: str) -> Tables:
    chosen = pl.col("criterion_id") == criterion
    return {**tables, "criteria": tables["criteria"].filter(chosen), "gold": tables["gold"].filter(chosen)}


def _every_sentence(tables: Tables) -> Tables:
    pairs = (
        tables["sentences"]
        .select("post_id", "sent_uid")
        .join(tables["criteria"].select("criterion_id"), how="cross")
    )
    return {**tables, "gold": pairs.select("post_id", "criterion_id", "sent_uid")}


def _one_post_has_evidence(tables: Tables) -> Tables:
    return {**tables, "gold": tables["gold"].head(1)}


def _single_sentences(_: Tables) -> Tables:
    return toy(60, sentences=1)


def _no_words(tables: Tables) -> Tables:
    return {**tables, "sentences": tables["sentences"].with_columns(pl.lit("").alias("text"))}


@pytest.mark.parametrize(
    "change",
    [
        lambda tables: _only(tables, "c1"),
        _every_sentence,
        _one_post_has_evidence,
        _single_sentences,
        _no_words,
    ],
    ids=["one criterion", "all positive", "no positive in a fold", "one sentence", "no words"],
)
def test_thin_corpora_are_answered(change: Callable[[Tables], Tables], answers: Run) -> None:
    tables = change(toy())
    made = answers(tables, folds=3, crossfit=2)
    assert made.decisions is not None
    queries = tables["sentences"]["post_id"].n_unique() * tables["criteria"].height
    assert made.decisions.height == queries
    assert made.decisions["prob"].is_between(0, 1).all()
    assert made.candidates["score"].is_finite().all()


@pytest.mark.parametrize("seed", range(3))
def test_a_few_posts_are_ranked_by_the_words_of_the_question(answers: Run, seed: int) -> None:
    """The trees of the matching model cannot split so few rows; all candidates got the same score."""
    tables = open_toy(8, seed=seed)
    made = answers(tables, folds=4, crossfit=2)
    best = made.candidates.sort("score", descending=True, maintain_order=True)
    first = best.group_by("criterion_id", maintain_order=True).first()
    found = tables["gold"].join(first, on=["post_id", "criterion_id", "sent_uid"], how="semi")
    assert found.height >= 0.8 * tables["gold"].height  # by chance, and in reading order, a quarter


def test_only_listed_queries_are_answered(answers: Run) -> None:
    tables = toy()
    listed = tables["sentences"].select("post_id").unique(maintain_order=True)
    listed = listed.with_columns(pl.lit("c1").alias("criterion_id"))
    kept = {**_only(tables, "c1"), "criteria": tables["criteria"], "queries": listed}
    made = answers(kept, folds=3, crossfit=2)
    assert made.decisions is not None
    assert made.decisions["criterion_id"].unique().to_list() == ["c1"]


def test_folds_of_the_corpus_are_kept(answers: Run) -> None:
    tables = toy()
    ids = tables["sentences"]["post_id"].unique(maintain_order=True)
    own = pl.DataFrame({"post_id": ids, "fold": ["x", "y", "z"] * 20})
    made = answers({**tables, "folds": own}, crossfit=2)
    assert made.decisions is not None
    joined = made.decisions.join(own, on="post_id")
    assert (joined["fold"] == joined["fold_right"]).all()
