"""Files as ragas, DeepEval and Inspect write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.data.logs.log_cases import written

import assay
from assay.errors import InputError


def saved(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_ragas_texts_are_matched_by_their_words(tmp_path: Path) -> None:
    rows = [
        {
            "user_input": "Who wrote it?",
            "retrieved_contexts": ["A first text.", "The second  text."],
            "reference_contexts": ["The second text."],
            "response": "x",
            "reference": "an answer, not a context",
        },
        {"user_input": "When?", "retrieved_contexts": ["A first text."], "reference_contexts": ["Missing."]},
    ]
    log = assay.read_log(written(tmp_path / "ragas.jsonl", rows))
    assert log.format == "ragas"
    result = assay.evaluate(log)
    assert result["mrr"].value == 0.25  # 1/2 and 0
    assert "c-" in log.predictions.candidates.frame["sent_uid"][0]


def test_ragas_ids_take_precedence_over_texts(tmp_path: Path) -> None:
    row = {
        "user_input": "Who?",
        "retrieved_contexts": ["one", "two"],
        "retrieved_context_ids": [11, 12],
        "reference_context_ids": [12],
    }
    log = assay.read_log(written(tmp_path / "ragas.jsonl", [row]))
    assert log.predictions.candidates.frame["sent_uid"].to_list() == ["11", "12"]
    assert log.corpus.sentences.frame["text"].to_list() == ["one", "two"]
    assert assay.evaluate(log)["mrr"].value == 0.5


@pytest.mark.parametrize(
    "document",
    [
        {
            "testCases": [
                {
                    "name": "test_case_0",
                    "input": "Q",
                    "actualOutput": "a",
                    "context": ["fact"],
                    "retrievalContext": ["other", "fact"],
                },
                {"name": "test_case_1", "input": "R", "context": None, "retrievalContext": ["other"]},
            ]
        },
        {
            "testRunData": {
                "testCases": [{"input": "Q", "context": ["fact"], "retrievalContext": ["other", "fact"]}],
                "conversationalTestCases": [],
            },
            "testRunLink": "",
        },
        [{"input": "Q", "actual_output": "a", "context": ["fact"], "retrieval_context": ["other", "fact"]}],
    ],
)
def test_deepeval_test_runs_and_data_sets(tmp_path: Path, document: Any) -> None:
    log = assay.read_log(saved(tmp_path / "run.json", document))
    assert log.format == "deepeval"
    result = assay.evaluate(log)
    assert (result.counts.queries, result["mrr"].value) == (1, 0.5)


def inspect_log() -> dict[str, Any]:
    def sample(name: str, epoch: int, gold: list[str], found: list[str]) -> dict[str, Any]:
        return {
            "id": name,
            "epoch": epoch,
            "input": [{"role": "system", "content": "s"}, {"role": "user", "content": f"{name}?"}],
            "target": "an answer",
            "metadata": {"gold": gold},
            "store": {"retrieved": found},
            "scores": {"match": {"value": "C"}},
        }

    samples = [
        sample("s1", 1, ["d1"], ["d2", "d1"]),
        sample("s1", 2, ["d1"], ["d1", "d3"]),
        sample("s2", 1, [], ["d1"]),
        sample("s2", 2, [], []),
    ]
    return {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": samples}


def test_the_epochs_of_an_inspect_sample_are_one_post(tmp_path: Path) -> None:
    log = assay.read_log(saved(tmp_path / "log.json", inspect_log()))
    assert log.format == "inspect"
    queries = log.corpus.queries.frame
    assert (queries.height, queries["post_id"].unique().sort().to_list()) == (4, ["s1", "s2"])
    assert log.corpus.criteria.frame["text"].to_list() == ["s1?", "s1?", "s2?", "s2?"]
    assert assay.evaluate(log)["mrr"].value == 0.75


@pytest.mark.parametrize("epoch", [["a"], {"b": 1}])
def test_an_inspect_epoch_of_another_kind(epoch: object, tmp_path: Path) -> None:
    document = inspect_log()
    document["samples"][0]["epoch"] = epoch
    log = assay.read_log(saved(tmp_path / "log.json", document))
    assert len(log.corpus.queries.frame) == len(document["samples"])


def test_an_inspect_archive_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "log.eval").write_bytes(b"PK\x03\x04rest")
    with pytest.raises(InputError, match="inspect log convert"):
        assay.read_log(tmp_path / "log.eval")


def test_a_field_of_a_field_can_be_named(tmp_path: Path) -> None:
    document = inspect_log()
    for each in document["samples"]:
        each["scores"]["match"]["metadata"] = {"docs": each["store"].pop("retrieved")}
    path = saved(tmp_path / "log.json", document)
    with pytest.raises(InputError, match="no field for retrieved"):
        assay.read_log(path)
    log = assay.read_log(path, map={"retrieved": "scores.match.metadata.docs"})
    assert assay.evaluate(log)["mrr"].value == 0.75
