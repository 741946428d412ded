"""Candidates that posts share by design raise no alarm; what is a leak all the same still does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.data.logs.log_folder import write_log
from assay.errors import InputError
from tests.command import exit_code
from tests.data.logs.log_cases import honest_log, written


@pytest.fixture(params=[40, 1200], ids=["all chunks shared", "some chunks shared"])
def imported(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The log of an honest system in four folds, as corpus and predictions."""
    log = assay.read_log(written(tmp_path / "log.jsonl", honest_log(120, chunks=request.param)))
    write_log(log, tmp_path / "imported")
    return tmp_path / "imported"


def audited(folder: Path) -> assay.AuditReport:
    return assay.audit(folder / "corpus", folder / "predictions")


def test_a_chunk_of_many_questions_raises_no_alarm(imported: Path) -> None:
    report = audited(imported)
    odd = {each.code: each.seen for each in report.findings if each.seen.verdict in ("found", "flagged")}
    assert odd == {}


def test_without_the_property_such_a_corpus_is_alarming(tmp_path: Path) -> None:
    write_log(assay.read_log(written(tmp_path / "log.jsonl", honest_log(60, chunks=1200))), tmp_path / "made")
    assert audited(tmp_path / "made").leaks == ()
    (tmp_path / "made" / "corpus" / "corpus.toml").unlink()
    assert {each.code for each in audited(tmp_path / "made").leaks} == {"L006"}


def test_a_question_in_two_folds_is_still_a_leak(tmp_path: Path) -> None:
    rows = honest_log(240)
    text = "how can I change the address of my last order"
    for at in (0, 9):  # conversations 0 and 3, folds 0 and 3
        rows[at]["question"] = text
    for at in (1, 2, 10, 11):
        rows[at]["question"] = f"and question {at % 9}"
    write_log(assay.read_log(written(tmp_path / "log.jsonl", rows)), tmp_path / "imported")
    report = audited(tmp_path / "imported")
    assert [each.code for each in report.leaks] == ["L003"]
    assert "address" not in json.dumps(report.to_dict())


def test_labels_as_probabilities_are_still_a_leak(tmp_path: Path) -> None:
    rows = honest_log(600)
    for row in rows:
        row["confidence"] = float(bool(row["gold"]))
    write_log(assay.read_log(written(tmp_path / "log.jsonl", rows)), tmp_path / "imported")
    assert "L010" in {each.code for each in audited(tmp_path / "imported").leaks}


def test_the_property_is_checked_against_the_texts(imported: Path) -> None:
    table = imported / "corpus" / "sentences.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    ids = [line.split(",")[1] for line in lines]
    later = next(at for at, name in enumerate(ids) if name in ids[:at])
    lines[later] += " and more"
    table.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=f"row {later + 1}: sent_uid '{ids[later]}' has another text"):
        assay.read_corpus(imported / "corpus")


@pytest.mark.parametrize("text", ["shared_candidates = 1", "shared = true", "shared_candidates = "])
def test_another_property_is_refused(imported: Path, text: str) -> None:
    (imported / "corpus" / "corpus.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"corpus\.toml"):
        assay.read_corpus(imported / "corpus")


def test_a_bundle_remembers_that_candidates_are_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = written(tmp_path / "log.jsonl", honest_log(60, chunks=1200))
    assert exit_code(monkeypatch, "evaluate", log, "-o", tmp_path / "bundle", "--no-report") == 0
    assert assay.audit(tmp_path / "bundle").leaks == ()
    (tmp_path / "imported").mkdir()
    write_log(assay.read_log(log), tmp_path / "imported")
    (tmp_path / "imported" / "corpus" / "corpus.toml").unlink()
    plain = assay.evaluate(tmp_path / "imported" / "predictions", tmp_path / "imported" / "corpus")
    assert {each.code for each in assay.audit(plain.save(tmp_path / "plain")).leaks} == {"L006"}
    capsys.readouterr()
