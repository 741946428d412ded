"""Files that cannot be read are one sentence per fault, with place, value and expectation; exit code 2."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import exit_code

QRELS = "qid,docno,rel\nq1,a,1\nq1,b,0\n"
RUN = "qid,docno,score\nq1,a,0.5\nq1,b,0.7\n"
Refused = Callable[..., str]


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Evaluate a bad file and return what is said about it."""
    monkeypatch.chdir(tmp_path)
    Path("good_qrels.csv").write_text(QRELS)
    Path("good_run.csv").write_text(RUN)

    def call(option: str, name: str, data: bytes | str) -> str:
        Path(name).write_bytes(data if isinstance(data, bytes) else data.encode())
        given = {"--qrels": "good_qrels.csv", "--run": "good_run.csv"}
        given = given | {option: name} if option in given else {option: name}
        assert exit_code(monkeypatch, "evaluate", *(word for pair in given.items() for word in pair)) == 2
        return capsys.readouterr().err

    return call


ROWS = [{"qid": "q1", "docno": "a", "score": 0.5}]
FILES: list[tuple[str, bytes | str, tuple[str, ...]]] = [
    ("r.csv", "", ("r.csv: is empty",)),
    ("r.csv", "qid,docno,score\n", ("r.csv: has no row",)),
    ("r.csv", "\ufeff", ("r.csv: is empty",)),
    ("r.csv", "qid,docno,score\nq1,é,1\n".encode("latin-1"), ("r.csv line 2: byte b'\\xe9' is not UTF-8",)),
    ("r.csv", RUN.encode("utf-16"), ("r.csv line 1", "UTF-8")),
    ("r.csv", "qid,docno,score\nq1,a,nan\nq1,b,x\nq1,,1\n", ("row 2: score is nan", "row 3: score is x", "row 4: docno is empty")),
    ("r.csv", 'qid,docno,score\nq1,"",1\n', ("row 2: docno is empty",)),
    ("r.csv", "qid,docno,score\nq1,a,1\nq1,b\n", ("r.csv row 3: has 2 fields; expected 3",)),
    ("r.csv", "qid,docno,score\nq1,a,1\nq2,a,1\nq1,a,2\n", ("r.csv row 4: document 'a' of query 'q1' is listed twice",)),
    ("r.csv", 'qid,docno,score\nq1,"a,1\n', ("r.csv row 2: has 2 fields",)),
    ("r.csv", "q1,a,1\nq1,b,high\n", ("r.csv row 2: 3 is high; 3 must be a number",)),
    ("r.csv", "q1,a,1,x\nq1,b,2,y\n", ("r.csv: no column for the query", "--run-columns", "row 1 does not look like a header")),
    ("r.tsv", "q1\ta\t1\nq1\tb\t2\nq2\tc\t1\n", ("r.tsv: column 3 counts 1, 2, 3", "--run-columns score=3")),
    ("r.csv", "query,qid,q_id,docno,score\na,b,c,d,1\n", ("2 columns fit the query: qid, q_id",)),
    ("r.json", "", ("r.json: is empty",)),
    ("r.json", "{", ("r.json line 1: is not JSON",)),
    ("r.json", "[]", ("r.json: has no row",)),
    ("r.json", "{}", ("r.json: has no row",)),
    ("r.json", "7", ("r.json: is not a table",)),
    ("r.json", "[1, 2]", ("r.json: is not a table",)),
    ("r.json", '{"q1": 1}', ("r.json: no column for the query, the item and the score",)),
    ("r.json", '{"q1": {"a": 1, "a": 2}, "q1": {"b": 1}}', ("has the key 'a' twice in an object", "has the key 'q1' twice")),
    ("r.json", '{"q1": {"a": NaN, "b": "x", "c": {}}}', ("item 'a': the score is nan", "item 'b': the score is the text 'x'", "item 'c': the score is an empty dict")),
    ("r.json", '{"q1": {"a": 1' + "0" * 400 + "}}", ("item 'a': the score is inf",)),
    ("r.json", '{"q1": {"a": 1' + "0" * 5000 + "}}", ("thousands of digits",)),
    ("r.json", "[" * 3000, ("nested",)),
    ("r.json", '{"a":' * 150 + "1" + "}" * 150, ("nested more than 100 levels",)),
    ("r.json", '{"q1": {"\\ud800": 1}}', ("surrogate",)),
    ("r.json", json.dumps([*ROWS, {"qid": ["q1"], "docno": "b", "score": 1}, {"qid": 1, "docno": {}, "score": 2}]), ("row 2: qid is a list", "row 3: docno is a dict")),
    ("r.json", json.dumps([*ROWS, {"qid": "q1", "score": True}, {"docno": "c", "score": "1,5"}]), ("row 2: docno is empty", "row 3: qid is empty", "row 3: score is 1,5")),
    ("r.json", "\ufeff" + json.dumps({"q1": ["a", "b"]}), ("r.json query 'q1': is not a ranking",)),
    ("r.json", b"\xff\xfe{}", ("UTF-8",)),
    ("r.jsonl", '{"qid": "q1", "docno": "a", "score": 1}\n\n[1]\n{"qid"\n', ("r.jsonl line 3: is a list; expected an object per line", "r.jsonl line 4: is not JSON")),
    ("r.jsonl", '{"qid": "q1", "docno": "a", "score": 1}\n\n{"qid": "q1", "docno": "b", "score": "x"}\n', ("r.jsonl line 3: score is x",)),
    ("r.jsonl", '{"qid": "q1", "docno": "a", "score": 1, "docno": "b"}\n', ("r.jsonl line 1: has the key 'docno' twice",)),
    ("r.json.gz", gzip.compress(b'{"q1": {"a": 1}}')[:-9], ("r.json.gz: the gzip stream is damaged",)),
    ("r.parquet", b"PAR1", ("r.parquet", "Parquet")),
    ("r.dat", b"PAR1 and more", ("r.dat", "Parquet")),
    ("r.csv", bytes(100), ("NUL",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "words"), FILES, ids=[f"{at}-{each[0]}" for at, each in enumerate(FILES)]
)
def test_runs(refused: Refused, name: str, data: bytes | str, words: tuple[str, ...]) -> None:
    error = refused("--run", name, data)
    assert all(word in error for word in words), error


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("j.csv", "qid,docno,rel,label\nq1,a,1,1\n", ("2 columns fit the grade: rel, label; choose one with --qrels-columns grade=COLUMN",)),
        ("j.csv", "qid,docno,rel\nq1,a,1\nq1,b,2000\n", ("j.csv row 3: rel is 2000; rels lie within ±1000",)),
        ("j.json", '{"q1": {"a": 1, "b": null}}', ("j.json query 'q1' item 'b': the grade is None",)),
        ("j.json", '{"q1": {"a": 1}, "q2": {"a": 1e9}}', ("j.json query 'q2' item 'a': the grade is 1e+09; grades lie within ±1000",)),
        ("j.tsv", "q1\t0\ta\t1\nq1\t0\ta\t1\n", ("j.tsv row 2: document 'a' of query 'q1' is listed twice",)),
        ("j.txt", "q1,a,one\n", ("j.txt: no column for the query", "columns: q1, a, one")),
    ],
)  # fmt: skip
def test_judgements(refused: Refused, name: str, data: str, words: tuple[str, ...]) -> None:
    error = refused("--qrels", name, data)
    assert all(word in error for word in words), error


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("d.csv", "label;prob\nyes;0.5\nmaybe;0.2\n2;0,5,1\n;1.5\n", ("row 3: label is maybe; expected 0 or 1, true or false, yes or no", "row 4: label is 2", "row 4: prob is 0,5,1", "row 5: label is empty", "row 5: prob is 1.5")),
        ("d.csv", "label|prob\n1|0.5|3\n", ("d.csv row 2: has 3 fields",)),
        ("d.json", '[{"label": true, "prob": [0.5]}, {"label": {}, "prob": 1}]', ("row 1: prob is a list", "row 2: label is a dict")),
        ("d.json", '{"label": [1, 0], "prob": [0.5]}', ("d.json: is not a table",)),
        ("d.json", '{"label": {"0": 1}, "prob": {"1": 0.5}}', ("d.json: is not a table",)),
        ("d.jsonl", '{"label": 1, "prob": 0.5}\n{"label": "positive", "prob": NaN}\n', ("line 2: label is positive", "line 2: prob is nan")),
        ("d.jsonl", '{"y": 1, "p": 0.5}\n', ("no column 'prob'; name the probability column with --prob (columns: y, p)", "no column 'label'; name the label column with --label (columns: y, p)")),
        ("d.json", "[]", ("d.json: has no row",)),
        ("d.txt", "", ("d.txt: is empty",)),
    ],
)  # fmt: skip
def test_decisions(refused: Refused, name: str, data: str, words: tuple[str, ...]) -> None:
    error = refused("--decisions", name, data)
    assert all(word in error for word in words), error


def test_options_without_effect(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("run.txt").write_text("q1 Q0 a 1 0.5 x\n")
    command = ("evaluate", "--qrels", "good_qrels.csv", "--run", "run.txt")
    assert exit_code(monkeypatch, *command, "--run-columns", "query=q") == 2
    assert "--run-columns: has no effect on run.txt, which is TREC text" in capsys.readouterr().err
    assert exit_code(monkeypatch, *command, "--run-columns", "what=q") == 2
    assert "--run-columns" in capsys.readouterr().err
    assert exit_code(monkeypatch, "evaluate", "--qrels", "-", "--run", "-") == 2
    assert "standard input: was given twice" in capsys.readouterr().err
    assert exit_code(monkeypatch, "evaluate", "--decisions", "good_run.csv", "--run-columns", "query=q") == 2
    assert "--run-columns: has no effect without --qrels" in capsys.readouterr().err
