"""The publication gate: what passes, what fails and why; targets; consistency of a result."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.contracts.contract_toml import parse
from assay.verification.consistency import consistency
from assay.verification.publication_gate import publication_gate
from assay.verification.recompute.number_findings import Verification
from assay.verification.recompute.verify import verify
from tests.bundle.conftest import tables
from tests.bundle.test_verify import hashed_anew
from tests.report import worlds

Call = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    corpus, answered = tables(1)
    return assay.evaluate(answered, corpus).save(tmp_path_factory.mktemp("saved") / "bundle")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "bundle"))


@pytest.fixture(scope="module")
def reported(saved: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Beside its report, in the folder it is called by; to be copied."""
    folder = Path(shutil.copytree(saved, tmp_path_factory.mktemp("reported") / "bundle"))
    with pytest.MonkeyPatch.context() as patched:
        worlds.one_figure(patched)
        assay.write_report(folder)
    return folder


def verdicts(folder: Path, verified: Verification | None = None) -> dict[str, str]:
    made = publication_gate(folder, verified=verified)
    return {check.name: check.verdict for check in made.checks}


def test_an_honest_bundle(folder: Path) -> None:
    found = verdicts(folder)
    for name in ("hashes", "recomputation", "ranges", "identities", "TUNE-only thresholds"):
        assert found[name] == "pass", name
    assert found["one deployment threshold"] == "pass"
    assert found["both protocols"] == "pass"
    assert found["expected counts"] == "not applicable"
    assert found["pitfall: fixed K for a dynamic-K system"] == "pass"


def test_the_command_leaves_its_verdict(folder: Path, call_cli: Call, tmp_path: Path) -> None:
    manifest = (folder / "MANIFEST.json").read_bytes()
    code, text = call_cli("gate", str(folder), "--junit", str(tmp_path / "gate.xml"))
    document = json.loads((folder / "gate.json").read_text())
    assert code == (0 if document["passed"] else 1)
    assert "Publication gate" in text
    assert (folder / "MANIFEST.json").read_bytes() == manifest  # the verdict is outside of it
    assay.load(folder)
    suite = ET.fromstring((tmp_path / "gate.xml").read_text())
    assert int(suite.attrib["tests"]) == len(document["checks"]) == len(suite)
    failed = [check["name"] for check in document["checks"] if check["verdict"] == "fail"]
    assert [case.attrib["name"] for case in suite if case.find("failure") is not None] == failed
    assert document["passed"] == (not failed)
    code, text = call_cli("gate", str(folder), "--json")
    assert json.loads(text) == document


def test_a_changed_number_fails(folder: Path, call_cli: Call) -> None:
    path = folder / "metrics_master.json"
    document = json.loads(path.read_text())
    document["measures"][0]["value"] += 1e-6
    path.write_text(json.dumps(document))
    assert verdicts(folder)["hashes"] == "fail"
    hashed_anew(folder)
    found = verdicts(folder)
    assert found["hashes"] == "pass"
    assert found["recomputation"] == "fail"
    code, _ = call_cli("gate", str(folder), "--json")
    assert code == 1
    assert json.loads((folder / "gate.json").read_text())["passed"] is False


def test_no_deployment_threshold_is_marked(folder: Path) -> None:
    path = folder / "metrics_master.json"
    document = json.loads(path.read_text())
    for each in document["thresholds"]:
        each["deployment"] = False
    path.write_text(json.dumps(document))
    assert verdicts(folder)["one deployment threshold"] == "fail"


def test_tune_posts_among_the_scored_ones(folder: Path) -> None:
    tune = pl.read_csv(folder / "tune.csv", schema_overrides={"fold": pl.String})
    moved = tune.with_columns(fold=pl.when(pl.col("post_id") == "p000").then(pl.lit("0")).otherwise("fold"))
    moved.write_csv(folder / "tune.csv")
    assert verdicts(folder)["TUNE-only thresholds"] == "fail"


def one_contract(text: str) -> assay.Contract:
    return parse(f'id = "mine"\nk = [3]\n{text}', "mine.toml")


@pytest.mark.parametrize(
    ("lines", "name", "verdict"),
    [
        ('[measures]\nr = "recall@3:on=all"', "pitfall: ranking over queries without evidence", "fail"),
        ('[measures]\nr = "recall@3"', "pitfall: fixed K for a dynamic-K system", "fail"),
        ('[measures]\nr = "recall@3"\n[expected]\nqueries = 9', "expected counts", "fail"),
        ('[measures]\nr = "recall@3"\n[expected]\nqueries = 72', "expected counts", "pass"),
        ('[measures]\na = "auroc"\n[targets]\na = ">= 0.01"', "target: a", "pass"),
        ('[measures]\na = "auroc"\n[targets]\na = "> 0.999"', "target: a", "fail"),
        ('[measures]\na = "auroc"\n[targets]\na = "< 0.001"', "target: a", "fail"),
        ('[measures]\na = "f1:at=tune_f1"', "targets", "not applicable"),
    ],
)
def test_contracts_that_ask_for_it(lines: str, name: str, verdict: str, tmp_path: Path) -> None:
    corpus, answered = tables(1)
    folder = assay.evaluate(answered, corpus, contract=one_contract(lines)).save(tmp_path / "b")
    assert verdicts(folder)[name] == verdict


