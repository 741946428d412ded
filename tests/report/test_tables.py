"""Tables: rounding to what intervals support, and text that stays text in every format."""

from __future__ import annotations

import csv
import doctest
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import assay
from assay.display import digits
from assay.display.table_formats import latex_cell, markdown_cell, markdown_section
from assay.evaluation.display.paper_tables import tables
from assay.evaluation.presentation import sections
from assay.report.paper_files import write_tables
from assay.text_table import TextTable
from tests.report import worlds

DOCUMENT = r"""\documentclass{article}
\usepackage[a4paper, landscape, margin=1cm]{geometry}
\usepackage{booktabs, longtable, textcomp}
\usepackage[T1]{fontenc}
\begin{document}
%s
\end{document}
"""


def test_doctests_of_digits() -> None:
    outcome = doctest.testmod(digits)
    assert outcome.attempted >= 3
    assert outcome.failed == 0


def test_every_measure_has_its_row(example: Path, tmp_path: Path) -> None:
    bundle = assay.load(example)
    write_tables(bundle, tmp_path)
    listed = [table for table in tables(bundle) if not table.name.startswith("by_")]
    names = [row[0].rstrip(" ↑↓") for table in listed for row in table.rows]
    assert sorted(names) == sorted(value.name for value in bundle.measures)
    for table in tables(bundle):
        assert {"metric", "value", "subset", "n", "interpretation"} <= set(table.head)
        for row in table.rows:
            assert len(row) == len(table.head)
            assert all(row), row
        for ending in ("csv", "md", "tex"):
            assert (tmp_path / f"{table.name}.{ending}").is_file()


def test_values_are_rounded_to_what_the_interval_supports(example: Path, tmp_path: Path) -> None:
    """The width of auroc's interval is about 0.25: two decimals and no more."""
    bundle = assay.load(example)
    write_tables(bundle, tmp_path)
    with (tmp_path / "gate.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["metric"].rstrip(" ↑↓"): row for row in csv.DictReader(file)}
    value = bundle["auroc"]
    assert value.folds is not None
    assert value.interval is not None
    assert rows["auroc"]["value"] == f"{value.value:.2f}"
    assert rows["auroc"]["std"] == f"{value.folds.std:.2f}"
    assert rows["auroc"]["95% CI"] == f"[{value.interval.low:.2f}, {value.interval.high:.2f}]"
    assert rows["auroc"]["interpretation"] == assay.metric(value.definition).meaning
    assert rows["tp"]["value"] == "12"


def test_sections_hold_each_value_once(example: Path) -> None:
    result = assay.load(example)
    placed = [value.name for values in sections(result.measures).values() for value in values]
    assert sorted(placed) == sorted(value.name for value in result.measures)


def test_markdown_shows_hostile_text(hostile: tuple[Path, Path], tmp_path: Path) -> None:
    write_tables(assay.load(hostile[0]), tmp_path)
    for path in tmp_path.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert "<" not in text
        assert "\x00" not in text
        assert "\u202e" not in text
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("|")}
        assert len(widths) == 1, path.name
    assert "[link]" not in markdown_cell("[link](x)")


def test_latex_has_no_command_of_a_name(hostile: tuple[Path, Path], tmp_path: Path) -> None:
    write_tables(assay.load(hostile[0]), tmp_path)
    for path in tmp_path.glob("*.tex"):
        text = path.read_text(encoding="utf-8")
        assert "\\input" not in text
        assert "\\frac" not in text
        assert "^^" not in text
    assert latex_cell("\\input{x}") == r"\textbackslash{}input\{x\}"


@pytest.mark.parametrize("kind", ["example", "hostile"])
def test_latex_compiles(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    tex = shutil.which("pdflatex")
    if tex is None:
        pytest.skip("pdflatex is not installed: no table was compiled")
    made = request.getfixturevalue(kind)
    write_tables(assay.load(made if kind == "example" else made[0]), tmp_path)
    body = "\n".join(rf"\input{{{path.name}}}\clearpage" for path in sorted(tmp_path.glob("*.tex")))
    (tmp_path / "all.tex").write_text(DOCUMENT % body, encoding="utf-8")
    done = subprocess.run(
        [tex, "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, "openin_any": "p"},
    )
    assert done.returncode == 0, done.stdout[-2000:]
    read = shutil.which("pdftotext")
    if kind == "hostile":
        if read is None:
            pytest.skip("pdftotext is not installed: the compiled table was not read")
        text = subprocess.run(
            [read, "all.pdf", "-"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
        ).stdout
        assert "root:" not in text
        assert "\\input{/etc/passwd}" in text.replace("\n", "")


def test_hostile_names_are_in_csv_as_they_are(hostile: tuple[Path, Path], tmp_path: Path) -> None:
    write_tables(assay.load(hostile[0]), tmp_path)
    with (tmp_path / "by_criterion_id.csv").open(encoding="utf-8", newline="") as file:
        found = {row["criterion_id"] for row in csv.DictReader(file)}
    assert found == {f"criterion {each}" for each in worlds.HOSTILE}


def test_printed_tables_in_markdown_show_names_as_text() -> None:
    """Ablations, learning curves and the summary of a CI job hold names from configurations and bundles."""
    table = TextTable("a\r# b", ("name", "n"), (("x|y", "<img>"), ("`z`\n", "1")), (0,))
    assert markdown_section(table, "c\x1b[2J") == (
        "## a⟨U\\+000D⟩\\# b\n\n"
        "| name | n |\n| --- | ---: |\n| x\\|y | &lt;img&gt; |\n| \\`z\\`⟨U\\+000A⟩ | 1 |\n\n"
        "c⟨U\\+001B⟩\\[2J\n"
    )
