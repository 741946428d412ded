"""Runs and judgements of every shape and format have pytrec_eval's values, query by query."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from math import log2
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval

import assay
from assay.engines.spark_source import run_source
from assay.evaluation.result import Result
from tests.command import exit_code
from tests.inputs.shapes import Numbers, drawn, formats, shapes

MEASURES = ("map", "ndcg_cut_5", "recip_rank", "P_5")
PEERS = {"map", "ndcg_cut.5", "recip_rank", "P.5"}
QRELS, RUN = drawn(7)
SHAPES = {
    name: (qrels, run)
    for (name, qrels), (_, run) in zip(shapes(QRELS, "grade"), shapes(RUN, "score"), strict=True)
}


@pytest.fixture(scope="module")
def peer() -> dict[str, dict[str, float]]:
    """pytrec_eval's values by query."""
    whole = {query: {item: int(grade) for item, grade in each.items()} for query, each in QRELS.items()}
    found: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(whole, PEERS).evaluate(RUN)
    return found


def close(value: object) -> object:
    return pytest.approx(value, abs=1e-12)


def hold(result: Result, peer: dict[str, dict[str, float]]) -> None:
    frame = result.per_query().filter(pl.col("answered"))
    assert len(frame) == len(peer) == 19
    for name in MEASURES:
        found = dict(zip(frame["query_id"], frame[name], strict=True))
        assert found == close({query: values[name] for query, values in peer.items()})
        assert result[name].value == close(sum(values[name] for values in peer.values()) / len(peer))


def evaluate(run: Any, qrels: Any, **settings: Any) -> Result:
    return assay.evaluate(run, qrels=qrels, contract="trec_eval/10", measures=MEASURES, **settings)


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape: str, peer: dict[str, dict[str, float]]) -> None:
    qrels, run = SHAPES[shape]
    hold(evaluate(run, qrels), peer)


@pytest.mark.parametrize("name", formats("score"))
def test_files(name: str, peer: dict[str, dict[str, float]], tmp_path: Path) -> None:
    for kind, data in (("grade", QRELS), ("score", RUN)):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / name).write_bytes(formats(kind)[name](data))
    qrels, run = (tmp_path / kind / name for kind in ("grade", "score"))
    result = evaluate(run, str(qrels))
    hold(result, peer)
    hold(evaluate(RUN, qrels), peer)
    saved = result.save(tmp_path / "bundle")
    document = json.loads((saved / "metrics_master.json").read_text())
    for path in (qrels, run):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        record = {"name": name, "bytes": path.stat().st_size, "sha256": digest}
        assert record in document["inputs"]


def test_by_hand() -> None:
    """One query: gold b (grade 2) at rank 2, a (grade 1) at rank 3, c (grade 0) first."""
    qrels = [{"topic": 1, "pid": name, "rel": grade} for name, grade in (("a", 1), ("b", 2), ("c", 0))]
    run = {"1": {"c": 9, "b": 8.5, "a": -1}}
    result = assay.evaluate(run, qrels=qrels, contract="trec_eval/10", measures=["map", "ndcg", "recip_rank"])
    assert result["map"].value == close((1 / 2 + 2 / 3) / 2)
    assert result["recip_rank"].value == close(1 / 2)
    assert result["ndcg"].value == close((2 / log2(3) + 1 / log2(4)) / (2 + 1 / log2(3)))


def test_objects_of_ir_measures() -> None:
    """Its readers give named tuples one by one."""
    qrels = ir_measures.read_trec_qrels("q1 0 a 1\nq1 0 b 2\n")
    run = ir_measures.read_trec_run("q1 Q0 c 1 9 x\nq1 Q0 b 2 8.5 x\n")
    assert evaluate(run, qrels)["map"].value == close(1 / 4)


@pytest.mark.parametrize("gold", [["a", "bc"], ("a", "bc"), {"a", "bc"}, dict.fromkeys(["a", "bc"], 1)])
def test_judgements_may_be_the_relevant_ids_alone(gold: object) -> None:
    assert evaluate({"q1": {"x": 3, "bc": 2, "a": 1}}, {"q1": gold})["map"].value == close(
        (1 / 2 + 2 / 3) / 2
    )


def test_a_list_of_ids_is_no_run_and_an_index_may_be_a_column_too() -> None:
    with pytest.raises(assay.InputError, match=r"it has the text 'a'; .*1/rank can be the score"):
        evaluate({"q1": ["a", "b"]}, {"q1": ["a"]})
    frame = pd.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "score": [1.0]}).set_index(
        "query_id", drop=False
    )
    assert evaluate(frame, {"q1": ["a"]})["map"].value == 1.0