def test_ranking_over_all_queries_is_no_pitfall_where_all_have_evidence(tmp_path: Path) -> None:
    judged = assay.read_trec({"q": {"a": 1}, "r": {"b": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0}})
    contract = one_contract('[measures]\nr = "recall@3:on=all"')
    folder = assay.evaluate(judged, contract=contract).save(tmp_path / "b")
    assert verdicts(folder)["pitfall: ranking over queries without evidence"] == "pass"


def test_17_a_target_on_a_convention_is_not_applicable() -> None:
    """One class only: AUROC is 0.5 by convention, which neither meets nor misses a target."""
    frame = pl.DataFrame({"label": [1, 1], "prob": [0.2, 0.9]})
    value = assay.evaluate(assay.read_decisions(frame), contract="assay/1")["auroc"]
    assert value.target is not None
    assert (value.target.text, value.target.met) == (">= 0.85", None)
    assert "only one class" in value.target.reason
    sure = pl.DataFrame({"label": [0, 1], "prob": [0.2, 0.9]})
    value = assay.evaluate(assay.read_decisions(sure), contract="assay/1")["auroc"]
    assert value.target is not None
    assert value.target.met is True


@pytest.mark.parametrize("text", ["0.85", ">= high", "=> 0.85", ">=0.85"])
def test_a_target_that_cannot_be_read(text: str) -> None:
    with pytest.raises(assay.ContractError, match="targets is"):
        one_contract(f'[measures]\na = "auroc"\n[targets]\na = "{text}"')
    with pytest.raises(assay.ContractError, match="b is not among the measures"):
        one_contract('[measures]\na = "auroc"\n[targets]\nb = ">= 0.85"')


def test_every_result_is_consistent_and_a_broken_one_is_not() -> None:
    corpus, answered = tables(3)
    result = assay.evaluate(answered, corpus)
    assert [each for each in consistency(result) if each.kind != "unusual"] == []

    def broken(name: str, change: float) -> set[str]:
        values = tuple(
            replace(value, value=value.value + change, pooled=value.pooled + change)
            if value.name == name
            else value
            for value in result.measures
        )
        return {each.kind for each in consistency(replace(result, measures=values))}

    assert "range" in broken("auroc", 1.0)
    assert "identity" in broken("tp", 1.0)  # TP + FN is no longer the number of positives
    assert "identity" in broken("hit@1", 0.1)  # Hit@1 = P@1
    assert "definition" in broken("micro_f1", 0.01)  # the same id as deployment/f1


def test_the_report_is_asked_for_and_must_be_of_these_data(
    folder: Path, reported: Path, tmp_path: Path
) -> None:
    name = "figures and tables"
    known = verify(folder)  # whose data stay as they are
    assert verdicts(folder, known)[name] == "fail"  # there is none
    folder = Path(shutil.copytree(reported, tmp_path / "reported" / "bundle"))
    assert verdicts(folder, known)[name] == "pass"
    figure = folder / "figures" / "roc.svg"
    kept = figure.read_bytes()
    figure.write_bytes(kept + b"<!-- touched -->")
    assert verdicts(folder, known)[name] == "fail"
    figure.write_bytes(kept)
    manifest = json.loads((folder / "REPORT.json").read_text())
    (folder / "REPORT.json").write_text(json.dumps(manifest | {"bundle": "0" * 64}))
    assert verdicts(folder, known)[name] == "fail"  # of other data
    without = {key: each for key, each in manifest["files"].items() if key != "figures/roc.pdf"}
    (folder / "REPORT.json").write_text(json.dumps(manifest | {"files": without}))
    assert verdicts(folder, known)[name] == "fail"  # one format of one figure is not there
    outside = manifest["files"] | {"../elsewhere": "0" * 64}
    (folder / "REPORT.json").write_text(json.dumps(manifest | {"files": outside}))
    assert verdicts(folder, known)[name] == "fail"


def test_the_gate_puts_its_verdict_on_the_page(reported: Path, tmp_path: Path, call_cli: Call) -> None:
    folder = Path(shutil.copytree(reported, tmp_path / "bundle"))
    before = (folder / "report.html").read_text()
    call_cli("gate", str(folder))
    after = (folder / "report.html").read_text()
    assert before != after
    alone = assay.write_page([folder], folder.parent / "page.html")  # knows gate.json
    assert alone.read_text() == after
    assert verdicts(folder)["figures and tables"] == "pass"  # its manifest knows the new page
    (folder / "REPORT.json").unlink()
    call_cli("gate", str(folder))
    assert (folder / "report.html").read_text() == after  # an unfinished report is left alone
