"""The page of a contract that has none of the usual measures per query: FEVER, whose claims have labels."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.report.page.packed_columns import unpacked
from assay.report.page.query_lists import shown_values
from assay.report.report_bundle import report_bundle
from assay.report.report_folder import write_page
from tests.command import exit_code
from tests.report.test_decisions_shown import packed_of

GROUPS: list[list[list[Any]]] = [
    [[1, 1, "Rome", 0], [1, 1, "Rome", 3]],
    [[2, 2, "Rome", 0], [2, 2, "Paris", 1]],
]
CLAIMS: tuple[tuple[Any, ...], ...] = (
    ("SUPPORTS", GROUPS, "SUPPORTS", [["Rome", 0], ["Rome", 3]]),
    ("REFUTES", GROUPS, "REFUTES", [["Rome", 9]]),
    ("NOT ENOUGH INFO", [[[1, None, None, None]]], "SUPPORTS", []),
)


@pytest.fixture
def claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    names = ("label", "evidence", "predicted_label", "predicted_evidence")
    rows = [
        json.dumps({"id": at, **dict(zip(names, claim, strict=True))}) for at, claim in enumerate(CLAIMS, 1)
    ]
    path = tmp_path / "claims.jsonl"
    path.write_text("\n".join(rows), encoding="utf-8")
    bundle = tmp_path / "bundle"
    assert exit_code(monkeypatch, "evaluate", "--task", "fever", path, "-o", bundle, "--no-report") == 0
    return bundle


def test_its_own_measure_tells_how_wrong_a_query_is(claims: Path, tmp_path: Path) -> None:
    assert shown_values(report_bundle(claims))[0] == "strict_score"
    document, _ = unpacked(packed_of(write_page([claims], tmp_path / "page.html")))
    assert document["task"] is True
    concern = "strict_score is only 0.333 of at most 1."
    assert concern in [each["text"] for each in document["concerns"]]


def test_an_item_of_two_groups_is_missed_once(claims: Path, tmp_path: Path) -> None:
    document, _ = unpacked(packed_of(write_page([claims], tmp_path / "page.html")))
    assert [len(each) for each in document["missed"].values()] == [1, 3]  # of the first and the second claim


@pytest.mark.full
def test_the_page_says_so_in_words(visit: Any, claims: Path, tmp_path: Path) -> None:
    page = visit(write_page([claims], tmp_path / "page.html"))
    assert page.inner_text("#headline").startswith("33% of queries (1 of 3) are right by strict_score")
    assert "Sorted by how wrong a query is: 1 − strict_score." in page.inner_text("#queries")
    assert page.messages == []


def test_a_measure_of_ones_own_is_shown_and_makes_no_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ranking scored by one defined measure stays a ranking: its page tells where the first hit is."""
    script = tmp_path / "own.py"
    script.write_text(
        "import sys, assay\n"
        "assay.define_measure('first_two', lambda grades, gold: float(sum(grades[:2]) > 0), range=(0, 1))\n"
        "run = {'q1': {'a': 2.0, 'b': 1.0}, 'q2': {'a': 1.0, 'b': 3.0, 'c': 2.0}}\n"
        "qrels = {'q1': {'a': 1}, 'q2': {'a': 1}}\n"
        "for names, page in ((['first_two'], sys.argv[1]), (['first_two', 'ndcg@10'], sys.argv[2])):\n"
        "    result = assay.evaluate(run, qrels=qrels, measures=names)\n"
        "    assay.write_page([result.save(page + '.bundle')], page)\n",
        encoding="utf-8",
    )
    pages = [tmp_path / "alone.html", tmp_path / "both.html"]
    subprocess.run([sys.executable, script, *pages], check=True, timeout=120)
    alone, both = (unpacked(packed_of(page))[0] for page in pages)
    assert alone["task"] is False
    assert alone["values"] == ["first_two"]
    assert both["headlines"] == ["ndcg@10", "first_two"]
