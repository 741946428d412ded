"""A new measure is two files of at most 60 lines: everything else in the project follows from them.

They are added to a copy of the tree, in which the documentation is generated and `make check` runs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ASSAY = ("patient_gain.py.txt", "src/assay/metrics/graded/patient_gain.py")
ORACLE = ("patient_gain_oracle.py.txt", "src/assay_oracle/graded/patient_gain.py")
MOST_LINES = 60
DEFINITION = "patient_gain@10:p=0.8,gmax=1,on=evidence"
DERIVED = (
    "-m",
    "pytest",
    "-p",
    "no:cacheprovider",
    "tests/derived/test_derived.py",
    "--family",
    "patient_gain",
)
LEFT_OUT = shutil.ignore_patterns(".venv", ".git", "build", "__pycache__", ".pytest_cache", ".bench")
GENERATED = ("docs/reference.py", "docs/comparisons.py")

pytestmark = pytest.mark.full


def run(tree: Path, *words: str, tool: str = "python") -> subprocess.CompletedProcess[str]:
    """Run Python or a tool of its environment in the copy, on the sources of the copy."""
    program = str(Path(sys.executable).parent / tool)
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    return subprocess.run(
        [program, *words], cwd=tree, env=environment, text=True, capture_output=True, check=False
    )


def done(tree: Path, *words: str, tool: str = "python") -> str:
    """Run Python or a tool in the copy, and return what it printed."""
    ended = run(tree, *words, tool=tool)
    assert ended.returncode == 0, f"{tool} {words}:\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}"
    return ended.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, next to the real data, with the measure added and its documentation generated."""
    made = tmp_path_factory.mktemp("project") / "assay"
    shutil.copytree(ROOT, made, ignore=LEFT_OUT, symlinks=True)
    shared = ROOT.parent / "shared"
    if shared.is_dir():
        (made.parent / "shared").symlink_to(shared, target_is_directory=True)
    for text, place in (ASSAY, ORACLE):
        shutil.copyfile(HERE / text, made / place)
    for page in GENERATED:
        done(made, page)
    return made


def test_it_is_two_files_of_few_lines() -> None:
    lines = [(HERE / text).read_text(encoding="utf-8").splitlines() for text, _ in (ASSAY, ORACLE)]
    assert sum(map(len, lines)) <= MOST_LINES


def test_documentation(tree: Path) -> None:
    metrics = (tree / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert "| [`patient_gain`](#patient_gain) | ↑ | Patient gain |" in metrics
    assert "\n## patient_gain\n\n**Patient gain** ↑: rate of graded evidence" in metrics
    assert f"Definition at the defaults: `{DEFINITION}`. Range 0 to 1." in metrics
    comparisons = (tree / "docs" / "comparisons.md").read_text(encoding="utf-8")
    assert "Not compared with anything outside assay" in comparisons
    assert re.search(r"second implementation: .*`patient_gain`", comparisons)


def test_schema(tree: Path) -> None:
    text = (tree / "src/assay/schemas/result.schema.json").read_text(encoding="utf-8")
    measure = json.loads(text)["properties"]["measures"]["items"]
    patterns = [each["pattern"] for each in measure["properties"]["definition"]["anyOf"]]
    assert sum(re.search(each, DEFINITION) is not None for each in patterns) == 1
    ranges = [
        each["then"]["properties"]["value"]
        for each in measure["allOf"]
        if re.search(each["if"]["properties"]["definition"]["pattern"], DEFINITION)
    ]
    assert ranges == [{"minimum": 0.0, "maximum": 1.0}]


def test_section_of_the_table(tree: Path) -> None:
    example = "src/assay/example"
    printed = done(
        tree,
        "-m",
        "assay.cli",
        "evaluate",
        "--qrels",
        f"{example}/qrels.txt",
        "--run",
        f"{example}/run.txt",
        "-m",
        "patient_gain@3:p=0.8",
        "-m",
        "ndcg@3",
    )
    heading, row = printed.index("Ranking"), printed.index("patient_gain@3")
    assert heading < row
    listed = done(tree, "-m", "assay.cli", "metric", "list")
    assert "patient_gain@k" in listed


def test_lint_knows_its_range_its_order_and_its_printed_name(tree: Path) -> None:
    table = tree / "table.csv"
    table.write_text("model,patient_gain@5,gain with patience@10\nx,1.4,0.3\n", encoding="utf-8")
    ended = run(tree, "-m", "assay.cli", "lint", str(table), "--json")
    table.unlink()
    assert ended.returncode == 1, ended.stderr
    codes = {each["code"] for each in json.loads(ended.stdout)["findings"]}
    assert {"A101", "A301"} <= codes


def test_derived_tests_pass_and_fail_where_the_oracle_is_wrong(tree: Path) -> None:
    printed = done(tree, *DERIVED)
    assert "skipped" not in printed
    oracle = tree / ORACLE[1]
    right = oracle.read_text(encoding="utf-8")
    oracle.write_text(right.replace("(1 - p) * total", "(1 + p) * total"), encoding="utf-8")
    wrong = run(tree, *DERIVED, "-k", "agrees_with_the_oracle")
    oracle.write_text(right, encoding="utf-8")
    assert wrong.returncode == 1, wrong.stdout


def test_the_other_tests_of_all_measures_pass(tree: Path) -> None:
    done(
        tree,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-x",
        "tests/contracts/test_schema.py",
        "tests/verification/lint/test_totality.py",
        "tests/verification/lint/test_reading.py",
        "tests/outside/everyday",
        "tests/oracle",
        "tests/mutants",
    )


def test_make_check(tree: Path) -> None:
    """The commands of the Makefile's own recipe, each in the copy, but not what was generated there just now."""
    recipe = (tree / "Makefile").read_text(encoding="utf-8").partition("\ncheck:")[2]
    commands = re.findall(r"^\t\$\(BIN\)/(.+)$", recipe.partition("\n\n")[0], re.MULTILINE)
    assert len(commands) >= 5
    for command in commands:
        tool, *words = command.split()
        if words[:1] != [GENERATED[1]]:  # it computes everything again
            done(tree, *words, tool=tool)
