"""What the official scorers of shared tasks gave is what assay gives, to the last digit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.data.tasks.nomiracl import read_response

from ...command import exit_code
from .recorded_tasks import (
    RECORDED_ONLY,
    TREC_NAMES,
    apart,
    compared_tasks,
    erisk,
    evaluated,
    fever,
    nomiracl,
    scifact,
    squad2,
)

NO_F1 = "ZeroDivisionError: float division by zero"


def test_the_measures_that_only_recorded_outputs_confirm_are_named(shared: Path) -> None:
    found = {row.family for row in compared_tasks(shared)}
    assert found - {"map", "rprec", "precision", "ndcg", "num_q"} == set(RECORDED_ONLY)


def test_squad2_has_the_bits_of_the_script(shared: Path) -> None:
    records = list(squad2(shared / "tasks" / "squad2"))
    assert apart(records) == {}
    assert len(records) > 100
    assert {each.case for each in records if each.crash is not None} == {
        *(f"{case} {mode}" for case in ("e1", "e4") for mode in ("default", "no_na_prob_file")),
        "e2 default",
        "e3 default",
    }


def test_squad2_has_no_value_that_the_script_lacks(shared: Path) -> None:
    for each in squad2(shared / "tasks" / "squad2"):
        if isinstance(each.ours, assay.Result):
            assert set(each.ours) == set(each.expected), each.case


def test_fever_has_the_bits_of_the_scorer(shared: Path) -> None:
    records = list(fever(shared / "tasks" / "fever"))
    differing = apart(records)
    # Precision and recall are both 0: F1 is 0 by convention here, and an error there.
    undefined = {case for case, found in differing.items() if found == NO_F1}
    assert differing.keys() == undefined
    assert {case.split()[0] for case in undefined} == {"54", "55"}
    for each in records:
        if each.case in undefined:
            assert isinstance(each.ours, assay.Result)
            cut = {"max_evidence_5": "5", "max_evidence_none": "all", "max_evidence_1": "1"}
            found = each.ours[f"f1@{cut[each.case.split()[1]]}"]
            assert (found.value, found.convention) == (0.0, "the denominator is zero")


def test_fever_counts_max_evidence_5_by_default(shared: Path) -> None:
    folder = shared / "tasks" / "fever"
    known = json.loads((folder / "expected.json").read_text())["48"]["max_evidence_5"]
    result = evaluated("fever", predictions=folder / "pred" / "48.jsonl")
    assert isinstance(result, assay.Result)
    assert {name: result[name].value for name in known} == known


def test_scifact_has_the_bits_of_both_scorers(shared: Path) -> None:
    records = list(scifact(shared / "tasks" / "scifact"))
    assert apart(records) == {}
    assert len(records) > 50


def test_nomiracl_has_the_bits_of_the_script_and_its_gaps(shared: Path) -> None:
    records = list(nomiracl(shared / "tasks" / "nomiracl"))
    assert apart(records) == {}
    gaps = [each.case for each in records if None in each.expected.values()]
    assert len(gaps) > 20


def test_nomiracl_reads_every_response_like_the_script(shared: Path) -> None:
    folder = shared / "tasks" / "nomiracl"
    words = {"answerable": "Yes, answer is present", "unanswerable": "I don't know", "invalid": "Invalid"}
    read = 0
    for name, recorded in json.loads((folder / "expected.json").read_text()).items():
        for line in (folder / name).read_text().splitlines():
            row = json.loads(line)
            for model, text in row["results"].items():
                assert words[read_response(text)] == recorded["parsed"][model][row["query_id"]], text
                read += 1
    assert read > 10_000


def test_erisk_prints_what_trec_eval_prints(shared: Path) -> None:
    folder = shared / "tasks" / "erisk"
    for each in erisk(folder):
        assert isinstance(each.ours, assay.Result)
        digits = 1e-12 if each.peer == "pytrec_eval" else 5.0001e-5
        for name, value in each.expected.items():
            assert value is not None
            assert abs(each.ours[name].value - value) <= digits, (each.case, name)
        kind = each.case.split()[1]
        recorded = json.loads((folder / "expected.json").read_text())[each.case.split()[0]][kind]
        frame = {row["query_id"]: row for row in each.ours.per_query().iter_rows(named=True)}
        for query, found in recorded["trec_eval"].items():
            if query != "all":
                ours = {name: f"{frame[query][mine]:.4f}" for name, mine in TREC_NAMES.items()}
                assert ours == {name: found[name] for name in TREC_NAMES}, (each.case, query)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["squad2", "--data", "squad2/dev.json", "squad2/pred/e1.json"], "lacks 1 of 408 questions"),
        (
            [
                "squad2",
                *("--data", "squad2/dev.json", "squad2/pred/e3.json", "--na-prob", "squad2/na_prob/e3.json"),
            ],
            "'not-a-question' is not a question",
        ),
        (["fever", "fever/pred/e1.jsonl"], "line 4: predicted sentence 1 has the line '4'"),
        (["fever", "fever/pred/e6.jsonl"], "is empty"),
        (
            ["scifact", "--data", "scifact/gold_synthetic.jsonl", "scifact/pred/e2.jsonl"],
            "has the claims in another order",
        ),
    ],
)
def test_files_that_scorers_crash_on_are_bad_input(
    shared: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    folder = shared / "tasks"
    files = [folder / each if (folder / each).is_file() else each for each in arguments]
    assert exit_code(monkeypatch, "evaluate", "--task", *files) == 2
    assert says in capsys.readouterr().err


def test_majority_and_consensus_stand_next_to_each_other(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared / "tasks" / "erisk"
    options = ["--qrels", folder / "qrels_majority.csv", "--consensus", folder / "qrels_consensus.csv"]
    run = ["--run", folder / "run01.txt.gz", "--json"]
    assert exit_code(monkeypatch, "evaluate", "--task", "erisk", *options, *run) == 0
    made = json.loads(capsys.readouterr().out)
    assert [each["system"] for each in made] == ["run01.txt.gz (majority)", "run01.txt.gz (consensus)"]
