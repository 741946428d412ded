"""Measures of decisions against scikit-learn, and figures of real forecasts."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn import exceptions as sk_exceptions
from sklearn import metrics as sk

import assay
import assay.compat
from assay.metrics.core.decimals import bin_of


def evaluated(label: np.ndarray, prob: np.ndarray) -> assay.Result:
    frame = pl.DataFrame({"label": label.astype(int), "prob": prob})
    return assay.evaluate(assay.read_decisions(frame))


@pytest.mark.parametrize("seed", range(25))
def test_scikit_learn_on_data_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(20, 400))
    label = (rng.random(size) < 0.3).astype(int)
    label[:2] = 0, 1
    prob = np.round(np.clip(rng.normal(0.3 + 0.3 * label, 0.25), 0, 1), int(rng.integers(1, 4)))
    chosen = (prob >= 0.5).astype(int)
    result = evaluated(label, prob)
    wanted = {
        "auroc": sk.roc_auc_score(label, prob),
        "auprc": sk.average_precision_score(label, prob),
        "brier": sk.brier_score_loss(label, prob),
        "mcc": sk.matthews_corrcoef(label, chosen),
        "f1": sk.f1_score(label, chosen, zero_division=0),
        "ppv": sk.precision_score(label, chosen, zero_division=0),
        "sensitivity": sk.recall_score(label, chosen),
        "balanced_accuracy": sk.balanced_accuracy_score(label, chosen),
    }
    tn, fp, fn, tp = sk.confusion_matrix(label, chosen, labels=[0, 1]).ravel()
    wanted |= {"tn": tn, "fp": fp, "fn": fn, "tp": tp}
    for name, value in wanted.items():
        assert result[name].value == pytest.approx(value, abs=1e-12), name
    fpr, tpr, _ = sk.roc_curve(label, prob, drop_intermediate=False)
    for budget in ("0.01", "0.03", "0.05", "0.10"):
        best = tpr[fpr <= float(budget)].max()
        assert result[f"tpr_at_fpr@{budget}"].value == pytest.approx(best, abs=1e-12)


def test_dropping_points_of_the_roc_curve_can_lose_the_budget() -> None:
    """scikit-learn's default leaves out points on straight lines: at 5 % it finds less."""
    label = np.array([1] + [0] * 20 + [1] * 10 + [0] * 80)
    prob = np.linspace(1, 0, len(label))
    fpr, _, _ = sk.roc_curve(label, prob, drop_intermediate=True)
    result = evaluated(label, prob)
    exact_fpr, exact_tpr, _ = sk.roc_curve(label, prob, drop_intermediate=False)
    assert result["tpr_at_fpr@0.10"].value == pytest.approx(exact_tpr[exact_fpr <= 0.1].max())
    assert len(fpr) < len(exact_fpr)


@pytest.mark.parametrize(("label", "auroc", "auprc"), [(0, 0.5, 0.0), (1, 0.5, 1.0)])
def test_one_class_is_a_convention_where_scikit_learn_has_none(
    label: int, auroc: float, auprc: float
) -> None:
    result = evaluated(np.full(5, label), np.linspace(0, 1, 5))
    assert (result["auroc"].value, result["auroc"].convention) == (auroc, "only one class")
    assert (result["auprc"].value, result["auprc"].convention) == (auprc, "only one class")
    with pytest.warns(sk_exceptions.UndefinedMetricWarning, match="one class"):
        assert np.isnan(sk.roc_auc_score(np.full(5, label), np.linspace(0, 1, 5)))


