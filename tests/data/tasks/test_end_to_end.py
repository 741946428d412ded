"""A task through the command line: bundle, recomputation, publication gate, comparison, bad options."""

from __future__ import annotations

import argparse
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import polars as pl
import pytest
from tests.bundle.test_verify import hashed_anew
from tests.command import exit_code

import assay
from assay.cli.commands.evaluate import OPTIONS
from assay.cli.options import INPUT
from assay.cli.shared_options import LOG_GROUP, RANKING_COLUMNS_GROUP
from assay.cli.task_inputs import GROUP as TASK_GROUP
from assay.cli.task_inputs import OTHERS, OWN

Written = Callable[..., Path]
ERISK = ["--task", "erisk", "--qrels", "p.jsonl", "--run", "p.jsonl"]


def claims(rng: Random, many: int) -> list[dict[str, Any]]:
    """Claims whose predictions have ties, repeats, half groups and nothing."""
    made = []
    for number in range(many):
        groups = [
            [[0, 0, "page", rng.randint(0, 5)] for _ in range(rng.randint(1, 3))]
            for _ in range(rng.randint(1, 3))
        ]
        predicted = [["page", rng.randint(0, 7)] for _ in range(rng.randint(0, 7))]
        label = rng.choice(("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"))
        said = rng.choice((label, label, "REFUTES"))
        made.append(
            {
                "id": number,
                "label": label,
                "evidence": groups,
                "predicted_label": said,
                "predicted_evidence": predicted,
            }
        )
    return made


def test_bundle_verify_gate_and_compare(
    lines: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles = []
    for name in ("one", "two"):
        rows = claims(Random(7), 60)
        if name == "two":
            other = claims(Random(8), 60)
            rows = [
                {**row, **{key: each[key] for key in ("predicted_label", "predicted_evidence")}}
                for row, each in zip(rows, other, strict=True)
            ]
        path = lines(f"{name}.jsonl", *rows)
        bundles.append(tmp_path / name)
        options = ["--by", "gold_label", "--ci", "200", "-o", bundles[-1]]
        assert exit_code(monkeypatch, "evaluate", "--task", "fever", path, *options) == 0
    document = json.loads((bundles[0] / "metrics_master.json").read_text())
    assert document["predicted_lists"] is True
    assert document["contract"]["id"] == "fever/1"
    assert exit_code(monkeypatch, "verify", bundles[0]) == 0
    assert exit_code(monkeypatch, "gate", bundles[0]) == 0
    capsys.readouterr()
    assert exit_code(monkeypatch, "compare", *bundles, "--resamples", "200", "--json") == 0
    compared = json.loads(capsys.readouterr().out)
    assert "strict_score" in json.dumps(compared)


def test_a_forged_group_is_found(lines: Written, tmp_path: Path) -> None:
    folder = assay.evaluate(assay.read_task("fever", lines("p.jsonl", *claims(Random(3), 40)))).save(
        tmp_path / "b"
    )
    gold = folder / "gold.csv"
    rows = gold.read_text().splitlines()
    apart = [rows[0], *(f"{row.rpartition(',')[0]},alone {at}" for at, row in enumerate(rows[1:]))]
    gold.write_text("\n".join(apart) + "\n")  # every sentence is a group by itself
    hashed_anew(folder)
    changed = [each.what for each in assay.verify(folder).findings if not each.agrees]
    assert "measures/recall/value" in changed
    assert "measures/precision/value" not in changed


def test_original_files_verify_a_bundle(
    lines: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lines("p.jsonl", *claims(Random(3), 30))
    folder = assay.evaluate(assay.read_task("fever", path)).save(tmp_path / "b")
    options = ["--task", "fever", "--predictions"]
    assert exit_code(monkeypatch, "verify", folder, *options, path) == 0
    other = lines("q.jsonl", *claims(Random(4), 30))
    assert exit_code(monkeypatch, "verify", folder, *options, other) == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--task", "glue", "p.jsonl"], "--task: is 'glue'; expected squad2, fever"),
        (["--task", "fever"], "has no predictions"),
        (["--task", "fever", "p.jsonl", "--scorer", "pipeline"], "--scorer: has no effect on fever"),
        (["p.jsonl", "--data", "dev.json"], "--data: has no effect without --task"),
        (["--task", "scifact", "p.jsonl"], "is missing; scifact needs it"),
        (["--task", "nomiracl"], "no file with responses"),
        (["--task", "erisk", "--run", "p.jsonl"], "expected --qrels FILE"),
        (["--task", "fever", "missing.jsonl"], "missing.jsonl"),
        (["--task", "fever", "p.jsonl", "--qrels", "q.txt"], "--qrels: has no effect on fever"),
        (["--task", "fever", "p.jsonl", "--map", "id=i"], "--map: has no effect on fever"),
        (["--task", "fever", "p.jsonl", "--engine", "local"], "--engine: has no effect on fever"),
        (["--task", "fever", "p.jsonl", "--map", "question=q"], "--map: has no effect on fever"),
        (["--task", "fever", "p.jsonl", "--format", "ragas"], "--format: has no effect on fever"),
        (["--task", "fever", "p.jsonl", "--qrels", "nowhere"], "--qrels: has no effect on fever"),
        ([*ERISK, "--split", "test"], "--split: has no effect on erisk"),
        ([*ERISK, "--run-columns", "query=q"], "--run-columns: has no effect on erisk"),
        (
            ["--task", "nomiracl", "--relevant", "p.jsonl", "p.jsonl"],
            "PREDICTIONS: has no effect on nomiracl",
        ),
    ],
)
def test_options_that_do_not_fit(
    lines: Written,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    says: str,
) -> None:
    lines("p.jsonl", *claims(Random(1), 3))
    monkeypatch.chdir(tmp_path)
    assert exit_code(monkeypatch, "evaluate", *options) == 2
    assert says in capsys.readouterr().err


