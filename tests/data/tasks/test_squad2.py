"""SQuAD 2.0: every value from its formula on a few questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.data.tasks.squad2_answers import exact_and_f1, expected_answers

Written = Callable[..., Path]


def data(*questions: tuple[str, list[str]]) -> dict[str, Any]:
    """One question per paragraph."""
    paragraphs = [
        {
            "context": "",
            "qas": [{"id": name, "answers": [{"text": text, "answer_start": 0} for text in texts]}],
        }
        for name, texts in questions
    ]
    return {"data": [{"title": "article", "paragraphs": paragraphs}]}


FOUR = data(("a", ["red"]), ("b", ["blue sky"]), ("c", []), ("d", []))


@pytest.mark.parametrize(
    ("given", "expected", "exact", "f1"),
    [
        ("The red.", ["red"], 1, 1),
        ("a red car", ["red"], 0, 2 * 0.5 * 1 / 1.5),
        ("red red", ["red"], 0, 2 * 0.5 * 1 / 1.5),  # a word counts as often as it is in both
        ("red", ["blue", "dark red"], 0, 2 * 1 * 0.5 / 1.5),  # the best of the expected answers
        ("", [], 1, 1),
        ("the", [], 1, 1),  # empty after normalisation
        ("red", [], 0, 0),
        ("“red”", ["red"], 0, 0),  # typographic quotes stay
        ("an", ["a.n"], 1, 1),  # articles go after punctuation, and nothing is left of either
    ],
)
def test_answers_are_compared_by_words(given: str, expected: list[str], exact: int, f1: float) -> None:
    assert exact_and_f1(given, expected_answers(expected)) == pytest.approx((exact, f1), abs=1e-15)


def test_scores_of_four_questions(document: Written) -> None:
    answers = document("p.json", {"a": "red", "b": "the sky", "c": "", "d": "green"})
    result = assay.evaluate(assay.read_task("squad2", answers, document("dev.json", FOUR)))
    f1_of_b = 2 * 1 * 0.5 / 1.5
    assert {name: result[name].value for name in result} == {
        "exact": 50.0,
        "f1": pytest.approx(100 * (1 + f1_of_b + 1) / 4),
        "HasAns_exact": 50.0,
        "HasAns_f1": pytest.approx(100 * (1 + f1_of_b) / 2),
        "NoAns_exact": 50.0,
        "NoAns_f1": 50.0,
        "total": 4,
        "HasAns_total": 2,
        "NoAns_total": 2,
    }
    assert result.contract.id == "squad2/1"
    assert result.absent["best_exact"] == "the input has no no-answer probabilities"


def test_ties_of_the_file_decide_the_best_score(document: Written) -> None:
    """A wrong answer without evidence, tied with a right one: the search may stop between them."""
    gold = document("dev.json", FOUR)
    answers = document("p.json", {"a": "red", "b": "blue sky", "c": "x", "d": "y"})
    right_first = document("1.json", {"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.9})
    wrong_first = document("2.json", {"c": 0.5, "a": 0.5, "b": 0.5, "d": 0.9})
    first, second = (
        assay.evaluate(assay.read_task("squad2", answers, gold, na_prob=each))
        for each in (right_first, wrong_first)
    )
    # 2 of 4 without any answer; then +1, +1, −1 in one order and −1, +1, +1 in the other
    assert (first["best_exact"].value, second["best_exact"].value) == (100.0, 75.0)
    assert first["best_exact_thresh"].value == second["best_exact_thresh"].value == 0.5
    # average precision takes the tie as one step: 2 right of 3 answers find both
    assert first["pr_exact_ap"].value == second["pr_exact_ap"].value == pytest.approx(100 * 2 / 3)


def test_the_threshold_withholds_answers_above_it(document: Written) -> None:
    gold = document("dev.json", FOUR)
    answers = document("p.json", {"a": "red", "b": "blue sky", "c": "x", "d": "y"})
    na_prob = document("na.json", {"a": 0.5, "b": 0.6, "c": 0.5, "d": 0.6})
    task = assay.read_task("squad2", answers, gold, na_prob=na_prob, na_prob_thresh=0.5)
    result = assay.evaluate(task)
    assert result.contract.id == "squad2/1+na_prob_thresh=0.5"
    assert [result[name].value for name in ("exact", "HasAns_exact", "NoAns_exact")] == [50.0, 50.0, 50.0]
    assert result["best_exact"].value == assay.evaluate(task, contract="squad2/1")["best_exact"].value


def test_probabilities_make_the_measures_of_the_gate(document: Written) -> None:
    gold, answers = document("dev.json", FOUR), document("p.json", dict.fromkeys("abcd", ""))
    na_prob = document("na.json", {"a": 0.1, "b": 0.3, "c": 0.2, "d": 0.9})
    task = assay.read_task("squad2", answers, gold, na_prob=na_prob)
    # of the pairs (a, c), (a, d), (b, c), (b, d), three are in the right order
    assert assay.evaluate(task, contract="assay/1")["auroc"].value == 0.75


def test_all_faults_are_named(document: Written) -> None:
    gold = document("dev.json", FOUR)
    answers = document("p.json", {"a": None, "b": 3, "x": "ignored"})
    na_prob = document("na.json", {"a": "high", "b": 0.1, "c": 0.1, "x": 0.1})
    with pytest.raises(assay.InputError) as raised:
        assay.read_task("squad2", answers, gold, na_prob=na_prob)
    text = str(raised.value)
    for part in (
        "p.json: lacks 2 of 4 questions: 'c', 'd'",
        "p.json: the answer to 'a' is null",
        "p.json: the answer to 'b' is 3",
        "na.json: lacks 1 of 4 questions: 'd'",
        "na.json: 'x' is not a question of the data",
        "na.json: 'a' is a str",
    ):
        assert part in text


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-2e300", "1" + "0" * 400, "true", '"0.5"', "null"])
def test_no_answer_probabilities_that_are_refused(document: Written, tmp_path: Path, value: str) -> None:
    gold, answers = document("dev.json", FOUR), document("p.json", dict.fromkeys("abcd", ""))
    na_prob = tmp_path / "na.json"
    na_prob.write_text(f'{{"a": {value}, "b": 0.5, "c": -1e300, "d": 7}}')
    with pytest.raises(assay.InputError, match=r"'a' is .*; expected a number from -1e300 to 1e300"):
        assay.read_task("squad2", answers, gold, na_prob=na_prob)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_thresholds_that_are_refused(document: Written, value: str) -> None:
    gold, answers = document("dev.json", FOUR), document("p.json", dict.fromkeys("abcd", ""))
    task = assay.read_task("squad2", answers, gold, na_prob_thresh=float(value))
    with pytest.raises(assay.ContractError, match=f"`na_prob_thresh` is {value}; expected a finite number"):
        assay.evaluate(task)


def test_paragraphs_are_resampled_together(document: Written) -> None:
    paragraph = {"qas": [{"id": name, "answers": []} for name in "ab"]}
    gold = document("dev.json", {"data": [{"title": "t", "paragraphs": [paragraph]}]})
    result = assay.evaluate(
        assay.read_task("squad2", document("p.json", {"a": "", "b": "x"}), gold), bootstrap=50
    )
    interval = result["exact"].interval
    assert interval is not None
    assert (interval.low, interval.high, interval.unit) == (50.0, 50.0, "post")
