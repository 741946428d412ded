"""Tables copied from a PDF, read where the number of cells leaves no choice; and those of a saved page."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest

import assay
from assay.verification.lint.formats.html_tables import html
from assay.verification.lint.formats.text_tables import text_tables
from tests.command import exit_code

COPIED = """We compare three systems, on two data sets.

Table 3: Main results. Best in bold.

Model P@1 P@5 nDCG@1 nDCG@5 MRR
BM25 0.31 0.22 0.31 0.35 0.42
ColBERT-v2 (ours)† 0.45∗ 0.30 0.47 0.55 ± 0.02 0.51
GPT 4 .50 0,28 – 0.49 61%

As Table 3 shows, P@1 and MRR rise from 0.31 to 0.50 and from 0.42 to 0.61.
"""
COUNTS = """
            TP    FP   FN    TN   Sens.   Pos. pred. value
----------------------------------------------------------
Model A    120    30   40   810    0.75               0.80
Model B    131    44   29   796    0.82               0.77
"""


def cells(text: str) -> list[list[list[str]]]:
    return [[row for _, row in table.rows] for table in text_tables(text)]


def test_cells_of_a_copied_table() -> None:
    assert cells(COPIED) == [
        [
            ["Model", "P@1", "P@5", "nDCG@1", "nDCG@5", "MRR"],
            ["BM25", "0.31", "0.22", "0.31", "0.35", "0.42"],
            ["ColBERT-v2 (ours)", "0.45", "0.30", "0.47", "0.55±0.02", "0.51"],
            ["GPT 4", ".50", "0,28", "–", "0.49", "61%"],
        ]
    ]


def test_a_copied_table_is_linted_and_has_its_caption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """nDCG@1 is P@1 for binary gold: 0.45 and 0.47 cannot both be right. It was `no table with a known measure`."""
    (tmp_path / "table.txt").write_text(COPIED, encoding="utf-8")
    assert exit_code(monkeypatch, "lint", tmp_path / "table.txt") == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "1 impossible" in said
    assert "table 1 (Main results. Best in bold.)" in said
    assert "nDCG@1 0.47, P@1 0.45: must be equal" in said


def test_columns_of_several_words_need_wide_gaps() -> None:
    """131 of 175 print as 0.75, not as 0.77; 120 of 150 is 0.80."""
    (table,) = cells(COUNTS)
    assert table[0] == ["", "TP", "FP", "FN", "TN", "Sens.", "Pos. pred. value"]
    report = assay.lint(io.StringIO(COUNTS.replace("Pos. pred. value", "             PPV")))
    assert ["Model B" in str(finding) for finding in report.findings] == [True]
    assert not assay.lint(
        io.StringIO(COUNTS.replace("Pos. pred. value", "PPV").replace("0.77", "0.75"))
    ).findings


@pytest.mark.parametrize(
    "text",
    [
        "Method Hit rate MRR\nA 0.4 0.5\n",  # is it Hit, rate, MRR?
        "Method Macro F1 Accuracy\nA 0.4 0.5\n",
        "Method P@1 MRR\nA 0.4 0.5 0.6\n",  # one number too many
        "Method P@1 MRR\nA 0.4\n",
        "Method size cost\nA 0.4 0.5\n",  # no measure
        "Method P@1 cost\nA 0.4 0.5\n",  # one measure
        "Method, P@1, MRR\nA, 0.4, 0.5\n",  # CSV
        "P@1 MRR\n0.4 0.5\n",  # no system
        "P@1 and MRR are 0.4 0.5\n",
    ],
)
def test_what_leaves_a_choice_is_not_read(text: str) -> None:
    assert cells(text) == []


def test_two_tables_and_a_rule() -> None:
    one = "System P@1 MRR\n=====\nA 0.4 0.5\n"
    assert len(cells(f"{one}\nsome words\n{one}B 0.1 0.2\n")) == 2


PAGE = """<!DOCTYPE html><html><head><style>td { color: red }</style></head><body>
<table class="results"><caption>Main results</caption>
<thead><tr><th rowspan=2>Model</th><th colspan="2">Dev</th><th colspan="2">Test</th></tr>
<tr><th>P@1</th><th>MRR</th><th>P@1</th><th>R<sup>2</sup></th></tr></thead>
<tbody><tr><td>BM25</td><td>0.31<sup>2</sup></td><td><b>0.42</b></td><td>0.3<br>&plusmn; 0.1</td><td>&ndash;
<tr><td>Ours<td>0.45<sub>&plusmn;0.01</sub><td colspan=2>0.5<td>0.6</tbody></table>
<script>document.write("<table><tr><td>9</td></tr></table>")</script></body></html>"""


def test_cells_and_spans() -> None:
    (table,) = html(PAGE, "page")
    assert (table.name, table.caption, table.header_rows) == ("table 1 (Main results)", "Main results", 2)
    assert [cells for _, cells in table.rows] == [
        ["Model", "Dev", "Dev", "Test", "Test"],
        ["Model", "P@1", "MRR", "P@1", "R^2"],
        ["BM25", "0.31", "0.42", "0.3 ± 0.1", "–"],
        ["Ours", "0.45 ±0.01", "0.5", "0.5", "0.6"],
    ]
    assert [line for line, _ in table.rows] == [3, 4, 5, 6]


def test_a_table_inside_of_a_cell_is_one_of_its_own() -> None:
    page = "<table><tr><td>a<table><tr><td>1<td>2</table>b<td>c</table>"
    assert [[cells for _, cells in table.rows] for table in html(page, "page")] == [
        [["ab", "c"]],
        [["1", "2"]],
    ]


ROWS = {"Model": ["BM25", "Ours"], "Precision": [0.61, 0.72], "Recall": [0.55, 0.68], "F1": [0.58, 0.75]}


@pytest.mark.parametrize("name", ["page.html", "page.htm", "page.txt"])
def test_an_impossible_value_is_found(name: str, tmp_path: Path) -> None:
    """2·0.72·0.68 / 1.40 = 0.699: no rounding makes it 0.75."""
    path = tmp_path / name
    path.write_text(f"<p>Results</p>{pd.DataFrame(ROWS).to_html()}")
    report = assay.lint(path)
    assert [each.code for each in report.findings] == ["A503"]
    assert "Ours" in str(report)
    path.write_text(pd.DataFrame(ROWS).set_index("Model").to_html())
    assert [each.code for each in assay.lint(path).findings] == ["A503"]


@pytest.mark.parametrize("page", ["<table>", "<table></table>", "<table><tr></table>", "<table><![if x]>"])
def test_pages_without_values_are_refused(page: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page)
    with pytest.raises(assay.InputError, match=r"page\.html: (no table|is not HTML)"):
        assay.lint(path)
