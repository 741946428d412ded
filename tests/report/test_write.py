"""Reports on disk, through the command line and from Python."""

from __future__ import annotations

import hashlib
import json
import re
import runpy
from pathlib import Path

import pytest

import assay
from assay.report.page.packed_columns import unpacked
from assay.report.page.page_document import targets, view
from assay.report.page.query_lists import query_lists
from assay.report.page.reporting_checklist import checklist
from assay.report.report_bundle import report_bundle
from tests.command import exit_code
from tests.report import worlds


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    return exit_code(monkeypatch, "report", *arguments)


def runs_of(page: str) -> list[str]:
    return re.findall(r'<script class="run" type="application/octet-stream">([^<]*)</script>', page)


def test_a_report_touches_no_data(example: Path, reported: Path) -> None:
    before, after = hashes(example), hashes(reported)
    assert {name: after[name] for name in before} == before
    listed = json.loads((reported / "REPORT.json").read_text(encoding="utf-8"))
    assert listed["files"] == {
        name: value for name, value in after.items() if name not in before and name != "REPORT.json"
    }
    assert listed["bundle"] == after["MANIFEST.json"]
    assert listed["with_text"] is False
    assert {name.partition("/")[0] for name in listed["files"]} == {"tables", "figures", "report.html"}
    assert not list(reported.parent.glob(".*unfinished*"))
    assert assay.load(reported).bundle is not None