@pytest.mark.parametrize("kind", [tuple, list])
def test_rows_may_be_triples(kind: Any, peer: dict[str, dict[str, float]]) -> None:
    """A list of (query, item, number) was refused."""
    qrels = [kind((query, item, grade)) for query, row in QRELS.items() for item, grade in row.items()]
    run = [
        kind((query, item, np.float32(score))) for query, row in RUN.items() for item, score in row.items()
    ]
    assert evaluate(run, qrels)["map"].value == close(evaluate(RUN, QRELS)["map"].value)
    hold(evaluate([(q, d, float(s)) for q, row in RUN.items() for d, s in row.items()], qrels), peer)


@pytest.mark.parametrize("rows", [[("q", "d")], [("q", "d", "1")], [("q", None, 1.0)], [(1.5, "d", 1.0)]])
def test_other_tuples_are_no_triples(rows: object) -> None:
    with pytest.raises(assay.InputError, match="`run`: is a list of 1 value"):
        evaluate(rows, {"q": {"d": 1}})


@pytest.mark.parametrize("runs", [{"a": {"q": {"d": 1.0}}, "b": {"q": {"d": 2.0}}}, [{"q": {"d": 1.0}}] * 2])
def test_several_runs_are_compared_not_evaluated(runs: Any) -> None:
    with pytest.raises(
        assay.InputError, match=r"run: holds 2 values that are runs themselves; .*assay.compare"
    ):
        evaluate(runs, {"q": {"d": 1}})


def test_compare_takes_systems_in_a_dict_or_a_list(tmp_path: Path) -> None:
    qrels = {f"q{at}": {"a": 1, "b": 0} for at in range(4)}
    good = {name: {"a": 2.0, "b": 1.0} for name in qrels}
    bad = {name: {"a": 1.0, "b": 2.0} for name in qrels}
    frames = [
        pd.DataFrame([(q, d, s) for q, row in run.items() for d, s in row.items()]) for run in (good, bad)
    ]
    for frame in frames:
        frame.columns = ["qid", "docno", "score"]
    for systems in ({"good": good, "bad": bad}, dict(zip(("good", "bad"), frames, strict=True))):
        made = assay.compare(systems, qrels=qrels, measures="mrr", resamples=100)
        assert (made["mrr"].baseline, made["mrr"].system, made["mrr"].difference) == ("good", "bad", -0.5)
    listed = assay.compare([good, bad], qrels=qrels, measures="mrr", resamples=100, names=["x", "y"])
    assert (listed["mrr"].baseline, listed["mrr"].difference) == ("x", -0.5)
    with pytest.raises(assay.InputError, match="run 1: holds 2 values that are runs"):
        assay.compare({"good": good, "bad": bad}, good, qrels=qrels, measures="mrr", resamples=100)


@pytest.mark.parametrize("one", [RUN, [RUN], "run.txt", [("q", "d", 1.0)] * 2, {"a": RUN}, None])
def test_compare_needs_two_systems(one: Any) -> None:
    with pytest.raises(assay.InputError, match=r"compare: has one system, .*expected two or more"):
        assay.compare(one, qrels=QRELS)


@pytest.mark.parametrize("name", ["relevance_grade", "gain", "graded relevance"])
def test_more_names_of_grades(name: str) -> None:
    qrels = pd.DataFrame([("q", "a", 1), ("q", "b", 0)], columns=["query", "doc", name])
    assert evaluate({"q": {"b": 2.0, "a": 1.0}}, qrels)["recip_rank"].value == 0.5


