"""`read_log`: values from outside, every shape of a list, grouping, decisions, faults."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from sklearn.metrics import f1_score, roc_auc_score
from tests.command import exit_code
from tests.data.logs.log_cases import honest_log, written

import assay
from assay.errors import InputError

SECRET = "my neighbour Zebulon"


def test_values_are_those_of_pytrec_eval_and_sklearn(tmp_path: Path) -> None:
    rows = honest_log()
    result = assay.evaluate(str(written(tmp_path / "log.jsonl", rows)))
    with_gold = [row for row in rows if row["gold"]]
    qrels = {row["question_id"]: dict.fromkeys(row["gold"], 1) for row in with_gold}
    run = {row["question_id"]: {each["id"]: each["score"] for each in row["retrieved"]} for row in with_gold}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.5", "recall.5", "recip_rank"}).evaluate(run)
    for ours, name in (("ndcg@5", "ndcg_cut_5"), ("recall@5", "recall_5"), ("mrr", "recip_rank")):
        mean = np.mean([each[name] for each in theirs.values()])
        assert result[ours].pooled == pytest.approx(mean, abs=1e-12)
    label = [bool(row["gold"]) for row in rows]
    assert result["auroc"].pooled == pytest.approx(roc_auc_score(label, [row["confidence"] for row in rows]))
    answered = [row["answered"] for row in rows]
    assert result["deployment/f1"].pooled == pytest.approx(f1_score(label, answered))
    assert result.counts.queries == len(rows)


def test_a_group_is_one_post_for_the_bootstrap(tmp_path: Path) -> None:
    log = assay.read_log(written(tmp_path / "log.jsonl", honest_log()))
    assert log.corpus.queries.frame["post_id"].n_unique() == 40
    alone = assay.read_log(tmp_path / "log.jsonl", map="group=,fold=")
    assert alone.corpus.queries.frame["post_id"].n_unique() == 120
    plan = assay.Bootstrap(200, 0)
    grouped, single = (
        assay.evaluate(each, measures=["auroc"], bootstrap=plan)["auroc"] for each in (log, alone)
    )
    assert grouped.pooled == single.pooled
    assert grouped.interval is not None
    assert single.interval is not None
    assert (grouped.interval.low, grouped.interval.high) != (single.interval.low, single.interval.high)


@pytest.mark.parametrize(
    "shape",
    [
        {"retrieved": ["a", "b", "c"], "retrieved_scores": [3, 2, 1]},
        {"retrieved": [{"id": "a", "score": 3}, {"doc_id": "b", "score": 2}, {"chunk_id": "c", "score": 1}]},
        {"retrieved": [["a", 3], ["b", 2], ["c", 1]]},
        {"retrieved": {"c": 1, "a": 3, "b": 2}},
        {"retrieved": ["a", "b", "c"]},
        {"docs": [{"metadata": {"id": "a"}, "page_content": "x"}, {"id": "b"}, {"id": "c"}]},
    ],
)
def test_every_shape_of_a_list_gives_the_same_ranking(tmp_path: Path, shape: dict[str, Any]) -> None:
    path = written(tmp_path / "log.jsonl", [{"id": 1, "query": "?", **shape, "gold": ["b"]}])
    log = assay.read_log(path)
    ranked = log.predictions.candidates.frame.sort("score", descending=True)
    assert ranked["sent_uid"].to_list() == ["a", "b", "c"]
    assert assay.evaluate(log)["mrr"].value == 0.5


@pytest.mark.parametrize(
    ("name", "values"), [("answered", (True, False)), ("abstained", (False, True)), ("refused", (0, 1))]
)
def test_an_answer_without_confidence_is_a_decision(
    tmp_path: Path, name: str, values: tuple[object, object]
) -> None:
    rows = [
        {"q": "one", "retrieved": ["a", "b"], "gold": ["b"], name: values[0]},
        {"q": "two", "retrieved": ["a"], "gold": ["a"], name: values[1]},
        {"q": "three", "retrieved": ["c"], "gold": [], name: values[0]},
    ]
    result = assay.evaluate(str(written(tmp_path / "log.jsonl", rows)))
    assert [int(result[f"deployment/{each}"].value) for each in ("tp", "fp", "tn", "fn")] == [1, 1, 0, 1]
    assert result["evidence_recall"].value == 0.5  # 1 of 1 and 0 of 1
    assert result.absent["auroc"] == "the decisions have no column prob"


def test_records_without_gold_are_left_out_and_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"q": "one", "retrieved": ["a", "a", "b"], "gold": ["b"]},
        {"q": "two", "retrieved": ["a"], "gold": None},
        {"q": "three", "retrieved": [], "gold": []},
    ]
    log = assay.read_log(written(tmp_path / "log.jsonl", rows))
    result = assay.evaluate(log)
    assert (result.counts.queries, result.counts.evidence) == (2, 1)
    assert any("1 record has no value for gold" in note for note in log.notes)
    assert any("1 retrieved chunks repeat" in note for note in log.notes)
    assert result["mrr"].value == 0.5


def test_ids_made_from_questions_pair_two_logs_in_any_order(tmp_path: Path) -> None:
    rows = [{"q": f"question {at % 4}", "retrieved": ["a"], "gold": ["a"]} for at in range(5)]
    first = assay.read_log(written(tmp_path / "a.jsonl", rows)).corpus.queries.frame
    second = assay.read_log(written(tmp_path / "b.jsonl", rows[::-1])).corpus.queries.frame
    assert first.height == 5
    assert set(first.rows()) == set(second.rows())


def test_import_and_evaluate_give_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = written(tmp_path / "log.jsonl", honest_log(60))
    folder = tmp_path / "imported"
    assert exit_code(monkeypatch, "import", "log", log, "-o", folder) == 0
    said = capsys.readouterr()
    assert "fields: question = question, id = question_id, retrieved = retrieved, gold = gold" in said.err
    assert exit_code(monkeypatch, "evaluate", log, "--json") == 0
    direct = json.loads(capsys.readouterr().out)
    corpus = folder / "corpus"
    assert exit_code(monkeypatch, "evaluate", folder / "predictions", "--corpus", corpus, "--json") == 0
    imported = json.loads(capsys.readouterr().out)
    assert direct["counts"] == imported["counts"]
    assert direct["measures"] == imported["measures"]


def test_a_bundle_of_a_log_is_verified_and_has_no_group_per_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = written(tmp_path / "log.jsonl", honest_log(30))
    bundle = tmp_path / "bundle"
    assert exit_code(monkeypatch, "evaluate", log, "-o", bundle, "--no-report") == 0
    document = json.loads((bundle / "metrics_master.json").read_text(encoding="utf-8"))
    assert document["shared_candidates"] is True
    assert [each["name"] for each in document["inputs"]] == ["log.jsonl"]
    assert document["groups"] == {}
    assert exit_code(monkeypatch, "verify", bundle) == 0
    assert exit_code(monkeypatch, "verify", bundle, "--predictions", log) == 0
    changed = honest_log(30)
    changed[0]["confidence"] = 0.123
    other = written(tmp_path / "other.jsonl", changed)
    assert exit_code(monkeypatch, "verify", bundle, "--predictions", other) == 1
    capsys.readouterr()


FAULTY: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no gold": ([{"q": SECRET, "docs": ["a"], "w": 1}], "no field for gold; name one with --map gold=FIELD"),
    "scores too short": (
        [{"q": SECRET, "docs": ["a", "b"], "scores": [1], "gold": ["a"]}],
        "line 1: scores has 1 elements",
    ),
    "repeated id": ([{"id": 7, "q": SECRET, "docs": ["a"], "gold": ["a"]}] * 2, "line 2: id '7'"),
    "no chunk": (
        [{"q": SECRET, "docs": [None], "gold": ["a"]}],
        "line 1: docs has an element that is not a chunk",
    ),
    "distances": (
        [{"q": f"{SECRET} {at}", "docs": [["a", 0.1], ["b", 0.2]], "gold": ["a"]} for at in range(3)],
        "--map scores=",
    ),
    "confidence": (
        [
            {"q": SECRET, "docs": ["a"], "gold": ["a"], "confidence": 0.5},
            {"q": "x", "docs": ["a"], "gold": ["a"]},
        ],
        "line 2: confidence is missing",
    ),
    "fold": (
        [{"q": f"{SECRET} {at}", "docs": ["a"], "gold": ["a"], "user": "u", "fold": at} for at in range(2)],
        "line 2: group 'u' is in fold '0' too",
    ),
    "above 1": (
        [{"q": f"{SECRET} {at}", "docs": ["a"], "gold": ["a"], "prob": 1.5 * (at == 2)} for at in range(3)],
        "line 3: prob is 1.5; expected a number in [0, 1]",
    ),
    "odd decision": (
        [{"q": f"{SECRET} {at}", "docs": ["a"], "gold": ["a"], "answered": at and "?"} for at in (0, 0, 1)],
        "line 3: answered is '?'; expected true or false",
    ),
    "odd group": (
        [{"id": at, "docs": ["a"], "gold": ["a"], "user": "u" if at != 1 else [SECRET]} for at in range(3)],
        "line 2: user is not an id",
    ),
    "key twice": ([], "line 2: has the key 'gold' twice in an object"),
    "nothing retrieved": ([{"q": SECRET, "docs": [], "gold": ["a"]}], "no chunk was retrieved"),
    "nothing to find": ([{"q": SECRET, "docs": ["a"], "gold": []}], "no question has gold"),
    "half scored": (
        [{"q": SECRET, "docs": [{"id": "a", "score": 1}, {"id": "b", "text": SECRET}], "gold": ["a"]}],
        "some retrieved chunks have no score",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_faults_name_the_place_and_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    rows, expected = FAULTY[name]
    log = written(tmp_path / "log.jsonl", rows)
    if not rows:
        log.write_text('{"q": "a", "docs": ["a"], "gold": []}\n{"docs": ["a"], "gold": ["a"], "gold": []}\n')
    assert exit_code(monkeypatch, "evaluate", log) == 2
    said = capsys.readouterr()
    assert expected in said.err
    assert said.out == ""
    assert "Zebulon" not in said.err
    assert "Traceback" not in said.err


def test_a_missing_field_lists_those_that_exist(tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", [{"q": "x", "docs": ["a"], "truth": ["a"], "meta": 1}])
    with pytest.raises(
        InputError, match=r"gold; name one with `map='gold=FIELD'` \(fields: q, docs, truth, meta\)"
    ):
        assay.read_log(path)
    assert assay.evaluate(assay.read_log(path, map={"gold": "truth"}))["mrr"].value == 1.0
    with pytest.raises(InputError, match="no field 'nope' for gold"):
        assay.read_log(path, map="gold=nope")
    with pytest.raises(InputError, match="names 'golden'"):
        assay.read_log(path, map="golden=truth")


def test_grades_of_gold_count(tmp_path: Path) -> None:
    rows = [{"id": 1, "docs": ["a", "b"], "gold": {"b": 2, "a": 0}}]
    log = assay.read_log(written(tmp_path / "log.jsonl", rows))
    assert log.corpus.gold.frame.sort("sent_uid")["grade"].to_list() == [0.0, 2.0]
    assert assay.evaluate(log)["mrr"].value == 0.5


def test_the_sentences_are_listed_by_id_not_by_rank(tmp_path: Path) -> None:
    rows = [{"id": 1, "docs": ["z", "b"], "gold": ["z", "a"]}]
    log = assay.read_log(written(tmp_path / "log.jsonl", rows))
    assert log.corpus.sentences.frame.select("post_id", "sent_uid").equals(
        pl.DataFrame({"post_id": ["1"] * 3, "sent_uid": ["a", "b", "z"]})
    )


@pytest.mark.parametrize("retrieved", [{"a": 10**400}, [["a", -(10**400)]]])
def test_a_score_that_no_float_can_hold_is_refused(tmp_path: Path, retrieved: object) -> None:
    path = written(tmp_path / "log.jsonl", [{"q": "one", "retrieved": retrieved, "gold": ["a"]}])
    with pytest.raises(assay.InputError, match="retrieved has an element that is not a chunk"):
        assay.read_log(path)


LONG = (
    "Hold the power button of the router for ten seconds, wait until the light is green, then sign in again."
)


@pytest.mark.parametrize(
    "row",
    [
        {"contexts": [{"doc_id": "a", "content": LONG}, {"doc_id": "b", "content": "x"}], "gold_ids": ["b"]},
        {"contexts": {"a": 0.9, "b": 0.4}, "gold": ["b"]},
        {"chunks": [{"id": "a", "text": "x"}, {"id": "b", "text": LONG}], "reference_contexts": [LONG]},
        {"chunks": [{"text": "x"}, {"text": "The answer."}], "gold": ["The answer."]},
        {"retrieved_contexts": ["x", LONG], "gold": [{"id": "b", "text": LONG}]},
    ],
)
def test_ids_are_compared_with_ids_and_texts_with_texts(tmp_path: Path, row: dict[str, Any]) -> None:
    """Ids of objects under `contexts` were taken for texts in gold alone: everything was missed."""
    path = written(tmp_path / "log.jsonl", [{"query": "?", **row}])
    assert assay.evaluate(path, measures=["mrr"])["mrr"].value == 0.5


def test_texts_without_ids_next_to_ids_are_refused_and_map_reaches_into_lists(tmp_path: Path) -> None:
    docs = [
        {"text": f"text {each}", "score": 1 / at, "metadata": {"source": each}}
        for at, each in ((1, "a"), (2, "b"))
    ]
    path = written(tmp_path / "log.jsonl", [{"query": "?", "documents": docs, "gold": ["b"]}])
    with pytest.raises(InputError, match=r"documents and gold cannot be compared.*map='retrieved="):
        assay.read_log(path)
    log = assay.read_log(path, map="retrieved=documents.metadata.source,scores=documents.score")
    assert assay.evaluate(log, measures=["mrr"])["mrr"].value == 0.5
    assert log.predictions.candidates.frame["score"].to_list() == [1.0, 0.5]


def test_gold_that_no_question_retrieved_is_noted(tmp_path: Path) -> None:
    rows = [{"id": "1", "docs": ["kb-1"], "gold": ["KB-1"]}, {"id": "2", "docs": ["kb-2"], "gold": ["KB-2"]}]
    notes = assay.read_log(written(tmp_path / "log.jsonl", rows)).notes
    assert any("no chunk of gold was retrieved for any question" in note for note in notes)
    rows[0]["gold"] = ["kb-1"]
    notes = assay.read_log(written(tmp_path / "log.jsonl", rows)).notes
    assert not any("no chunk of gold" in note for note in notes)


@pytest.mark.parametrize(
    ("name", "values", "column", "expected"),
    [
        ("confidence", ("0.75", "0.25"), "prob", [0.75, 0.25]),
        ("confidence", ("75%", "2.5%"), "prob", [0.75, 0.025]),
        ("answered", ("yes", "No"), "selected_k", [1, 0]),
        ("abstained", ("TRUE", "false"), "selected_k", [0, 1]),
    ],
)
def test_values_written_as_text_are_read(
    tmp_path: Path, name: str, values: tuple[object, object], column: str, expected: list[float]
) -> None:
    rows = [{"id": str(at), "docs": ["a"], "gold": ["a"], name: value} for at, value in enumerate(values)]
    decisions = assay.read_log(written(tmp_path / "log.jsonl", rows)).predictions.decisions
    assert decisions is not None
    assert decisions.frame[column].to_list() == expected


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            {"confidence": 84},
            "field confidence is not used: 84 is not a number in .*`map='confidence=confidence%'`",
        ),
        ({"confidence": "high"}, "field confidence is not used: a text is not a number"),
        ({"answered": "I do not know"}, "field answered is not used: a text is not true or false"),
        ({"scores": "0.4"}, "field scores is not used: a text is not a list of numbers"),
    ],
)
def test_a_field_that_is_called_like_a_role_and_not_used_is_noted(
    tmp_path: Path, row: dict[str, Any], words: str
) -> None:
    rows = [{"id": str(at), "docs": ["a"], "gold": ["a"], **row} for at in range(2)]
    path = written(tmp_path / "log.jsonl", rows)
    assert any(re.match(words, note) for note in assay.read_log(path).notes)
    assert not any("not used" in note for note in assay.read_log(path, map=f"{next(iter(row))}=").notes)


def test_gold_that_is_no_list_says_so(tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", [{"q": "?", "docs": ["a"], "gold": "a"}])
    with pytest.raises(InputError, match=r"no field for gold \(gold has no lists; if .*`map='gold=gold'`\)"):
        assay.read_log(path)
    assert assay.evaluate(assay.read_log(path, map="gold=gold"), measures=["mrr"])["mrr"].value == 1.0


@pytest.mark.parametrize("fold", [True, [1], {"a": 1}, 1.5])
def test_a_fold_is_an_id(tmp_path: Path, fold: Any) -> None:
    """`true`, a list or an object became the name of a fold."""
    rows = honest_log()[:4]
    path = written(
        tmp_path / "log.jsonl", [*({**row, "fold": 1} for row in rows[:3]), {**rows[3], "fold": fold}]
    )
    with pytest.raises(InputError, match="line 4: fold is not an id"):
        assay.read_log(path)


@pytest.mark.parametrize("word", ["N/A", ["n/a"], "None", ["unanswerable"], "", ["No  answer"]])
def test_gold_that_says_there_is_none_is_an_empty_list(tmp_path: Path, word: Any) -> None:
    """A word was an id that nothing retrieves: the question counted as answerable and missed."""
    rows: list[dict[str, Any]] = [
        {"id": "1", "docs": ["a", "b"], "gold_ids": ["b"]},
        {"id": "2", "docs": ["a"], "gold_ids": word},
    ]
    log = assay.read_log(written(tmp_path / "log.jsonl", rows), map="gold=gold_ids")
    result = assay.evaluate(log, measures=["mrr"])
    assert (result.counts.queries, result.counts.evidence, result["mrr"].value) == (2, 1, 0.5)
    assert any("1 record has a word such as N/A" in note for note in log.notes) == (word != "")


def test_a_chunk_may_be_called_none(tmp_path: Path) -> None:
    rows = [{"id": "1", "docs": ["a", "none"], "gold": ["none"]}, {"id": "2", "docs": ["a"], "gold": ["a"]}]
    assert assay.evaluate(assay.read_log(written(tmp_path / "log.jsonl", rows))).counts.evidence == 2


def test_null_gold_is_unanswerable_where_the_caller_says_so(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "1", "docs": ["a"], "gold": ["a"]},
        {"id": "2", "docs": ["a"], "gold": None},
        {"id": "3", "docs": ["a"]},
    ]
    path = written(tmp_path / "log.jsonl", rows)
    counts = assay.evaluate(assay.read_log(path, map="null=unanswerable")).counts
    assert (counts.queries, counts.evidence) == (3, 1)
    assert assay.evaluate(assay.read_log(path, map={"null": "unjudged"})).counts.queries == 1
    with pytest.raises(InputError, match="has null='empty'; expected one of unjudged, unanswerable"):
        assay.read_log(path, map="null=empty")


def test_gold_that_many_questions_share_and_nothing_retrieves_is_noted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": str(at), "docs": ["a"], "gold": ["a"] if at % 3 else ["out of scope"]} for at in range(12)
    ]
    notes = assay.read_log(written(tmp_path / "log.jsonl", rows)).notes
    assert any("gold of 4 questions is 'out of scope' alone" in note for note in notes)
    rows = [{**row, "gold": ["a"] if int(row["id"]) % 3 else [f"{SECRET} {SECRET}"]} for row in rows]
    assert not any("Zebulon" in note for note in assay.read_log(written(tmp_path / "log.jsonl", rows)).notes)


def test_confidence_in_percent(tmp_path: Path) -> None:
    rows = [
        {"id": str(at), "docs": ["a"], "gold": ["a"], "sure": value} for at, value in enumerate((88.5, 0.5))
    ]
    path = written(tmp_path / "log.jsonl", rows)
    decisions = assay.read_log(path, map="confidence=sure%").predictions.decisions
    assert decisions is not None
    assert decisions.frame["prob"].to_list() == [0.885, 0.005]
    with pytest.raises(InputError, match=r"line 1: sure is 88.5; expected .* use `map='confidence=sure%'`"):
        assay.read_log(path, map="confidence=sure")
    rows[1]["sure"] = 101
    with pytest.raises(InputError, match=r"line 2: sure is 101; expected a number in \[0, 100\]"):
        assay.read_log(written(path, rows), map="confidence=sure%")


def test_a_nested_log_names_the_fields_to_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message listed only the outermost fields; what it suggests now has to work as it is."""
    rows = [
        {
            "request": {"id": f"r{at}", "user_query": SECRET},
            "response": {
                "retrieval": {
                    "chunks": [{"chunk_id": "a", "similarity": 0.9}, {"chunk_id": "b", "similarity": 0.2}]
                },
                "confidence": 80 - 60 * (at == 2),
            },
            "labels": {"relevant_chunks": ["b"] if at < 2 else []},
        }
        for at in range(3)
    ]
    path = written(tmp_path / "log.jsonl", rows)
    assert exit_code(monkeypatch, "evaluate", path) == 2
    said = capsys.readouterr().err
    assert said.count("(fields: request, response, labels, request.id, ") == 1
    found = re.search(r"--map (\S+chunks,\S+)", said)
    assert found is not None
    assert "Zebulon" not in said
    result = assay.evaluate(assay.read_log(path, map=found[1]))
    assert (result["mrr"].value, result["auroc"].value) == (0.5, 1.0)


