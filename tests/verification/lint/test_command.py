"""The command: exit codes, JSON, the list of rules, and input that means no good."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.verification.lint.rule_list import RULES
from tests.command import exit_code
from tests.verification.lint.conftest import Ran
from tests.verification.lint.test_seed import SECOND

Call = Callable[..., Ran]
ROOT = Path(__file__).parents[3]


def test_exit_code_and_text(call: Call) -> None:
    ran = call(SECOND, name="second.md")
    assert ran.code == 1
    assert ran.err == ""
    assert "34 values in 1 table, 3 impossible, 0 unusual" in ran.out
    for word in ("A201", "A404", "A701", "at most 0.8113", "each ± 0.00005", "not a verdict", "A201 assumes"):
        assert word in " ".join(ran.out.split()).replace("none is a verdict", "not a verdict")


def test_nothing_found(call: Call) -> None:
    ran = call("Metric,A\nMRR,0.50\nHit@1,0.40\n")
    assert ran.code == 0
    assert "0 impossible, 0 unusual" in ran.out


def test_unusual_is_a_warning(call: Call) -> None:
    ran = call("Metric,A\nMRR,0.80 [0.82 0.90]\n".replace("0.82 0.90", "0.82–0.90"), "--json")
    assert (ran.code, ran.codes) == (0, ["A804"])


def test_json(call: Call) -> None:
    ran = call(SECOND, "--json", name="second.md")
    found = json.loads(ran.out)
    assert found["schema"] == "assay/lint/1"
    assert (found["impossible"], found["unusual"], found["figures"]) == (3, 0, 34)
    keys = {"code", "kind", "place", "rule", "numbers", "rounding", "assumes"}
    assert all(set(each) == keys for each in found["findings"])
    assert "verdict on the authors" in found["proves"]


def test_the_list_of_rules(
    call: Call, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, "lint", "--rules") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines if line[:1] == "A"] == [rule.code for rule in RULES]
    assert exit_code(monkeypatch, "lint", "--rules", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["code"] for each in listed] == [rule.code for rule in RULES]
    ran = call(None, "--rules", name="none.csv")
    assert ran.code == 2
    assert "FILE: has no effect with --rules" in ran.err


def test_options_reach_the_rules(call: Call) -> None:
    table = "Metric,A\nsensitivity,0.95\nP@10,0.30\n"
    ran = call(table, "--n", "100", "--positives", "10", "--mean-gold", "2", "--json")
    assert ran.codes == ["A407", "A513"]
    folds = call("Metric,A\nsensitivity,0.97\n", "--folds", "2/10,2/10,2/10,2/10,4/10", "--json")
    assert folds.codes == ["A514"]
    assert call(SECOND, "--graded", "--json", name="s.md").codes == ["A701"]
    by_r = "Metric,A\nMAP@5,0.50\nMAP@10,0.48\n"
    assert call(by_r, "--json").codes == []
    assert call(by_r, "--contract", "evidence/1.0.0", "--json").codes == ["A303"]


@pytest.mark.parametrize(
    ("text", "name", "word"),
    [
        (b"", "f.csv", "is empty"),
        (b"   \n", "f.md", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "f.csv", "not UTF-8"),
        (b"Metric,A\nMRR,0.5\x00\n", "f.csv", "binary"),
        (b"Metric,A\nMRR,0.5,0.6\n", "f.csv", "line 2: 3 cells under a header of 2"),
        (b"Metric,A\nMRR,good\n", "f.csv", "no table with a known measure"),
        (b"Metric,A\nMRR,1e999999999\n", "f.csv", "no table"),
        (b'Metric,A\n"MRR,0.5\n', "f.csv", "not CSV"),
        (b"just words\n", "f.txt", "no table"),
        (b"a,b\nc,d\n", "f.csv", "no table with a known measure"),
        (b"{", "f.json", "not JSON"),
        (b"[" * 100_000, "f.json", "not JSON"),
        (b'{"a":' * 40 + b'{"mrr": 0.5}' + b"}" * 40, "f.json", "nests deeper"),
        (b'{"mrr": 0.5, "mrr": 0.6}', "f.json", "twice"),
        (b'{"mrr": Infinity}', "f.json", "no table"),
        (b"\\begin{tabular}{ll} a & b \\\\ c & d", "f.tex", "no table"),
        (b"3", "f.json", "no table"),
        (b'{"schema": "assay/result/1", "measures": [3]}', "f.json", "no definition"),
    ],
)
def test_bad_input_is_one_clear_error(call: Call, text: bytes, name: str, word: str) -> None:
    ran = call(text, name=name)
    assert ran.code == 2, ran.out
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert all(line.startswith("assay: ") and ";" in line for line in ran.err.splitlines())
    assert word in ran.err


@pytest.mark.parametrize(
    ("text", "name", "word"),
    [
        ("Metric,A,B\nMRR,0.5,good\nHit@1,0.4,0.3\n", "f.csv", "'good' is not a number"),
        ("Metric,A\nMRR,1e999999999\nHit@1,0.5\n", "f.csv", "is not a number"),
        ('{"mrr": Infinity, "map": 0.5}', "f.json", "'Infinity' is not a number"),
        ("Model,MRR,Params (M)\nA,0.5,110\n", "f.csv", "'Params (M)' is not a known measure"),
        ("Metric,A\nMRR,0.5\nFooness,0.7\n", "f.csv", "line 3: 'Fooness'"),
        ('{"mrr": 0.5, "fooness": 3}', "f.json", "values.fooness"),
        ("map all 0.5\nrecip_rank all 0.6\nfoo_5 all 0.3\n", "f.txt", "'foo_5'"),
    ],
)
def test_what_is_not_read_is_listed_or_an_error(call: Call, text: str, name: str, word: str) -> None:
    ran = call(text, name=name)
    assert ran.code == 0
    assert word in ran.out
    assert any(word in each for each in json.loads(call(text, "--json", name=name).out)["not_read"])
    strict = call(text, "--strict", name=name)
    assert (strict.code, strict.out) == (2, "")
    assert word in strict.err


def test_a_file_that_is_not_there(call: Call) -> None:
    ran = call(None, name="absent.csv")
    assert ran.code == 2
    assert "file not found" in ran.err


def test_a_huge_file(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.verification.lint.lint.LARGEST", 1000)
    ran = call("Metric,A\n" + "MRR,0.5\n" * 1000)
    assert ran.code == 2
    assert "bytes" in ran.err


def test_many_rows_and_columns(call: Call) -> None:
    rows = "\n".join(f"nDCG@{k}," + ",".join(["0.5"] * 60) for k in range(1, 120))
    ran = call("Metric," + ",".join(f"S{at}" for at in range(60)) + "\n" + rows + "\n", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["figures"] == 119 * 60


@pytest.mark.parametrize(
    "options",
    [
        ("--n", "0"),
        ("--n", "5", "--positives", "9"),
        ("--folds", "x"),
        ("--folds", "0"),
        ("--mean-gold", "x"),
        ("--contract", "nobody/9"),
    ],
)
def test_bad_options(call: Call, options: tuple[str, ...]) -> None:
    ran = call("Metric,A\nMRR,0.5\n", *options)
    assert (ran.code, ran.out) == (2, "")
    assert "Traceback" not in ran.err


def test_no_figures(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from assay.cli import main

    monkeypatch.setattr(sys, "argv", ["assay", "lint"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2


def test_the_documentation_has_every_rule() -> None:
    text = (ROOT / "docs" / "lint.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| A")]
    expected = [f"| {rule.code} | {rule.kind} | {rule.statement} | {rule.assumes} |" for rule in RULES]
    assert rows == expected
