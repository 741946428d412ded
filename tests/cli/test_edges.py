"""Data at the edges, through the command line: a value by convention with its reason, or one error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Ran

Call = Callable[..., Ran]
Rows = list[tuple[str, int, float]]  # post, label, probability


@pytest.fixture
def decide(call: Call, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Evaluate a plain table with intervals; what the JSON says."""

    def run(rows: Rows, *options: str) -> dict[str, Any]:
        file = tmp_path / "decisions.csv"
        lines = ["post,label,prob", *(f"{post},{label},{prob}" for post, label, prob in rows)]
        file.write_text("\n".join(lines) + "\n")
        ran = call("evaluate", "--decisions", file, "--group", "post", "--ci", "60", "--json", *options)
        document = json.loads(ran.ok().out)
        call("evaluate", "--decisions", file, "--group", "post", "--ci", "60", *options).ok()
        return {each["name"]: each for each in document["measures"]}

    return run


def test_one_query(decide: Callable[..., dict[str, Any]]) -> None:
    values = decide([("p", 1, 0.7)])
    assert (values["auroc"]["value"], values["auroc"]["convention"]) == (0.5, "only one class")
    assert values["auprc"]["convention"] == "only one class"
    assert values["sensitivity"]["value"] == 1.0
    assert values["sensitivity"]["convention"] is None
    assert values["specificity"]["convention"] == "the denominator is zero"
    assert values["brier"]["value"] == pytest.approx(0.09)
    assert values["auroc"]["interval"]["by_convention"] == 60  # every resample lacks a class
    assert values["calibration_slope"]["convention"] == "no finite estimate exists"


def test_one_post(decide: Callable[..., dict[str, Any]]) -> None:
    values = decide([("p", 1, 0.7), ("p", 0, 0.2), ("p", 0, 0.9)])
    interval = values["auroc"]["interval"]
    assert interval["low"] == interval["high"] == values["auroc"]["value"] == 0.5
    exact = values["specificity"]["exact"]
    assert exact["units"] == pytest.approx(1)  # two negatives of one post are worth one
    assert exact["post_high"] - exact["post_low"] > exact["high"] - exact["low"]


@pytest.mark.parametrize("label", [0, 1])
def test_one_class(decide: Callable[..., dict[str, Any]], label: int) -> None:
    values = decide([(f"p{at}", label, 0.1 * at) for at in range(8)])
    assert values["auroc"]["value"] == 0.5
    assert values["auprc"]["value"] == float(label)  # the prior
    for name in ("auroc", "auprc", "tpr_at_fpr@0.05"):
        assert values[name]["convention"] == "only one class"
    assert values["mcc"]["convention"] == "the denominator is zero"


def test_all_tied(decide: Callable[..., dict[str, Any]]) -> None:
    values = decide([(f"p{at}", int(at % 4 == 0), 0.5) for at in range(12)])
    assert (values["auroc"]["value"], values["auroc"]["convention"]) == (0.5, None)
    assert values["auprc"]["value"] == pytest.approx(0.25)
    assert values["tpr_at_fpr@0.05"]["value"] == 0.0
    assert values["sensitivity"]["value"] == 1.0  # every decision is p ≥ t


QUERIES = [("p", "c"), ("p", "d"), ("q", "c"), ("q", "d")]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    home = tmp_path / "corpus"
    home.mkdir()
    (home / "sentences.csv").write_text("post_id,sent_uid\np,p1\np,p2\nq,q1\n")
    (home / "criteria.csv").write_text("criterion_id\nc\nd\n")
    (home / "gold.csv").write_text("post_id,criterion_id,sent_uid\np,c,p1\n")
    return home


def silent(tmp_path: Path, prob: float = 0.1, fold: tuple[int, ...] = ()) -> Path:
    """A system that skips everything."""
    home = tmp_path / "system"
    home.mkdir()
    listed = [f"{p},{c},{p}1,0.5" for p, c in QUERIES]
    (home / "candidates.csv").write_text("\n".join(["post_id,criterion_id,sent_uid,score", *listed]))
    head = "post_id,criterion_id,prob,selected_k,state" + (",fold" if fold else "")
    rows = [f"{p},{c},{prob},0,NEG" + (f",{fold[at]}" if fold else "") for at, (p, c) in enumerate(QUERIES)]
    (home / "decisions.csv").write_text("\n".join([head, *rows]))
    return home


def test_everything_is_skipped(call: Call, tmp_path: Path, corpus: Path) -> None:
    system = silent(tmp_path)
    ran = call("evaluate", system, "--corpus", corpus, "--ci", "50", "--json").ok()
    document = json.loads(ran.out)
    values = {each["name"]: each for each in document["measures"]}
    assert values["neg_rate"]["value"] == 1.0
    assert values["screening_sensitivity"]["value"] == 0.0
    assert values["screening_sensitivity"]["convention"] is None
    assert values["alert_precision"]["convention"] == "the denominator is zero"
    assert values["selected_k_mean"]["value"] == 0.0
    assert values["selected_k_mean_returned"]["convention"] == "the population has no query"
    assert values["evidence_recall"]["value"] == 0.0
    assert values["evidence_recall_conditional"]["convention"] is not None
    assert document["selected_k"]["all"] == {"0": 4}
    assert "return K sentences" in call("evaluate", system, "--corpus", corpus).ok().out


@pytest.mark.parametrize("prob", ["-0.1", "1.0000001", "nan", "inf", "high", ""])
def test_a_probability_outside_its_range(call: Call, tmp_path: Path, prob: str) -> None:
    file = tmp_path / "decisions.csv"
    file.write_text(f"label,prob\n1,0.4\n0,{prob}\n")
    call("evaluate", "--decisions", file).refused(("decisions.csv row 3", "prob"))


def test_folds_that_share_a_post(call: Call, tmp_path: Path, corpus: Path) -> None:
    system = silent(tmp_path, fold=(0, 1, 1, 1))
    ran = call("evaluate", system, "--corpus", corpus)
    ran.refused(("folds", "a post has queries in two folds", "'p'", "must not share a post"))
    file = tmp_path / "decisions.csv"
    file.write_text("post,fold,label,prob\na,0,1,0.5\na,1,0,0.5\nb,1,0,0.5\nb,0,1,0.5\n")
    ran = call("evaluate", "--decisions", file, "--group", "post", "--fold", "fold")
    ran.refused(("folds", "2 posts have queries in two folds", "must not share a post"))


def test_tune_that_overlaps_eval(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "decisions.csv"
    rows = ["a,TUNE,1,0.5", "a,EVAL,0,0.5", "b,EVAL,1,0.5"]
    file.write_text("\n".join(["post,role,label,prob", *rows]))
    ran = call("evaluate", "--decisions", file, "--group", "post")
    ran.refused(("TUNE", "post 'a' is TUNE and EVAL at once", "must not meet the posts"))


def test_a_seed_below_zero(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "decisions.csv"
    file.write_text("label,prob\n1,0.4\n0,0.1\n")
    ran = call("evaluate", "--decisions", file, "--ci", "10", "--seed", "-1")
    ran.refused(("bootstrap", "seed is -1", "whole number from 0"))
