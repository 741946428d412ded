"""A search of settings sees TRAIN and nothing else, and finds the same again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from assay.data.corpus import Corpus
from assay.errors import AssayError, InputError
from assay.experiment.objective import objective
from assay.experiment.run import run
from assay.experiment.state_thresholds import choose
from assay.pipeline.corpus_views import posts_of
from assay.pipeline.models.extras import extra
from assay.pipeline.protocol import settings_search
from assay.pipeline.protocol.fold_parts import outer_folds, parts_of
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.protocol.search_space import Range, Search, SearchSettings
from assay.pipeline.protocol.stage_cache import Cache
from assay.pipeline.query_arrays import highest_of
from assay.pipeline.run_config import Plan, Protocol, read_plan
from assay.pipeline.views import Labelled
from tests.pipeline.conftest import FAST, toy, write

needs_optuna = pytest.mark.skipif(find_spec("optuna") is None, reason="the extra tune is not installed")
SPACE = (
    Range("scorer", "strength", 0.1, 10.0, log=True),
    Range("neighbours", "trees", 4, 12),
    Range("calibration", "method", choices=("platt", "isotonic")),
)
PROTOCOL = Protocol(folds=2, crossfit=2, seed=3)


def planned(trials: int = 3, space: tuple[Range, ...] = SPACE) -> Plan:
    search = Search(SearchSettings(trials=trials), space)
    return Plan(Path("toy"), tables=FAST, protocol=PROTOCOL, search=search)


def test_the_objective_is_given_posts_of_train_alone() -> None:
    pytest.importorskip("optuna", reason="the extra tune is not installed")
    corpus, plan = Corpus.of(**toy(30)), planned(2)
    outer = outer_folds(corpus, plan)
    asked: list[set[str]] = []

    def watching(held: Labelled, measures: tuple[str, ...]) -> float:
        asked.append(set(held.view.posts))
        return objective(held, measures)

    made = predict(plan, corpus, choose, processes=1, objective=watching)
    folds = list(dict.fromkeys(outer.values()))
    assert len(asked) == 2 * len(folds)
    for at, fold in enumerate(folds):
        parts = parts_of(posts_of(corpus, Cache(None)), outer, fold, plan)
        train = set(parts.train.view.posts)
        outside = set(parts.tune.view.posts) | set(parts.eval.posts)
        for held in asked[2 * at : 2 * at + 2]:
            assert held
            assert held < train
            assert not held & outside
    assert set(made.searches) == set(folds)


@needs_optuna
def test_labels_of_tune_and_eval_change_no_search() -> None:
    """The search of a fold is the same bytes when every label outside its TRAIN is another."""
    corpus, plan = Corpus.of(**toy(30)), planned(2)
    outer = outer_folds(corpus, plan)
    whole = posts_of(corpus, Cache(None), words=True)
    parts = parts_of(whole, outer, "0", plan)
    layout = whole.view.layout
    kept = np.isin(whole.view.posts, parts.train.view.posts)[layout.query_post[layout.pair_query]]
    flipped = np.where(kept, whole.gold, ~whole.gold)
    other = parts_of(replace(whole, gold=flipped), outer, "0", plan)
    with extra("threadpoolctl").threadpool_limits(1):
        found = [
            settings_search.searched(plan, each.train, "x", Cache(None), choose=choose, objective=objective)
            for each in (parts, other)
        ]
    assert found[0].record == found[1].record
    assert (parts.tune.gold != other.tune.gold).all()


@needs_optuna
def test_a_search_is_the_same_twice_and_takes_the_best(tmp_path: Path) -> None:
    corpus, plan = Corpus.of(**toy(30)), planned()
    first = predict(plan, corpus, choose, processes=1, objective=objective)
    kept = predict(plan, corpus, choose, cache=tmp_path, processes=1, objective=objective)
    calls: list[int] = []

    def counted(held: Labelled, measures: tuple[str, ...]) -> float:
        calls.append(1)
        return objective(held, measures)

    again = predict(plan, corpus, choose, cache=tmp_path, processes=1, objective=counted)
    assert not calls  # trials were kept
    assert first.searches == kept.searches == again.searches
    assert first.candidates.equals(again.candidates)
    for found in first.searches.values():
        values = [each["value"] for each in found["trials"]]
        assert len(values) == 3
        assert found["value"] == max(values)
        assert found["trials"][0]["settings"] == {
            "scorer.strength": 3.0,
            "neighbours.trees": 8,
            "calibration.method": "platt",
        }
    assert not list(tmp_path.glob(".search-*"))


@needs_optuna
def test_the_chosen_settings_are_those_that_are_run() -> None:
    """One value to choose from, which is not the default: the fold runs with it."""
    corpus = Corpus.of(**toy(30))
    only = (Range("dynamic_k", "k_max", choices=(1,)),)
    searched = predict(planned(1, only), corpus, choose, processes=1, objective=objective)
    plain = replace(planned(), search=None)
    fixed = replace(plain, tables={**FAST, "dynamic_k": {"k_max": 1}})
    told = predict(fixed, corpus, choose, processes=1)
    assert searched.decisions is not None
    assert told.decisions is not None
    assert searched.decisions.equals(told.decisions)


def test_the_objective_is_the_mean_of_its_measures() -> None:
    """Against a ranking and a gate that are made by hand."""
    corpus = Corpus.of(**toy(12))
    whole = posts_of(corpus, Cache(None))
    perfect = whole.gold.astype(float)
    evidence = highest_of(perfect, whole.view.layout.pair_offsets)
    ranked = replace(whole.view, ranked_by="score")
    view = ranked.with_columns({"score": perfect, "prob": 0.1 + 0.8 * evidence})
    known = np.ones(whole.view.queries, dtype=bool)
    assert objective(Labelled(view, whole.gold, known), ("ndcg@10", "auroc")) == 1.0
    blind = ranked.with_columns({"score": perfect, "prob": np.full(evidence.shape, 0.5)})
    assert objective(Labelled(blind, whole.gold, known), ("ndcg@10", "auroc")) == 0.75
    nothing = Labelled(blind, np.zeros_like(whole.gold), known)
    assert objective(nothing, ("ndcg@10", "auroc")) == 0.0


TABLES = """
[tune]
trials = 2
[tune.scorer]
strength = {low = 0.5, high = 5, log = true}
[tune.calibration]
method = {choices = ["platt", "isotonic"]}
"""


def configured(folder: Path, text: str) -> Path:
    write(toy(30), folder / "corpus")
    lines = [
        f"[{stage}]\n" + "\n".join(f"{name} = {value}" for name, value in table.items())
        for stage, table in FAST.items()
    ]
    path = folder / "toy.toml"
    protocol = "[protocol]\nfolds = 2\ncrossfit = 2\nresamples = 0\n"
    path.write_text("\n".join(['corpus = "corpus"', protocol, *lines, text]))
    return path


@needs_optuna
def test_a_run_records_its_search(tmp_path: Path) -> None:
    plan = read_plan(configured(tmp_path, TABLES))
    run(plan, tmp_path / "out", processes=1)
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["plan"]["tune"]["trials"] == 2
    assert record["plan"]["tune"]["space"]["scorer.strength"] == [0.5, 5, "log"]
    assert set(record["search"]) == {"0", "1"}
    for found in record["search"].values():
        assert set(found["chosen"]) == {"scorer.strength", "calibration.method"}
        assert 0.5 <= found["chosen"]["scorer.strength"] <= 5
        assert len(found["trials"]) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tune]\ntrials = 0", ("trials is 0", "from 1")),
        ("[tune]\ntrials = 3", ("searches nothing", "[tune.gate]")),
        ("[tune.magic]\nx = {low = 1, high = 2}", ("names stage 'magic'",)),
        ("[tune.embedding]\nstrength = {low = 1, high = 2}", ("names stage 'embedding'",)),
        ("[tune.gate]\ntrees = {low = 9, high = 2}", ("trees is", "low < high")),
        ("[tune.gate]\ntrees = {low = 0, high = 2}", ("trees is 0", "from 1")),
        ("[tune.gate]\ntree = {low = 1, high = 2}", ("no setting 'tree'",)),
        ("[tune.gate]\ntrees = 3", ("trees is 3", "expected {low, high}")),
        ("[tune.gate]\nrate = {low = 0, high = 1, log = true}", ("above 0 with log",)),
        ('[tune.calibration]\nmethod = {choices = ["beta"]}', ("method is 'beta'",)),
        ("[tune.calibration]\nmethod = {low = 1, high = 2}", ("expected {choices}",)),
        ("[tune.gate]\ntrees = {choices = []}", ("expected {low, high}",)),
    ],
)
def test_bad_searches(tmp_path: Path, text: str, words: Sequence[str]) -> None:
    path = configured(tmp_path, "")
    path.write_text('corpus = "corpus"\n' + text + "\n")
    with pytest.raises(InputError) as error:
        read_plan(path)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_an_objective_must_be_better_when_higher(tmp_path: Path) -> None:
    path = configured(tmp_path, TABLES.replace("trials = 2", 'objective = ["brier"]'))
    with pytest.raises(InputError, match="brier, which is not better when higher"):
        run(read_plan(path), tmp_path / "out", processes=1)


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(module: str, name: str = "pipeline") -> object:
        return extra("no_such_library" if module == "optuna" else module, name)

    monkeypatch.setattr(settings_search, "extra", absent)
    with pytest.raises(AssayError, match=r"pip install '\S+\[tune\]'"):
        predict(planned(1), Corpus.of(**toy(30)), choose, processes=1, objective=objective)
