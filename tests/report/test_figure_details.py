"""Fonts, resolution, logit axes, sorted criteria, bands, and the figures of a plain run."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from PIL import Image

import assay
from assay.report.figure_data import FigureData
from assay.report.figures.figure_files import write_figures
from assay.report.figures.score_histogram import LogitBins
from assay.report.report_folder import write_report
from assay.verification.report_files import report_faults

pytestmark = pytest.mark.full

QRELS = {f"q{at}": {f"d{at}.{k}": int(k % 4 == 0) for k in range(8)} for at in range(9)}
RUN = {q: {d: float(sum(map(ord, d + q)) % 17) for d in judged} for q, judged in QRELS.items()}


@pytest.fixture(scope="module")
def figures(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    write_figures(FigureData(assay.load(example)), folder)
    return folder


def test_fonts_in_pdf_figures_are_truetype(figures: Path) -> None:
    """Submission systems refuse Type 3 fonts."""
    read = shutil.which("pdffonts")
    if read is None:
        pytest.skip("pdffonts is not installed: no font was read")
    paths = sorted(figures.glob("*.pdf"))
    assert paths
    for path in paths:
        made = subprocess.run([read, str(path)], capture_output=True, text=True, check=True, timeout=60)
        rows = made.stdout.splitlines()[2:]
        assert rows, path.name
        for row in rows:
            assert "TrueType" in row, row
            assert "Type 3" not in row, row


def test_png_figures_have_300_dots_per_inch(figures: Path) -> None:
    for path in figures.glob("*.png"):
        with Image.open(path) as image:
            assert image.info["dpi"] == pytest.approx((300, 300), abs=0.5)


def test_no_title_is_burned_in(example: Path) -> None:
    for display in (assay.RocDisplay, assay.PrDisplay, assay.ReliabilityDisplay, assay.ScoresDisplay):
        assert display.of(example).draw(Figure().add_subplot()).get_title(loc="left") == ""
    ax = assay.CriteriaDisplay.of(example, "auroc").draw(Figure().add_subplot())
    assert ax.get_title(loc="left") == ""
    assert ax.get_xlabel().startswith("AUROC with 95% CI")


def test_criteria_are_sorted_with_their_target(example: Path) -> None:
    display = assay.CriteriaDisplay.of(example, "auroc")
    ordered = [display.values[at] for at in display.rows]
    assert ordered == sorted(display.values, reverse=True)
    ax = display.draw(Figure().add_subplot())
    assert [text.get_text().split("  ")[0] for text in ax.get_yticklabels()] == [
        display.labels[at] for at in display.rows
    ]
    assert any(line.get_label() == "target ≥ 0.85" for line in ax.lines)
    many = replace(
        display,
        labels=tuple(map(str, range(100))),
        values=tuple(at / 100 for at in range(100)),
        n=(5,) * 100,
        intervals=(None,) * 100,
        conventions=(None,) * 100,
    )
    assert many.rows == [*range(99, 79, -1), *range(19, -1, -1)]


def test_logit_bins_count_every_query_once() -> None:
    """Only where most probabilities are near 0 or 1; bins are equal in log odds."""
    rng = np.random.default_rng(3)
    prob = np.concatenate([rng.beta(0.2, 4, 900), [0.0, 1.0, 0.5]])
    label = rng.random(len(prob)) < prob
    bins = LogitBins.of(prob, label)
    assert bins is not None
    assert bins.with_evidence.sum() == label.sum()
    assert bins.without.sum() == (~label).sum()
    assert np.allclose(np.diff(bins.edges), bins.edges[1] - bins.edges[0])
    inside = (prob >= bins.least) & (prob <= 1 - bins.least)
    odds = np.log(prob[inside] / (1 - prob[inside]))
    counted, _ = np.histogram(odds, bins.edges)
    every = bins.with_evidence + bins.without
    assert every[1:-1].tolist() == counted[1:-1].tolist()
    assert bins.labels[0].startswith("≤ ")
    assert LogitBins.of(rng.random(500), rng.random(500) < 0.5) is None


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 queries in posts of four, all of one post alike."""
    rng = np.random.default_rng(1)
    prob = np.repeat(rng.random(100).round(2), 4)
    label = (rng.random(400) < prob).astype(int)
    folder = tmp_path_factory.mktemp("table")
    frame = pl.DataFrame({"p": prob, "y": label, "g": np.repeat(np.arange(100), 4).astype(str)})
    frame.write_csv(folder / "t.csv")
    read = assay.read_decisions(folder / "t.csv", prob="p", label="y", group="g")
    return assay.evaluate(read, bootstrap=2000).save(folder / "bundle")


def test_bands_are_quantiles_over_resampled_posts(table: Path) -> None:
    """Compared with resamples drawn here, by another generator: the ends agree within their noise."""
    queries = pl.read_csv(table / "per_query.csv")
    prob, label = queries["prob"].to_numpy(), queries["has_evidence"].to_numpy()
    benefit, risk = assay.BenefitDisplay.of(table), assay.RiskCoverageDisplay.of(table)
    assert benefit.band is not None
    assert risk.band is not None
    rng = np.random.default_rng(99)
    t, drawn, errors = 0.3, [], []
    at = int(np.argmin(np.abs(risk.band.x - 0.5)))
    sure = np.sort(np.abs(prob - 0.5))[::-1][round(risk.band.x[at] * 400) - 1] - 1e-12
    for _ in range(2000):
        rows = (rng.integers(0, 100, 100)[:, None] * 4 + np.arange(4)).ravel()
        p, y = prob[rows], label[rows]
        said = p >= t
        drawn.append((said & (y == 1)).mean() - (said & (y == 0)).mean() * t / (1 - t))
        decided = np.abs(p - 0.5) >= sure
        errors.append(((p >= 0.5) != (y == 1))[decided].mean())
    place = int(np.flatnonzero(np.isclose(benefit.band.x, t))[0])
    ends = benefit.band.low[place], benefit.band.high[place]
    assert ends == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.012)
    ends = risk.band.low[at], risk.band.high[at]
    assert ends == pytest.approx(np.quantile(errors, [0.025, 0.975]), abs=0.02)
    for display in (benefit, risk):
        band = display.data()["band"]
        assert len(band["x"]) == len(band["low"]) == len(band["high"])


def test_a_run_under_trec_eval_has_figures_and_passes_the_gate(tmp_path: Path) -> None:
    bundle = assay.evaluate(RUN, qrels=QRELS, contract="trec_eval/10").save(tmp_path / "bundle")
    write_report(bundle)
    names = {path.stem for path in (bundle / "figures").iterdir()}
    assert names == {"cutoffs", "interpolated_precision"}
    lines = assay.CutoffDisplay.of(bundle)
    loaded = assay.load(bundle)
    assert [each.value for each in lines.lines["ndcg"]] == [loaded[f"ndcg_cut_{k}"].value for k in lines.k]
    levels = assay.InterpolatedPrecisionDisplay.of(bundle)
    assert levels.levels == pytest.approx(np.arange(11) / 10)
    verdict = assay.publication_gate(bundle)
    assert verdict.ok, [str(each) for each in verdict]


def test_a_bundle_whose_data_support_no_figure_has_a_whole_report(tmp_path: Path) -> None:
    bundle = assay.evaluate(RUN, qrels=QRELS, contract="trec_eval/10", measures="map").save(
        tmp_path / "bundle"
    )
    write_report(bundle)
    assert not list((bundle / "figures").iterdir())
    assert report_faults(bundle) == []
