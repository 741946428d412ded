"""A single split: TRAIN teaches, TUNE calibrates, only EVAL is predicted and scored."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.data.corpus import Corpus, read_corpus
from assay.data.splits import split
from assay.errors import InputError
from assay.pipeline.corpus_views import posts_of
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.fold_parts import eval_folds, outer_folds, parts_of
from assay.pipeline.protocol.stage_cache import Cache
from assay.pipeline.run_config import Plan, Protocol, read_plan
from assay.report.figures import figure_files
from tests.pipeline.conftest import Call, Tables, toy, write
from tests.pipeline.test_run import LINES, contents

SHARES = (0.6, 0.2, 0.2)
PLAN = Plan(Path("toy"), protocol=Protocol(kind="split", shares=SHARES, crossfit=2))
Run = Callable[..., Answers]


def split_folder(folder: Path, tables: Tables | None = None, more: str = "") -> Path:
    write(toy(60) if tables is None else tables, folder / "corpus")
    path = folder / "toy.toml"
    protocol = f'[protocol]\nkind = "split"\ncrossfit = 2\nresamples = 50\n{more}'
    path.write_text(f'corpus = "corpus"\n{protocol}\n{LINES}\n')
    return path


def with_folds(names: tuple[str, ...]) -> Tables:
    tables = toy(60)
    posts = tables["sentences"]["post_id"].unique(maintain_order=True)
    labels = [names[min(at // 20, len(names) - 1)] for at in range(60)]
    return {**tables, "folds": pl.DataFrame({"post_id": posts, "fold": labels})}


def test_the_parts_are_blocks_of_shuffled_posts_and_disjoint() -> None:
    tables = toy(61)
    corpus = Corpus.of(**tables)
    outer = outer_folds(corpus, PLAN)
    assert eval_folds(outer, PLAN) == ["test"]
    made = parts_of(posts_of(corpus, Cache(None)), outer, "test", PLAN)
    names = [set(made.train.view.posts), set(made.tune.view.posts), set(made.eval.posts)]
    assert names == [set(part) for part in split(tables["sentences"]["post_id"], SHARES, 0)]
    assert not names[0] & names[1] | names[0] & names[2] | names[1] & names[2]
    assert [len(each) for each in names] == [36, 12, 13]


def test_flipped_test_labels_change_no_byte_of_the_predictions(tmp_path: Path) -> None:
    tables = toy(60)
    outer = outer_folds(Corpus.of(**tables), Plan(Path("toy"), protocol=Protocol(kind="split")))
    mine = pl.col("post_id").is_in([post for post, name in outer.items() if name == "test"])
    keys = ["post_id", "criterion_id", "sent_uid"]
    pairs = tables["sentences"].select("post_id", "sent_uid").join(tables["criteria"], how="cross")
    flipped = pairs.filter(mine).join(tables["gold"], on=keys, how="anti").select(keys)
    assert flipped.height > 0
    gold = pl.concat([tables["gold"].filter(~mine), flipped])
    made = {}
    for name, given in (("before", tables), ("after", {**tables, "gold": gold})):
        path = split_folder(tmp_path / name, given)
        made[name] = assay.run(read_plan(path), tmp_path / name / "out").result
    folders = [tmp_path / name / "out" / "predictions" for name in made]
    assert contents(folders[0]) == contents(folders[1])
    assert made["before"]["auroc"].value != made["after"]["auroc"].value


def test_only_test_posts_are_scored_and_everything_can_be_verified(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figure_files, "FORMATS", ("svg",))  # others are drawn in the same way
    path, out, corpus = split_folder(tmp_path), tmp_path / "out", tmp_path / "corpus"
    code, text, said = call("run", path, "-o", out)
    assert code == 0, said
    assert "96 queries" not in text
    assert "108 queries were not scored: their posts are TRAIN or TUNE" in text
    assert "There is one fold, so there is no standard deviation over folds." in text
    record = json.loads((out / "run.json").read_text())
    assert record["split"] == {"from": "seed", "posts": {"TRAIN": 48, "TUNE": 6, "EVAL": 6}}
    roles = pl.read_csv(out / "predictions" / "roles.csv")
    posts = {role: set(roles.filter(pl.col("role") == role)["post_id"]) for role in ("TUNE", "EVAL")}
    for name, role in (("decisions", "EVAL"), ("tune", "TUNE")):
        assert set(pl.read_csv(out / "predictions" / f"{name}.csv")["post_id"]) == posts[role]
    result = assay.load(out / "bundle")
    assert (result.counts.queries, result.counts.missing, result.counts.aside) == (12, 0, 108)
    value = result["auroc"]
    assert value.folds is not None
    assert (list(value.folds.values), value.folds.std) == (["test"], None)
    assert value.interval is not None
    assert value.interval.unit == "post"
    again = assay.evaluate(out / "predictions", corpus, tune_reused=result.tune_reused)
    assert again["ndcg@10"].value == result["ndcg@10"].value
    original = ("--corpus", corpus, "--predictions", out / "predictions")
    code, text, said = call("verify", out / "bundle", *original)
    assert code == 0, text + said
    assert "verified" in text
    _, text, _ = call("gate", out / "bundle", *original)
    for check in ("recomputation", "leakage", "TUNE-only thresholds"):
        assert any(line.startswith(check) and " pass " in line for line in text.splitlines()), text
    baselines = pl.read_csv(out / "baselines.csv")
    assert baselines.filter(pl.col("system") == "oracle")["auroc"][0] == 1.0
    assert baselines["auroc std"].null_count() == baselines.height
    thresholds = pl.read_csv(out / "thresholds.csv")
    assert set(thresholds["threshold"]) == {"tau_neg", "tau_pos"}
    assert set(thresholds["fold"]) == {"test"}


@pytest.mark.parametrize(
    "names", [("train", "val", "test"), ("Train", "DEV", "Eval"), ("train", "tune", "test")]
)
def test_a_corpus_with_its_own_split(answers: Run, names: tuple[str, str, str]) -> None:
    tables = with_folds(names)
    made = answers(tables, kind="split", crossfit=2)
    assert made.decisions is not None
    assert made.tune is not None
    assert made.decisions["post_id"].unique().sort().to_list() == [f"p{at:03d}" for at in range(40, 60)]
    assert made.tune["post_id"].unique().sort().to_list() == [f"p{at:03d}" for at in range(20, 40)]
    assert made.decisions["fold"].unique().to_list() == [names[2]]
    assert made.roles is not None
    assert made.roles["role"].unique(maintain_order=True).to_list() == ["TRAIN", "TUNE", "EVAL"]


def test_a_run_on_a_corpus_with_its_own_split(tmp_path: Path) -> None:
    path = split_folder(tmp_path, with_folds(("train", "valid", "test")))
    outcome = assay.run(read_plan(path), tmp_path / "out")
    assert outcome.result.counts.queries == 40
    assert json.loads((tmp_path / "out" / "run.json").read_text())["split"]["from"] == "corpus"


@pytest.mark.parametrize("names", [("a", "b", "c"), ("train", "test"), ("train", "val", "dev", "test")])
def test_other_names_of_folds_are_listed(answers: Run, names: tuple[str, ...]) -> None:
    tables = with_folds(names)
    if len(names) == 4:
        tables["folds"] = tables["folds"].with_columns(pl.Series("fold", list(names) * 15))
    found = ", ".join(repr(name) for name in sorted(names))
    with pytest.raises(InputError, match=f"has the folds {found}; a split needs train, val"):
        answers(tables, kind="split")


def test_a_split_is_not_cross_validated_by_accident(answers: Run) -> None:
    with pytest.raises(InputError, match='set kind = "split"'):
        answers(with_folds(("train", "val", "test")))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("shares = [0.8, 0.3]", "expected three numbers that add up to 1"),
        ("shares = [0.8, 0.1, 0.2]", "expected three numbers that add up to 1"),
        ("folds = 3", "folds has no effect with kind = 'split'"),
    ],
)
def test_wrong_settings_of_a_split(tmp_path: Path, call: Call, more: str, words: str) -> None:
    code, _, said = call("run", split_folder(tmp_path, more=more), "-o", tmp_path / "out")
    assert code == 2
    assert words in said
    assert not (tmp_path / "out").exists()


def test_a_split_can_be_ablated(tmp_path: Path, call: Call) -> None:
    path = split_folder(tmp_path)
    code, _, said = call("ablate", path, "-o", tmp_path / "out")
    assert code == 0, said
    stages = pl.read_csv(tmp_path / "out" / "ablation_stages.csv")
    assert stages["auroc"].null_count() == 0
    assert stages["auroc std"].null_count() == stages.height


def test_rankings_alone_can_be_split(answers: Run, tmp_path: Path) -> None:
    tables = toy(60)
    made = answers(tables, stages=("lexical",), kind="split")
    assert made.decisions is None
    corpus = read_corpus(write(tables, tmp_path))
    given = {"candidates": made.candidates, "roles": made.roles}
    assert assay.evaluate(given, corpus).counts.queries == 12
