"""One answer to where a measure is shown and why it is not, in the terminal, tables and page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.contracts.contract_toml import SHIPPED, contract
from assay.evaluation.presentation import DEPLOYMENT, GATE, STATES, TUNED, ZEROS, section_of

if TYPE_CHECKING:
    from tests.cli.conftest import Plain, World

NAMES = [(name, each.id) for one in SHIPPED for name, each in contract(one).metrics.items()]

BY_PREFIX = {
    "tune": TUNED,
    "deployment": DEPLOYMENT,
    "all_queries": ZEROS,
    "empty_0": "Claims without predicted evidence count 0",
    "no_spurious": "Claims with other sentences than gold count 0",
    "pipeline": "Scorer of the research pipeline",
    "relevant": "Relevant subset",
    "non_relevant": "Non-relevant subset",
    "answered": "Answered queries only",
}


def test_sections_of_all_shipped_names() -> None:
    for name, definition in NAMES:
        section = section_of(name, definition)
        decision = definition.partition("at=")[2].partition(",")[0]
        prefix = name.partition("/")[0] if "/" in name else ""
        if prefix:
            assert section == BY_PREFIX[prefix]
        elif decision in ("not_neg", "pos"):
            assert section == STATES
        elif "map" in name or "ndcg" in name or "mrr" in name:
            assert section == "Ranking"
    known = dict(NAMES)
    for name, section in (
        ("screening_sensitivity", STATES),
        ("alert_precision", STATES),
        ("neg_rate", STATES),
        ("sensitivity", GATE),
        ("auroc", GATE),
        ("ece", "Calibration"),
        ("selected_k_mean", "Dynamic K"),
        ("micro_f1", DEPLOYMENT),
        ("macro_f1_posts", "Posts and criteria"),
    ):
        assert section_of(name, known[name]) == section


def test_the_terminal_and_the_tables_agree(world: World, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    out = world.evaluate("-m", "screening_sensitivity", "-m", "auroc", "-o", str(bundle)).ok().out
    assert out.index("No-evidence gate, on") < out.index("\nauroc ")
    assert out.index("Three states, on") < out.index("\nscreening_sensitivity ")
    tables = bundle / "tables"
    assert "screening_sensitivity" in (tables / "three_states.csv").read_text(encoding="utf-8")
    gate = (tables / "gate.csv").read_text(encoding="utf-8")
    assert "auroc" in gate
    assert "screening_sensitivity" not in gate
    assert "**No\\-evidence gate: " in (tables / "gate.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("measure", ["sensitivity", "selected_k_mean", "alert_precision"])
def test_a_run_lacks_decisions(plain: Plain, measure: str) -> None:
    out = plain.evaluate("-m", "ndcg@3", "-m", measure).ok().out
    why = "the input has rankings but no probabilities or decisions"
    assert f"{measure} not available: {why}." in out


def test_predictions_lack_decisions(world: World) -> None:
    del world.predictions["decisions"]
    out = world.evaluate("-m", "ndcg@3", "-m", "sensitivity").ok().out
    assert (
        "sensitivity not available: the predictions have no decisions table (in a log: no confidence)." in out
    )


def test_decisions_are_used(world: World) -> None:
    out = world.evaluate("-m", "ndcg@3", "-m", "sensitivity").ok().out
    assert "not available" not in out
