"""NoMIRACL: how responses are read, and the values that its script leaves out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.data.tasks.nomiracl import read_response

Written = Callable[..., Path]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I DON'T KNOW.", "unanswerable"),
        ("I\ndon't know", "unanswerable"),
        ("I don’t know", "invalid"),
        ("Yes, answer is present. Or I don't know", "invalid"),
        ("The answer is present", "answerable"),
        ("the answer is not present", "unanswerable"),
        ("[12]", "answerable"),
        ("see [2] ok", "invalid"),  # ten characters
        ("", "invalid"),
    ],
)
def test_reading(text: str, said: str) -> None:
    assert read_response(text) == said


def responses(*texts: str) -> list[dict[str, object]]:
    return [{"query_id": str(at), "results": {"m": text}} for at, text in enumerate(texts)]


def test_rates(lines: Written) -> None:
    relevant = lines("r.jsonl", *responses("[1]", "[1]", "I don't know", "no idea"))
    non_relevant = lines("n.jsonl", *responses("[1]", "[1]", "what?"))
    result = assay.evaluate(assay.read_task("nomiracl", relevant=relevant, non_relevant=non_relevant))
    assert {name: result[name].value for name in result} == {
        "hallucination_rate": pytest.approx(2 / 3),
        "error_rate": 0.25,
        "invalid_rate": pytest.approx(2 / 7),
        "relevant/Accuracy": 0.5,
        "relevant/Error": 0.25,
        "relevant/Invalid": 0.25,
        "non_relevant/Accuracy": 0.0,
        "non_relevant/Invalid": pytest.approx(1 / 3),
    }
    assert result.absent["non_relevant/Hallucination"] == "no response is unanswerable"


def test_each_model_is_a_system(lines: Written) -> None:
    path = lines("r.jsonl", {"query_id": "1", "results": {"a": "[1]", "b": "I don't know"}})
    with pytest.raises(assay.InputError, match="the files have 2 systems"):
        assay.read_task("nomiracl", relevant=path)
    result = assay.evaluate(assay.read_task("nomiracl", relevant=path, model="b"))
    assert (result.system, result["error_rate"].value) == ("b", 1.0)
