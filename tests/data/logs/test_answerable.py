"""Fields that state whether a question has an answer, ids and texts that cannot meet, wrapped records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.data.logs.log_cases import written

import assay

ANSWERED: dict[str, Any] = {"question": "Who?", "retrieved": ["a", "b"], "gold": ["b"], "confidence": 0.9}
NONE: dict[str, Any] = {"question": "Why?", "retrieved": ["c", "d"], "gold": None, "confidence": 0.2}


@pytest.mark.parametrize(
    ("name", "can", "cannot"),
    [("is_impossible", False, True), ("answerable", "yes", "no"), ("is_answerable", 1, 0)],
)
def test_missing_gold_of_an_unanswerable_question_is_empty(
    name: str, can: Any, cannot: Any, tmp_path: Path
) -> None:
    """It was left out as not judged, although the log says that there is no answer."""
    rows: list[dict[str, Any]] = [
        ANSWERED | {name: can},
        NONE | {name: cannot},
        NONE | {"question": "When?", name: can},
    ]
    log = assay.read_log(written(tmp_path / "log.jsonl", rows))
    assert log.fields["answerable"] == name
    assert f"1 record has no value for gold: unanswerable, as {name} says" in log.notes
    assert any(each.startswith("1 record has no value for gold: left out") for each in log.notes)
    result = assay.evaluate(log, measures=["mrr", "auroc"])
    assert (result.counts.queries, result["mrr"].value, result["auroc"].value) == (2, 0.5, 1.0)


def test_a_field_that_contradicts_gold_is_not_used_unless_it_is_named(tmp_path: Path) -> None:
    """It may be what the system said."""
    rows = [ANSWERED | {"answerable": False}, NONE | {"answerable": False}]
    path = written(tmp_path / "log.jsonl", rows)
    log = assay.read_log(path)
    assert "answerable" not in log.fields
    assert "field answerable is not used: it contradicts gold at line 1" in log.notes
    assert assay.evaluate(log, measures="mrr").counts.queries == 1
    with pytest.raises(assay.InputError, match="line 1: answerable is 'False', and it has gold; expected"):
        assay.read_log(path, map="answerable=answerable")


def test_texts_cannot_be_compared_with_ids(tmp_path: Path) -> None:
    """Every value was 0, because the name of the field said that the strings were texts."""
    row = {"question": "Who?", "contexts": ["The text of a chunk.", "Another one."], "gold": ["kb-7"]}
    path = written(tmp_path / "log.jsonl", [row])
    with pytest.raises(assay.InputError, match="contexts and gold cannot be compared; one has texts"):
        assay.read_log(path)
    written(path, [row | {"gold": ["A text that was not retrieved."]}])
    assert assay.evaluate(path, measures="mrr")["mrr"].value == 0


def test_the_message_names_a_field_of_the_chunks(tmp_path: Path) -> None:
    chunk = {"page_content": "The text of a chunk.", "metadata": {"source": "kb-7"}}
    path = written(tmp_path / "log.jsonl", [{"question": "Who?", "docs": [chunk], "gold": ["kb-7"]}])
    with pytest.raises(assay.InputError, match=r"map='retrieved=docs\.metadata\.source'"):
        assay.read_log(path)
    assert assay.evaluate(assay.read_log(path, map="retrieved=docs.metadata.source"))["mrr"].value == 1


@pytest.mark.parametrize("name", ["data", "results", "examples"])
def test_one_list_of_a_document_is_the_log(name: str, tmp_path: Path) -> None:
    """The message suggested `--map gold=data.gold`, which could not help."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"run": "r", name: [ANSWERED, ANSWERED | {"question": "Whom?"}]}))
    result = assay.evaluate(path, measures="mrr")
    assert (result["mrr"].value, result.counts.queries) == (0.5, 2)


def test_one_question_with_a_list_of_objects_is_a_record(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"question": "Who?", "results": [{"id": "a"}, {"id": "b"}], "gold": ["b"]}))
    assert assay.evaluate(path, measures="mrr")["mrr"].value == 0.5


def test_the_name_of_a_step_is_no_id(tmp_path: Path) -> None:
    """Traces name every record after the step; the second one was refused."""
    rows = [ANSWERED | {"name": "retrieve", "question": f"Who {at}?"} for at in range(3)]
    log = assay.read_log(written(tmp_path / "log.jsonl", rows))
    assert "id" not in log.fields
    named = [row | {"name": f"case {at}"} for at, row in enumerate(rows)]
    assert assay.read_log(written(tmp_path / "log.jsonl", named)).fields["id"] == "name"
