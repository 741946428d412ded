"""An option that was given is used or refused, on every command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

import assay

if TYPE_CHECKING:
    from tests.cli.conftest import Plain, Ran, World

Call = Callable[..., "Ran"]
TABLE = ("--prob", "--label", "--group", "--fold")


@pytest.fixture
def bundle(world: World) -> Path:
    folder = world.outputs / "bundle"
    world.evaluate("-m", "auroc", "-m", "mrr", "--no-report", "-o", str(folder)).ok()
    return folder


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    pl.DataFrame({"label": [0, 1, 1, 0], "prob": [0.2, 0.9, 0.4, 0.1]}).write_csv(path)
    return path


@pytest.mark.parametrize("command", ["verify", "gate"])
@pytest.mark.parametrize(
    ("options", "faults"),
    [
        (("--corpus", "/nowhere"), [("--corpus", "no effect without --predictions")]),
        (("--run", "/nowhere"), [("--run", "no effect without --qrels")]),
        (("--split", "test"), [("--split", "no effect without --qrels")]),
        (("--tune", "/nowhere"), [("--tune", "without --predictions or --decisions")]),
        (("--predictions", "/nowhere"), [("--predictions", "no effect without --corpus")]),
        (("--qrels", "/nowhere"), [("--qrels", "no effect with 0 runs")]),
        (
            ("--prob", "p", "--label", "label", "--corpus", "x"),
            [("--prob", "without --decisions"), ("--label", "without --d"), ("--corpus", "wi")],
        ),
    ],
)
def test_originals_that_would_be_ignored(
    call: Call, bundle: Path, command: str, options: tuple[str, ...], faults: list[tuple[str, ...]]
) -> None:
    """Each said 'verified' before, whatever the option named; even a default value is refused."""
    call(command, bundle, *options).refused(*faults)
    assert not (bundle / "gate.json").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--seed", "3"), ("--seed", "no effect without --ci", "--ci none|fast|N")),
        (("--seed", "3", "--ci", "none"), ("--seed", "no effect without --ci")),
        (("--overwrite",), ("--overwrite", "no effect without --output", "DIR")),
        (("--no-report",), ("--no-report", "no effect without --output")),
        *(((flag, "prob"), (flag, "no effect without --decisions")) for flag in TABLE),
        (("--tune-reused",), ("--tune-reused", "no effect without TUNE queries")),
        (("--complete",), ("complete changes no measure of assay/1",)),
        (("--level", "2", "-m", "mrr:rel=1"), ("level 2 changes none", "rel=2")),
        (("--level", "2", "-m", "auroc"), ("level 2 changes none", "rel=2")),
    ],
)
def test_evaluate(world: World, options: tuple[str, ...], words: tuple[str, ...]) -> None:
    world.evaluate(*options).refused(words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--k", "3"), ("--k", "no effect with --decisions")),
        (("--depth", "3"), ("--depth", "no effect with --decisions")),
        (("--level", "2"), ("--level", "no effect with --decisions")),
        (("--run", "x"), ("--run", "no effect without --qrels")),
        (("--split", "x"), ("--split", "no effect without --qrels")),
    ],
)
def test_plain_tables(call: Call, labels: Path, options: tuple[str, ...], words: tuple[str, ...]) -> None:
    call("evaluate", "--decisions", labels, *options).refused(words)
    call("compare", "--decisions", labels, labels, *options).refused(words)


def test_runs(plain: Plain) -> None:
    plain.evaluate("--tune-reused").refused(("--tune-reused", "no effect with --qrels"))
    trec = ("--contract", "trec_eval/10", "--complete", "-m", "mrr:on=predicted")
    plain.evaluate(*trec).refused(("complete changes none of the measures", "on=all"))
    plain.evaluate(*trec, "-m", "map").ok()  # it reaches map; the other stays as it is spelled


@pytest.mark.parametrize("option", [("--map", "question=q"), ("--format", "ragas")])
def test_fields_of_a_log(
    call: Call, labels: Path, plain: Plain, world: World, bundle: Path, option: tuple[str, str]
) -> None:
    """Next to labels, a run and original predictions they were ignored."""
    call("evaluate", "--decisions", labels, *option).refused((option[0], "no effect with --decisions"))
    plain.evaluate(*option).refused((option[0], "no effect with --qrels"))
    predictions, corpus = world.write()
    given = ("--predictions", predictions, "--corpus", corpus)
    call("verify", bundle, *given, *option).refused((option[0], "no effect with --corpus"))


def test_other_commands(call: Call, bundle: Path, world: World) -> None:
    _, corpus = world.write()
    call("compare", bundle, bundle, "--k", "3").refused(("bundles with --k", "bundles alone"))
    call("demo", "--posts", "9").refused(("--posts", "no effect without --pipeline"))
    call("audit", corpus, "--shuffles", "2").refused(("--shuffles", "without a pipeline"))
    call("audit", bundle, "--threshold", "0.5").refused(("--threshold", "no effect on a bundle"))
    call("audit", corpus, "--checks").refused(("no effect with --checks",))


def test_what_is_used_is_not_refused(call: Call, labels: Path, world: World) -> None:
    call("evaluate", "--decisions", labels, "--prob", "prob", "-m", "auroc").ok()
    world.evaluate("--ci", "20", "--seed", "0", "-m", "auroc").ok()
    folder = world.outputs / "b"
    world.evaluate("-m", "auroc", "-o", str(folder), "--overwrite", "--no-report").ok()


def test_a_corpus_beside_labels_in_python() -> None:
    table = assay.read_decisions(pl.DataFrame({"label": [0, 1], "prob": [0.2, 0.9]}))
    qrels = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1]})
    judged = assay.read_trec(qrels, {"q": {"a": 1.0}})
    for answers in (table, judged, assay.Arrays.of([3.0, 2.0], [1, 0], [2])):
        with pytest.raises(assay.InputError, match="corpus: has no effect"):
            assay.evaluate(answers, "nowhere")
    with pytest.raises(assay.InputError, match="key: has no effect"):
        assay.compare(judged, judged, key="id")