@pytest.mark.parametrize(
    "row",
    [
        {
            "retrieved": [
                {"document": {"id": "a"}, "score": 2},
                {"document": {"id": "b", "text": "x"}, "score": 1},
            ]
        },
        {
            "source_nodes": [
                {"node": {"id_": "a"}, "score": 2},
                {"node": {"id_": "b", "text": "x"}, "score": 1},
            ]
        },
        {"hits": [{"payload": {"doc_id": "a"}, "score": 2}, {"payload": {"doc_id": "b"}, "score": 1}]},
    ],
)
def test_elements_that_wrap_a_document(tmp_path: Path, row: dict[str, Any]) -> None:
    """As LlamaIndex (NodeWithScore), Haystack-like and vector stores' results are."""
    log = assay.read_log(written(tmp_path / "log.jsonl", [{"query": "?", **row, "gold_doc": "b"}]))
    assert assay.evaluate(log, measures=["mrr"])["mrr"].value == 0.5
    assert log.predictions.candidates.frame.sort("sent_uid")["score"].to_list() == [2.0, 1.0]


def test_an_element_that_is_no_chunk_shows_the_fields_it_has(tmp_path: Path) -> None:
    path = written(
        tmp_path / "log.jsonl", [{"query": SECRET, "docs": [{"key": "a", "words": SECRET}], "gold": ["a"]}]
    )
    with pytest.raises(InputError, match=r"not a chunk \(fields of its objects: 'key', 'words'\)"):
        assay.read_log(path)
    assert assay.evaluate(assay.read_log(path, map="retrieved=docs.key"))["mrr"].value == 1.0


def test_a_trec_file_in_the_place_of_a_log_is_told_where_it_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As trec_eval is called; the message was about JSON."""
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    (tmp_path / "run.txt").write_text("q Q0 a 1 0.5 x\n")
    assert exit_code(monkeypatch, "evaluate", tmp_path / "qrels.txt", tmp_path / "run.txt") == 2
    assert "TREC files are given as --qrels FILE --run FILE" in capsys.readouterr().err


def test_an_error_of_the_disk_names_the_log() -> None:
    """It was taken for one of the standard output, which has no name either."""
    with pytest.raises(InputError, match=r"mem: cannot be read \(Input/output error\)"):
        assay.read_log("/proc/self/mem")
