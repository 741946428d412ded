"""Where no resample differs, exact bounds are shown next to the value: terminal, tables, page, figures."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from scipy import stats

import assay
from assay.contracts.contract_toml import contract
from assay.evaluation.display.breakdown_tables import breakdown
from assay.evaluation.display.notes import notes
from assay.evaluation.display.paper_tables import tables
from assay.evaluation.result import bounds
from assay.report.figures.measure_figures import CriteriaDisplay
from assay.report.page.page_document import view
from assay.report.report_bundle import report_bundle
from assay.verification.recompute.verify import verify

POSITIVES = 44


@pytest.fixture(scope="module")
def result() -> assay.Result:
    """Criterion A: 44 positives, one per post, none of them NEG, and all gold ranked first."""
    posts = [f"p{at}" for at in range(60)]
    key = ["post_id", "criterion_id"]
    rows = [(post, criterion) for post in posts for criterion in ("A", "B")]
    positive = {(post, "A") for post in posts[:POSITIVES]} | {(post, "B") for post in posts[:20]}
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame(
            [(p, f"{p}_{s}") for p in posts for s in (0, 1)], schema=["post_id", "sent_uid"], orient="row"
        ),
        criteria=pl.DataFrame({"criterion_id": ["A", "B"]}),
        gold=pl.DataFrame(
            [(p, c, f"{p}_0") for p, c in rows if (p, c) in positive], schema=[*key, "sent_uid"], orient="row"
        ),
    )
    first = {("A", True): 1.0, ("B", True): 1.0, ("B", False): 0.0}
    candidates = [
        (p, c, f"{p}_{s}", first.get((c, int(p[1:]) % 3 > 0), 1.0) if s == 0 else 0.5)
        for p, c in rows
        for s in (0, 1)
    ]
    states = [
        (
            p,
            c,
            0.9 if (p, c) in positive and (c == "A" or int(p[1:]) % 2) else 0.1,
            "POS" if (p, c) in positive and (c == "A" or int(p[1:]) % 2) else "NEG",
            1 if (p, c) in positive and (c == "A" or int(p[1:]) % 2) else 0,
        )
        for p, c in rows
    ]
    predictions = assay.Predictions.of(
        pl.DataFrame(candidates, schema=[*key, "sent_uid", "score"], orient="row"),
        pl.DataFrame(states, schema=[*key, "prob", "state", "selected_k"], orient="row"),
    )
    return assay.evaluate(
        predictions,
        corpus,
        measures=["screening_sensitivity", "recall@1", "auroc", "ndcg@10"],
        by=["criterion_id"],
        bootstrap=assay.Bootstrap(200),
    )


def clopper_pearson(hits: int, n: int) -> tuple[float, float]:
    made = stats.binomtest(hits, n).proportion_ci(0.95, "exact")
    return float(made.low), float(made.high)


def test_a_group_has_the_exact_bounds_of_its_positives(result: assay.Result) -> None:
    cell = result.groups["criterion_id"]["A"]["screening_sensitivity"]
    assert (cell.value, cell.interval and cell.interval.low) == (1.0, 1.0)
    shown = bounds(cell)
    assert shown is not None
    assert shown.exact
    assert (shown.low, shown.high) == pytest.approx(clopper_pearson(POSITIVES, POSITIVES), abs=1e-9)


def test_a_mean_of_ones_has_them_too(result: assay.Result) -> None:
    cell = result.groups["criterion_id"]["A"]["recall@1"]
    shown = bounds(cell)
    assert cell.value == 1.0
    assert shown is not None
    assert (shown.low, shown.high) == pytest.approx(clopper_pearson(POSITIVES, POSITIVES), abs=1e-9)


def test_what_varies_keeps_its_bootstrap_interval(result: assay.Result) -> None:
    cell = result.groups["criterion_id"]["B"]["screening_sensitivity"]
    shown = bounds(cell)
    assert cell.exact is None
    assert shown is not None
    assert not shown.exact
    assert cell.interval is not None
    assert (shown.low, shown.high) == (cell.interval.low, cell.interval.high)


def test_the_terminal_prints_no_interval_without_width(result: assay.Result) -> None:
    low, _ = clopper_pearson(POSITIVES, POSITIVES)
    printed = [
        text
        for table in breakdown(result, "criterion_id", contract("assay/1"))
        for row in table.rows
        for text in row
    ]
    assert f"[{low:.4f}, 1.0000]‡" in printed
    assert "no spread" in printed  # the AUROC of A: both classes are apart in every resample
    for text in printed:
        found = re.fullmatch(r"\[(.+), (.+)\]‡?", text)
        assert found is None or found[1] != found[2], text
    said = notes(result)
    assert any(line.startswith("‡ exact bounds by post") for line in said)
    assert any(line.startswith("no spread: ") for line in said)


def test_tables_figures_and_page_show_the_same(result: assay.Result, tmp_path: Path) -> None:
    bundle = report_bundle(result.save(tmp_path / "bundle"))
    low, _ = clopper_pearson(POSITIVES, POSITIVES)
    table = next(each for each in tables(bundle.result) if each.name == "by_criterion_id")
    cells = [row for row in table.rows if row[0] == "A" and row[1].startswith("screening")]
    assert cells[0][3] == f"[{low:.3f}, 1.000]†"
    assert any(note.startswith("† Exact") for note in table.notes)
    figure = CriteriaDisplay.of(bundle, "screening_sensitivity")
    drawn = figure.intervals[figure.labels.index("A")]
    assert drawn is not None
    assert drawn.low == pytest.approx(low, abs=1e-9)
    shown = view(bundle)["groups"]["criterion_id"]
    at = shown["measures"].index("screening_sensitivity")
    cell = next(cells for label, cells in shown["rows"] if label == "A")[at]
    assert cell[1] == pytest.approx(low, abs=1e-9)
    assert cell[5] is True
    assert next(m for m in view(bundle)["measures"] if m["name"] == "recall@1")["low"] is not None


def test_the_second_implementation_recomputes_them(result: assay.Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "bundle")
    document = (folder / "metrics_master.json").read_text()
    found = verify(folder)
    checked = {each.what for each in found.findings}
    assert "groups/criterion_id/A/screening_sensitivity/exact/post_low" in checked
    assert "groups/criterion_id/A/recall@1/exact/post_low" in checked
    assert '"exact"' in document
