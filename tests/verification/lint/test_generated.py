"""No false alarm on correct reports, and every fault that is planted in one of them is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verification.lint.generated import FAMILIES, generated, linted, main

ROUNDS = 4  # reports per family; `make lint-reports` lints 1,000
# Columns that are no measures, which lists of papers and scikit-learn have.
NO_MEASURES = ("Params (M)", "Latency (ms)", "Index size (GB)", "fit_time", "score_time")


@pytest.mark.parametrize("family", range(len(FAMILIES)), ids=lambda at: FAMILIES[at].__name__)
def test_correct_reports_have_no_impossible_finding(tmp_path: Path, family: int) -> None:
    for turn in range(ROUNDS):
        report = generated(family + turn * len(FAMILIES))
        found = linted(report, report.text, tmp_path)
        alarms = [(each.code, each.place, each.numbers) for each in found.impossible]
        assert alarms == [], f"{report.name}: {report.text}"
        # Everything was read, so that no finding is not for want of reading.
        assert found.skipped == ()
        unread = [each for each in found.not_read if not any(name in each for name in NO_MEASURES)]
        assert unread == []
        for code, text in report.planted:
            assert code in linted(report, text, tmp_path).codes, text


def test_every_kind_of_file_has_planted_faults() -> None:
    """A lint that reports nothing fails above, whatever it reads."""
    endings: set[str] = set()
    codes: set[str] = set()
    for seed in range(ROUNDS * len(FAMILIES)):
        report = generated(seed)
        codes |= {code for code, _ in report.planted}
        endings |= {Path(report.name).suffix} if report.planted else set()
    assert {".md", ".csv", ".tsv", ".tex", ".json", ".txt"} <= endings
    assert {"A101", "A301", "A503", "A513", "A521", "A522", "A524", "A701", "A802", "A901"} <= codes


def test_a_report_is_the_same_again() -> None:
    """Seeds are all that a report depends on."""
    for seed in range(3, 3 + len(FAMILIES), 7):
        assert generated(seed) == generated.__wrapped__(seed)


def test_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--reports", "5"]) == 0
    assert "5 correct reports: 0 impossible findings" in capsys.readouterr().out
