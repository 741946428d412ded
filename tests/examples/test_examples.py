"""The scripts in examples/ run as they are, in an empty folder, and print what they promise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from nbconvert import HTMLExporter

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES.parent / "docs"))
import notebooks  # noqa: E402


def outcome(folder: Path, *command: str | Path) -> str:
    """Return what a script prints; warnings of Python are errors."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(each) for each in command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONWARNINGS": "error", "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def script(folder: Path, name: str, *arguments: str | Path) -> str:
    program = sys.executable if name.endswith(".py") else "bash"
    return outcome(folder, program, EXAMPLES / name, *arguments)


def test_every_example_is_listed_and_tested() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    tests = Path(__file__).read_text(encoding="utf-8")
    for path in EXAMPLES.iterdir():
        if path.suffix in (".py", ".sh", ".ipynb"):
            assert f"`{path.name}`" in listed
            assert f'"{path.name}"' in tests


@pytest.mark.full
def test_ir_student(tmp_path: Path) -> None:
    printed = script(tmp_path, "ir_student.py")
    assert "nDCG@10" in printed
    assert "dense minus bm25" in printed
    assert "p Holm" in printed
    assert (tmp_path / "cutoffs.png").read_bytes().startswith(b"\x89PNG")


def test_dicts_and_frames(tmp_path: Path) -> None:
    # q2 lists grade 1 before grade 2: DCG 1 + 2/log2(3), ideal 2 + 1/log2(3); the mean with q1's 1 is 0.9299
    printed = script(tmp_path, "ir_dicts.py")
    assert "'nDCG@10': 0.9299, 'AP': 1.0, 'RR': 1.0" in printed
    assert "the same from a data frame: True" in printed


@pytest.mark.full
def test_rag_engineer_then_the_reviewer_of_the_bundle(tmp_path: Path) -> None:
    printed = script(tmp_path, "rag_engineer.sh")
    assert "Verdict: better" in printed
    assert (tmp_path / "today" / "report.html").is_file()
    assert "<testsuite" in (tmp_path / "gate.xml").read_text(encoding="utf-8")
    assert "better" in (tmp_path / "gate.md").read_text(encoding="utf-8")
    reviewed = script(tmp_path, "review_bundle.sh", tmp_path / "today")
    assert "verified" in reviewed
    assert "no leak found" in reviewed


@pytest.mark.full
def test_clinical(tmp_path: Path) -> None:
    printed = script(tmp_path, "clinical.sh")
    assert "certified at 90% confidence" in printed
    assert "sepsis: verified" in printed
    page = (tmp_path / "sepsis" / "report.html").read_text(encoding="utf-8")
    assert "Net benefit" in page


def test_reviewer_of_a_table(tmp_path: Path) -> None:
    printed = script(tmp_path, "review_table.sh")
    assert "these values cannot all be right" in printed
    assert "2 as defined in assay/1, 1 by another definition, 0 by none" in printed


def test_own_measure(tmp_path: Path) -> None:
    assert "top_is_best" in script(tmp_path, "own_measure.py")


@pytest.mark.full
def test_own_stage(tmp_path: Path) -> None:
    assert "ndcg@10" in script(tmp_path, "own_stage.py")
    record = (tmp_path / "own-stage-run" / "run.json").read_text(encoding="utf-8")
    assert "__main__:LengthReranker" in record


@pytest.mark.full
def test_own_model(tmp_path: Path) -> None:
    assert "0 leaks found" in script(tmp_path, "own_model.py")


def test_an_outdated_output_is_found() -> None:
    notebook = notebooks.stored(EXAMPLES / "notebook_ir.ipynb")
    stored = notebooks.outputs(notebook)
    first = next(cell for cell in notebook.cells if cell.get("outputs"))
    first.outputs[0]["data"]["text/plain"] += "1"
    assert notebooks.outputs(notebook) != stored


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "tables", "figures"),
    [
        ("notebook_ir.ipynb", 4, 1),  # the result, its frame, the comparison, the hard queries
        ("notebook_abstention.ipynb", 6, 2),  # result, frame, comparison, lint, thresholds, verification
    ],
)
def test_a_notebook(name: str, tables: int, figures: int) -> None:
    """Every cell runs and shows what the file has; results are HTML tables, not the text of an object."""
    notebook = notebooks.executed(EXAMPLES / name)
    assert notebooks.outputs(notebook) == notebooks.outputs(notebooks.stored(EXAMPLES / name))
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in shown if output.output_type == "error"]
    assert sum("text/html" in output.get("data", {}) for output in shown) == tables
    assert sum("image/png" in output.get("data", {}) for output in shown) == figures
    html, _ = HTMLExporter().from_notebook_node(notebook)
    assert "&lt;table" not in html
