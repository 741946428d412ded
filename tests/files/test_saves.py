"""Saves to one place by threads and processes: one whole bundle, and errors for the others."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.files.locks import locked
from assay.files.staging import Staging, refuse_filled, refuse_shared
from tests.cli.conftest import Plain, Ran, World
from tests.command import exit_code
from tests.report import worlds

from .saves import contest, systems

ROUNDS = 3
"""By hand: python -m tests.files.saves 200."""


@pytest.mark.parametrize("overwrite", [False, True])
def test_two_threads_and_two_processes(overwrite: bool) -> None:
    assert contest(ROUNDS, overwrite=overwrite).total() == ROUNDS


def test_the_second_to_finish_gets_an_error(tmp_path: Path) -> None:
    """Both begin where nothing is; what the first leaves stays."""
    first, second = systems()[:2]
    with Staging() as staging:
        from assay.evaluation.bundle.save import stage

        stage(second, tmp_path / "bundle", staging)
        first.save(tmp_path / "bundle")
        with pytest.raises(assay.InputError, match="exists; choose a new folder"):
            staging.commit()
    assert assay.load(tmp_path / "bundle").system == first.system
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]


def test_a_failed_commit_undoes_what_came_before(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "gone").write_text("gone")
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}

    def refuse(_: Path) -> None:
        if refused:
            raise assay.InputError.of("last", "is refused", "")

    refused = False
    with Staging() as staging:
        staging.remove(tmp_path / "gone")
        staging.file(tmp_path / "old", "new")
        staging.file(tmp_path / "new", "new")
        staging.folder(tmp_path / "folder", lambda fresh: (fresh / "x").touch(), refuse_filled)
        staging.merge(tmp_path / "merged", lambda fresh: (fresh / "x").touch(), refuse_filled)
        staging.file(tmp_path / "last", "new", refuse)
        refused = True
        with pytest.raises(assay.InputError, match="is refused"):
            staging.commit()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


def test_the_lock_excludes_threads(tmp_path: Path) -> None:
    order: list[str] = []

    def work() -> None:
        with locked(tmp_path):
            order.append("second")

    with locked(tmp_path):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(0.1)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_lock_that_is_never_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.files.locks.PATIENCE", 0.05)
    with locked(tmp_path), pytest.raises(assay.InputError, match="is locked by another process"):
        systems()[0].save(tmp_path / "bundle")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_stays_and_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be a mount point, or where somebody's shell is."""
    home = tmp_path / "home"
    home.mkdir()
    number = home.stat().st_ino
    monkeypatch.chdir(home)
    assert exit_code(monkeypatch, "synth", "-o", ".", "--posts", "20") == 0
    assert home.stat().st_ino == number
    assert (home / "gold.csv").is_file()
    assert exit_code(monkeypatch, "synth", "-o", ".", "--posts", "20") == 2


def test_a_link_to_a_bundle_is_saved_to(tmp_path: Path) -> None:
    first, second = systems()[:2]
    first.save(tmp_path / "dated")
    os.symlink("dated", tmp_path / "latest")
    second.save(tmp_path / "latest", overwrite=True)
    assert assay.load(tmp_path / "dated").system == second.system
    assert (tmp_path / "latest").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dated", "latest"]


