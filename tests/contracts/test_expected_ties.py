"""`ties = "expected"` from the contract to bundle, verification, comparison and command line."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.contracts.contract import Contract
from assay.errors import ContractError

from ..command import exit_code

GOLD = {"q1": {"a": 1}, "q2": {"b": 2, "c": 1, "d": 0}}
CONSTANT = {query: dict.fromkeys("abcd", 1.0) for query in GOLD}
FALLING = {query: {doc: 4.0 - place for place, doc in enumerate("abcd")} for query in GOLD}
MRR = {"q1": (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, "q2": 1 / 2 * 1 + 1 / 3 * 1 / 2 + 1 / 6 * 1 / 3}
"""By hand: gold is first at rank j with chance 1/4 each; of 2 in 4, with chance 1/2, 1/3 and 1/6."""


def constant(**options: object) -> assay.Result:
    return assay.evaluate(assay.read_trec(GOLD, CONSTANT), ties="expected", **options)  # type: ignore[arg-type]


def test_a_constant_scorer_has_the_mean_over_all_orders() -> None:
    result = constant(measures=["mrr", "recall@2"])
    assert result["mrr"].value == pytest.approx(sum(MRR.values()) / 2)
    assert result["recall@2"].value == pytest.approx(0.5)
    ends = result["mrr"].tie_range
    assert ends is not None
    assert (ends.low, ends.high) == pytest.approx(((1 / 4 + 1 / 3) / 2, 1.0))
    assert result["mrr"].tie_sensitive == 2
    assert result.contract.id == "assay/1+ties=expected"
    per_query = {row["query_id"]: row["mrr"] for row in result.per_query().iter_rows(named=True)}
    assert per_query == pytest.approx(MRR)


def test_without_ties_nothing_changes() -> None:
    judged = assay.read_trec(GOLD, FALLING)
    before, after = (assay.evaluate(judged, ties=ties) for ties in ("stable", "expected"))
    assert {each.name: each.value for each in before.values()} == {
        each.name: each.value for each in after.values()
    }


def test_a_measure_without_a_formula_is_absent_with_the_reason() -> None:
    result = constant(measures=["mrr", "gm_map:on=all"])
    assert "no formula is known" in result.absent["gm_map:on=all"]
    assert "gm_map:on=all" not in result


def test_bundle_verify_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, of in GOLD.items() for d, g in of.items()))
    run.write_text("".join(f"{q} Q0 {d} 1 {s} x\n" for q, of in CONSTANT.items() for d, s in of.items()))
    folder = tmp_path / "bundle"
    command = ["evaluate", "--qrels", str(qrels), "--run", str(run), "--ties", "expected"]
    assert exit_code(monkeypatch, *command, "-o", str(folder)) == 0
    assert exit_code(monkeypatch, "verify", str(folder)) == 0
    assert assay.load(folder)["mrr"] == pytest.approx(sum(MRR.values()) / 2)
    ends = assay.load(folder)["mrr"].tie_range
    assert ends is not None
    assert ends.high == 1.0
    master = folder / "metrics_master.json"
    document = json.loads(master.read_text(encoding="utf-8"))
    assert document["contract"]["ties"] == "expected"
    assert all("tie_range" not in each for each in plain(tmp_path)["measures"])


def plain(tmp_path: Path) -> dict[str, list[dict[str, object]]]:
    assay.evaluate(assay.read_trec(GOLD, CONSTANT)).save(tmp_path / "plain")
    found: dict[str, list[dict[str, object]]] = json.loads(
        (tmp_path / "plain" / "metrics_master.json").read_text(encoding="utf-8")
    )
    return found


def test_folds_groups_intervals_and_comparison() -> None:
    gold = pl.DataFrame({"query_id": ["q1", "q2", "q2"], "doc_id": ["a", "b", "c"], "rel": [1, 1, 1]})
    one = assay.evaluate(assay.read_trec(gold, CONSTANT), ties="expected", measures="mrr", bootstrap=50)
    assert one["mrr"].interval is not None
    assert one["mrr"].interval.low >= min(MRR.values()) - 1e-12
    two = assay.compare(CONSTANT, FALLING, qrels=gold, ties="expected", measures="mrr")
    assert two["mrr"].difference == pytest.approx((1 + 1 / 2) / 2 - sum(MRR.values()) / 2)


def test_the_rule_in_contracts() -> None:
    made = assay.contract("trec_eval/10+ties=expected")
    assert isinstance(made, Contract)
    assert made.ranking.ties == "expected"
    with pytest.raises(ContractError, match="exclude each other"):
        made.changed(depth=10)
    with pytest.raises(ContractError, match="expected stable, docno_desc or expected"):
        assay.contract("assay/1").changed(ties="random")
