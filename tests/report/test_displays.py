"""What figures show is what scikit-learn or a count by hand gives."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib import get_cachedir
from matplotlib.figure import Figure
from matplotlib.image import imread
from sklearn.calibration import calibration_curve
from sklearn.metrics import precision_recall_curve, roc_curve

import assay
from assay.report.deployed_thresholds import Range, implied_taus
from assay.report.figures import figure_files
from assay.report.figures.ablation_figure import Step
from assay.report.figures.figure_files import save_figure, write_figures
from assay.report.figures.style import short, thin
from assay.report.report_bundle import report_bundle
from tests.bundle import conftest as bundles
from tests.report import worlds

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def table(example: Path) -> pl.DataFrame:
    return pl.read_csv(example / "per_query.csv")


@pytest.fixture(scope="module")
def label(table: pl.DataFrame) -> np.ndarray:
    return table["has_evidence"].to_numpy()


@pytest.fixture(scope="module")
def prob(table: pl.DataFrame) -> np.ndarray:
    return table["prob"].to_numpy()


def test_roc_and_pr_are_those_of_scikit_learn(example: Path, label: np.ndarray, prob: np.ndarray) -> None:
    fpr, tpr, _ = roc_curve(label, prob, drop_intermediate=False)
    roc = assay.RocDisplay.of(example)
    assert np.allclose(roc.curve.x, fpr, atol=1e-15)
    assert np.allclose(roc.curve.y, tpr, atol=1e-15)
    precision, recall, _ = precision_recall_curve(label, prob)
    pr = assay.PrDisplay.of(example)
    assert np.allclose(pr.curve.x, recall[:-1][::-1], atol=1e-15)
    assert np.allclose(pr.curve.y, precision[:-1][::-1], atol=1e-15)
    assert pr.baseline == label.mean()
    assert roc.curve.band is not None
    assert (roc.curve.band.low <= roc.curve.band.high).all()


def test_operating_points_are_counted(table: pl.DataFrame, example: Path) -> None:
    points = {point.name: point for point in assay.RocDisplay.of(example).points}
    has = (table["has_evidence"] == 1).to_numpy()
    alerts = (table["state"] == "POS").to_numpy()
    assert points["alerts: POS"].tp == (has & alerts).sum()
    assert points["alerts: POS"].fpr == (~has & alerts).sum() / (~has).sum()
    assert points["screening: not NEG"].tpr == (has & (table["state"] != "NEG").to_numpy()).sum() / has.sum()


def test_reliability_is_that_of_scikit_learn(tmp_path: Path) -> None:
    """On probabilities away from the edges of bins, which assay decides exactly."""
    rng = np.random.default_rng(2)
    prob = (rng.integers(0, 1000, 500) + 0.37) / 1000
    label = (rng.random(500) < prob**2).astype(int)
    pl.DataFrame({"label": label, "prob": prob}).write_csv(tmp_path / "labels.csv")
    given = assay.read_decisions(tmp_path / "labels.csv")
    display = assay.ReliabilityDisplay.of(assay.evaluate(given).save(tmp_path / "bundle"))
    observed, stated = calibration_curve(label, prob, n_bins=10)
    assert np.allclose(display.frequency, observed)
    assert np.allclose(display.mean_prob, stated)
    assert display.size.sum() == 500


def test_the_consistency_band_holds_what_a_perfect_model_gives(tmp_path: Path) -> None:
    """In about 95 of 100 bins the binomial quantiles of equal probabilities are the band's ends."""
    rng = np.random.default_rng(0)
    prob = np.repeat([0.15, 0.55, 0.85], 400)
    label = (rng.random(1200) < prob).astype(int)
    pl.DataFrame({"label": label, "prob": prob}).write_csv(tmp_path / "labels.csv")
    given = assay.read_decisions(tmp_path / "labels.csv")
    display = assay.ReliabilityDisplay.of(assay.evaluate(given).save(tmp_path / "bundle"))
    for at, p in ((1, 0.15), (5, 0.55), (8, 0.85)):
        spread = 1.96 * np.sqrt(p * (1 - p) / 400)
        assert abs(display.low[at] - (p - spread)) < 0.006
        assert abs(display.high[at] - (p + spread)) < 0.006


