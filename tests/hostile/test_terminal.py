"""What is shown is not sent: escapes on a terminal, formulas in a spreadsheet, marks in XML."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import assay
from assay.cli.render.output import show, terminal_json
from assay.display.table_formats import csv_text
from assay.errors import printable
from assay.text_table import TextTable
from assay.verification.display.verification_tables import junit
from assay.verification.publication_verdict import FAIL, PublicationCheck, PublicationVerdict
from tests.hostile.conftest import Call

EVIL = "\x1b[2J\x1b]0;owned\x07\x7f\x9b31m\u202e\u200b\U000e0041"
SENT = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\U000e0041]")


def test_printable() -> None:
    assert printable("a\x1b[2J\nb\u202e\ud800") == r"a\x1b[2J\nb\u202e\ud800"
    assert printable("a\nb\x07", keep="\n") == "a\nb\\x07"
    assert printable("naïve – 日本 😀 e\u0301") == "naïve – 日本 😀 e\u0301"
    assert printable("\u0645\u06cc\u200c\u0631\u0648\u0645 \U0001f469\u200d\U0001f52c") == (
        "\u0645\u06cc\u200c\u0631\u0648\u0645 \U0001f469\u200d\U0001f52c"
    )
    assert printable("a\ufeff\u200b\U000e0041") == r"a\ufeff\u200b\U000e0041"


def test_ids_in_tables_and_messages(example: Path, call: Call) -> None:
    for folder in ("corpus", "predictions"):
        for path in (example / folder).glob("*.csv"):
            path.write_text(re.sub(r"(?m)(^|,)sleep,", rf"\1sl{EVIL}eep,", path.read_text()))
    inputs = (example / "predictions", "--corpus", example / "corpus", "--by", "criterion_id", "-m", "mrr")
    ran = call("evaluate", *inputs)
    assert ran.code == 0, ran.err
    assert r"sl\x1b[2J" in ran.out
    assert not SENT.search(ran.out)
    as_json = call("evaluate", *inputs, "--json")
    assert not SENT.search(as_json.out)
    assert f"sl{EVIL}eep" in json.loads(as_json.out)["groups"]["criterion_id"]
    decisions = example / "predictions" / "decisions.csv"
    decisions.write_text(decisions.read_text().replace("POS", f"P{EVIL}"))
    ran = call("evaluate", *inputs)
    ran.refused(r"\x1b[2J")
    assert not SENT.search(ran.err)


@pytest.mark.parametrize(
    "arguments",
    [
        (EVIL,),
        ("evaluate", f"--{EVIL}"),
        ("evaluate", EVIL, "--corpus", EVIL),
        ("contract", "show", EVIL),
        ("metric", "show", EVIL),
        ("lint", EVIL),
        ("verify", EVIL),
        ("import", EVIL, "x", "-o", "y"),
        ("evaluate", "--decisions", EVIL),
        ("evaluate", "--qrels", EVIL, "--run", EVIL),
        ("report", EVIL),
    ],
)
def test_what_was_typed(arguments: tuple[str, ...], call: Call) -> None:
    ran = call(*arguments)
    assert ran.code == 2
    assert not SENT.search(ran.err)
    assert "\\x1b" in ran.err


def test_a_system_called_like_an_escape(example: Path, call: Call) -> None:
    moved = example / f"sys{EVIL}"
    shutil.move(example / "predictions", moved)
    ran = call("evaluate", moved, "--corpus", example / "corpus", "-m", "mrr")
    assert ran.code == 0
    assert not SENT.search(ran.out)


def test_a_terminal_gets_no_escapes_of_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    show(TextTable(f"t{EVIL}", (f"h{EVIL}", "n"), ((f"c{EVIL}", "1"),)), f"note{EVIL}")
    assert "\x1b[2J" not in (said := capsys.readouterr().out)
    assert said.count(r"\x1b[2J") == 4


def test_json_keeps_its_value() -> None:
    value = {"a\x7f": ["\x9b", "\u2028", "é", 1.5, None]}
    text = terminal_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    assert not SENT.search(text)


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0"])
def test_formulas_in_tables_for_people(cell: str) -> None:
    text = csv_text((cell, "value"), ((cell, "−0.25"),))
    head, row = csv.reader(io.StringIO(text, newline=""))
    assert head[0] == row[0] == f"'{cell}"
    assert row[1] == "-0.25"


def test_numbers_and_text_stay_as_they_are() -> None:
    cells = ("0.5", "−1,234", "-", "a=b", "[0.1, 0.2]", "–")
    (row,) = csv.reader(csv_text(cells, ()).splitlines())
    assert row == ["0.5", "-1234", "'-", "a=b", "[0.1, 0.2]", "–"]


def test_a_breakdown_by_a_formula(example: Path, tmp_path: Path, call: Call) -> None:
    """The report's table is neutralised; the bundle's own tables keep ids, so that they verify."""
    for folder in ("corpus", "predictions"):
        for path in (example / folder).glob("*.csv"):
            path.write_text(re.sub(r"(?m)(^|,)sleep,", r"\1=1+1,", path.read_text()))
    out = tmp_path / "bundle"
    result = assay.evaluate(
        example / "predictions", example / "corpus", by=["criterion_id"], measures=["mrr"]
    )
    result.save(out)
    from assay.report.paper_files import write_tables

    write_tables(assay.load(out), tmp_path / "tables")
    assert "\n'=1+1," in (tmp_path / "tables" / "by_criterion_id.csv").read_text()
    assert ",=1+1," in (out / "per_query.csv").read_text()
    assert call("verify", out).code == 0


def test_a_table_cannot_leave_its_folder(example: Path, tmp_path: Path) -> None:
    from assay.evaluation.display.paper_tables import file_name

    names = ["by_../../x", "by_a/b", "by_a b", "by_a_b", "by_" + "x" * 300, "by_\0"]
    made = [file_name(name) for name in names]
    assert len(set(made)) == len(made)
    assert all(re.fullmatch(r"[\w.-]{1,80}", name) for name in made)


def test_junit_with_control_characters() -> None:
    checks = tuple(
        PublicationCheck(f"n{mark}", verdict, f'r{mark}<&">')
        for verdict in (FAIL, "pass", "not applicable")
        for mark in ("\x00", "\x1b", "\x08", "\ufffe", "\ud800", "\n", "é")
    )
    text = junit(PublicationVerdict("b\x01", "s", "c", checks))
    root = ET.fromstring(text.encode())
    assert len(root) == len(checks)
    assert root.attrib["name"] == r"b\x01"
