"""`assay ablate` on the toy corpus: rows that the contract asks for, from one cache."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assay.ablation import CUMULATIVE, GAMMAS, ORDER, threshold_grid
from assay.cli.app import run
from assay.data.corpus import Corpus
from assay.pipeline.answers import Answers
from assay.pipeline.build import DEFAULT
from tests.pipeline.conftest import toy
from tests.pipeline.test_run import configured


def test_the_last_configuration_is_the_default() -> None:
    assert ORDER == DEFAULT
    assert {stage for added in CUMULATIVE.values() for stage in added} == set(DEFAULT)
    assert len(CUMULATIVE) == 6


def test_three_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = configured(tmp_path)
    run(["ablate", str(path), "-o", str(tmp_path / "out"), "--processes", "1"])
    said = capsys.readouterr()
    assert "+ three states" in said.out
    assert "γ = 0.95 is done" in said.err
    stages = pl.read_csv(tmp_path / "out" / "ablation_stages.csv")
    assert stages["configuration"].to_list() == list(CUMULATIVE)
    assert stages["ndcg@10"].null_count() == 0
    assert stages["evidence_recall"].is_null().to_list() == [True] * 3 + [False] * 3
    assert stages["alert_precision"].is_null().to_list() == [True] * 5 + [False]
    # P2, P4 and the states leave the order of sentences alone.
    assert stages["ndcg@10"][2:].n_unique() == 1
    swept = pl.read_csv(tmp_path / "out" / "ablation_gammas.csv")
    assert swept["gamma"].to_list() == list(GAMMAS)
    assert swept["selected_k_mean"].is_sorted()
    assert swept["evidence_recall"].is_sorted()


def test_the_grid_by_hand() -> None:
    tables = toy(4, sentences=1)
    gold = pl.DataFrame(
        {"post_id": ["p000", "p001"], "criterion_id": ["c1"] * 2, "sent_uid": ["p000_0", "p001_0"]}
    )
    corpus = Corpus.of(**{**tables, "gold": gold})
    tune = pl.DataFrame(
        {
            "post_id": ["p000", "p001", "p002", "p003"],
            "criterion_id": ["c1"] * 4,
            "prob": [0.92, 0.03, 0.65, 0.001],
            "fold": ["0"] * 4,
        }
    )
    grid = threshold_grid(corpus, Answers(tune, None, tune))
    row = grid.filter(pl.col("tau_neg") == 0.05, pl.col("tau_pos") == 0.6).row(0, named=True)
    assert row["screening_sensitivity"] == 0.5  # .92 of .92 and .03
    assert row["alert_precision"] == 0.5  # .92 of .92 and .65
    assert row["workload_per_1000"] == 500
    empty = grid.filter(pl.col("tau_pos") == 0.95)
    assert empty["alert_precision"].null_count() == empty.height
