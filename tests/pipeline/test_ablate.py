"""`assay ablate` on the toy corpus: rows that the contract asks for, from one cache."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.cli.app import run
from assay.data.corpus import Corpus
from assay.errors import InputError
from assay.experiment.ablation.ablate import GAMMAS, ablate
from assay.experiment.ablation.configurations import CUMULATIVE, configurations, cumulative
from assay.experiment.ablation.threshold_grid import threshold_grid
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.run_config import Plan, read_plan
from assay.pipeline.stage_registry import DEFAULT
from assay.pipeline.stages.neighbours import Neighbours
from assay.pipeline.stages.sentence_scorer import SentenceScorer
from assay.version import pip_install
from tests.pipeline.conftest import FAST, toy
from tests.pipeline.test_run import configured

SIX = [
    ("lexical",),
    ("lexical", "matching", "scorer"),
    ("lexical", "matching", "scorer", "neighbours"),
    ("lexical", "matching", "scorer", "neighbours", "node_calibration", "dynamic_k"),
    (
        "lexical",
        "matching",
        "scorer",
        "neighbours",
        "node_calibration",
        "post_scorer",
        "evidence_scorer",
        "gate",
        "calibration",
        "dynamic_k",
    ),
    DEFAULT,
]


def test_the_six_cumulative_configurations() -> None:
    made = cumulative(Plan(Path("toy")))
    assert [row.plan.stages for row in made if row.plan] == SIX
    assert [row.name for row in made] == list(CUMULATIVE)


def test_a_stage_that_betters_a_column_is_in_its_row() -> None:
    """`graph` replaces `node`, and `graph_gate` replaces `gate`: no row may lose them."""
    stages = (
        *("lexical", "matching", "scorer", "embedding", "neighbours", "graph", "node_calibration"),
        *("post_scorer", "evidence_scorer", "gate", "graph_gate", "calibration", "dynamic_k"),
        "states",
    )
    tables: dict[str, Any] = {
        "neighbours": {"dense": True},
        "graph": {"rounds": 2},
        "graph_gate": {"epochs": 3},
    }
    made = [row.plan for row in cumulative(Plan(Path("toy"), stages=stages, tables=tables))]
    assert [plan.stages for plan in made if plan] == [
        ("lexical",),
        ("lexical", "matching", "scorer"),
        stages[:6],
        (*stages[:7], "dynamic_k"),
        stages[:-1],
        stages,
    ]
    assert made[2] is not None
    assert made[2].tables == {"neighbours": {"dense": True}, "graph": {"rounds": 2}}


def test_a_pipeline_without_a_gate_has_absent_rows() -> None:
    made = cumulative(Plan(Path("toy"), stages=SIX[3]))
    assert [row.plan is None for row in made] == [False] * 4 + [True] * 2
    assert made[-1].absent == "no stage of the pipeline produces 'state'"


def test_tables_differences_and_a_file_for_the_waterfall(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = configured(tmp_path)
    out = tmp_path / "out"
    run(["ablate", str(path), "-o", str(out), "--processes", "1"])
    said = capsys.readouterr()
    assert "+ three states" in said.out
    head = next(line for line in said.out.splitlines() if line.startswith("system"))
    assert "auroc" in head
    assert "mrr" not in head  # no row has it
    assert "γ = 0.95 is done: 10 of 11" in said.err
    stages = pl.read_csv(out / "ablation_stages.csv")
    assert stages["configuration"].to_list() == list(CUMULATIVE)
    assert stages["ndcg@10"].null_count() == stages["recall@10"].null_count() == 0
    assert stages["evidence_recall"].is_null().to_list() == [True] * 3 + [False] * 3
    assert stages["alert_precision"].is_null().to_list() == [True] * 5 + [False]
    for reason in stages["absent"][:5]:
        assert "alert_precision: " in reason
    # P2, P4 and the states leave the order of sentences alone.
    assert stages["ndcg@10"][2:].n_unique() == 1
    swept = pl.read_csv(out / "ablation_gammas.csv")
    assert swept["gamma"].to_list() == list(GAMMAS)
    assert swept["selected_k_mean"].is_sorted()
    assert swept["evidence_recall"].is_sorted()
    assert swept["selected_k_total"].is_sorted()
    baselines = pl.read_csv(out / "ablation_baselines.csv")
    assert {"bm25", "toy"} < set(baselines["system"].to_list())

    steps = json.loads((out / "ablation.json").read_text())["measures"]["ndcg@10"]
    assert [step["name"] for step in steps] == list(CUMULATIVE)
    assert steps[0]["difference"] is None
    for before, step in pairwise(steps):
        assert step["difference"] == pytest.approx(step["value"] - before["value"], abs=1e-12)
        assert step["low"] <= step["difference"] <= step["high"]
        assert 0 < step["p"] <= step["holm"] <= 1
    assert steps[3]["difference"] == 0
    assert steps[3]["p"] == 1
    assert "| \\+ P3 |" in (out / "ablation.md").read_text()


def test_shared_stages_are_fitted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fits: Counter[str] = Counter()
    for stage in (SentenceScorer, Neighbours):

        def fit(self: object, labelled: object, of: object = stage.fit, name: str = stage.name) -> None:
            fits[name] += 1
            of(self, labelled)  # type: ignore[operator]

        monkeypatch.setattr(stage, "fit", fit)
    plan = read_plan(configured(tmp_path))
    ablate(plan, tmp_path / "cache", processes=1)
    # 3 outer folds × 2 parts of TRAIN, however many of the 10 pipelines have the stage
    assert fits == {"scorer": 6, "neighbours": 6}


def test_a_list_of_configurations(tmp_path: Path) -> None:
    own = """
