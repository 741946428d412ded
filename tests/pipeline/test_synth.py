"""The synthetic corpus has the shape that the contracts describe, and says what it is."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assay.cli.app import run
from assay.data.corpus import Corpus, read_corpus
from assay.data.predictions import Predictions
from assay.data.synth.generate import synthesise
from assay.errors import InputError
from assay.evaluation.api import evaluate
from assay.experiment.thresholds import choose
from assay.pipeline.plan import Plan, Protocol
from assay.pipeline.run import predict


def test_the_shape_of_the_contracts_corpus() -> None:
    made = synthesise()
    sizes = made.sentences.group_by("post_id").len()["len"]
    assert len(sizes) == 1477
    assert 11.5 <= float(sizes.mean() or 0) <= 12.5  # type: ignore[arg-type]
    assert sizes.median() == 9
    pairs = made.gold.select("post_id", "criterion_id").unique()
    counts = dict(pairs.group_by("criterion_id").len().iter_rows())
    assert [counts[f"A.{number}"] for number in range(1, 11)] == [
        328, 124, 44, 102, 35, 124, 311, 59, 166, 86,
    ]  # fmt: skip
    assert pairs.height == 1379
    folds = dict(made.folds.group_by("fold").len().iter_rows())
    assert [folds[number] for number in range(5)] == [295, 295, 295, 295, 297]


def test_words_alone_do_not_tell_evidence() -> None:
    """Some sentence of almost every evidence wording also stands where it is no evidence."""
    made = synthesise(400, 1)
    gold = made.gold.join(made.sentences, on=["post_id", "sent_uid"])
    other = made.sentences.join(made.gold, on="sent_uid", how="anti")
    for criterion, word in (("A.9", "die"), ("A.4", "sleep"), ("A.7", "failure"), ("A.6", "tired")):
        mine = gold.filter(pl.col("criterion_id") == criterion)
        has = mine["text"].str.to_lowercase().str.contains(word)
        assert 0 < has.mean() < 0.8  # type: ignore[operator]
        assert other["text"].str.to_lowercase().str.contains(word).sum() >= 3
    assert (
        gold.group_by("sent_uid").agg(pl.col("criterion_id").n_unique())["criterion_id"].max() == 2
    )


def test_no_post_repeats_itself_and_slips_stay_inside_words() -> None:
    made = synthesise(300, 2).sentences
    twice = made.group_by("post_id", "text").len().filter(pl.col("len") > 1)
    assert twice.height < 0.01 * made.height  # only very long posts run out of words
    assert not made["text"].str.contains(r"\{|\}|  | ,").any()


def test_figures_on_it_are_neither_perfect_nor_of_words_alone() -> None:
    """A quick pipeline on a few posts: far above BM25, and well below the oracle."""
    made = synthesise(300, 0)
    tables = {name: getattr(made, name) for name in ("sentences", "criteria", "gold")}
    protocol = Protocol(folds=2, crossfit=2, exclude=("A.10",))
    corpus = Corpus.of(**tables)
    values = {}
    for stages in (("lexical",), ("lexical", "scorer", "neighbours")):
        plan = Plan(Path("synth"), stages=stages, protocol=protocol)
        answers = predict(plan, corpus, choose, processes=1)
        given = Predictions.of(answers.candidates)
        values[stages[-1]] = evaluate(given, corpus, measures=["ndcg@10"])["ndcg@10"].value
    assert values["lexical"] + 0.1 < values["neighbours"] < 0.97


def test_it_is_labelled_and_the_same_for_the_same_seed(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        run(["synth", "-o", str(tmp_path / name), "--posts", "40", "--seed", str(seed)])
    files = {name: sorted((tmp_path / name).iterdir()) for name in "abc"}
    assert [path.name for path in files["a"]] == [
        "README.md", "criteria.csv", "folds.csv", "gold.csv", "sentences.csv",
    ]  # fmt: skip
    for one, two in zip(files["a"], files["b"], strict=True):
        assert one.read_bytes() == two.read_bytes()
    assert files["a"][-1].read_bytes() != files["c"][-1].read_bytes()
    corpus = read_corpus(tmp_path / "a")
    assert corpus.sentences.frame["post_id"].str.starts_with("synthetic-").all()
    assert "invented by a program" in (tmp_path / "a" / "README.md").read_text()


def test_an_existing_folder_and_too_few_posts(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("here")
    with pytest.raises(InputError, match="exists"):
        run(["synth", "-o", str(tmp_path)])
    with pytest.raises(InputError, match="posts is 3; expected 20 to 1,000,000"):
        run(["synth", "-o", str(tmp_path / "new"), "--posts", "3"])
