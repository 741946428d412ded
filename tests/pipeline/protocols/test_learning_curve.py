"""`assay ablate --learning-curve`: quality against the number of TRAIN posts."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.data.corpus import Corpus
from assay.experiment.ablation.learning_curve import learning_curve
from assay.pipeline.protocol.fold_parts import outer_folds, post_parts
from assay.pipeline.protocol.post_split import subsample
from assay.pipeline.run_config import Plan, Protocol, read_plan
from assay.pipeline.stages.sentence_scorer import SentenceScorer
from tests.pipeline.conftest import Call, toy
from tests.pipeline.test_run import configured

pytestmark = pytest.mark.full

TRAIN = 21  # 70% of two folds of 15 posts


def test_smaller_samples_are_in_larger_ones_and_the_rest_does_not_change() -> None:
    corpus = Corpus.of(**toy(45))
    posts = tuple(outer_folds(corpus, Plan(Path("toy"))))
    plans = [
        Plan(Path("toy"), protocol=Protocol(folds=3, train_posts=size)) for size in (2, 5, 11, TRAIN, 500)
    ]
    for fold in ("0", "1", "2"):
        made = [post_parts(posts, outer_folds(corpus, plan), fold, plan) for plan in plans]
        assert [len(train) for train, _, _ in made] == [2, 5, 11, TRAIN, TRAIN]
        for (less, tune, own), (more, other_tune, other_own) in pairwise(made):
            assert set(less) <= set(more)
            assert (tune, own) == (other_tune, other_own)
    names = [f"p{at}" for at in range(20)]
    assert subsample(names, 5, 0) == subsample(names[::-1], 5, 0) != subsample(names, 5, 1)


def test_the_command_writes_tables_figures_and_sentences(tmp_path: Path, call: Call) -> None:
    path = configured(tmp_path)
    curve = ("--learning-curve", "--sizes", "5,15")
    code, text, said = call("ablate", path, "-o", tmp_path / "out", *curve)
    assert code == 0, said
    assert "TRAIN posts" in text
    assert "21 TRAIN posts is done: 3 of 4" in said
    table = pl.read_csv(tmp_path / "out" / "learning_curve.csv")
    assert table["train_posts"].to_list() == [5, 15, TRAIN]
    for name in ("ndcg@10", "auroc", "evidence_recall"):
        assert (table[f"{name} low"] <= table[name]).all()
        assert (table[name] <= table[f"{name} high"]).all()
    document = json.loads((tmp_path / "out" / "learning_curve.json").read_text())
    assert len(document["sentences"]) == 3
    for sentence in document["sentences"]:
        assert sentence.startswith("From 15 to 21 TRAIN posts ")
        assert sentence.endswith(("no rise is shown.", "probably helps.", "do not help."))
    change = pl.read_csv(tmp_path / "out" / "learning_curve_change.csv").row(1, named=True)
    assert change["difference"] == pytest.approx(table["auroc"][2] - table["auroc"][1], abs=1e-12)
    assert change["low"] <= change["difference"] <= change["high"]
    figures = {each.name for each in (tmp_path / "out" / "figures").iterdir()}
    assert {f"learning_curve_auroc.{ending}" for ending in ("svg", "pdf", "png")} <= figures
    # From Python, in two processes: the same values, to the last bit.
    again = learning_curve(read_plan(path), tmp_path / "two", sizes=[15], processes=2).document
    assert again["sizes"] == document["sizes"][1:]
    assert (again["changes"], again["sentences"]) == (document["changes"], document["sentences"])


def test_all_of_train_is_shared_with_a_run_and_a_curve_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: Counter[int] = Counter()

    def fit(self: SentenceScorer, labelled: object, of: object = SentenceScorer.fit) -> None:
        fits[len(labelled.view.posts)] += 1  # type: ignore[attr-defined]
        of(self, labelled)  # type: ignore[operator]

    plan = read_plan(configured(tmp_path))
    outcome = assay.run(plan, tmp_path / "out")
    monkeypatch.setattr(SentenceScorer, "fit", fit)
    made = learning_curve(plan, tmp_path / "out" / "cache", sizes=[8])
    # two parts of 8 posts in each of three folds; all of TRAIN was learned by the run
    assert fits == {4: 6}
    assert made.sizes["train_posts"].to_list() == [8, TRAIN]
    assert made.sizes["auroc"][1] == outcome.result["auroc"].value
    fits.clear()
    again = learning_curve(plan, tmp_path / "out" / "cache", sizes=[8])
    assert not fits
    assert again.document == made.document


def test_without_resamples_there_are_values_only(tmp_path: Path) -> None:
    plan = read_plan(configured(tmp_path)).changed(resamples=0)
    made = learning_curve(plan, tmp_path / "cache", sizes=[8])
    assert made.sizes["auroc low"].null_count() == 2
    assert made.changes.is_empty()
    assert made.sentences == ()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--learning-curve", "--sizes", "1,8,400"), "is 1, 400; expected numbers from 2 to 21"),
        (("--learning-curve", "--sizes", "8,x"), "--sizes: is '8,x'; expected whole numbers"),
        (("--sizes", "8"), "--sizes: has no effect without --learning-curve"),
        (("--learning-curve", "--with-and-without", "c1"), "leave one of them out"),
    ],
)
def test_wrong_sizes(tmp_path: Path, call: Call, asked: tuple[str, ...], words: str) -> None:
    code, _, said = call("ablate", configured(tmp_path), "-o", tmp_path / "out", *asked)
    assert code == 2
    assert words in said
    assert not (tmp_path / "out").exists()
