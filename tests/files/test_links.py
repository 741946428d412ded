"""A hostile bundle cannot make a command write anywhere else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

import assay
from assay.evaluation.bundle.bundle_files import check_hashes
from assay.files.scratch import PREFIX, scratch_folder, write_file, write_new
from assay.files.staging import Staging
from tests.command import exit_code
from tests.report import worlds

MINE = "a file of the user\n"
OUTPUTS = ("gate.json", "REPORT.json", "report.html", "tables", "figures")
SCRATCH = ("{}.unfinished", ".{}.unfinished", "{}.tmp", ".{}.unfinished-1", "{}")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    example = files("assay.example")
    judged = assay.read_trec(str(example / "qrels.txt"), str(example / "run.txt"))
    return assay.evaluate(judged, contract="trec_eval/10", k=(5,)).save(
        tmp_path_factory.mktemp("saved") / "bundle"
    )


@pytest.fixture
def hostile(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A bundle in which every name that was ever scratch or output links to a file of the user."""
    worlds.one_figure(monkeypatch)
    home = tmp_path / "home"
    home.mkdir()
    victim = home / "victim"
    victim.write_text(MINE)
    bundle = Path(shutil.copytree(saved, tmp_path / "work" / "bundle"))
    for output in OUTPUTS:
        for name in SCRATCH:
            os.symlink(victim, bundle / name.format(output))
    for name in ("bundle.unfinished", f".bundle.unfinished-{os.getpid()}", "gate.xml.unfinished"):
        os.symlink(victim, bundle.parent / name)
    return bundle, victim


def test_the_gate(hostile: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, victim = hostile
    junit = bundle.parent / "gate.xml"
    assert exit_code(monkeypatch, "gate", bundle, "--junit", junit) in (0, 1)
    assert victim.read_text() == MINE
    assert not (bundle / "gate.json").is_symlink()
    assert '"passed"' in (bundle / "gate.json").read_text()
    assert check_hashes(bundle) == []


def test_the_report(hostile: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, victim = hostile
    (bundle / "gate.json").unlink()  # which the report reads
    assert exit_code(monkeypatch, "report", bundle) == 0
    assert exit_code(monkeypatch, "gate", bundle) in (0, 1)  # with a page to refresh
    assert victim.read_text() == MINE
    for output in OUTPUTS:
        assert not (bundle / output).is_symlink()
    assert check_hashes(bundle) == []


def test_saving_over_it(hostile: tuple[Path, Path], saved: Path) -> None:
    bundle, victim = hostile
    example = files("assay.example")
    judged = assay.read_trec(str(example / "qrels.txt"), str(example / "run.txt"))
    assay.evaluate(judged, contract="trec_eval/10", k=(5,)).save(bundle, overwrite=True)
    assert victim.read_text() == MINE
    names = [{path.relative_to(each) for path in each.rglob("*")} for each in (bundle, saved)]
    assert names[0] == names[1]


@pytest.mark.parametrize("write", [lambda path: write_new(path, "theirs"), lambda path: path.open("xb")])
def test_a_new_file_is_never_written_through_a_link(write: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "victim").write_text(MINE)
    os.symlink(tmp_path / "victim", tmp_path / "link")
    os.symlink(tmp_path / "nowhere", tmp_path / "dangling")
    for name in ("link", "dangling"):
        with pytest.raises(FileExistsError):
            write(tmp_path / name)
    assert (tmp_path / "victim").read_text() == MINE
    assert not (tmp_path / "nowhere").exists()


def test_a_link_in_the_place_of_an_output_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text(MINE)
    for name in ("one", "two"):
        os.symlink(tmp_path / "victim", tmp_path / name)
    with Staging() as staging:
        staging.file(tmp_path / "one", "ours")
        staging.commit()
    write_file(tmp_path / "two", [b"ours"])
    for name in ("one", "two"):
        assert not (tmp_path / name).is_symlink()
        assert (tmp_path / name).read_text() == "ours"
    assert (tmp_path / "victim").read_text() == MINE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two", "victim"]


@pytest.mark.parametrize("target", ["/dev/null", "/dev/stdout", "folder", "link to a folder"])
def test_devices_and_folders_are_not_replaced(target: str, tmp_path: Path) -> None:
    """As root, a rename would put a file in the place of /dev/null."""
    (tmp_path / "folder").mkdir()
    os.symlink(tmp_path / "folder", tmp_path / "link to a folder")
    path = tmp_path / target
    before = os.lstat(path)
    with Staging() as staging, pytest.raises(assay.InputError, match="cannot be written"):
        staging.file(path, "ours")
    assert os.path.samestat(os.lstat(path), before)


def test_scratch_names_cannot_be_known(tmp_path: Path) -> None:
    names = set()
    for _ in range(20):
        with scratch_folder(tmp_path) as fresh:
            names.add(fresh.name)
            assert fresh.stat().st_mode & 0o077 == 0
    assert len(names) == 20
    assert all(len(name.removeprefix(PREFIX)) == 16 for name in names)
    assert list(tmp_path.iterdir()) == []


def test_leftovers_are_cleared_but_not_what_links_look_like(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text(MINE)
    os.symlink(tmp_path / "precious", tmp_path / f"{PREFIX}0123456789abcdef")
    dead = tmp_path / f"{PREFIX}fedcba9876543210"
    dead.mkdir()
    with scratch_folder(tmp_path) as alive:
        assert not dead.exists()
        with scratch_folder(tmp_path):
            assert alive.is_dir()  # it is locked, by this very process
    assert (tmp_path / "precious" / "file").read_text() == MINE
