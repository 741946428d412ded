"""Options that are not usable: one clear sentence, exit code 2, nothing written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Plain, Ran, World


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--by", "colour"), ("--by", "'colour'", "criterion_id", "state")),
        (("--by", "text"), ("--by", "'text'", "criterion_id")),
        (("--by", "criterion_id", "--by", "colour"), ("--by", "'colour'")),
        (("--contract", "paper/9"), ("'paper/9'", "assay/1", ".toml")),
        (("--contract", "nowhere.toml"), ("nowhere.toml", "file not found")),
        (("--measure", "ndgc@10"), ("'ndgc'", "ndcg")),
        (("--measure", "ndcg@10", "--measure", "zzz"), ("'zzz'", "metric list")),
        (("--measure", "ndcg@0"), ("ndcg@0", "whole number from 1")),
        (("--measure", "ndcg@10:gain=cubic"), ("gain=cubic", "linear")),
        (("--measure", "ndcg@10:gian=linear"), ("'gian'", "gain")),
        (("--measure", "recall"), ("recall", "cut-off")),
        (("--measure", ""), ()),
        (("--k", "abc"), ("--k", "'abc'", "whole numbers")),
        (("--k", "1,,5"), ("--k", "'1,,5'", "whole numbers")),
        (("--k", ""), ("--k", "whole numbers")),
        (("--k", "0"), ("whole numbers from 1",)),
        (("--k", "5,-1"), ("whole numbers from 1",)),
        (("--k", "1.5"), ("--k", "'1.5'")),
        (("--depth", "0"), ("depth", "0", "whole number from 1")),
        (("--level", "0"), ("rel=0", "whole number from 1")),
        (("--per-query", "out.json"), ("out.json", "ending", ".csv or .parquet")),
        (("--per-query", "out"), ("out", "ending", ".csv or .parquet")),
        (("--run", "x.txt"), ("--run", "--qrels")),
        (("--split", "test"), ("--split", "--qrels")),
    ],
)
def test_options_of_evaluate(
    world: World, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(world.outputs)
    ran = world.evaluate(*options)
    assert ran.code == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) == 1
    assert all(word in ran.err for word in words), ran.err
    assert not list(world.outputs.iterdir())


def test_forms_that_do_not_go_together(world: World, plain: Plain, call: Callable[..., Ran]) -> None:
    predictions, corpus = world.write()
    qrels, run = plain.write()
    call("evaluate", "--qrels", qrels).refused(("--qrels without --run", "--run FILE"))
    call("evaluate", "--run", run).refused(("--run", "without --qrels", "--qrels FILE"))
    call("evaluate").refused(("nothing to evaluate", "--corpus", "--qrels"))
    call("evaluate", predictions).refused(("evaluate", "--corpus"))
    call("evaluate", "--corpus", corpus).refused(("evaluate", "PREDICTIONS"))
    call("evaluate", predictions, "--corpus", corpus, "--qrels", qrels).refused(
        ("--qrels", "--corpus", "more than one kind of input")
    )


def test_a_column_that_plain_data_cannot_have(plain: Plain) -> None:
    plain.evaluate("--by", "criterion_id").refused(("--by", "'criterion_id'", "no column to break down by"))


def unwritable(folder: Path) -> dict[str, Path]:
    """Places that even root cannot write a file to."""
    (folder / "file").write_text("mine")
    (folder / "folder.csv").mkdir()
    return {
        "no folder": folder / "nowhere" / "out.csv",
        "no folder for parquet": folder / "nowhere" / "out.parquet",
        "a file for a folder": folder / "file" / "out.csv",
        "a folder for a file": folder / "folder.csv",
        "a folder of the kernel": Path("/proc/out.csv"),
        "a name too long": folder / ("n" * 300 + ".csv"),
    }


@pytest.mark.parametrize(
    "place",
    [
        "no folder",
        "no folder for parquet",
        "a file for a folder",
        "a folder for a file",
        "a folder of the kernel",
        "a name too long",
    ],
)
def test_a_place_that_cannot_be_written(world: World, place: str) -> None:
    path = unwritable(world.outputs)[place]
    before = sorted(world.outputs.rglob("*"))
    world.evaluate("--per-query", str(path)).refused((path.name[:40], "cannot be written ("))
    assert sorted(world.outputs.rglob("*")) == before
    assert "(None)" not in world.evaluate("--per-query", str(path)).err


def test_a_folder_without_the_right_to_write(world: World) -> None:
    closed = world.outputs / "closed"
    closed.mkdir(mode=0o500)
    if os.geteuid() == 0:  # root may write in any folder but the kernel's
        closed = Path("/sys")
    world.evaluate("--per-query", str(closed / "out.csv")).refused(("out.csv", "cannot be written"))


FAULTY = """
id = 7
ties = "random"
aggregate = "median"
k = [0, 5]
k_ceiling = "yes"
colour = "red"
[measures]
"ndcg@{k}" = "ndcg@{k}"
"""


@pytest.mark.parametrize("command", ["evaluate", "show"])
def test_a_contract_with_several_faults(world: World, call: Callable[..., Ran], command: str) -> None:
    path = world.folder / "mine.toml"
    path.write_text(FAULTY)
    ran = world.evaluate("--contract", str(path)) if command == "evaluate" else call("contract", "show", path)
    assert ran.code == 2
    assert ran.out == ""
    lines = ran.err.splitlines()
    assert len(lines) == 6
    assert all(line.startswith("assay: mine.toml: ") for line in lines)
    for words in (
        ("id", "7"),
        ("ties", "'random'", "stable or docno_desc"),
        ("aggregate", "'median'", "fold_mean or pooled"),
        ("k is [0, 5]", "whole numbers from 1"),
        ("k_ceiling", "'yes'", "true or false"),
        ("unknown key", "'colour'"),
    ):
        assert any(all(word in line for word in words) for line in lines), (words, lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id = ", ("mine.toml", "TOML")),
        ('id = "a"\n', ("mine.toml", "measures", "missing")),
        ('id = "a"\n[measures]\n', ("mine.toml", "measure")),
        ('id = "a"\nk = []\n[measures]\n"x@{k}" = "ndcg@{k}"\n', ("mine.toml", "k")),
        ('id = "a"\n[measures]\n"x" = "zzz"\n', ("mine.toml", "x", "'zzz'")),
        ('id = "a"\n[measures]\n"x" = "ndcg@{k}"\n', ("mine.toml", "{k}")),
    ],
)
def test_a_contract_with_one_fault(world: World, text: str, words: tuple[str, ...]) -> None:
    path = world.folder / "mine.toml"
    path.write_text(text)
    ran = world.evaluate("--contract", str(path))
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 1
    assert all(word in ran.err for word in words), ran.err


def test_two_bad_measures_of_a_contract(world: World) -> None:
    path = world.folder / "mine.toml"
    path.write_text('id = "a"\n[measures]\n"x" = "zzz"\n"y" = "ndcg@10:gain=cubic"\n')
    ran = world.evaluate("--contract", str(path))
    assert ran.code == 2
    assert [line.split(": ")[2] for line in ran.err.splitlines()] == ["x", "y"]


def test_a_contract_that_is_not_utf8(world: World) -> None:
    path = world.folder / "mine.toml"
    path.write_bytes(b'id = "\xff"\n')
    ran = world.evaluate("--contract", str(path))
    assert ran.code == 2
    assert "UTF-8" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("contract", "show", "nope/1"),
        ("contract", "diff", "assay/1", "nope/1"),
        ("metric", "show", "nope"),
        ("metric", "show", "ndcg@x"),
    ],
)
def test_unknown_names(call: Callable[..., Ran], arguments: tuple[str, ...]) -> None:
    ran = call(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("assay: ")
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments", [("evaluate", "--nope"), ("nope",), ("evaluate", "--depth", "x"), ("contract", "show")]
)
def test_usage_errors(call: Callable[..., Ran], arguments: tuple[str, ...]) -> None:
    ran = call(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err


def test_in_a_process_of_its_own(world: World, command: Callable[..., Ran]) -> None:
    predictions, corpus = world.write()
    for options, words in (
        (("--by", "colour"), ("--by", "'colour'")),
        (("--per-query", str(world.outputs / "no" / "x.csv")), ("x.csv", "cannot be written")),
    ):
        command("evaluate", predictions, "--corpus", corpus, *options).refused(words)
    assert not list(world.outputs.iterdir())