@pytest.mark.parametrize("command", ["report", "gate"])
def test_what_was_derived_from_another_bundle_is_not_put_into_it(
    command: str, tmp_path: Path, call: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bundle is overwritten after it was read, and before the files are in place."""
    worlds.one_figure(monkeypatch)
    first, second = systems()[:2]
    bundle = first.save(tmp_path / "bundle")
    commit = Staging.commit

    def late(self: Staging) -> None:
        monkeypatch.setattr(Staging, "commit", commit)
        second.save(bundle, overwrite=True)
        self.commit()

    monkeypatch.setattr(Staging, "commit", late)
    ran = call(command, bundle)
    assert ran.code == 2
    assert "bundle: changed while it was read; run the command again" in ran.err
    assert sorted(assay.load(bundle).per_query().columns) == sorted(second.per_query().columns)
    assert not (bundle / "gate.json").exists()
    assert not (bundle / "report.html").exists()
    assert not list(tmp_path.rglob("*unfinished*"))


def test_a_report_in_an_empty_folder(
    tmp_path: Path, call: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    worlds.one_figure(monkeypatch)
    qrels, run = Plain(tmp_path, call).write()
    (tmp_path / "out").mkdir()
    options = ("--contract", "trec_eval/10", "-o", tmp_path / "out", "--overwrite")
    call("evaluate", "--qrels", qrels, "--run", run, *options).ok()
    assert (tmp_path / "out" / "report.html").is_file()
    assert not list((tmp_path / "out").glob(".*"))


# Item 5: names of outputs


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    def run(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        return Ran(exit_code(monkeypatch, *arguments), *capsys.readouterr())

    return run


@pytest.mark.parametrize("names", [("system", "system"), ("system", "System")])
def test_two_systems_with_one_name(names: tuple[str, str], tmp_path: Path, call: Callable[..., Ran]) -> None:
    world = World(tmp_path, call)
    predictions, corpus = world.write()
    paths = []
    for place, name in zip("ab", names, strict=True):
        (tmp_path / place).mkdir()
        paths.append(tmp_path / place / name)
        predictions.rename(paths[-1])
        predictions, corpus = world.write()
    out = tmp_path / "out"
    call("evaluate", *paths, "--corpus", corpus, "-o", out).refused(
        ("out", "several systems would be written to its folder 'system'")
    )
    assert not out.exists()
    call("evaluate", *paths, "--corpus", corpus).ok()  # nothing is written here


def test_two_runs_with_one_name(tmp_path: Path, call: Callable[..., Ran]) -> None:
    qrels, run = Plain(tmp_path, call).write()
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / run.name
    other.write_bytes(run.read_bytes())
    options = ("--contract", "trec_eval/10", "--no-report", "-o", tmp_path / "out")
    call("evaluate", "--qrels", qrels, "--run", run, other, *options).refused(("run.txt",))
    assert not (tmp_path / "out").exists()
    third = other.rename(tmp_path / "other" / "run2.txt")
    call("evaluate", "--qrels", qrels, "--run", run, third, *options).ok()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["run.txt", "run2.txt"]
    again = call("evaluate", "--qrels", qrels, "--run", run, third, *options)
    again.refused(("out", "exists"))
    call("evaluate", "--qrels", qrels, "--run", run, third, *options, "--overwrite").ok()
    bundle = (*options[:-1], tmp_path / "out" / "run.txt", "--overwrite")
    call("evaluate", "--qrels", qrels, "--run", run, third, *bundle).refused(("is a bundle",))


@pytest.mark.parametrize("place", ["out", "out/per_query.csv", "OUT/x/y.csv", "out.csv"])
def test_outputs_in_one_place(place: str, tmp_path: Path, call: Callable[..., Ran]) -> None:
    qrels, run = Plain(tmp_path, call).write()
    table = tmp_path / (place if place.endswith(".csv") else f"{place}.csv")
    out = tmp_path / ("out.csv" if place in ("out", "out.csv") else "out")
    options = ("--contract", "trec_eval/10", "--no-report", "-o", out, "--per-query", table)
    ran = call("evaluate", "--qrels", qrels, "--run", run, *options)
    ran.refused(("--per-query", "the same place"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["qrels.txt", "run.txt"]


def test_outputs_apart() -> None:
    refuse_shared({"-o": Path("a/b"), "--per-query": Path("a/bc"), "x": None})
    with pytest.raises(assay.InputError):
        refuse_shared({"-o": Path("a/b"), "--per-query": Path("a/./c/../B")})


def test_an_output_that_is_an_input(tmp_path: Path, call: Callable[..., Ran]) -> None:
    world = World(tmp_path, call)
    predictions, corpus = world.write()
    before = (predictions / "candidates.csv").read_bytes()
    options = ("--per-query", predictions / "candidates.csv")
    call("evaluate", predictions, "--corpus", corpus, *options).refused(("is an input",))
    assert (predictions / "candidates.csv").read_bytes() == before


@pytest.mark.parametrize("name", ["gate.json", "MANIFEST.json", "gold.csv", "report.html"])
def test_junit_that_would_replace_a_file_of_the_bundle(
    name: str, tmp_path: Path, call: Callable[..., Ran]
) -> None:
    bundle = systems()[0].save(tmp_path / "bundle")
    before = {path: path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    call("gate", bundle, "--junit", bundle / name).refused(("--junit", "the same place"))
    assert {path: path.read_bytes() for path in bundle.rglob("*") if path.is_file()} == before


def test_appended_text_goes_with_the_other_outputs(tmp_path: Path) -> None:
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_text("before\n")
    asked: list[Path] = []

    def refuse_later(target: Path) -> None:
        asked.append(target)
        if len(asked) > 1:
            raise assay.InputError.of(str(target), "exists", "choose another place")

    with Staging() as staging:
        staging.append(old, "more\n")
        staging.append(new, "more\n")
        staging.file(tmp_path / "x", "x", refuse_later)
        with pytest.raises(assay.InputError, match="choose another place"):
            staging.commit()
    assert (old.read_text(), [each.name for each in tmp_path.iterdir()]) == ("before\n", ["old.md"])
    with Staging() as staging:
        staging.append(old, "more\n")
        staging.append(new, "more\n")
        staging.commit()
    assert (old.read_text(), new.read_text()) == ("before\nmore\n", "more\n")