def test_net_benefit_by_hand(example: Path, label: np.ndarray, prob: np.ndarray) -> None:
    display = assay.BenefitDisplay.of(example)
    for at in (4, 19, 49, 80):
        t = display.threshold[at]
        said = prob >= t
        tp, fp = (said & (label == 1)).sum(), (said & (label == 0)).sum()
        assert display.system[at] == pytest.approx(tp / 36 - fp / 36 * t / (1 - t), abs=1e-12)
    assert display.system[9] == pytest.approx(assay.load(example)["net_benefit@0.1"].pooled)


def test_risk_coverage_by_hand(example: Path, label: np.ndarray, prob: np.ndarray) -> None:
    display = assay.RiskCoverageDisplay.of(example)
    wrong = (prob >= 0.5) != (label == 1)
    assert display.coverage[-1] == 1
    assert display.risk[-1] == wrong.mean()
    sure = np.abs(prob - 0.5) >= 0.4
    at = int(np.flatnonzero(np.isclose(display.coverage, sure.mean()))[0])
    assert display.risk[at] == wrong[sure].mean()


def test_selected_k_and_scores_count_every_query(table: pl.DataFrame, example: Path) -> None:
    k = assay.SelectedKDisplay.of(example)
    for state, counts in k.counts.items():
        mine = table.filter(pl.col("state") == state)["selected_k"]
        assert counts.tolist() == [(mine == each).sum() for each in k.k]
    scores = assay.ScoresDisplay.of(example)
    assert scores.with_evidence.sum() == table["has_evidence"].sum()
    assert scores.without.sum() == (table["has_evidence"] == 0).sum()
    inside = table.filter((pl.col("prob") >= 0.75) & (pl.col("prob") < 0.775))
    assert scores.with_evidence[30] == inside["has_evidence"].sum()


def test_criteria_and_cutoffs_are_the_results(example: Path) -> None:
    result = assay.load(example)
    bars = assay.CriteriaDisplay.of(example, "auroc")
    assert bars.labels == tuple(result.groups["criterion_id"])
    assert bars.values == tuple(row["auroc"].value for row in result.groups["criterion_id"].values())
    lines = assay.CutoffDisplay.of(example)
    assert lines.k == (1, 3, 5, 10, 20)
    assert [each.value for each in lines.lines["ndcg"]] == [result[f"ndcg@{k}"].value for k in lines.k]


def test_what_the_data_lack_is_said(made: Path) -> None:
    bundle = worlds.plain_ir(made / "plain")
    with pytest.raises(assay.MeasureError, match="no probabilities"):
        assay.RocDisplay.of(bundle)
    with pytest.raises(assay.MeasureError, match="no K"):
        assay.SelectedKDisplay.of(bundle)
    with pytest.raises(assay.MeasureError, match="at least one row"):
        assay.WaterfallDisplay.of("ndcg@10", [])
    one_class = worlds.no_negatives(made / "one_class")
    with pytest.raises(assay.MeasureError, match="60 queries with evidence and 0 without"):
        assay.PrDisplay.of(one_class)


def test_a_display_draws_on_the_axes_of_its_user(example: Path) -> None:
    ax = Figure().add_subplot()
    assert assay.RocDisplay.of(example).draw(ax) is ax
    ax.set_title("mine")
    assert ax.get_xlabel().startswith("False positive rate")
    assert ax.get_ylabel().startswith("True positive rate")


def test_a_dollar_in_a_name_is_no_formula(tmp_path: Path) -> None:
    """Also under the user's own settings, in which matplotlib looks for formulas."""
    made = worlds.tables(8, ["$\\frac{ $", "plain"], 1)
    bundle = worlds.bundle_of(made, tmp_path / "bundle")
    figure = Figure()
    assay.CriteriaDisplay.of(bundle, "auroc").draw(figure.add_subplot())
    figure.draw_without_rendering()
    figure = Figure()
    assay.WaterfallDisplay.of("auroc", [("$\\frac{ $", 0.5)]).draw(figure.add_subplot())
    figure.draw_without_rendering()


