"""FEVER and SciFact: every value from its formula on a few claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay

Written = Callable[..., Path]
PAIR, SINGLE = [[1, 1, "Rome", 0], [1, 2, "Rome", 3]], [[2, 3, "Oslo", 7]]


def claim(
    gold: list[Any], predicted: list[Any], label: str = "SUPPORTS", said: str = "supports"
) -> dict[str, Any]:
    return {"label": label, "evidence": gold, "predicted_label": said, "predicted_evidence": predicted}


def values(path: Path, *names: str) -> list[float]:
    result = assay.evaluate(assay.read_task("fever", path))
    return [result[name].value for name in names]


@pytest.mark.parametrize(
    ("made", "strict", "precision", "recall"),
    [
        (claim([PAIR, SINGLE], [["Rome", 0], ["Oslo", 7]]), 1, 1, 1),
        (claim([PAIR], [["Rome", 0], ["Paris", 1]]), 0, 1 / 2, 0),  # half of a group
        (claim([PAIR], [["Rome", 0], ["Rome", 0], ["Paris", 1]]), 0, 2 / 3, 0),  # repeated sentences count
        (claim([SINGLE], []), 0, 1, 0),  # an empty prediction has precision 1
        (claim([], [["Oslo", 7]]), 0, 0, 1),  # no group: found, but never strictly correct
        (claim([[]], [["Oslo", 7]]), 1, 0, 1),  # a group without sentences
        (claim([SINGLE], [["Oslo", True]], said="REFUTES"), 0, 0, 0),
        (claim([[[2, 3, "Oslo", 1]]], [["Oslo", True]]), 1, 1, 1),  # true is the line 1
        (claim([SINGLE], [["Oslo", "7"]], said="REFUTES"), 0, 0, 0),  # not checked where the label is wrong
        (claim([SINGLE], [*[["Paris", at] for at in range(5)], ["Oslo", 7]]), 0, 0, 0),  # the sixth place
    ],
)
def test_one_claim(
    lines: Written, made: dict[str, Any], strict: float, precision: float, recall: float
) -> None:
    found = values(lines("p.jsonl", made), "strict_score", "precision", "recall")
    assert found == pytest.approx([strict, precision, recall], abs=1e-15)


def test_claims_without_enough_information_are_judged_by_label_alone(lines: Written) -> None:
    unknown = claim([[[1, None, None, None]]], [["Oslo", 7]], "NOT ENOUGH INFO", "not enough info")
    path = lines("p.jsonl", unknown, claim([SINGLE], [["Oslo", 7], ["Paris", 1]]))
    assert values(path, "strict_score", "label_accuracy", "precision", "recall") == [1.0, 1.0, 0.5, 1.0]
    only = assay.evaluate(assay.read_task("fever", lines("q.jsonl", unknown)))
    assert [only[name].value for name in ("precision", "recall", "f1")] == [1.0, 0.0, 0.0]
    assert only["precision"].convention == "the denominator is zero"


@pytest.mark.parametrize("evidence", [None, [], [[]], [[1, None, None, None]], [[[1, None, None]]]])
def test_evidence_of_claims_without_enough_information_has_any_form(lines: Written, evidence: Any) -> None:
    unknown = claim(evidence, [["Oslo", 7]], "NOT ENOUGH INFO", "REFUTES")
    path = lines("p.jsonl", unknown, claim([SINGLE], [["Oslo", 7]]))
    assert values(path, "strict_score", "label_accuracy", "precision", "recall") == [0.5, 0.5, 1.0, 1.0]


def test_other_contracts_leave_out_what_repeated_sentences_would_inflate(lines: Written) -> None:
    twice = lines("p.jsonl", claim([SINGLE], [["Oslo", 7], ["Oslo", 7]]))
    found = assay.evaluate(assay.read_task("fever", twice), contract="assay/1", measures=["recall@5", "mrr"])
    assert list(found) == []
    assert found.absent["recall@5"] == "a list has an item twice, and this measure counts each item once"
    once = lines("q.jsonl", claim([PAIR], [["Oslo", 7], ["Rome", 0]]))
    found = assay.evaluate(assay.read_task("fever", once), contract="assay/1", measures=["recall@5", "mrr"])
    assert {name: found[name].value for name in found} == {"recall@5": 0.5, "mrr": 0.5}


def test_named_variants(lines: Written) -> None:
    path = lines("p.jsonl", claim([SINGLE], []), claim([SINGLE], [["Oslo", 7], ["Paris", 1]]))
    assert values(path, "precision", "empty_0/precision") == [0.75, 0.25]
    assert values(path, "strict_score", "no_spurious/strict_score") == [0.5, 0.0]
    assert values(path, "strict_score@1", "precision@1", "strict_score@all") == [0.5, 1.0, 0.5]


def test_gold_in_a_file_of_its_own(lines: Written) -> None:
    full = [{"id": at, **claim([SINGLE], [["Oslo", 7]])} for at in range(2)]
    bare = [{key: row[key] for key in ("id", "predicted_label", "predicted_evidence")} for row in full]
    gold = lines("gold.jsonl", *({key: row[key] for key in ("id", "label", "evidence")} for row in full))
    joined = assay.evaluate(assay.read_task("fever", lines("p.jsonl", *bare), gold))
    assert joined == assay.evaluate(assay.read_task("fever", lines("q.jsonl", *full)))
    other = [{**row, "label": "REFUTES"} for row in full]
    with pytest.raises(assay.InputError, match=r"line 2: label is not that of gold\.jsonl"):
        assay.read_task("fever", lines("s.jsonl", *other), gold)
    with pytest.raises(assay.InputError, match="same claims in the same order"):
        assay.read_task("fever", lines("r.jsonl", *bare[::-1]), gold)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"predicted_evidence": [["Oslo", "7"]]}, "predicted sentence 1 has the line '7'"),
        ({"predicted_evidence": [["Oslo", 7, 1]]}, "predicted sentence 1 has 3 items"),
        ({"predicted_evidence": None}, "predicted_evidence is not a list"),
        ({"predicted_label": None}, "predicted_label is None"),
        ({"evidence": [["Oslo", 7]]}, "evidence has another form"),
        (  # recall credits such a sentence and precision does not
            claim([[[2, 3, "Oslo", None]]], [["Paris", 1], ["Oslo", None]], said="REFUTES"),
            "predicted sentence 2 has no line, as in gold",
        ),
    ],
)
def test_faults_of_a_claim(lines: Written, change: dict[str, Any], says: str) -> None:
    with pytest.raises(assay.InputError, match=says):
        assay.read_task("fever", lines("p.jsonl", {**claim([SINGLE], []), **change}))


GOLD = [
    {
        "id": 1,
        "evidence": {
            "77": [{"sentences": [2, 5], "label": "SUPPORT"}, {"sentences": [7], "label": "SUPPORT"}]
        },
    },
    {"id": 2, "evidence": {"88": [{"sentences": [0, 1, 2, 3], "label": "CONTRADICT"}]}},
]


def scifact(lines: Written, first: Any, second: Any, **options: Any) -> assay.Result:
    rows = [{"id": 1, "evidence": first}, {"id": 2, "evidence": second}]
    paths = lines("p.jsonl", *rows), lines("gold.jsonl", *GOLD)
    return assay.evaluate(assay.read_task("scifact", *paths, **options))


def test_scifact_counts(lines: Written) -> None:
    first = {"77": {"sentences": [2, 7, 7], "label": "SUPPORT"}, "99": {"sentences": [1], "label": "SUPPORT"}}
    second = {"88": {"sentences": [0, 1, 2, 3], "label": "SUPPORT"}}
    result = scifact(lines, first, second)
    # 1 of 3 abstracts has the right label, 2 are gold; of 8 sentences 1 + 4 are in whole rationales of 7
    assert result["abstract_label_only_precision"].value == pytest.approx(1 / 3)
    assert result["abstract_label_only_recall"].value == pytest.approx(1 / 2)
    assert result["sentence_selection_precision"].value == pytest.approx(5 / 8)
    assert result["sentence_selection_recall"].value == pytest.approx(5 / 7)
    assert result["sentence_label_f1"].value == pytest.approx(2 * (1 / 8) * (1 / 7) / (1 / 8 + 1 / 7))


def test_the_two_scorers_keep_different_numbers_of_sentences(lines: Written) -> None:
    second = {"88": {"sentences": [0, 1, 2, 3], "label": "CONTRADICT"}}
    result = scifact(lines, {}, second)
    assert result["abstract_rationalized_precision"].value == 1.0
    assert result["pipeline/abstract_rationalized_precision"].value == 0.0


@pytest.mark.parametrize(("rationale", "rationalized"), [([0, 1, 2, 1], 0.0), ([0, 1, 2, 3], 1.0)])
def test_the_leaderboard_counts_the_sentences_of_the_shortest_rationale_once(
    lines: Written, rationale: list[int], rationalized: float
) -> None:
    gold = lines("gold.jsonl", {"id": 1, "evidence": {"7": [{"sentences": rationale, "label": "SUPPORT"}]}})
    given = {"7": {"sentences": [9, *sorted(set(rationale))][-4:], "label": "SUPPORT"}}
    result = assay.evaluate(assay.read_task("scifact", lines("p.jsonl", {"id": 1, "evidence": given}), gold))
    assert result["abstract_rationalized_recall"].value == rationalized
    assert result["sentence_selection_precision"].value == len(set(rationale)) / 4


def test_the_pipelines_scorer_takes_some_claims(lines: Written) -> None:
    gold = lines("gold.jsonl", *GOLD)
    some = lines("p.jsonl", {"id": 2, "evidence": {"88": {"sentences": [], "label": "CONTRADICT"}}})
    with pytest.raises(assay.InputError, match="lacks 1 of 2 claims"):
        assay.read_task("scifact", some, gold)
    result = assay.evaluate(assay.read_task("scifact", some, gold, scorer="pipeline"))
    assert result["abstract_label_only_recall"].value == 1.0
    assert result.absent["abstract_rationalized_f1"] == "the input has no counts of the leaderboard's scorer"


def test_ids_of_scifact_have_the_same_type_in_both_files(lines: Written) -> None:
    gold = lines("gold.jsonl", *GOLD)
    given = lines("p.jsonl", {"id": 1, "evidence": {}}, {"id": "2", "evidence": {}})
    with pytest.raises(
        assay.InputError, match=r"p\.jsonl line 2: id is '2', and of another type in gold\.jsonl"
    ):
        assay.read_task("scifact", given, gold)
