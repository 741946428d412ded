"""The Python API on data frames of pandas, polars and pyarrow; numbers worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import log2
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
import assay.compat

Columns = dict[str, list[Any]]
Library = tuple[Callable[[Columns], Any], type]

L = 1 / log2(3)
QRELS: Columns = {
    "query_id": ["q1", "q1", "q1", "q2", "q2", "q4", "q5"],
    "doc_id": ["a", "b", "c", "a", "d", "z", "a"],
    "score": [1, 2, 0, 1, 1, 0, 1],
    "split": ["test", "test", "test", "test", "dev", "test", "dev"],
}
# q1: b (grade 2) at rank 2, a (grade 1) at rank 3; q2: a at rank 1; q3: no judgements;
# q4: judged, nothing relevant. q5 is judged and not predicted: no part of the mean.
PREDS = {
    "q1": [("c", 0.9), ("b", 0.8), ("a", 0.7)],
    "q2": [("a", 0.4), ("x", 0.3)],
    "q3": [("a", 0.5)],
    "q4": [("z", 0.5)],
}
ALL_SPLITS = {
    1: {"MRR": 1, "nDCG": 1, "MAP": 1, "Recall": 1 / 2, "Precision": 1},
    3: {
        "MRR": 1 / 2 + 1,
        "nDCG": (2 * L + 1 / 2) / (2 + L) + 1 / (1 + L),
        "MAP": (1 / 2 + 2 / 3) / 2 + 1,
        "Recall": 1 + 1 / 2,
        "Precision": 2 / 3 + 1 / 3,
    },
    10: {
        "MRR": 1 / 2 + 1,
        "nDCG": (2 * L + 1 / 2) / (2 + L) + 1 / (1 + L),
        "MAP": (1 / 2 + 2 / 3) / 2 + 1,
        "Recall": 1 + 1 / 2,
        "Precision": 2 / 10 + 1 / 10,
    },
}  # sums over the four queries of PREDS
TEST_SPLIT: dict[int, dict[str, float]] = {
    1: {"MRR": 1, "nDCG": 1, "MAP": 1, "Recall": 1, "Precision": 1},
    3: {"MRR": 3 / 2, "nDCG": (2 * L + 1 / 2) / (2 + L) + 1, "MAP": 7 / 12 + 1, "Recall": 2, "Precision": 1},
}
NAN = "score is (nan; .*finite|empty; .*number)"  # to pandas a NaN is an empty cell
HEAD = ["k", "MRR", "nDCG", "MAP", "Recall", "Precision"]


def close(value: object) -> object:
    return pytest.approx(value, abs=1e-12)


def rows_of(frame: Any) -> list[dict[str, Any]]:
    return pl.DataFrame({name: list(map(_plain, frame[name])) for name in HEAD}).to_dicts()


def _plain(value: Any) -> Any:
    return value.as_py() if hasattr(value, "as_py") else value


def hold(frame: Any, sums: dict[int, dict[str, float]]) -> None:
    rows = rows_of(frame)
    assert [row["k"] for row in rows] == list(sums)
    for row in rows:
        means = {name: total / 4 for name, total in sums[row["k"]].items()}
        assert {name: row[name] for name in means} == close(means)


def test_evaluate_predictions(library: Library) -> None:
    make, kind = library
    frame: Any = assay.compat.evaluate_predictions(PREDS, make(QRELS), ks=(1, 3, 10))
    names = frame.column_names if hasattr(frame, "column_names") else list(frame.columns)
    assert names == HEAD
    assert type(frame) is kind
    hold(frame, ALL_SPLITS)


def test_default_cut_offs(library: Library) -> None:
    frame = assay.compat.evaluate_predictions(PREDS, library[0](QRELS))
    assert [row["k"] for row in rows_of(frame)] == [1, 3, 5, 10]


def test_split_selects(library: Library) -> None:
    make, kind = library
    frame = assay.compat.evaluate_predictions(PREDS, make(QRELS), ks=(1, 3), split="test")
    assert type(frame) is kind
    hold(frame, TEST_SPLIT)


def test_a_split_that_is_not_there(library: Library) -> None:
    with pytest.raises(assay.InputError, match=r"'train'.*dev, test"):
        assay.compat.evaluate_predictions(PREDS, library[0](QRELS), split="train")
    without: dict[str, Any] = {name: values for name, values in QRELS.items() if name != "split"}
    with pytest.raises(assay.InputError, match="split"):
        assay.compat.evaluate_predictions(PREDS, library[0](without), split="test")


def test_frames_are_left_as_they_were(library: Library) -> None:
    make, _ = library
    frame = make(QRELS)
    before = str(frame)
    assay.compat.evaluate_predictions(PREDS, frame)
    assert str(frame) == before


@pytest.mark.parametrize(
    "preds",
    [
        {q: dict(listed) for q, listed in PREDS.items()},
        {q: [list(pair) for pair in listed] for q, listed in PREDS.items()},
        {q: list(reversed(listed)) for q, listed in PREDS.items()},
        {q: [(d, np.float32(s)) for d, s in listed] for q, listed in PREDS.items()},
        {q: ((d, s) for d, s in listed) for q, listed in PREDS.items()},
    ],
    ids=["dicts", "lists", "not sorted", "numpy", "generators"],
)
def test_forms_of_preds(preds: dict[str, Any]) -> None:
    frame = assay.compat.evaluate_predictions(preds, pl.DataFrame(QRELS), ks=(1, 3, 10))
    hold(frame, ALL_SPLITS)


def test_preds_that_are_not_sorted_are_counted() -> None:
    turned = {q: list(reversed(listed)) for q, listed in PREDS.items()}
    result = assay.evaluate(assay.read_trec(pl.DataFrame(QRELS), turned), contract="ir/1")
    assert result.counts.resorted == 2


@pytest.mark.parametrize(
    ("preds", "words"),
    [
        ({"q1": [("a", math.nan)]}, "nan.*finite"),
        ({"q1": [("a", 1.0), ("b", math.inf)]}, "inf.*finite"),
        ({"q1": [("a", 1.0), ("a", 0.5)]}, "'a'.*'q1'.*once"),
        ({"q1": ["a", "b"]}, "'q1'.*\\(item, score\\)"),
        ({"q1": [("a", "high")]}, "'q1'"),
        ({"q1": 3}, "'q1'"),
        ({}, "no row"),
        ({"q1": []}, "no row"),
    ],
)
def test_bad_preds(preds: dict[str, Any], words: str) -> None:
    with pytest.raises(assay.InputError, match=words):
        assay.compat.evaluate_predictions(preds, pl.DataFrame(QRELS))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"score": [1.0, math.nan, 0.0, 1.0, 1.0, 0.0, 1.0]}, f"row 2: {NAN}"),
        ({"score": ["1", "x", "0", "1", "1", "0", "y"]}, "row 2.*x.*number"),
        ({"doc_id": ["a", "a", "c", "a", "d", "z", "a"]}, "row 2.*'a'.*'q1'.*once"),
        ({"doc_id": ["a", None, "c", "a", "d", "z", "a"]}, "row 2.*doc_id is empty"),
    ],
)
def test_bad_judgements(library: Library, change: Columns, words: str) -> None:
    with pytest.raises(assay.InputError, match=words):
        assay.compat.evaluate_predictions(PREDS, library[0](QRELS | change))


def test_all_bad_judgements_at_once() -> None:
    frame = pl.DataFrame(QRELS | {"score": ["1", "x", "0", "nan", "1", "0", "y"]})
    with pytest.raises(assay.InputError) as caught:
        assay.compat.evaluate_predictions(PREDS, frame)
    assert [fault.place for fault in caught.value.faults] == ["row 2", "row 4", "row 7"]


def test_judgements_of_the_wrong_columns(library: Library) -> None:
    renamed = {"thema": QRELS["query_id"], "doc_id": QRELS["doc_id"], "score": QRELS["score"]}
    with pytest.raises(assay.InputError, match=r"query.*query_id.*thema"):
        assay.compat.evaluate_predictions(PREDS, library[0](renamed))


@pytest.mark.parametrize("qrels", [[("q1", "a")], {"q1": 1}, 3, None])
def test_judgements_that_are_no_frame(qrels: Any) -> None:
    with pytest.raises(assay.InputError, match="qrels"):
        assay.compat.evaluate_predictions(PREDS, qrels)


@pytest.mark.parametrize("k", [0, -1, 1.5, "3", True])
def test_bad_cut_offs(k: Any) -> None:
    with pytest.raises(assay.InputError, match="whole number from 1"):
        assay.compat.evaluate_predictions(PREDS, pl.DataFrame(QRELS), ks=(1, k))


SENTENCES: Columns = {
    "post_id": ["p1", "p1", "p1", "p2", "p2"],
    "sent_uid": ["a", "b", "c", "d", "e"],
    "text": ["MARKER"] * 5,
}
CRITERIA: Columns = {"criterion_id": ["x", "y"]}
GOLD: Columns = {"post_id": ["p1", "p2"], "criterion_id": ["x", "x"], "sent_uid": ["b", "d"]}
CANDIDATES: Columns = {
    "post_id": ["p1", "p1", "p1", "p2", "p2", "p1"],
    "criterion_id": ["x", "x", "x", "x", "x", "y"],
    "sent_uid": ["a", "b", "c", "d", "e", "a"],
    "score": [0.9, 0.8, 0.1, 0.3, 0.2, 0.5],
}
DECISIONS: Columns = {
    "post_id": ["p1", "p1", "p2", "p2"],
    "criterion_id": ["x", "y", "x", "y"],
    "prob": [0.9, 0.8, 0.7, 0.1],
    "selected_k": [1, 0, 2, 0],
}


def corpus(make: Callable[[Columns], Any], **changed: Columns) -> assay.Corpus:
    tables = {"sentences": SENTENCES, "criteria": CRITERIA, "gold": GOLD} | changed
    return assay.Corpus.of(**{name: make(table) for name, table in tables.items()})


def test_corpus_and_predictions_of_frames(library: Library) -> None:
    make, _ = library
    answered = assay.Predictions.of(make(CANDIDATES), make(DECISIONS))
    result = assay.evaluate(answered, corpus(make), by=("criterion_id",))
    assert result["mrr"].value == close((1 / 2 + 1) / 2)
    assert result["recall@1"].value == close(1 / 2)
    assert (result.counts.queries, result.counts.evidence, result.counts.missing) == (4, 2, 1)
    assert result.groups["criterion_id"]["x"]["mrr"].value == close(3 / 4)
    decided = assay.evaluate(answered, corpus(make), measures=["auroc:on=all", "evidence_recall:on=evidence"])
    # .9 and .7 with evidence against .8 and .1: three of four pairs; of two gold one is returned
    assert decided["auroc:on=all"].value == close(3 / 4)
    assert decided["evidence_recall:on=evidence"].value == close(1 / 2)
    assert "MARKER" not in repr(result.to_dict())


def test_folds_of_frames(library: Library) -> None:
    make, _ = library
    asked = corpus(make, folds={"post_id": ["p1", "p2"], "fold": [0, 1]})
    value = assay.evaluate(assay.Predictions.of(make(CANDIDATES)), asked)["mrr"]
    assert value.folds is not None
    assert dict(value.folds.values) == close({"0": 1 / 2, "1": 1.0})
    assert value.folds.std == close(math.sqrt(2) / 4)
    assert value.value == close(3 / 4)


def test_numbers_as_ids(library: Library) -> None:
    make, _ = library
    codes = {name: at for at, name in enumerate("abcde", start=10)}
    posts = {"p1": 1, "p2": 2}

    def numbered(table: Columns) -> Any:
        changed = dict(table)
        changed["post_id"] = [posts[name] for name in table["post_id"]]
        if "sent_uid" in table:
            changed["sent_uid"] = [codes[name] for name in table["sent_uid"]]
        return make(changed)

    asked = assay.Corpus.of(sentences=numbered(SENTENCES), criteria=make(CRITERIA), gold=numbered(GOLD))
    result = assay.evaluate(assay.Predictions.of(numbered(CANDIDATES)), asked)
    assert result["mrr"].value == close(3 / 4)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"score": [0.9, math.nan, 0.1, 0.3, 0.2, 0.5]}, f"candidates row 2: {NAN}"),
        ({"score": [0.9, math.inf, 0.1, 0.3, 0.2, 0.5]}, "candidates row 2: score is inf"),
        ({"sent_uid": ["a", "a", "c", "d", "e", "a"]}, "candidates row 2: .*'a'.*already"),
        ({"sent_uid": ["a", None, "c", "d", "e", "a"]}, "candidates row 2: sent_uid is empty"),
    ],
)
def test_bad_candidates(library: Library, change: Columns, words: str) -> None:
    with pytest.raises(assay.InputError, match=words):
        assay.Predictions.of(library[0](CANDIDATES | change))


def test_a_candidate_of_another_post(library: Library) -> None:
    make, _ = library
    foreign = CANDIDATES | {"sent_uid": ["a", "b", "e", "d", "e", "a"]}
    with pytest.raises(assay.InputError, match=r"candidates row 3: .*'e'.*'p2'.*'p1'"):
        assay.evaluate(assay.Predictions.of(make(foreign)), corpus(make))


def test_bad_decisions(library: Library) -> None:
    make, _ = library
    for change, words in (
        ({"prob": [0.9, 1.8, 0.7, 0.1]}, "decisions row 2: prob is 1.8"),
        ({"prob": [0.9, None, 0.7, 0.1]}, "decisions row 2: .*number"),
        ({"selected_k": [1.0, 1.5, 2.0, 0.0]}, "decisions row 2: selected_k is 1.5"),
    ):
        with pytest.raises(assay.InputError, match=words):
            assay.Predictions.of(make(CANDIDATES), make(DECISIONS | change))


def test_a_table_that_is_missing_or_unknown() -> None:
    frames = {"sentences": SENTENCES, "criteria": CRITERIA, "gold": GOLD}
    made: dict[str, Any] = {name: pl.DataFrame(table) for name, table in frames.items()}
    without: dict[str, Any] = {name: frame for name, frame in made.items() if name != "gold"}
    with pytest.raises(assay.InputError, match="gold"):
        assay.Corpus.of(**without)
    with pytest.raises((assay.InputError, TypeError), match="sentence"):
        assay.Corpus.of(**made, sentence=made["sentences"])


def test_no_frame_at_all() -> None:
    with pytest.raises(assay.InputError, match=r"candidates.*list"):
        assay.Predictions.of([("p1", "x", "a", 0.5)])


def test_an_evaluation_without_a_corpus() -> None:
    with pytest.raises(assay.InputError, match="corpus"):
        assay.evaluate(assay.Predictions.of(pl.DataFrame(CANDIDATES)))
