"""Tables copied from a PDF: read where the number of cells leaves no choice, and refused elsewhere."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import assay
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