def test_swapped_files_are_recognised(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("q 0 a 1\n")
    run.write_text("q Q0 a 1 0.5 x\n")
    with pytest.raises(assay.InputError, match=r"run.txt line 1: has 6 fields .*; this is a line of a run"):
        evaluate(qrels, run)
    with pytest.raises(
        assay.InputError, match=r"qrels.txt line 1: has 4 fields .*; this is a line of judgements"
    ):
        evaluate(qrels, qrels)


def test_ids_of_queries_that_differ_are_shown() -> None:
    with pytest.raises(
        assay.InputError, match=r"no query of the run is in qrels \('7\.0' here, '007' there\)"
    ):
        evaluate({7.0: {"a": 1.0}}, {"007": {"a": 1}})


def test_a_note_points_at_ids_where_nothing_was_found() -> None:
    """Items `7` and `7.0` are two: every value was 0, and nothing was said."""
    note = "Every ranking measure is 0. Check that candidates and gold have the same ids"
    assert note in str(evaluate({"q1": {7.0: 1.0}}, {"q1": {"7": 1}}))
    assert note not in str(evaluate({"q1": {"7": 1.0}}, {"q1": {"7": 1}}))


@pytest.mark.parametrize(
    "name", ["plain.txt", "packed.csv.gz", "rows.json", "lines.jsonl", "no_header.dat", "table.parquet"]
)
def test_standard_input(name: str, peer: dict[str, dict[str, float]], tmp_path: Path) -> None:
    """Bytes that are hashed are those that were read, and nothing declares their format."""
    data = formats("score")[name](RUN)
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    command = [sys.executable, "-m", "assay.cli", "evaluate", "--qrels", "qrels.json", "--run", "-"]
    command += ["--contract", "trec_eval/10", "-m", "map", "-m", "P_5", "--no-report", "-o", "out"]
    ended = subprocess.run(command, input=data, cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    document = json.loads((tmp_path / "out" / "metrics_master.json").read_text())
    assert document["system"] == "stdin"
    hashes = {each["name"]: each["sha256"] for each in document["inputs"]}
    assert hashes["stdin"] == hashlib.sha256(data).hexdigest()
    found = {each["name"]: each["value"] for each in document["measures"]}
    for measure in ("map", "P_5"):
        assert found[measure] == close(sum(values[measure] for values in peer.values()) / len(peer))


def test_standard_input_of_a_redirected_file(tmp_path: Path) -> None:
    """It is read from where it stands, not from the start of the file behind it."""
    path = tmp_path / "run.txt"
    path.write_bytes(b"skipped line\n" + formats("score")["plain.txt"](RUN))
    handle = os.open(path, os.O_RDONLY)
    os.read(handle, len(b"skipped line\n"))
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    command = [
        sys.executable,
        "-m",
        "assay.cli",
        "evaluate",
        "--qrels",
        "qrels.json",
        "--run",
        "-",
        "-m",
        "mrr",
    ]
    ended = subprocess.run(command, stdin=handle, cwd=tmp_path, capture_output=True, check=False)
    os.close(handle)
    assert ended.returncode == 0, ended.stderr


def test_named_columns(peer: dict[str, dict[str, float]], tmp_path: Path) -> None:
    rows = [{"a": q, "b": d, "c": s, "score": -s} for q, each in RUN.items() for d, s in each.items()]
    names = {"query": "a", "item": "b", "score": "c"}
    hold(evaluate(rows, QRELS, run_columns=names), peer)
    hold(evaluate(rows, QRELS, run_columns="query=a, item=b,score=c"), peer)
    turned = {"query": "q", "item": "d", "grade": "g"}
    judged = [{"q": q, "d": d, "g": g} for q, each in QRELS.items() for d, g in each.items()]
    hold(evaluate(RUN, judged, qrels_columns=turned), peer)
    path = tmp_path / "five.csv"  # without a header and with columns that nobody could guess
    path.write_text("".join(f"x,{row['b']},{row['a']},{row['c']},y\n" for row in rows))
    hold(evaluate(path, QRELS, run_columns="query=3,item=2,score=4"), peer)
    tabs = tmp_path / "tabs.dat"  # with tabs and an unknown ending it could be TREC text
    tabs.write_text("".join(f"{row['b']}\t{row['a']}\t{row['c']}\n" for row in rows))
    hold(evaluate(tabs, QRELS, run_columns="query=2,item=1,score=3"), peer)
    beir = tmp_path / "beir.tsv"  # named columns are used where a file has BEIR's header too
    beir.write_text("query-id\tcorpus-id\tscore\n" + tabs.read_text())
    hold(evaluate(beir, QRELS, run_columns="query=corpus-id,item=query-id"), peer)
    path.write_text("k,l,m,n,o\n" + path.read_text())
    hold(evaluate(path, QRELS, run_columns="query=3,item=2,score=4"), peer)


def test_a_split_of_any_table(tmp_path: Path) -> None:
    rows = [{"qid": q, "pid": "a", "rel": 1, "split": s} for q, s in (("q1", "dev"), ("q2", "test"))]
    path = tmp_path / "qrels.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    for qrels in (rows, path):
        result = assay.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, qrels=qrels, split="test", measures="mrr")
        assert result.per_query()["query_id"].to_list() == ["q2"]


def test_names_of_several_words_and_tiers() -> None:
    """`query` is often the text of a query: an id next to it is preferred."""
    run = [{"query": "how?", "Query ID": "q1", "document": "text", "doc-id": "a", "Score": 1.0}]
    assert assay.evaluate(run, qrels={"q1": {"a": 1}}, measures="mrr")["mrr"].value == 1


def test_a_bundle_of_dicts_is_verified(tmp_path: Path) -> None:
    qrels, run = drawn(3)
    folder = evaluate(run, qrels, bootstrap=20).save(tmp_path / "bundle")
    assert assay.verify(folder).ok


@pytest.mark.parametrize("shape", ["dict of dicts", "pandas", "polars", "pyarrow", "rows"])
def test_compare(shape: str) -> None:
    """The difference is that of the values; both systems see the same judgements."""
    qrels, run = SHAPES[shape]
    other = drawn(8)[1]
    settings: dict[str, Any] = {"contract": "trec_eval/10", "measures": "map"}
    made = assay.compare(run, other, qrels=qrels, resamples=50, **settings)
    values = [assay.evaluate(each, qrels=qrels, **settings)["map"].value for each in (RUN, other)]
    assert made.systems == ("run 1", "run 2")
    assert made.differences[0].difference == close(values[1] - values[0])


def test_settings() -> None:
    whole = assay.evaluate(RUN, qrels=QRELS, measures="ndcg@5", bootstrap=37, k=5)
    assert list(whole) == ["ndcg@5"]
    interval = whole["ndcg@5"].interval
    assert interval is not None
    assert interval.resamples == 37
    assert whole.contract.id == "assay/1+k=5"
    usual = assay.evaluate(RUN, qrels=QRELS, measures="mrr", bootstrap=True)["mrr"].interval
    assert usual is not None
    assert usual.resamples == 10_000
    assert assay.evaluate(RUN, qrels=QRELS, measures="mrr", bootstrap=False)["mrr"].interval is None


def test_corpus_and_predictions_as_tables() -> None:
    sentences = [{"post_id": "p1", "sent_uid": name} for name in "abc"]
    gold = [{"post_id": "p1", "criterion_id": "x", "sent_uid": "b"}]
    corpus = {"sentences": sentences, "criteria": {"criterion_id": ["x"]}, "gold": gold}
    candidates = [
        {"post_id": "p1", "criterion_id": "x", "sent_uid": name, "score": score}
        for name, score in zip("abc", (0.9, 0.8, 0.1), strict=True)
    ]
    assert assay.evaluate(candidates, corpus, measures="mrr")["mrr"].value == 0.5
    decisions = {"post_id": ["p1"], "criterion_id": ["x"], "prob": [0.7]}
    both = {"candidates": candidates, "decisions": decisions}
    assert assay.evaluate(both, corpus, measures="brier")["brier"].value == close(0.09)
    made = assay.compare(candidates, both, corpus=corpus, measures="mrr", resamples=10)
    assert made.differences[0].difference == 0


def test_the_command_line_names_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run, qrels = tmp_path / "run.csv", tmp_path / "qrels.csv.gz"
    run.write_text("a;b;c\nq1;d1;0.5\nq1;d2;0.7\n")
    qrels.write_bytes(gzip.compress(b"QID\tDOCNO\tREL\tLABEL\nq1\td1\t1\t0\n"))
    command = ("evaluate", "--qrels", qrels, "--run", run, "-m", "mrr", "--json")
    assert exit_code(monkeypatch, *command) == 2
    error = capsys.readouterr().err
    assert (
        "qrels.csv.gz: 2 columns fit the grade: REL, LABEL; choose one with --qrels-columns grade=COLUMN"
        in error
    )
    columns = ("--qrels-columns", "grade=REL")
    assert exit_code(monkeypatch, *command, *columns) == 2
    error = capsys.readouterr().err
    assert "run.csv: no column for the query, the item and the score; name them with --run-columns" in error
    assert (
        "query=COLUMN,item=COLUMN,score=COLUMN, or call them query_id, doc_id, score (columns: a, b, c)"
        in error
    )
    assert exit_code(monkeypatch, *command, *columns, "--run-columns", "query=a,item=b,score=c") == 0
    found: Numbers = json.loads(capsys.readouterr().out)
    assert found["measures"][0]["value"] == 0.5  # type: ignore[index]


def test_frames_of_pyterrier_have_two_ids(peer: dict[str, dict[str, float]]) -> None:
    """`docid` is the number of the document in the index; it was refused as a second id."""
    run = [
        {"qid": q, "docid": at, "docno": d, "rank": at, "score": s, "query": f"words of {q}"}
        for q, each in RUN.items()
        for at, (d, s) in enumerate(each.items())
    ]
    qrels = [{"qid": q, "docno": d, "label": g} for q, each in QRELS.items() for d, g in each.items()]
    hold(evaluate(pd.DataFrame(run), pd.DataFrame(qrels)), peer)
    with pytest.raises(assay.InputError, match="2 columns fit the item: docno, passage_id"):
        evaluate([{"qid": "q", "docno": "d", "passage_id": "p", "score": 1.0}], QRELS)


def test_objects_of_ranx(peer: dict[str, dict[str, float]]) -> None:
    """ranx is 250 MB and compiles for seconds; `Run` and `Qrels` of ranx 0.3.21 are read by `to_dict`."""

    class OfRanx:
        def __init__(self, data: dict[str, dict[str, Any]]) -> None:
            self._data = data

        def to_dict(self) -> dict[str, dict[str, Any]]:
            return self._data

    OfRanx.__module__ = "ranx.data_structures.run"
    hold(evaluate(OfRanx(RUN), OfRanx(QRELS)), peer)


@pytest.mark.parametrize("name", ["docid", "id", "_id", "node_id"])
def test_hits_of_search_libraries(name: str, peer: dict[str, dict[str, float]]) -> None:
    """Pyserini's are objects; those of a vector store or Elasticsearch are dicts with `id` or `_id`."""
    score = "_score" if name == "_id" else "score"
    dicts = {
        q: [{name: d, score: s, "payload": {"text": "x"}} for d, s in each.items()] for q, each in RUN.items()
    }
    hold(evaluate(dicts, QRELS), peer)
    objects = {
        q: [SimpleNamespace(**{name: d, "score": s}) for d, s in each.items()] for q, each in RUN.items()
    }
    hold(evaluate(objects, QRELS), peer)


def test_ranks_in_place_of_scores(tmp_path: Path) -> None:
    """MS MARCO's runs have a query, a passage and a rank; only scores could be read."""
    ranked = {q: sorted(each, key=lambda item: (-each[item], item)) for q, each in RUN.items()}
    scores = {q: {item: -at for at, item in enumerate(each)} for q, each in ranked.items()}
    lines = [(q, item, at) for q, each in ranked.items() for at, item in enumerate(each, start=1)]
    path = tmp_path / "run.tsv"
    path.write_text("".join(f"{q}\t{item}\t{at}\n" for q, item, at in reversed(lines)))
    frame = pd.DataFrame(lines, columns=["qid", "pid", "place"])
    other = tmp_path / "run.parquet"
    frame.to_parquet(other)
    expected = evaluate(scores, QRELS)
    for run, columns in ((path, "rank=3"), (frame, {"rank": "place"}), (other, "rank=place")):
        made = evaluate(run, QRELS, run_columns=columns)
        assert {name: each.value for name, each in made.items()} == {
            name: each.value for name, each in expected.items()
        }
    path.write_text("".join(f"{q}\t{item}\t{at}\n" for q, item, at in lines))
    with pytest.raises(assay.InputError, match="say what it holds: `run_columns='rank=3'`, or scores"):
        evaluate(path, QRELS)
    with pytest.raises(assay.InputError, match="names both a rank and a score"):
        evaluate(path, QRELS, run_columns="rank=3,score=3")
    with pytest.raises(assay.InputError, match="judgements has no 'rank'"):
        evaluate(path, QRELS, qrels_columns="rank=3")
    with pytest.raises(assay.InputError, match="names ranks; expected scores with Spark"):
        run_source(cast("Any", None), "run.parquet", None, "rank=3")


def test_rows_of_a_dataset(peer: dict[str, dict[str, float]]) -> None:
    """A data set of Hugging Face is no list, and gives dicts."""

    class Dataset:
        def __init__(self, rows: list[dict[str, Any]]) -> None:
            self._rows = rows

        def __len__(self) -> int:
            return len(self._rows)

        def __iter__(self) -> Iterator[dict[str, Any]]:
            return iter(self._rows)

    run = [{"query-id": q, "corpus-id": d, "score": s} for q, each in RUN.items() for d, s in each.items()]
    qrels = [
        {"query-id": q, "corpus-id": d, "score": g} for q, each in QRELS.items() for d, g in each.items()
    ]
    hold(evaluate(Dataset(run), Dataset(qrels)), peer)
