"""`--folds`: some folds into the cache, by any executor; what is done and what is left."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from assay.data.corpus import Corpus, read_corpus
from assay.experiment.ablation.ablate import ablate
from assay.experiment.ablation.criterion_effect import criterion_effect
from assay.experiment.ablation.learning_curve import learning_curve
from assay.experiment.run import CACHE
from assay.experiment.run_folds import jobs_of
from assay.pipeline.protocol.fold_jobs import FoldJob, is_finished, prepare, run_job
from assay.pipeline.protocol.outer_folds import fold_jobs
from assay.pipeline.run_config import Plan, read_plan
from tests.pipeline.conftest import Call, toy, write
from tests.pipeline.protocols.test_split import split_folder
from tests.pipeline.test_run import configured

SHORT = ("lexical", "matching", "scorer")


def short(folder: Path, tables: dict[str, pl.DataFrame] | None = None) -> Plan:
    write(toy(30) if tables is None else tables, folder / "corpus")
    path = folder / "toy.toml"
    stages = ", ".join(f'"{name}"' for name in SHORT)
    protocol = "[protocol]\nfolds = 3\ncrossfit = 2\nresamples = 0\n"
    path.write_text(f'corpus = "corpus"\nstages = [{stages}]\n{protocol}[matching]\ntrees = 4\n')
    return read_plan(path)


def test_what_is_done_and_what_is_left_is_printed(tmp_path: Path, call: Call) -> None:
    short(tmp_path)
    path, out = tmp_path / "toy.toml", tmp_path / "out"
    code, text, said = call("run", path, "-o", out, "--folds", "2, 0")
    assert (code, text.splitlines()[0]) == (0, "2 of 3 folds are finished: 0, 2. Left: 1."), said
    assert "--folds 1" in text
    assert [each.name for each in out.iterdir()] == ["cache"]
    before = {each: each.stat().st_mtime_ns for each in out.rglob("*.result")}
    code, text, said = call("run", path, "-o", out, "--folds", 0)  # idempotent
    assert (code, said) == (0, "")
    assert {each: each.stat().st_mtime_ns for each in out.rglob("*.result")} == before
    code, text, _ = call("run", path, "-o", out, "--folds", 1)
    assert (code, text.splitlines()[0]) == (0, "3 of 3 folds are finished: 0, 1, 2. Left: none.")
    assert "To collect, run the same command without --folds" in text


@pytest.mark.parametrize("command", ["run", "ablate"])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("3", "--folds: '3' is not a fold of toy.toml; expected some of 0, 1, 2"),
        ("0,7,x", "--folds: '7', 'x' are not folds of toy.toml; expected some of 0, 1, 2"),
        ("", "--folds: is ''; expected names of folds separated by commas, such as 0,3"),
        ("0,,1", "--folds: is '0,,1'; expected names of folds separated by commas, such as 0,3"),
    ],
)
def test_other_folds_are_one_message(
    tmp_path: Path, call: Call, command: str, given: str, words: str
) -> None:
    short(tmp_path)
    code, _, said = call(command, tmp_path / "toy.toml", "-o", tmp_path / "out", f"--folds={given}")
    assert (code, said) == (2, f"assay: {words}\n")
    assert not (tmp_path / "out").exists()


def test_a_job_writes_no_report(tmp_path: Path, call: Call) -> None:
    short(tmp_path)
    code, _, said = call("run", tmp_path / "toy.toml", "-o", tmp_path / "out", "--folds", 0, "--no-report")
    assert (code, said) == (2, "assay: --no-report: has no effect with --folds; leave one of them out\n")


def test_a_split_has_one_fold(tmp_path: Path, call: Call) -> None:
    path = split_folder(tmp_path)
    code, text, said = call("run", path, "-o", tmp_path / "out", "--folds", "test")
    assert (code, text.splitlines()[0]) == (0, "1 of 1 fold is finished: test. Left: none."), said


def test_an_ablation_is_collected_from_its_folds(tmp_path: Path, call: Call) -> None:
    plan, cache = short(tmp_path), tmp_path / "out" / CACHE
    for folds in ("0,1", "2"):
        code, text, said = call("ablate", tmp_path / "toy.toml", "-o", tmp_path / "out", "--folds", folds)
        assert code == 0, said
    assert "+ reranker     0, 1, 2   none" in text
    before = set((cache / "folds").iterdir())
    assert ablate(plan, cache).document == ablate(plan, tmp_path / "plain").document
    assert set((cache / "folds").iterdir()) == before


@pytest.mark.parametrize(
    ("more", "collect"),
    [
        (("--with-and-without", "c2"), lambda plan, cache: criterion_effect(plan, "c2", cache)),
        (("--learning-curve", "--sizes", "6"), lambda plan, cache: learning_curve(plan, cache, sizes=(6,))),
    ],
)
def test_other_ablations_too(
    tmp_path: Path, call: Call, more: tuple[str, ...], collect: Callable[[Plan, Path], object]
) -> None:
    path, cache = configured(tmp_path), tmp_path / "out" / CACHE
    code, text, said = call("ablate", path, "-o", tmp_path / "out", *more, "--folds", "0,1,2")
    assert code == 0, said
    assert text.count("0, 1, 2   none") == 2
    before = set((cache / "folds").iterdir())
    assert len(before) == 6
    collect(read_plan(path), cache)
    assert set((cache / "folds").iterdir()) == before


def test_any_executor_can_run_the_jobs(tmp_path: Path) -> None:
    plan = short(tmp_path)
    corpus = read_corpus(plan.corpus)
    cache = tmp_path / "out" / CACHE
    jobs = [replace(job, corpus=None) for job in jobs_of(plan, corpus, cache)]
    sent = [pickle.dumps(job) for job in jobs]
    assert max(map(len, sent)) < 5_000  # the corpus is not among them
    made = [run_job(pickle.loads(each)) for each in reversed(sent)]
    again = [run_job(job) for job in reversed(jobs)]
    for one, other in zip(made, again, strict=True):
        assert one.candidates.equals(other.candidates)
    prepared = prepare(jobs[0], corpus)
    assert all(is_finished(job, prepared) for job in jobs)


def with_gold(corpus: Corpus, kept: pl.Expr) -> Corpus:
    return replace(corpus, gold=replace(corpus.gold, frame=corpus.gold.frame.filter(kept)))


def settings(plan: Plan, **tables: dict[str, float]) -> Plan:
    return replace(plan, tables={**plan.tables, **tables})


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: plan.changed(seed=1),
        lambda plan: plan.changed(crossfit=3),
        lambda plan: plan.changed(exclude=("c2",)),
        lambda plan: plan.changed(train_posts=5),
        lambda plan: plan.changed(train=0.5),
        lambda plan: settings(plan, lexical={"b": 0.3}),
        lambda plan: replace(plan, stages=SHORT[:2]),
    ],
)
def test_another_configuration_has_other_folds(tmp_path: Path, change: Callable[[Plan], Plan]) -> None:
    plan = short(tmp_path)
    corpus = read_corpus(plan.corpus)
    first = jobs_of(plan, corpus, tmp_path / CACHE)[0]
    run_job(first)
    prepared = prepare(first, corpus)
    assert is_finished(first, prepared)
    assert not is_finished(replace(first, plan=change(plan)), prepared)


def test_gold_of_train_and_tune_belongs_to_a_fold_and_that_of_eval_does_not(tmp_path: Path) -> None:
    plan = short(tmp_path)
    corpus = read_corpus(plan.corpus)
    first = jobs_of(plan, corpus, tmp_path / CACHE)[0]
    own = run_job(first).candidates["post_id"].unique().to_list()
    mine = pl.col("post_id").is_in(own)

    def done(other: Corpus) -> bool:
        (job, *_) = fold_jobs(plan, other, first.choose, first.cache, first.objective)
        assert isinstance(job, FoldJob)
        return is_finished(job, prepare(job, other))

    assert done(corpus)
    assert done(with_gold(corpus, ~mine))
    for post in corpus.gold.frame.filter(~mine)["post_id"].unique().head(3):
        assert not done(with_gold(corpus, pl.col("post_id") != post))
