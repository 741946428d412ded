"""A new measure is two files of at most 60 lines: everything else in the project follows from them.

Five of them are added to a copy of the tree, in which the documentation is generated and `make check` runs.
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

from tests.mutants.run import write_module

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MEASURES = HERE / "measures"
GROUPS = {
    "patient_gain": "graded",  # graded, with parameters and a cut-off
    "search_length": "ranking",  # no cut-off, no upper bound, no expectation over tied candidates
    "youden": "detection",  # a function of the order of probabilities
    "review_yield": "states",  # a share with exact bounds
    "wasted_reading": "effort",  # the first measure of a new group
}
NEW_GROUP = {
    "src/assay/metrics/effort/__init__.py": '"""How much of the reading is in vain."""\n\nSECTION = "Effort"\n',
    "src/assay_oracle/effort/__init__.py": '"""How much of the reading is in vain."""\n',
}
MOST_LINES = 60
DEFINITION = "patient_gain@10:p=0.8,gmax=1,on=evidence"
DERIVED = ("-m", "pytest", "-p", "no:cacheprovider", "tests/derived/test_derived.py", "--family")
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


def files_of(name: str) -> tuple[tuple[Path, str], tuple[Path, str]]:
    """The two files of a measure: the text here, and its place in the tree."""
    group = GROUPS[name]
    return (
        (MEASURES / f"{name}.py.txt", f"src/assay/metrics/{group}/{name}.py"),
        (MEASURES / f"{name}_oracle.py.txt", f"src/assay_oracle/{group}/{name}.py"),
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, next to the real data, with the measures added and the documentation generated."""
    made = tmp_path_factory.mktemp("project") / "assay"
    shutil.copytree(ROOT, made, ignore=LEFT_OUT, symlinks=True)
    shared = ROOT.parent / "shared"
    if shared.is_dir():
        (made.parent / "shared").symlink_to(shared, target_is_directory=True)
    for place, docstring in NEW_GROUP.items():
        (made / place).parent.mkdir()
        (made / place).write_text(docstring, encoding="utf-8")
    for name in GROUPS:
        for text, place in files_of(name):
            shutil.copyfile(text, made / place)
    for page in GENERATED:
        done(made, page)
    return made


@pytest.mark.parametrize("name", GROUPS)
def test_it_is_two_files_of_few_lines(name: str) -> None:
    lines = [text.read_text(encoding="utf-8").splitlines() for text, _ in files_of(name)]
    assert sum(map(len, lines)) <= MOST_LINES


def test_documentation(tree: Path) -> None:
    metrics = (tree / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert "| [`patient_gain`](#patient_gain) | ↑ | Patient gain |" in metrics
    assert "\n## patient_gain\n\n**Patient gain** ↑: rate of graded evidence" in metrics
    assert f"Definition at the defaults: `{DEFINITION}`. Range 0 to 1." in metrics
    comparisons = (tree / "docs" / "comparisons.md").read_text(encoding="utf-8")
    assert "Not compared with anything outside assay" in comparisons
    for name in GROUPS:
        assert f"\n## {name}\n" in metrics
        assert re.search(rf"second implementation: .*`{name}`", comparisons)


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
        "-m",
        "wasted_reading@3:rel=1",
    )
    places = [printed.index(each) for each in ("Ranking", "patient_gain@3", "Effort", "wasted_reading@3")]
    assert places == sorted(places)
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


@pytest.mark.parametrize("name", GROUPS)
def test_derived_tests_pass(tree: Path, name: str) -> None:
    assert "skipped" not in done(tree, *DERIVED, name)


def test_derived_tests_fail_where_the_oracle_is_wrong(tree: Path) -> None:
    oracle = tree / files_of("patient_gain")[1][1]
    right = oracle.read_text(encoding="utf-8")
    write_module(oracle, right.replace("(1 - p) * total", "(1 + p) * total"))
    wrong = run(tree, *DERIVED, "patient_gain", "-k", "agrees_with_the_oracle")
    write_module(oracle, right)
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
        "tests/derived/test_expected_ties.py",
        "tests/derived/test_changed_rankings.py",
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
