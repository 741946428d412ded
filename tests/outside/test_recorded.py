"""What other tools printed for public runs is what assay computes, every name and every topic."""

from __future__ import annotations

import re
from pathlib import Path

import assay
from assay.metrics.core.registry import FAMILIES

from .recorded import GDEVAL, PRINTED, TREC_EVAL_QUIRKS, ir_measures, trec_eval, unknown_names

NO_MEASURES = {"runid", "relstring"}


def test_trec_eval_10_on_eighteen_outputs(shared: Path) -> None:
    rows = list(trec_eval(shared))
    apart = {row.definition: (row.ours, row.theirs) for row in rows if not row.apart <= PRINTED}
    assert apart.keys() == TREC_EVAL_QUIRKS.keys(), apart
    names = assay.contract("trec_eval/10").names
    assert len(rows) > 100_000
    assert {row.family for row in rows} == {
        definition.partition(":")[0].partition("@")[0] for definition in names.values()
    }


def test_names_of_trec_eval_that_the_contract_lacks_are_known(shared: Path) -> None:
    """A new name of trec_eval, or one that was lost, is noticed here."""
    families = {re.sub(r"(_mult)_.*", r"\1", name) for name in unknown_names(shared)} - NO_MEASURES
    assert families == {
        "G",
        "Rndcg",
        "Rprec_mult",
        "binG",
        "gm_bpref",
        "infAP",
        "ndcg_rel",
        "rbp",
        "rbp_resid",
        "set_map",
        "set_relative_P",
        "utility",
    }


def test_ir_measures_recorded_values(shared: Path) -> None:
    rows = list(ir_measures(shared))
    for row in rows:
        limit = {"gdeval": GDEVAL, "cwl_eval": 1e-7}.get(row.peer.split()[0], 1e-9)
        assert row.apart <= limit, row
    assert {row.family for row in rows} >= {"err", "rbp", "judged", "set_f", "ndcg", "bpref"}
    assert {row.family for row in rows} <= set(FAMILIES)