def test_a_second_report_has_the_same_bytes(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worlds.one_figure(monkeypatch)  # the others: test_figures_are_the_same_bytes_in_two_processes
    assay.write_report(fresh)
    before = hashes(fresh)
    (fresh / "tables" / "old.csv").write_text("left by somebody", encoding="utf-8")
    assay.write_report(fresh)
    assert hashes(fresh) == before


def test_a_failure_leaves_nothing_half_written(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hashes(fresh)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    worlds.one_figure(monkeypatch)  # before the page, so that there is something to clear
    monkeypatch.setattr("assay.report.report_folder.page", fail)
    with pytest.raises(assay.InputError, match="No space left"):
        assay.write_report(fresh)
    assert hashes(fresh) == before
    assert not list(fresh.parent.glob(".*unfinished*"))


def test_changed_data_are_refused(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = fresh / "per_query.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("0.94", "0.95"), encoding="utf-8")
    assert call(monkeypatch, fresh) == 2
    assert "per_query.csv: was changed" in capsys.readouterr().err
    assert not (fresh / "report.html").exists()


def test_the_page_alone(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = hashes(fresh)
    target = tmp_path / "deep" / "page.html"
    assert call(monkeypatch, fresh, "-o", target) == 0
    assert call(monkeypatch, fresh, "-o", target) == 0  # a page of ours is replaced
    assert hashes(fresh) == before
    other = tmp_path / "paper.html"
    other.write_text("<p>mine</p>", encoding="utf-8")
    capsys.readouterr()
    assert call(monkeypatch, fresh, "-o", other) == 2
    assert "is not a report; only a report is replaced" in capsys.readouterr().err
    assert other.read_text(encoding="utf-8") == "<p>mine</p>"


def test_several_bundles_need_a_file(
    five: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, *five) == 2
    assert "expected -o FILE" in capsys.readouterr().err
    assert call(monkeypatch, *five, "-o", tmp_path / "five.html") == 0
    page = (tmp_path / "five.html").read_text(encoding="utf-8")
    names = [unpacked(run)[0]["name"] for run in runs_of(page)]
    assert names == [f"system {at}" for at in range(5)]


def test_no_folder_no_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, tmp_path / "nothing") == 2
    assert "folder not found; expected a bundle" in capsys.readouterr().err


def test_text_only_when_asked_for(fresh: Path, tmp_path: Path) -> None:
    text = "Since then I lie awake until three most nights."
    without = assay.write_page([fresh], tmp_path / "a.html").read_text(encoding="utf-8")
    document, _ = unpacked(runs_of(without)[0])
    assert text not in json.dumps(document)
    with_text = assay.write_page([fresh], tmp_path / "b.html", with_text=worlds.EXAMPLE / "corpus")
    document, _ = unpacked(runs_of(with_text.read_text(encoding="utf-8"))[0])
    assert text in [each for post in document["texts"] for each in post]


def test_text_of_another_corpus_is_refused(
    fresh: Path, five: list[Path], tmp_path: Path, hostile: tuple[Path, Path]
) -> None:
    with pytest.raises(assay.InputError, match="is not the corpus of bundle"):
        assay.write_page([fresh], tmp_path / "a.html", with_text=hostile[1])
    assert not (tmp_path / "a.html").exists()


def test_the_page_is_closed_to_the_world(hostile: tuple[Path, Path], tmp_path: Path) -> None:
    bundle, corpus = hostile
    page = assay.write_page([bundle], tmp_path / "a.html", with_text=corpus).read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src &#x27;none&#x27;")
    assert "unsafe" not in policy[1]
    assert page.count("<script") == 2  # the run and the page's own
    assert "window.hacked=1<" not in page
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert not re.findall(r'\bstyle="|\bon\w+="', page)


def test_a_gate_and_targets_are_shown(fresh: Path, tmp_path: Path) -> None:
    check = {"name": "hashes", "verdict": "pass", "reason": "all"}
    gate = {"schema": "assay/gate/1", "passed": False, "checks": [check]}
    (fresh / "gate.json").write_text(json.dumps(gate), encoding="utf-8")
    page = assay.write_page([fresh], tmp_path / "a.html").read_text(encoding="utf-8")
    document, _ = unpacked(runs_of(page)[0])
    assert document["gate"] == {"verdict": "failed", "checks": [["hashes", "pass", "all"]]}
    bundle = report_bundle(fresh)
    bundle.document["contract"]["targets"] = {"auroc": ">= 0.85", "ece": "< 0.05"}
    assert targets(bundle) == {"auroc": [">=", 0.85], "ece": ["<", 0.05]}
    with_targets = view(bundle)["headlines"]
    assert with_targets[0] == "auroc"
    bundle.document["contract"]["targets"] = {}
    assert "ece" in with_targets  # a target moves it up
    assert "ece" not in view(bundle)["headlines"]


def test_checklist_claims_nothing(fresh: Path, made: Path) -> None:
    items = checklist(report_bundle(fresh))
    assert {each["status"] for each in items} <= {"answered", "needs the author", "not applicable"}
    assert all(each["place"] for each in items if each["status"] == "answered")
    plain = checklist(report_bundle(worlds.plain_ir(made / "plain_list")))
    assert {each["topic"]: each["status"] for each in plain}["Class imbalance"] == "not applicable"


def test_the_page_opens_when_asked_to(fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert call(monkeypatch, fresh, "-o", tmp_path / "a page.html", "--open") == 0
    assert opened == [(tmp_path / "a page.html").as_uri()]


def test_long_lists_are_cut_but_keep_ranked_gold(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """36 queries with 195 candidates; at most 120 are listed: depth 3 of (5, 3, 1)."""
    bundle = report_bundle(fresh)
    whole = query_lists(bundle, None)
    monkeypatch.setattr("assay.report.page.query_lists.ROWS", 120)
    monkeypatch.setattr("assay.report.page.query_lists.DEPTHS", (5, 3, 1))
    cut = query_lists(bundle, None)
    assert (whole.document["depth"], cut.document["depth"]) == (None, 3)
    assert len(whole.columns["item"]) == 195
    deep = whole.columns["rank"] > 3
    assert len(cut.columns["item"]) == 195 - (deep & (whole.columns["flags"] & 1 == 0)).sum()
    assert cut.columns["listed"].sum() == len(cut.columns["item"])
    assert (cut.columns["rank"] > 3).any()


def test_the_page_of_14770_queries_stays_below_2_mb(tmp_path: Path) -> None:
    data = worlds.ROOT / "benchmarks" / "generated_data" / "report_data.py"
    runpy.run_path(str(data))["main"](tmp_path, 1477, 10, 12, 0)
    result = assay.evaluate(tmp_path / "predictions", tmp_path / "corpus", by="default")
    page = assay.write_page([result.save(tmp_path / "bundle")], tmp_path / "page.html")
    assert result.counts.queries == 14_770
    assert page.stat().st_size < 2_000_000
