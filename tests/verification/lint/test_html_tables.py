"""Tables of a saved page: cells, spans, captions, footnotes; and what pandas writes."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import assay
from assay.verification.lint.formats.html_tables import html

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
