"""`assay show` against the tables of the bundle, read by the csv module."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
from pathlib import Path

import pytest

import assay
from tests.terminal.conftest import EXAMPLE, Call

SENTENCE = "Since then I lie awake until three most nights."


@pytest.fixture
def queries(bundle: Path) -> list[dict[str, str]]:
    with (bundle / "per_query.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_measures_are_those_that_evaluate_printed(bundle: Path, call: Call) -> None:
    inputs = (EXAMPLE / "predictions", "--corpus", EXAMPLE / "corpus", "--ci", "50")
    _, evaluated, _ = call("evaluate", *inputs, "--by", "criterion_id", "--by", "state")
    assert call("show", bundle) == (0, evaluated, "")
    document = json.loads(call("show", bundle, "--json")[1])
    assert document == json.loads(
        call("evaluate", *inputs, "--by", "criterion_id", "--by", "state", "--json")[1]
    )


def test_some_measures(bundle: Path, call: Call) -> None:
    code, out, _ = call("show", bundle, "-m", "auroc,ndcg@10", "-m", "ece")
    assert code == 0
    assert all(f"\n{name}" in out for name in ("auroc", "ndcg@k", "ece"))
    assert "auprc" not in out
    document = json.loads(call("show", bundle, "-m", "auroc", "--json")[1])
    assert [each["name"] for each in document["measures"]] == ["auroc"]


@pytest.mark.parametrize(("measure", "falls"), [("ndcg@10", False), ("brier", True)])
def test_the_worst_queries(
    measure: str, falls: bool, bundle: Path, call: Call, queries: list[dict[str, str]]
) -> None:
    """Lower is worse for nDCG, higher for Brier; ties keep the order of the table."""
    known = [row for row in queries if row[measure]]
    ordered = sorted(known, key=lambda row: float(row[measure]) * (-1 if falls else 1))
    wanted = [f"{row['post_id']}/{row['criterion_id']}" for row in ordered[:7]]
    code, out, _ = call("show", bundle, "--worst", "7", "--measure", measure)
    assert code == 0
    assert f"of {len(known)} with a value" in out
    assert [line.split()[0] for line in out.splitlines() if line.startswith("p")] == wanted
    document = json.loads(call("show", bundle, "--worst", "7", "--measure", measure, "--json")[1])
    assert [each["query"] for each in document["queries"]] == wanted
    for each, row in zip(document["queries"], ordered, strict=False):
        assert each["values"][measure] == float(row[measure])
        assert each["gold"] == int(row["gold"])


def test_one_query(bundle: Path, call: Call) -> None:
    with gzip.open(bundle / "candidates.csv.gz", "rt", encoding="utf-8") as file:
        mine = [
            row for row in csv.DictReader(file) if (row["post_id"], row["criterion_id"]) == ("p01", "sleep")
        ]
    ranked = sorted(mine, key=lambda row: -float(row["score"]))
    document = json.loads(call("show", bundle, "--query", "p01/sleep", "--json")[1])
    assert [each["item"] for each in document["items"]] == [row["item"] for row in ranked]
    assert [each["grade"] for each in document["items"]] == [float(row["grade"] or 0) for row in ranked]
    assert [each["returned"] for each in document["items"]] == [row["returned"] == "1" for row in ranked]
    first = next(at for at, row in enumerate(ranked, 1) if row["grade"])
    assert document["first_gold"] == first
    code, out, _ = call("show", bundle, "--query", "p01/sleep")
    assert code == 0
    assert f"2 of 2 gold items among the candidates, at ranks {first}, 4." in out
    assert "K = 4 returns 2 of them." in out


def test_gold_that_was_not_retrieved(bundle: Path, call: Call, queries: list[dict[str, str]]) -> None:
    row = next(each for each in queries if (each["post_id"], each["criterion_id"]) == ("p08", "sleep"))
    assert row["state"] == "NEG"
    document = json.loads(call("show", bundle, "--query", "p08/sleep", "--json")[1])
    missed = [each for each in document["items"] if each["rank"] is None]
    assert len(missed) == document["gold"] == 1
    out = call("show", bundle, "--query", "p08/sleep")[1]
    assert "0 of 1 gold item among the candidates." in out
    assert f"It is NEG: a probability of at least {row['tau_neg']} would not have dismissed it." in out


def test_no_text_unless_asked(bundle: Path, call: Call, tmp_path: Path) -> None:
    for more in ((), ("--json",)):
        for what in (("--query", "p01/sleep"), ("--worst", "40"), ()):
            assert SENTENCE not in call("show", bundle, *what, *more)[1]
        asked = call("show", bundle, "--query", "p01/sleep", "--with-text", EXAMPLE / "corpus", *more)[1]
        assert SENTENCE in " ".join(asked.split()) or "Since then I lie awake" in asked
    other = tmp_path / "corpus"
    shutil.copytree(EXAMPLE / "corpus", other)
    sentences = other / "sentences.csv"
    sentences.write_text(sentences.read_text().replace("awake", "asleep"))
    code, out, error = call("show", bundle, "--query", "p01/sleep", "--with-text", other)
    assert (code, out) == (2, "")
    assert "is not the corpus of" in error


def test_by_a_column(bundle: Path, call: Call) -> None:
    result = assay.load(bundle)
    code, out, _ = call("show", bundle, "--by", "criterion", "-m", "auroc")
    assert code == 0
    for label, row in result.groups["criterion_id"].items():
        line = next(line for line in out.splitlines() if line.startswith(label))
        assert line.split()[-1] == f"{row['auroc'].value:.4f}"
    document = json.loads(call("show", bundle, "--by", "state", "--json")[1])
    assert set(document["groups"]) == set(result.groups["state"])


def test_a_plain_run(tmp_path: Path, call: Call) -> None:
    folder = tmp_path / "run"
    assay.evaluate(assay.read_trec(EXAMPLE / "qrels.txt", EXAMPLE / "run.txt"), measures=["ndcg@3"]).save(
        folder
    )
    worst = json.loads(call("show", folder, "--worst", "1", "--json")[1])
    name = worst["queries"][0]["query"]
    code, out, _ = call("show", folder, "--query", name)
    assert code == 0
    assert out.startswith(f"{name} of run.txt under assay/1: ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--query", "p01"), ("--query", "'p01' has 3 queries", "p01/sleep, p01/fatigue")),
        (("--query", "nobody"), ("--query", "no query is called 'nobody'", "p01/sleep")),
        (("--by", "fold"), ("--by", "no breakdown by fold", "criterion_id, state", "--by fold -o DIR")),
        (("--worst", "3", "-m", "auroc"), ("auroc has no value per query", "ndcg@10")),
        (("--worst", "0"), ("--worst", "expected a whole number from 1")),
        (("--worst", "3", "--query", "p01/sleep"), ("has no effect with",)),
        (("--with-text", "corpus"), ("--with-text", "has no effect without --query")),
    ],
)
def test_what_is_refused(options: tuple[str, ...], words: tuple[str, ...], bundle: Path, call: Call) -> None:
    code, out, error = call("show", bundle, *options)
    assert (code, out) == (2, "")
    assert all(word in error for word in words), error


def test_a_changed_bundle_is_refused(bundle: Path, call: Call, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(bundle, copy)
    gold = copy / "gold.csv"
    gold.write_text(gold.read_text().replace("p01.2", "p01.3", 1))
    code, _, error = call("show", copy)
    assert code == 2
    assert "gold.csv: was changed" in error
