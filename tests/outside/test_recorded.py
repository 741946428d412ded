"""What other tools printed for public runs is what assay computes, every name and every topic."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import assay
from assay.errors import MeasureError
from assay.metrics.core.registry import FAMILIES

from .recorded import (
    GDEVAL,
    NOT_IN_THE_CONTRACT,
    PRINTED,
    RECORDED_ONLY,
    REFUSED,
    TREC_EVAL_QUIRKS,
    compatibility_of_shifted_scores,
    ir_measures,
    trec_eval,
    unknown_names,
)

NO_MEASURES = {"runid", "relstring"}


def test_trec_eval_10_on_eighteen_outputs(shared: Path) -> None:
    rows = list(trec_eval(shared))
    apart = {row.definition: (row.ours, row.theirs) for row in rows if not row.apart <= PRINTED}
    assert apart.keys() == TREC_EVAL_QUIRKS.keys(), apart
    names = assay.contract("trec_eval/10").names
    assert len(rows) > 100_000
    assert {row.family for row in rows} == {
        definition.partition(":")[0].partition("@")[0]
        for definition in (*names.values(), *NOT_IN_THE_CONTRACT.values())
    }


def test_names_of_trec_eval_that_the_contract_lacks_are_known(shared: Path) -> None:
    """A new name of trec_eval, or one that was lost, is noticed here."""
    families = {re.sub(r"(_mult)_.*", r"\1", name) for name in unknown_names(shared)} - NO_MEASURES
    assert families == {"rbp", "rbp_resid"}


def test_ir_measures_recorded_values(shared: Path) -> None:
    rows = list(ir_measures(shared))
    for row in rows:
        limit = GDEVAL if row.peer.startswith("gdeval") else 1e-9
        assert row.apart <= limit, row
    families = {row.family for row in rows}
    user_models = {"insq", "inst", "bpm", "sdcg", "nerr8", "nerr9", "nerr10", "nerr11", "compatibility"}
    assert families >= {"err", "rbp", "judged", "set_f", "ndcg", "bpref", "set_map", *user_models}
    assert families <= set(FAMILIES)
    assert len(rows) > 10_000
    assert families >= set(RECORDED_ONLY)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_names_of_ir_measures_without_a_measure_are_refused(name: str) -> None:
    with pytest.raises(MeasureError):
        assay.contract("trec_eval/10").resolve(name)


def test_compatibility_of_negative_scores(shared: Path) -> None:
    """The provider puts missed gold at a score of 0: its values change if all scores are shifted."""
    rows = list(compatibility_of_shifted_scores(shared, 10_000.0))
    assert len(rows) == 200
    assert all(row.apart <= 1e-9 for row in rows)
    assert any(row.apart > 0.5 for row in compatibility_of_shifted_scores(shared, 0.0))
