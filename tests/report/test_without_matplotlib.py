"""A core installation has no matplotlib: the report is complete without figure files, and says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.report.figures import figure_files
from assay.verification.report_files import report_faults, report_summary
from assay.version import pip_install
from tests.command import exit_code

WHY = f"matplotlib is not installed; install the extra: {pip_install('figures')}"


@pytest.fixture(autouse=True)
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_files, "find_spec", {"matplotlib": None}.get)


def test_the_report_has_tables_and_the_page(fresh: Path) -> None:
    assay.write_report(fresh)
    made = json.loads((fresh / "REPORT.json").read_text(encoding="utf-8"))
    assert made["no_figures"] == WHY
    assert list((fresh / "figures").iterdir()) == []
    assert list((fresh / "tables").glob("*.tex"))
    assert "</html>" in (fresh / "report.html").read_text(encoding="utf-8")


def test_it_is_no_fault_of_the_report(fresh: Path) -> None:
    assay.write_report(fresh)
    assert report_faults(fresh) == []
    assert report_summary(fresh).startswith(f"no figures ({WHY}), ")
    made = json.loads((fresh / "REPORT.json").read_text(encoding="utf-8"))
    del made["no_figures"]
    (fresh / "REPORT.json").write_text(json.dumps(made), encoding="utf-8")
    assert report_faults(fresh) == ["there are no figures"]


def test_the_command_says_how_to_get_them(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, "report", fresh) == 0
    assert WHY in " ".join(capsys.readouterr().out.split())


@pytest.mark.full
def test_figures_come_back_with_the_library(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assay.write_report(fresh)
    monkeypatch.undo()
    monkeypatch.setattr(figure_files, "FORMATS", ("svg",))
    assay.write_report(fresh)
    assert list((fresh / "figures").glob("*.svg"))
    assert "no_figures" not in json.loads((fresh / "REPORT.json").read_text(encoding="utf-8"))
