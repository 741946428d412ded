"""An output never replaces an input, nor a file of a bundle."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command import exit_code

import assay

ROWS = "label,prob\n1,0.9\n0,0.2\n1,0.4\n0,0.6\n"


Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: object) -> tuple[int, str]:
        code = exit_code(monkeypatch, *arguments)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "labels.csv").write_text(ROWS)
    assay.evaluate(assay.read_decisions(tmp_path / "labels.csv")).save(tmp_path / "bundle")
    return tmp_path / "bundle"


@pytest.mark.parametrize("place", ["labels.csv", "link.csv"])
def test_the_gate_keeps_its_original_inputs(place: str, bundle: Path, call: Call) -> None:
    table = bundle.parent / "labels.csv"
    (bundle.parent / "link.csv").symlink_to(table)
    code, text = call("gate", bundle, "--decisions", table, "--junit", bundle.parent / place)
    assert (code, table.read_text()) == (2, ROWS)
    assert f"{place}: is an input; expected another file" in text
    assert not (bundle / "gate.json").exists()


def test_the_gate_keeps_tables_of_its_input_folders(tmp_path: Path, bundle: Path, call: Call) -> None:
    example = assay.example_path("corpus")
    corpus = Path(shutil.copytree(example, tmp_path / "corpus"))
    given = ("--predictions", example.parent / "predictions", "--corpus", corpus)
    before = (corpus / "gold.csv").read_bytes()
    code, text = call("gate", bundle, *given, "--junit", corpus / "gold.csv")
    assert (code, "is an input" in text, (corpus / "gold.csv").read_bytes()) == (2, True, before)


@pytest.mark.parametrize("name", ["per_query.csv", "MANIFEST.json"])
def test_a_file_of_another_bundle_is_kept(name: str, bundle: Path, call: Call) -> None:
    other = Path(shutil.copytree(bundle, bundle.parent / "other"))
    table = bundle.parent / "labels.csv"
    commands: list[tuple[object, ...]] = [("gate", bundle, "--junit", other / name)]
    if name.endswith(".csv"):
        commands.append(("evaluate", "--decisions", table, "--per-query", other / name))
    for command in commands:
        code, text = call(*command)
        assert (code, "is a file of the bundle" in text) == (2, True), text
        assert not assay.verify(other, draws=2).failed
    assert call("gate", bundle, "--junit", other / "new.xml")[0] in (0, 1)


def test_folders_whose_names_are_the_same_to_some_file_systems(tmp_path: Path, call: Call) -> None:
    """One é is one character, the other an e and an accent; macOS compares them as equal."""
    names = ("caf\u00e9", "cafe\u0301")
    for name in names:
        (tmp_path / name).write_text("q1 Q0 d1 1 0.5 r\n")
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    runs = [tmp_path / name for name in names]
    output = tmp_path / "out"
    code, text = call("evaluate", "--qrels", tmp_path / "qrels", "--run", *runs, "-o", output)
    assert (code, output.exists()) == (2, False)
    assert "several systems would be written to its folder" in text