def test_groups_of_a_corpus(tmp_path: Path) -> None:
    """Two sentences that are evidence together, or a third one alone."""
    text = {"post_id": ["p"] * 4, "sent_uid": ["a", "b", "c", "d"]}
    gold = {
        "post_id": ["p"] * 3,
        "criterion_id": ["x"] * 3,
        "sent_uid": ["a", "b", "c"],
        "group": ["1", "1", ""],
    }
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame(text), criteria=pl.DataFrame({"criterion_id": ["x"]}), gold=pl.DataFrame(gold)
    )
    ids = [f"evidence_group_recall@{k}:rel=1,on=evidence" for k in (1, 2, 3)]

    def ranked(*order: str) -> assay.Result:
        rows = {
            "post_id": ["p"] * 4,
            "criterion_id": ["x"] * 4,
            "sent_uid": order,
            "score": [4.0, 3.0, 2.0, 1.0],
        }
        return assay.evaluate(pl.DataFrame(rows), corpus, measures=[*ids, "recall@3"])

    assert [ranked("a", "d", "b", "c")[name].value for name in ids] == [0.0, 0.0, 1.0]
    assert [ranked("a", "b", "d", "c")[name].value for name in ids] == [0.0, 1.0, 1.0]
    assert [ranked("c", "a", "b", "d")[name].value for name in ids] == [1.0, 1.0, 1.0]
    assert ranked("a", "d", "b", "c")["recall@3"].value == pytest.approx(2 / 3)  # each sentence once
    folder = ranked("a", "d", "b", "c").save(tmp_path / "b")
    assert (folder / "gold.csv").read_text().splitlines()[0] == "post_id,criterion_id,item,grade,group"
    assert assay.verify(folder).ok


def test_ties_move_groups_with_their_candidates() -> None:
    """A pair that is tied with another sentence: whether the top 2 has it depends on the order."""
    gold = {"post_id": ["p"] * 2, "criterion_id": ["x"] * 2, "sent_uid": ["a", "b"], "group": ["1", "1"]}
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame({"post_id": ["p"] * 3, "sent_uid": ["a", "b", "c"]}),
        criteria=pl.DataFrame({"criterion_id": ["x"]}),
        gold=pl.DataFrame(gold),
    )
    rows = {
        "post_id": ["p"] * 3,
        "criterion_id": ["x"] * 3,
        "sent_uid": ["a", "c", "b"],
        "score": [1.0, 1.0, 1.0],
    }
    ids = [f"evidence_group_recall@{k}:rel=1,on=evidence" for k in (1, 2, 3)]
    result = assay.evaluate(pl.DataFrame(rows), corpus, measures=ids)
    assert [result[name].tie_sensitive for name in ids] == [0, 1, 0]


def test_faults_of_groups() -> None:
    gold = {
        "post_id": ["p"] * 3,
        "criterion_id": ["x"] * 3,
        "sent_uid": ["a", "a", "a"],
        "group": ["1", "1", "2"],
        "grade": [1, 1, 2],
    }
    with pytest.raises(assay.InputError) as raised:
        assay.Corpus.of(
            sentences=pl.DataFrame({"post_id": ["p"], "sent_uid": ["a"]}),
            criteria=pl.DataFrame({"criterion_id": ["x"]}),
            gold=pl.DataFrame(gold),
        )
    assert "the same grade in all evidence groups" in str(raised.value)
    assert "gold row 2" in str(raised.value)


def test_every_option_of_an_input_is_used_or_refused_by_a_task() -> None:
    """A new option of `evaluate` must say which tasks use it."""
    groups = (INPUT, RANKING_COLUMNS_GROUP, LOG_GROUP, TASK_GROUP)
    listed = [each for group in groups for each in OPTIONS[group]]
    command = argparse.ArgumentParser()
    names = {command.add_argument(*each.flags, **each.settings).dest for each in listed}
    assert names - {"task"} == {*OWN, *OTHERS}


def test_a_pipe_is_read_once_for_both_kinds_of_judgements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was opened once per kind, and the second time waited for ever."""
    monkeypatch.chdir(tmp_path)
    for name, relevant in (("majority.csv", 1), ("consensus.csv", 0)):
        Path(name).write_text(f"query,doc_id,relevant\n1,a,1\n1,b,{relevant}\n")
    os.mkfifo("run.txt")
    text = "1 Q0 b 1 2.5 ours\n1 Q0 a 2 1.5 ours\n"
    writer = Thread(target=Path("run.txt").write_text, args=(text,), daemon=True)
    writer.start()
    signal.alarm(30)
    try:
        options = ["--qrels", "majority.csv", "--consensus", "consensus.csv", "--run", "run.txt"]
        assert exit_code(monkeypatch, "evaluate", "--task", "erisk", *options, "--json") == 0
    finally:
        signal.alarm(0)
    both = json.loads(capsys.readouterr().out)
    assert [each["measures"][0]["value"] for each in both] == [1.0, 0.5]