@pytest.mark.parametrize("seed", range(10))
def test_multilabel_f1_and_hamming(seed: int) -> None:
    rng = np.random.default_rng(seed)
    posts, criteria = 30, 4
    truth, chosen = (rng.integers(0, 2, (posts, criteria)) for _ in range(2))
    names = [(f"p{p}", f"c{c}", f"p{p}_0") for p in range(posts) for c in range(criteria)]
    flat = dict(zip(names, zip(truth.ravel(), chosen.ravel(), strict=True), strict=True))
    key = ["post_id", "criterion_id", "sent_uid"]
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame(
            {"post_id": [f"p{p}" for p in range(posts)], "sent_uid": [f"p{p}_0" for p in range(posts)]}
        ),
        criteria=pl.DataFrame({"criterion_id": [f"c{c}" for c in range(criteria)]}),
        gold=pl.DataFrame([name for name, (y, _) in flat.items() if y], schema=key, orient="row"),
    )
    answered = assay.Predictions.of(
        pl.DataFrame([(*name, 1.0) for name in flat], schema=[*key, "score"], orient="row"),
        pl.DataFrame(
            [(name[0], name[1], 0.5, int(d)) for name, (_, d) in flat.items()],
            schema=[*key[:2], "prob", "selected_k"],
            orient="row",
        ),
    )
    result = assay.evaluate(answered, corpus)
    wanted = {
        "exact_match": sk.accuracy_score(truth, chosen),
        "hamming_loss": sk.hamming_loss(truth, chosen),
        "hamming_score": 1 - sk.hamming_loss(truth, chosen),
        "micro_f1": sk.f1_score(truth, chosen, average="micro"),
        "macro_f1_posts": sk.f1_score(truth, chosen, average="samples", zero_division=0),
        "macro_f1_criteria": sk.f1_score(truth, chosen, average="macro", zero_division=0),
        "weighted_f1_criteria": sk.f1_score(truth, chosen, average="weighted", zero_division=0),
    }
    for name, value in wanted.items():
        assert result[name].value == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize(
    ("name", "n", "auroc", "ece"), [("nba", 8886, 0.7113, 0.0484), ("nfl", 1882, 0.6918, 0.0323)]
)
def test_forecasts_of_games(
    shared: Path, tmp_path: Path, name: str, n: int, auroc: float, ece: float
) -> None:
    source = shared / "probs" / "fivethirtyeight" / f"{name}_games.csv"
    with source.open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    decided = [row for row in rows if row["prob1_outcome"] != "0.5"]  # draws have no label
    path = tmp_path / f"{name}.csv"
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, rows[0])
        writer.writeheader()
        writer.writerows(decided)
    command = [
        sys.executable,
        "-m",
        "assay.cli",
        "evaluate",
        "--decisions",
        str(path),
        "--prob",
        "prob1",
        "--label",
        "prob1_outcome",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = {each["name"]: each for each in json.loads(done.stdout)["measures"]}
    assert found["auroc"]["n"] == n
    assert found["auroc"]["value"] == pytest.approx(auroc, abs=5e-5)
    assert found["ece"]["value"] == pytest.approx(ece, abs=5e-5)
    if len(decided) < len(rows):
        whole = [*command[:5], str(source), *command[6:]]
        refused = subprocess.run(whole, capture_output=True, text=True, check=False)
        assert refused.returncode == 2
        assert refused.stderr.count("is 0.5; expected 0 or 1") == len(rows) - len(decided) == 7


def test_ne_gate_metrics() -> None:
    values = assay.compat.NEGateMetrics.compute([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert values["auroc"] == 0.75
    assert values["auprc"] == pytest.approx(1 / 2 * 1 + 1 / 2 * 2 / 3)
    assert values["tpr_at_fpr_0.05"] == 0.5
    with pytest.raises(assay.InputError, match="3 labels and 2 probabilities"):
        assay.compat.NEGateMetrics.compute([0, 1, 1], [0.1, 0.2])


@pytest.mark.parametrize("bins", [1, 2, 3, 10, 15, 20, 100])
def test_28_bins_have_decimal_edges_and_are_closed_above(bins: int) -> None:
    """Python's decimals decide: probability and edge at 12 digits, (lo, hi], 0 in the first bin."""
    at_edges = [0.0, 1.0, *(step / bins for step in range(1, bins))]
    values = [*at_edges, *(1 - each for each in at_edges), *(each / 25 for each in range(26))]
    values += [float(np.nextafter(value, side)) for value in at_edges for side in (-1, 2)]
    values += [value + shift for value in at_edges for shift in (1e-11, -1e-11, 1e-13, -1e-13)]
    values += [0.1000000000005, 0.3000000000005, 0.0666666666665, 0.0666666666675]
    values = [value for value in values if 0 <= value <= 1]
    step = Decimal("1e-12")
    edges = [(Decimal(at) / bins).quantize(step, ROUND_HALF_EVEN) for at in range(1, bins)]
    wanted = [
        sum(edge < Decimal(value).quantize(step, ROUND_HALF_EVEN) for edge in edges) for value in values
    ]
    assert bin_of(np.array(values), bins).tolist() == wanted
    if bins == 10:
        tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
        assert bin_of(np.array(tenths), 10).tolist() == list(range(10))


def test_labels_may_be_booleans() -> None:
    assert assay.compat.NEGateMetrics.compute([False, True], [0.1, 0.9])["auroc"] == 1.0


def test_a_system_with_decisions_beside_one_without(tmp_path: Path) -> None:
    """The table and the rows per query have the same values."""
    example = Path(assay.__file__).parent / "example"
    (tmp_path / "ranker").mkdir()
    (tmp_path / "ranker" / "candidates.csv").write_bytes(
        (example / "predictions" / "candidates.csv").read_bytes()
    )
    rows = tmp_path / "rows.csv"
    for order in (
        (example / "predictions", tmp_path / "ranker"),
        (tmp_path / "ranker", example / "predictions"),
    ):
        command = [
            sys.executable,
            "-m",
            "assay.cli",
            "evaluate",
            *map(str, order),
            "--corpus",
            str(example / "corpus"),
            "--per-query",
            str(rows),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        line = next(line for line in done.stdout.splitlines() if line.startswith("auroc"))
        assert "–" in line
        assert pl.read_csv(rows).height == 72


def test_a_certain_probability_is_clipped_to_the_decimal() -> None:
    """σ(a + x₁) + σ(a + x₂) = 1 at a = −(x₁ + x₂) / 2, x₂ = logit(1 − 10⁻⁶) = ln 999,999."""
    frame = pl.DataFrame({"label": [1, 0], "prob": [0.7, 1.0], "post": ["a", "b"]})
    name = "calibration_intercept:clip=0.000001,on=all"
    result = assay.evaluate(assay.read_decisions(frame, group="post"), measures=[name])
    expected = -(math.log(0.7 / 0.3) + math.log(999_999)) / 2
    assert result[name].value == pytest.approx(expected, abs=1e-13)
