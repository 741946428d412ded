"""Calls that cannot be right get one sentence: what was given, and how to call instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay

QRELS = {"q1": {"a": 1, "b": 0}}
RUN = {"q1": {"a": 0.5, "b": 0.7}}
EVALUATE: Any = assay.evaluate  # wrong types are the subject
COMPARE: Any = assay.compare
ANY: Any = assay
JUDGEMENTS = pd.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "rel": [1]})
CASES: dict[str, tuple[Callable[[], object], str]] = {
    "qrels first, as in ranx": (lambda: EVALUATE(QRELS, RUN), r"`corpus`: is a dict with the keys 'q1'; .* evaluate\(run, qrels=…\)"),
    "qrels as a run": (lambda: EVALUATE(JUDGEMENTS, qrels=RUN), r"run: looks like judgements; .*`qrels`, the run first"),
    "frames in order": (
        lambda: EVALUATE(JUDGEMENTS, pl.DataFrame({"qid": [1]})),
        r"`corpus`: is a DataFrame with the columns qid; .*qrels=…",
    ),
    "a run alone": (lambda: EVALUATE(RUN), r"no judgements were given; expected evaluate\(run, qrels=…\)"),
    "qrels alone": (lambda: EVALUATE(qrels=QRELS), r"no run was given; expected evaluate\(run, qrels=…\)"),
    "a plan that is a number": (lambda: ANY.run(5, "out"), "`plan`: is an int .5.; expected a configuration file"),
    "a plan that is not there": (lambda: ANY.ablate("no.toml", "out"), "no.toml: file not found"),
    "a number to audit": (lambda: ANY.audit(5), "`subject`: is an int .5.; expected a corpus folder, a bundle"),
    "curves of a run": (lambda: ANY.curves(RUN, QRELS), "`corpus`: is a dict with the keys 'q1'"),
    "nothing": (EVALUATE, r"nothing to evaluate was given; expected evaluate\(run, qrels=…\), "),
    "labels in order": (lambda: EVALUATE([1, 0], [0.2, 0.1]), r"by name: evaluate\(labels=…, probs=…\)"),
    "one array": (lambda: EVALUATE(np.zeros(3)), r"is a ndarray of 3 values; .*labels=…, probs=…"),
    "labels alone": (lambda: EVALUATE(labels=[1, 0]), r"labels without probs"),
    "groups alone": (lambda: EVALUATE(groups=[1, 0]), r"groups without labels and probs"),
    "both classes": (
        lambda: EVALUATE(labels=[1, 0], probs=np.full((2, 2), 0.5)),
        r"`probs`: is a ndarray of shape \(2, 2\); .*pass probs\[:, 1\]",
    ),
    "a column name": (lambda: EVALUATE(labels="y", probs=[0.5]), r"`labels`: is the text 'y'; .*one value per row"),
    "a frame as a column": (lambda: EVALUATE(labels=JUDGEMENTS, probs=[0.5]), r"`labels`: is a DataFrame with the columns query_id"),
    "lengths": (lambda: EVALUATE(labels=[1, 0, 1], probs=[0.5]), r"labels has 3 values, probs has 1 value;"),
    "labels and a run": (lambda: EVALUATE(RUN, labels=[1], probs=[0.5]), r"labels, probs with predictions; expected one kind"),
    "labels and qrels": (lambda: EVALUATE(labels=[1], probs=[0.5], qrels=QRELS), r"labels, probs with qrels"),
    "a table of labels": (
        lambda: EVALUATE(pa.table({"label": [1], "prob": [0.5]})),
        r"is a Table with the columns label, prob, .*labels=…, probs=….*read_decisions",
    ),
    "a corpus and qrels": (lambda: EVALUATE(RUN, "corpus", qrels=QRELS), r"a corpus and `qrels`"),
    "a number": (lambda: EVALUATE(5, qrels=QRELS), r"`run`: is an int \(5\); expected a path, a dict \{query: \{item: score\}\}"),
    "qrels as a number": (lambda: EVALUATE(RUN, qrels=5), r"`qrels`: is an int \(5\); expected a path, a dict \{query: \{item: grade\}\}"),
    "tuples": (lambda: EVALUATE(RUN, qrels=[("q1", 0, "a", 1)]), r"`qrels`: is a list of 1 value; expected a path"),
    "a file as a corpus": (lambda: EVALUATE(RUN, __file__), r"test_calls.py: is a file; .*evaluate\(run, qrels=…\)"),
    "no such file": (lambda: EVALUATE("nowhere.csv", qrels=QRELS), r"nowhere.csv: file not found"),
    "k": (lambda: EVALUATE(RUN, qrels=QRELS, k="5"), r"`k`: is '5' \(str\); expected a whole number, or several"),
    "a half k": (lambda: EVALUATE(RUN, qrels=QRELS, k=[1, 2.5]), r"`k`: is 2.5 \(float\)"),
    "measures": (lambda: EVALUATE(RUN, qrels=QRELS, measures=5), r"`measures`: is 5 \(int\); expected a name, or several"),
    "by": (lambda: EVALUATE(RUN, qrels=QRELS, by=[1]), r"`by`: is 1 \(int\)"),
    "depth": (lambda: EVALUATE(RUN, qrels=QRELS, depth="3"), r"`depth`: is '3' \(str\); expected a whole number$"),
    "system": (lambda: EVALUATE(RUN, qrels=QRELS, system=3), r"`system`: is 3 \(int\); expected a name$"),
    "bootstrap": (lambda: EVALUATE(RUN, qrels=QRELS, bootstrap="many"), r"`bootstrap`: is the text 'many'; expected a number of resamples"),
    "half a bootstrap": (lambda: EVALUATE(RUN, qrels=QRELS, bootstrap=0.5), r"`bootstrap`: is a float \(0.5\)"),
    "resamples": (lambda: COMPARE(RUN, RUN, qrels=QRELS, resamples="5"), r"resamples is '5' \(str\); expected a whole number"),
    "split of a dict": (lambda: EVALUATE(RUN, qrels=QRELS, split="test"), r"qrels: has no split 'test'"),
    "split without qrels": (lambda: EVALUATE("x", "y", split="test"), r"`split`: has no effect without `qrels`"),
    "columns of a dict": (lambda: EVALUATE(RUN, qrels=QRELS, run_columns="query=q"), r"`run_columns`: has no effect on run"),
    "columns of nothing": (lambda: EVALUATE(RUN, qrels=QRELS, run_columns="q"), r"`run_columns`: is 'q'; expected ROLE=COLUMN"),
    "an unknown role": (lambda: EVALUATE(RUN, qrels=QRELS, run_columns={"grade": "g"}), r"a run has no 'grade'; expected query, item, score"),
    "columns of a number": (lambda: EVALUATE(RUN, qrels=QRELS, qrels_columns=3), r"`qrels_columns`: is an int \(3\)"),
    "compare without qrels": (lambda: COMPARE(RUN, RUN), r"expected compare\(run_a, run_b, qrels=…\)"),
    "compare by labels": (lambda: COMPARE([0.5], RUN, labels=[1]), r"`probs 2`: is a dict with the keys 'q1'"),
    "compare without labels": (lambda: COMPARE([0.5], [0.5], groups=[1]), r"groups without labels"),
    "candidates": (lambda: EVALUATE(5, {"sentences": [], "criteria": [], "gold": []}), r"(sentences|criteria|gold)"),
    "prob": (lambda: assay.read_decisions([{"prob": 1}], prob=EVALUATE), r"`prob`: is a function; expected the name of a column"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_sentences(case: str) -> None:
    call, words = CASES[case]
    with pytest.raises(assay.InputError, match=words):
        call()


def test_all_faults_of_run_and_judgements_at_once() -> None:
    run = {"q1": {"a": float("nan"), "b": "high"}, "q2": 7, 3: {None: 1}}
    with pytest.raises(assay.InputError) as raised:
        EVALUATE(run, qrels={"q1": {"a": 10**400, "b": 5000}})
    assert [str(fault) for fault in raised.value.faults] == [
        "qrels query 'q1' item 'a': the grade is inf; expected a finite one",
        "qrels query 'q1' item 'b': the grade is 5000; grades lie within ±1000",
        "run query 'q1' item 'a': the score is nan; expected a finite one",
        "run query 'q1' item 'b': the score is the text 'high'; expected a number",
        "run query 'q2': is not a ranking: an int (7); expected a dict of item to score, or a list of (item, score)",
        "run query 3: has None as an item; expected an id",
    ]


def test_ids_of_any_type_are_compared_as_text() -> None:
    run = {1: {np.int64(7): 0.5, "8": 0.7}}
    qrels = pl.DataFrame({"qid": [1], "docid": [7], "rel": [1]})
    assert assay.evaluate(run, qrels=qrels, measures="mrr")["mrr"].value == 0.5


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame({"qid": ["q1", "q1"], "docid": ["a", "b"], "score": [0.5, "x"]}), "run row 2: score is x"),
        (pd.DataFrame({"qid": ["q1", None], "docid": ["a", "b"], "score": [1, 2]}), "run row 2: qid is empty"),
        (pd.DataFrame({"qid": ["q1", "q1"], "docid": ["a", ["b"]], "score": [1, 2]}), "run row 2: docid is a list"),
        (pd.DataFrame([[1, 2, 3]], columns=["qid", "qid", "score"]), "two columns qid"),
        ([{"qid": "q1", "docid": "a"}, {"qid": "q1", "docid": "b", "score": 1}], "run row 1: score is empty"),
        ([{"qid": "q1", "docid": "a", "score": 1}, {"qid": {}, "docid": "b", "score": 1}], "run row 2: qid is a dict"),
        ([{"qid": "q1", "docid": "a", "score": 10**400}], "run row 1: score is 10{50}.*; scores must be finite"),
        ([{"qid": "q1", "docid": "a", "score": 1}] * 2, "run row 2: document 'a' of query 'q1' is listed twice"),
        ([{"qid": "q1", "docid": "a", "Score": 1, "score": 2}], "2 columns fit the score: Score, score"),
        ([], "has no row|no column"),
        ({}, "has no row"),
    ],
)  # fmt: skip
def test_bad_tables_in_memory(frame: Any, words: str) -> None:
    with pytest.raises(assay.InputError, match=words):
        EVALUATE(frame, qrels=QRELS)


def test_a_missing_column_names_what_exists(tmp_path: Path) -> None:
    rows = [{"id": 1, "y": 1, "p": 0.5}]
    with pytest.raises(assay.InputError) as raised:
        assay.evaluate(assay.read_decisions(rows, group="who"))
    assert [str(fault) for fault in raised.value.faults] == [
        f"decisions: no column '{name}'; name the {kind} column with `{parameter}` (columns: id, y, p)"
        for name, kind, parameter in (
            ("prob", "probability", "prob"),
            ("label", "label", "label"),
            ("who", "group", "group"),
        )
    ]
    with pytest.raises(
        assay.InputError, match=r"has no column criterion_id or sent_uid or score \(columns: post_id, x\)"
    ):
        assay.Predictions.of([{"post_id": 1, "x": 2}])
    table = tmp_path / "labels.csv"
    table.write_text("1;0.5;I cannot sleep at night, and nobody knows.\n0;0.1;Nothing.\n")
    with pytest.raises(
        assay.InputError, match=r"\(columns: 3 others: row 1 does not look like a header\)"
    ) as caught:
        assay.evaluate(assay.read_decisions(table))
    assert "sleep" not in str(caught.value)


def test_measures_in_one_text() -> None:
    """The command line took `ndcg@5,map`; Python read `5,map` as a cut-off."""
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}
    for given in ("ndcg@5, map", ["ndcg@5,map"], ["ndcg@5", "map"]):
        assert list(assay.evaluate(run, qrels=qrels, measures=given)) == ["ndcg@5", "map"]
    made = assay.compare(run, {"q": {"a": 1.0, "b": 2.0}}, qrels=qrels, measures="mrr,map", resamples=100)
    assert made.family == ("mrr", "map")
    with pytest.raises(assay.InputError, match="`measures`: is 'mrr,'; expected names of measures"):
        assay.evaluate(run, qrels=qrels, measures="mrr,")


def test_a_misspelt_measure_of_a_result_has_a_hint() -> None:
    result = assay.evaluate({"q": {"a": 2.0}}, qrels={"q": {"a": 1}}, measures=["ndcg@5", "mrr"])
    with pytest.raises(KeyError, match=r"under assay/1; did you mean ndcg@5\?"):
        result["ndgc@5"]


@pytest.mark.parametrize("name", ["none.jsonl", "none", "none.txt"])
def test_a_path_that_does_not_exist(name: str) -> None:
    """It was told that no corpus was given."""
    with pytest.raises(assay.InputError, match=rf"{name}: not found; expected evaluate\(run, qrels="):
        assay.evaluate(name)
