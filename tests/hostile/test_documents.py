"""JSON and TOML: numbers of thousands of digits, deep nesting, half characters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.data.readers.json_toml import parse_json, parse_toml
from assay.errors import InputError
from tests.hostile.conftest import Call

LONG = "9" * 5000
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f'{{"a": {LONG}}}', "thousands of digits"),
        (DEEP, "nested"),
        ("[" * 300 + "]" * 300, "nested more than 100 levels"),
        ('{"a": "\\ud800"}', "surrogate"),
        ('{"\\udfff": 1}', "surrogate"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "-Infinity"),
        ("{", "is not JSON"),
        ("", "is not JSON"),
    ],
)
def test_json(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_json(text, "x.json")


def test_json_that_is_fine() -> None:
    assert parse_json('{"a": ["\\ud83d\\ude00"]}', "x.json") == {"a": ["😀"]}
    assert parse_json("[" * 100 + "]" * 100, "x.json")


@pytest.mark.parametrize(
    ("text", "words"),
    [(f"a = {LONG}", "thousands of digits"), (f"a = {DEEP}", "nested"), ("a = [", "is not TOML")],
)
def test_toml(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_toml(text, "x.toml")


@pytest.mark.parametrize("text", [f"a = {LONG}", f"a = {DEEP}", "\0", "\xff", "x" * (2 << 20)])
def test_contracts_and_configurations(text: str, tmp_path: Path, call: Call) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(text.encode("latin-1"))
    call("contract", "show", path).refused("x.toml")
    call("run", path, "-o", tmp_path / "out").refused("x.toml")
    assert not (tmp_path / "out").exists()


IMPORTS = [
    ("squad2", '{"data": [1]}', ("squad2", "article 1")),
    ("squad2", '{"data": [{"paragraphs": [7]}]}', ("paragraph 1",)),
    ("squad2", '{"data": [{"paragraphs": 7}]}', ("article 1",)),
    (
        "squad2",
        json.dumps(
            {
                "data": [
                    {"paragraphs": [{"context": "A b.", "qas": [{"id": "q", "question": 1, "answers": []}]}]}
                ]
            }
        ),
        ("paragraph 1",),
    ),
    (
        "squad2",
        json.dumps(
            {
                "data": [
                    {
                        "paragraphs": [
                            {
                                "context": "A b.",
                                "qas": [
                                    {
                                        "id": "q",
                                        "question": "w",
                                        "answers": [{"text": "A", "answer_start": "x"}],
                                    }
                                ],
                            }
                        ]
                    }
                ]
            }
        ),
        ("paragraph 1",),
    ),
    ("squad2", '{"data": [{"paragraphs": [{"context": "\\ud800", "qas": []}]}]}', ("surrogate",)),
    ("squad2", f'{{"data": {LONG}}}', ("digits",)),
    ("squad2", DEEP, ("nested",)),
    ("contractnli", '{"data": [1]}', ("labels",)),
    ("contractnli", '{"labels": {"a": {"hypothesis": 1}}, "documents": []}', ("labels",)),
    ("contractnli", "[]", ("labels",)),
    (
        "jsonl",
        '{"post": "a\\ud800", "criterion": "c", "sentences": ["x"], "evidence": [0]}',
        ("line 1", "surrogate"),
    ),
    ("jsonl", DEEP, ("line 1",)),
    ("jsonl", f'{{"post": {LONG}}}', ("line 1",)),
    ("jsonl", '{"post": null, "criterion": [], "sentences": [1], "evidence": [0]}', ("line 1",)),
]


@pytest.mark.parametrize(("kind", "text", "words"), IMPORTS)
def test_importers(kind: str, text: str, words: tuple[str, ...], tmp_path: Path, call: Call) -> None:
    path = tmp_path / f"{kind}.json"
    path.write_text(text)
    call("import", kind, path, "-o", tmp_path / "out").refused(*words)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("p,p_²,A b.,X,1", ("row 2", "sentence_id is 'p_²'")),
        ("p,p_٣,A b.,X,1", ("row 2", "sentence_id")),
        ("p,p_0,A b.,X,", ("row 2", "status")),
        ("p,p_0,A b.,,1", ("row 2", "DSM5_symptom")),
        (",,,,", ("row 2", "post_id")),
    ],
)
def test_redsm5(row: str, words: tuple[str, ...], tmp_path: Path, call: Call) -> None:
    posts, marks = tmp_path / "posts.csv", tmp_path / "marks.csv"
    posts.write_text("post_id,text\np,A b.\n")
    marks.write_text(f"post_id,sentence_id,sentence_text,DSM5_symptom,status\n{row}\n")
    call("import", "redsm5", posts, marks, "-o", tmp_path / "out").refused(*words)


ENTRY = {"definition": "mrr:rel=1,on=evidence", "value": 0.5, "aggregate": "fold_mean"}


@pytest.mark.parametrize("measures", [None, 5, {"a": 1}, "mrr"])
def test_a_result_without_a_list_of_measures(measures: object, tmp_path: Path, call: Call) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"schema": "assay/result/1", "measures": measures}))
    call("lint", path).refused("result.json", "measures[0]", "has no definition")


@pytest.mark.parametrize("part", ["folds", "interval", "spread"])
@pytest.mark.parametrize("odd", [[1, 2], "x", 3, {"values": [1], "low": [], "std": {}}])
def test_a_result_with_parts_of_other_kinds(part: str, odd: object, tmp_path: Path, call: Call) -> None:
    """The fuzzer changed one byte of a bundle, and an interval became a text."""
    path = tmp_path / "result.json"
    document = {"schema": "assay/result/1", "measures": [{**ENTRY, part: odd}]}
    path.write_text(json.dumps(document))
    ran = call("lint", path)
    assert ran.code == 0, ran.err
    assert "1 value" in ran.out
