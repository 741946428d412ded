"""Whose contract a bundle is under: shipped, a user's, an older text of one, or a false claim."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import assay
from assay.contracts.contract import Contract
from assay.contracts.contract_toml import contract, parse, read_text
from assay.evaluation.evaluate import evaluate_under
from assay.verification.publication_gate import publication_gate
from assay.verification.recompute.verify import verify

from .conftest import tables
from .rebuild import document_of, rebuilt

BEFORE = Path(__file__).parents[1] / "contracts" / "before"
SHOWN = ("auroc", "ece", "recall@3")
LOWERED = {"auroc": ">= 0.10", "ece": "< 0.9"}


def saved(made: Contract, folder: Path, measures: tuple[str, ...] = SHOWN) -> Path:
    corpus, answered = tables(1, 12)
    result = evaluate_under(made, answered, corpus, measures=measures, by=["criterion_id"])
    return result.save(folder)


def claimed(folder: Path, **fields: Any) -> Path:
    """The bundle with other claims about its contract, and everything else rebuilt."""
    document = document_of(folder)
    document["contract"] |= fields
    return rebuilt(folder, document)


def shown_names(folder: Path) -> dict[str, tuple[str, str]]:
    return {each.name: (each.verdict, each.reason) for each in publication_gate(folder).checks}


def test_lowered_targets_under_a_shipped_id(tmp_path: Path) -> None:
    """Before, the gate passed these 'under assay/1'."""
    shipped = contract("assay/1")
    lowered = replace(shipped, targets=LOWERED)
    text = shipped.text.replace('"auroc" = ">= 0.85"', '"auroc" = ">= 0.10"')
    for number, folder in enumerate(
        [
            saved(lowered, tmp_path / "as it is"),
            claimed(saved(lowered, tmp_path / "its text"), text=shipped.text),
            claimed(saved(lowered, tmp_path / "its hash"), hash=shipped.hash),
            claimed(saved(lowered, tmp_path / "both"), text=shipped.text, hash=shipped.hash),
            saved(read_text(text, "assay/1"), tmp_path / "from a file"),
        ]
    ):
        made = verify(folder, draws=2)
        assert not made.ok, number
        assert made.standing.kind == "false"
        assert "contract" in {each.what for each in made.failed}
    assert "targets differ from assay/1: auroc >= 0.10 (assay/1: >= 0.85)" in (made.standing.sentence)
    assert shown_names(folder)["contract"][0] == "fail"
    with pytest.raises(assay.InputError, match="calls its contract assay/1, which it is not"):
        assay.compare(folder, folder)


def test_another_definition_under_a_shipped_id(tmp_path: Path) -> None:
    shipped = contract("assay/1")
    measures = {**shipped.measures, "recall@{k}": "recall@{k}:gold=retrieved,rel=1,on=evidence"}
    made = verify(saved(replace(shipped, measures=measures), tmp_path / "b"), draws=2)
    assert not made.ok
    assert "definitions differ from assay/1: recall@{k}" in made.standing.sentence
    made = verify(saved(replace(shipped, id="assay/1+free"), tmp_path / "c"), draws=2)
    assert not made.ok
    assert "assay/1 is reserved" in made.standing.sentence


def test_options_are_part_of_a_shipped_contract(tmp_path: Path) -> None:
    made = verify(saved(contract("assay/1").changed(k=(3,), level=1), tmp_path / "b"), draws=2)
    assert made.ok
    assert (made.standing.kind, made.standing.sentence) == ("shipped", "assay/1+level=1+k=3 as shipped")


def test_a_users_contract_is_shown_as_one(
    tmp_path: Path, call_cli: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = 'id = "mine/1"\n[measures]\nauroc = "auroc:on=all"\n[targets]\nauroc = ">= 0.10"\n'
    folder = saved(parse(text, "mine.toml"), tmp_path / "b", ("auroc",))
    words = "mine/1, a user-defined contract; targets differ from assay/1: auroc >= 0.10"
    code, out = call_cli("verify", str(folder))
    assert code == 0
    assert words in out
    _, out = call_cli("gate", str(folder))
    assert "under mine/1, a user-defined contract\n" in out
    assert words in out
    assert json.loads((folder / "gate.json").read_text())["users_contract"] is True
    same = text.replace("0.10", "0.85").replace("mine/1", "mine/2")
    same = same.replace(
        "[m", 'k = [1, 3, 5, 10, 20]\nk_ceiling = true\n[thresholds]\ndeployment = "fpr_0.05"\n[m'
    )
    made = verify(saved(parse(same, "x.toml"), tmp_path / "c", ("auroc",)), draws=2)
    assert made.standing.sentence.endswith("the names it shares with assay/1 mean the same")


def older(name: str, folder: Path, measures: tuple[str, ...]) -> Path:
    """A bundle as it was written before 2026-11-18: the hash was that of the text."""
    text = (BEFORE / f"{name.replace('/', '-')}.toml").read_text()
    saved(read_text(text, name), folder, measures)
    document = document_of(folder)
    for key in ("absent", "corrections", "corrected"):
        del document["contract"][key]
    # Fields and columns that came the same day.
    del document["counts"]["missing_evidence"]
    for row in (row for rows in document["groups"].values() for row in rows.values()):
        for each in row.values():
            del each["exact"]
    document["contract"]["hash"] = hashlib.sha256(text.encode()).hexdigest()
    queries = pl.read_csv(folder / "per_query.csv", infer_schema_length=None)
    queries.drop("num_ret", strict=False).write_csv(folder / "per_query.csv")
    for each in document["measures"]:
        if each["name"] == "ece":  # the old bins
            for key in ("value", "pooled"):
                each[key] += 0.01
            each["folds"]["mean"] += 0.01
    return rebuilt(folder, document)


def test_a_bundle_from_before_a_correction(tmp_path: Path, call_cli: Callable[..., tuple[int, str]]) -> None:
    folder = older("assay/1", tmp_path / "old", SHOWN)
    made = verify(folder, draws=2)
    assert not made.ok
    assert made.failed == ()
    assert made.outdated
    assert made.standing.affected == ("ece",)
    words = (
        "written under assay/1 before the corrections of 2026-11-18 (ECE bins, AURC ties, Calibration fits); "
        "ece may have old values: re-evaluate"
    )
    assert made.standing.sentence == words
    code, out = call_cli("verify", str(folder))
    assert code == 1
    assert ": OUTDATED. " in out
    assert words in " ".join(out.split())
    found = shown_names(folder)
    assert found["contract"] == ("fail", words)
    assert "before a correction; the rest agree" in found["recomputation"][1]


def test_tampering_is_told_from_a_correction(tmp_path: Path) -> None:
    folder = older("assay/1", tmp_path / "old", SHOWN)
    document = document_of(folder)
    document["measures"][0]["value"] += 0.1
    made = verify(rebuilt(folder, document), draws=2)
    assert document["measures"][0]["name"] == "auroc"
    assert {each.what for each in made.failed} >= {"measures/auroc/value"}


def test_a_correction_that_touches_nothing_in_the_bundle(tmp_path: Path) -> None:
    made = verify(older("assay/1", tmp_path / "old", ("auroc", "recall@3")), draws=2)
    assert made.ok
    assert made.standing.kind == "outdated"
    assert made.standing.sentence.endswith("none of its measures is affected")


def test_a_removed_name_and_a_spelled_measure(tmp_path: Path) -> None:
    made = verify(older("trec_eval/10", tmp_path / "a", ("map", "rbp", "num_ret")), draws=2)
    assert made.standing.affected == ("rbp",)
    assert made.failed == ()
    assert "corrections of 2026-11-18 (RBP, all_trec); rbp may have old values" in made.standing.sentence
    made = verify(older("trec_eval/10", tmp_path / "b", ("map", "ece:bins=5")), draws=2)
    assert made.standing.affected == ("ece:bins=5",)


def test_a_users_contract_from_before_a_correction(tmp_path: Path) -> None:
    """It has no separate entry: what the writer knew of decides."""
    text = 'id = "mine/1"\n[measures]\ncalibration = "ece:bins=10,on=all"\n'
    folder = saved(parse(text, "mine.toml"), tmp_path / "b", ("calibration",))
    assert verify(folder, draws=2).standing.kind == "user"
    made = verify(claimed(folder, corrected="2026-01-01"), draws=2)
    assert made.standing.kind == "outdated"
    assert made.standing.affected == ("calibration",)


def test_an_old_text_is_not_an_excuse_for_other_content(tmp_path: Path) -> None:
    """A forger claims the text of before, and changes what it says."""
    folder = older("assay/1", tmp_path / "old", SHOWN)
    document = document_of(folder)
    document["contract"]["targets"] = LOWERED
    made = verify(rebuilt(folder, document), draws=2)
    assert made.standing.kind == "false"
    assert "disagree about targets" in made.standing.sentence
    assert {each.what for each in made.failed} >= {"contract"}


def test_the_hash_of_the_result_is_that_of_its_contract() -> None:
    corpus, answered = tables(1, 12)
    result = assay.evaluate(answered, corpus, measures=["auroc"])
    assert result.contract.hash == contract("assay/1").hash
