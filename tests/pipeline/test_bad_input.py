"""Thin and wrong corpora as a user meets them: through the command line, exit code and message."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from assay.errors import InputError
from assay.pipeline.protocol.fold_parts import post_parts
from assay.pipeline.run_config import Plan, Protocol
from assay.report.figures import figure_files
from tests.pipeline.conftest import Call, Tables, toy, write
from tests.pipeline.test_run import LINES, PROTOCOL

Change = Callable[[Tables], Tables]


@pytest.fixture
def told(tmp_path: Path, call: Call) -> Callable[..., tuple[int, str, Path]]:
    """Run `assay run` on a changed toy corpus: exit code, stderr, folder."""

    def run(change: Change, protocol: str = PROTOCOL, options: tuple[str, ...] = ()) -> tuple[int, str, Path]:
        write(change(toy(45)), tmp_path / "corpus")
        (tmp_path / "toy.toml").write_text(f'corpus = "corpus"\n{protocol}\n{LINES}\n')
        out = tmp_path / "out"
        code, _, said = call("run", tmp_path / "toy.toml", "-o", out, "--processes", 1, *options)
        return code, said, out

    return run


def _no_sentences(tables: Tables) -> Tables:
    posts = [*tables["sentences"]["post_id"].unique(maintain_order=True), "empty"]
    asked = pl.DataFrame({"post_id": posts}).join(tables["criteria"].select("criterion_id"), how="cross")
    return {**tables, "queries": asked}


def _unknown_criterion(tables: Tables) -> Tables:
    other = tables["gold"].head(1).with_columns(pl.lit("c9").alias("criterion_id"))
    return {**tables, "gold": pl.concat([tables["gold"], other])}


def _unknown_grade(tables: Tables) -> Tables:
    return {**tables, "gold": tables["gold"].with_columns(pl.lit("maybe").alias("grade"))}


def _no_text(tables: Tables) -> Tables:
    return {**tables, "sentences": tables["sentences"].drop("text")}


def _words_as_positions(tables: Tables) -> Tables:
    said = pl.Series("position", ["0", "first", "2", "", *["4"] * (tables["sentences"].height - 4)])
    return {**tables, "sentences": tables["sentences"].with_columns(said)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_words_as_positions, ("sentences.csv row 3: position is 'first'", "sentences.csv row 5")),
        (_no_sentences, ("queries.csv row 92", "post_id 'empty'")),
        (_unknown_criterion, ("gold.csv row", "'c9'")),
        (_unknown_grade, ("gold.csv row 2", "grade is maybe")),
        (_no_text, ("sentences.csv", "has no column text")),
        (lambda tables: {**tables, "gold": tables["gold"].clear()}, ("gold.csv: has no row",)),
    ],
    ids=["positions", "post without sentences", "unknown criterion", "unknown grade", "no text", "no gold"],
)
def test_refused(change: Change, words: tuple[str, ...], told: Callable[..., tuple[int, str, Path]]) -> None:
    code, said, out = told(change)
    assert code == 2
    assert all(word in said for word in words), said
    assert "Traceback" not in said
    assert not out.exists()


def _one_criterion(tables: Tables) -> Tables:
    only = pl.col("criterion_id") == "c1"
    return {**tables, "criteria": tables["criteria"].filter(only), "gold": tables["gold"].filter(only)}


def _few_positives(tables: Tables) -> Tables:
    return {**tables, "gold": tables["gold"].head(1)}


def _all_positive(tables: Tables) -> Tables:
    pairs = tables["sentences"].select("post_id", "sent_uid").join(tables["criteria"], how="cross")
    return {**tables, "gold": pairs.select("post_id", "criterion_id", "sent_uid")}


def _blank(tables: Tables) -> Tables:
    empty = pl.when(pl.col("post_id") == "p000").then(pl.lit("")).otherwise(pl.col("text"))
    return {**tables, "sentences": tables["sentences"].with_columns(empty.alias("text"))}


@pytest.mark.parametrize("change", [_one_criterion, _few_positives, _all_positive, _blank])
def test_answered_all_the_same(
    change: Change, told: Callable[..., tuple[int, str, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figure_files, "FORMATS", ("png",))  # that they can be drawn is the question
    # a report has no texts: a blank one changes nothing in it
    blank = change is _blank
    code, said, out = told(change, options=("--no-report",) if blank else ())
    assert code == 0, said
    assert (out / "bundle" / "report.html").is_file() == (not blank)
    decisions = pl.read_csv(out / "predictions" / "decisions.csv")
    assert decisions["prob"].is_between(0, 1).all()
    queries = 45 if change is _one_criterion else 90
    assert decisions.height == queries
    assert (out / "bundle" / "metrics_master.json").is_file()


@pytest.mark.parametrize(
    ("posts", "setting", "words"),
    [
        (
            4,
            "folds = 9",
            "the corpus has 4 posts for 9 folds; expected a post for each; set folds in [protocol]",
        ),
        (3, "folds = 3", "fold '0' leaves 2 posts for TRAIN and TUNE; expected 2 or more for TRAIN alone"),
    ],
)
def test_too_few_posts(
    told: Callable[..., tuple[int, str, Path]], posts: int, setting: str, words: str
) -> None:
    few = [f"p{number:03d}" for number in range(posts)]
    code, said, _ = told(
        lambda tables: {
            name: frame.filter(pl.col("post_id").is_in(few)) if "post_id" in frame.columns else frame
            for name, frame in tables.items()
        },
        PROTOCOL.replace("folds = 3", setting),
    )
    assert code == 2
    assert words in said


def test_a_split_with_one_train_post() -> None:
    plan = Plan(Path("toy"), protocol=Protocol(kind="split"))
    roles = {"a": "train", "b": "val", "c": "test"}
    with pytest.raises(InputError, match="fold 'test' has 1 TRAIN posts; expected at least 2"):
        post_parts(["a", "b", "c"], roles, "test", plan)


@pytest.mark.parametrize("command", ["run", "ablate"])
def test_an_unknown_contract_is_refused_before_any_work(command: str, tmp_path: Path, call: Call) -> None:
    """`ablate` trained every stage before it read the contract."""
    write(toy(45), tmp_path / "corpus")
    (tmp_path / "toy.toml").write_text(f'corpus = "corpus"\ncontract = "nope"\n{PROTOCOL}\n{LINES}\n')
    code, _, said = call(command, tmp_path / "toy.toml", "-o", tmp_path / "out", "--processes", 1)
    assert code == 2
    assert "no contract is called 'nope'" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("seed", [str(2**32), "9" * 30, "9" * 400, "-1", "²"])
def test_a_seed_that_generators_do_not_take(seed: str, tmp_path: Path, call: Call) -> None:
    (tmp_path / "toy.toml").write_text('corpus = "corpus"\n')
    write(toy(5), tmp_path / "corpus")
    out = tmp_path / "out"
    code, _, said = call("run", tmp_path / "toy.toml", "-o", out, f"--seed={seed}")
    assert (code, "--seed: is " in said, "expected a whole number from 0 to 4,294,967,295" in said) == (
        2,
        True,
        True,
    )
    if seed.isascii() and len(seed) < 20:
        (tmp_path / "toy.toml").write_text(f'corpus = "corpus"\n[protocol]\nseed = {seed}\n')
        code, _, said = call("run", tmp_path / "toy.toml", "-o", out)
        assert code == 2
        assert f"toy.toml [protocol]: seed is {seed}; expected a whole number from 0 to 4,294,967,295" in said
    assert not out.exists()