[[ablation]]
name = "words"
stages = ["lexical"]
[[ablation]]
name = "learned, flat"
stages = ["lexical", "matching", "scorer"]
[ablation.scorer]
context = 0.0
"""
    path = configured(tmp_path)
    path.write_text(path.read_text() + own)
    rows = configurations(read_plan(path))
    assert [row.name for row in rows] == ["words", "learned, flat"]
    assert rows[1].plan is not None
    # settings of the entry on top of those of the plan
    assert rows[1].plan.tables == {"scorer": {"iterations": 20, "context": 0.0}, "matching": FAST["matching"]}


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ("[[ablation]]\nstages = ['lexical']", "name is None"),
        ("[[ablation]]\nname = 'a'\nstages = ['gate']", "'gate' needs column 'node'"),
        ("[[ablation]]\nname = 'a'\nstages = ['magic']", "names unknown stage 'magic'"),
        ("[[ablation]]\nname = 'a'\n[[ablation]]\nname = 'a'", "has 'a' twice"),
        ("[ablation]\nname = 'a'", "expected a list of tables"),
    ],
)
def test_wrong_lists_are_refused(tmp_path: Path, own: str, words: str) -> None:
    path = configured(tmp_path)
    path.write_text(path.read_text() + "\n" + own + "\n")
    with pytest.raises(InputError, match=words):
        run(["ablate", str(path), "-o", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_a_configuration_without_its_extra_is_absent_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.pipeline.models import static_embeddings

    monkeypatch.setattr(static_embeddings, "find_spec", lambda _: None)
    own = """
[[ablation]]
name = "words"
stages = ["lexical"]
[[ablation]]
name = "embedded"
stages = ["lexical", "embedding"]
"""
    path = configured(tmp_path)
    path.write_text(f'corpus = "corpus"\nstages = ["lexical"]\n[protocol]\nresamples = 100\n{own}')
    made = ablate(read_plan(path), tmp_path / "cache", processes=1)
    words, embedded = made.stages.iter_rows(named=True)
    assert words["ndcg@10"] is not None
    assert embedded["ndcg@10"] is None
    assert pip_install("pipeline") in embedded["absent"]


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
    both = pl.concat([tune, tune.with_columns(pl.lit("1").alias("fold"), pl.lit(0.7).alias("prob"))])
    grid = threshold_grid(corpus, Answers(tune, None, tune))
    row = grid.filter(pl.col("tau_neg") == 0.05, pl.col("tau_pos") == 0.6).row(0, named=True)
    assert row["screening_sensitivity"] == 0.5  # .92 of .92 and .03
    assert row["alert_precision"] == 0.5  # .92 of .92 and .65
    assert row["workload_per_1000"] == 500
    assert row["workload_per_1000 std"] is None  # one fold
    empty = grid.filter(pl.col("tau_pos") == 0.95)
    assert empty["alert_precision"].null_count() == empty.height
    two = threshold_grid(corpus, Answers(tune, None, both))
    row = two.filter(pl.col("tau_neg") == 0.05, pl.col("tau_pos") == 0.6).row(0, named=True)
    assert row["workload_per_1000"] == 750  # of 500 and 1000
    assert row["workload_per_1000 std"] == pytest.approx(353.5533905932738)