WRITE = """
import sys
from pathlib import Path
from assay.report.report_bundle import report_bundle
from assay.report.figures.ablation_figure import Step, WaterfallDisplay
from assay.report.figures.figure_files import save_figure, write_figures
bundle, out = sys.argv[1:]
write_figures(report_bundle(bundle), Path(out))
save_figure(WaterfallDisplay.of("ndcg@10", [("base", 0.5), Step("more", 0.6, 0.5, 0.7)]), Path(out))
"""


def test_figures_are_the_same_bytes_in_two_processes(example: Path, reported: Path, tmp_path: Path) -> None:
    """This one, with the settings it has by now, and one that knows nothing, of another seed."""
    here, there = tmp_path / "here", tmp_path / "there"
    shutil.copytree(reported / "figures", here)
    save_figure(assay.WaterfallDisplay.of("ndcg@10", [("base", 0.5), Step("more", 0.6, 0.5, 0.7)]), here)
    nothing = {
        "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1",
        "PYTHONPATH": str(worlds.ROOT / "src"),
        "PATH": "",
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(Path(get_cachedir()).parent),  # the list of fonts takes seconds
    }
    subprocess.run(
        [sys.executable, "-c", WRITE, str(example), str(there)], check=True, timeout=120, env=nothing
    )
    first = sorted(here.iterdir())
    assert len(first) == 12 * 3
    assert {path.suffix for path in first} == {".svg", ".pdf", ".png"}
    assert [path.name for path in sorted(there.iterdir())] == [path.name for path in first]
    for path in first:
        assert path.read_bytes() == (there / path.name).read_bytes(), path.name


def test_figures_of_hostile_names(hostile: tuple[Path, Path], tmp_path: Path) -> None:
    write_figures(report_bundle(hostile[0]), tmp_path)
    text = (tmp_path / "criteria_auroc.svg").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "\x00" not in text
    save_figure(assay.WaterfallDisplay.of("$\\frac{", [Step(each, 0.5) for each in worlds.HOSTILE]), tmp_path)


@pytest.mark.parametrize(
    ("low", "high", "value"),
    [
        (0.22, 0.4, 0.3),
        (0.19, 0.22, 0.2),
        (0.69, 0.7, 0.7),
        (0.61, 0.69, 0.62),
        (0.5, 0.5000001, 0.5000001),
        (-np.inf, 0.3, 0.0),
        (0.9, np.inf, 1.0),
    ],
)
def test_the_shortest_threshold_in_a_range(low: float, high: float, value: float) -> None:
    assert Range(low, high).value == value


def test_thresholds_that_explain_states(five: list[Path], tmp_path: Path) -> None:
    taus = report_bundle(five[1]).taus
    assert taus is not None
    assert taus.common == (0.25, 0.7)
    contradiction = np.array([0.1, 0.9]), np.array([2, 0])
    assert implied_taus(*contradiction, None) is None


def test_thin_keeps_a_line_within_its_tolerance() -> None:
    x = np.linspace(0, 1, 5000)
    y = np.sin(6 * x) / 6  # of slope at most 1: across is at most √2 times perpendicular
    kept = thin(x, y, 0.001)
    assert len(kept) < 100
    assert np.abs(np.interp(x, x[kept], y[kept]) - y).max() < 0.001 * 2**0.5
    assert (kept[0], kept[-1]) == (0, 4999)


def test_labels_are_short_and_seen() -> None:
    assert short("a" * 100) == "a" * 21 + "…" + "a" * 20
    assert short("a\x00b\u202ec") == "a·b·c"


@pytest.fixture
def tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With thresholds of TUNE: four operating points, the longest legends that there are."""
    corpus, answered = bundles.tables(1)
    result = assay.evaluate(answered, corpus, by="default", bootstrap=assay.Bootstrap(60))
    bundle = result.save(tmp_path / "tuned" / "bundle")
    monkeypatch.setattr(figure_files, "FORMATS", ("png",))
    write_figures(report_bundle(bundle), bundle / "figures")
    return bundle


@pytest.mark.parametrize("shape", ["tuned", "reported"])
def test_no_figure_is_cut_at_its_edge(shape: str, request: pytest.FixtureRequest) -> None:
    bundle: Path = request.getfixturevalue(shape)
    pictures = sorted((bundle / "figures").glob("*.png"))
    assert len(pictures) >= 10
    for path in pictures:
        pixels = imread(path)[..., :3]
        edges = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
        assert all((edge == 1).all() for edge in edges), path.name
