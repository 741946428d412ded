"""What a reader sees: the page agrees with itself, fits, and says only what the data have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import polars as pl
import pytest

import assay
from assay.report.page.page_html import page as page_of
from assay.report.report_bundle import report_bundle
from assay.report.report_folder import write_page
from tests.report import worlds

pytestmark = pytest.mark.full
Visits = Callable[..., Any]

CUT_TEXT = """
[...document.querySelectorAll('.stacked .part > span')]
  .filter((text) => text.offsetParent !== null && text.scrollWidth > text.parentElement.clientWidth + 1)
  .map((text) => text.textContent)
"""
NEXT_FRAME = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
CUT_TABLES = """
(where) => [...document.querySelectorAll(where + ' .scroll')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.getAttribute('aria-label'))
"""


@pytest.fixture(scope="module")
def flagged(made: Path) -> Path:
    """Patients with many rows each, and a threshold that TUNE chose: its decisions are not those at 0.5."""
    rng = np.random.default_rng(4)
    label = (rng.random(800) < 0.3).astype(int)
    prob = np.round(np.clip(0.45 * rng.random(800) + 0.35 * label, 0, 1), 4)
    folder = made / "flagged_rows"
    folder.mkdir()
    rows = {"label": label, "prob": prob, "patient": [f"p{at // 8:03d}" for at in range(800)]}
    pl.DataFrame(rows).write_csv(folder / "rows.csv")
    read = assay.read_decisions(folder / "rows.csv", group="patient")
    return assay.evaluate(read, tune_share=0.5, bootstrap=worlds.CI).save(folder / "bundle")


def by_rule(bundle: Path) -> tuple[pl.DataFrame, pl.Expr]:
    table = pl.read_csv(bundle / "per_query.csv")
    return table, pl.col("prob") >= pl.col("threshold_fpr_0.05")


def test_lists_are_those_of_the_decision_on_the_first_screen(visit: Visits, flagged: Path) -> None:
    page = visit(write_page([flagged], flagged.parent / "page.html"))
    table, said = by_rule(flagged)
    has = pl.col("has_evidence") == 1
    missed, false = table.filter(has & ~said), table.filter(~has & said)
    assert missed.height != table.filter(has & (pl.col("prob") < 0.5)).height
    text = page.inner_text("#headline")
    assert f"; {missed.height} of " in text
    assert f"and {false.height} of " in text
    assert f"All {missed.height} in the list" in page.inner_text("#failures")
    assert f"All {false.height} in the list" in page.inner_text("#failures")
    for show, rows in (("missed", missed), ("alarms", false)):
        page.select_option("#show", show)
        assert page.inner_text("#queries [role=status]").startswith(f"{rows.height} of {table.height} ")
    limit = table["threshold_fpr_0.05"][0]
    assert float(page.input_value("#tau-low")) == float(page.input_value("#tau-high")) == limit
    recorded = page.inner_text("#gate-table tr:has-text('Screening sensitivity') td >> nth=0")
    sensitivity = 100 * (1 - missed.height / table.filter(has).height)
    assert recorded == f"{sensitivity:.2f}%"
    assert page.messages == []


def test_every_row_of_a_group_has_its_own_name_and_link(visit: Visits, flagged: Path) -> None:
    target = write_page([flagged], flagged.parent / "links.html")
    page = visit(target)
    names = page.eval_on_selector_all("#query-table tbody th", "all => all.map(e => e.innerText)")
    assert len(set(names)) == len(names)
    page.fill("#search", "p0")
    page.click("#query-table tbody button >> nth=9")
    title, facts = page.inner_text("#query-title"), page.inner_text("#query .facts")
    assert title.replace(" · ", "/") in unquote(page.evaluate("location.hash"))
    assert "gold" not in page.inner_text("#query")
    again = visit(target)
    again.goto(page.evaluate("location.href"))
    again.reload()
    again.wait_for_selector("#query[open]")
    assert again.inner_text("#query-title") == title
    assert again.inner_text("#query .facts") == facts


@pytest.mark.parametrize("width", [1280, 390])
def test_no_text_of_a_bar_is_cut(visit: Visits, example_page: Path, flagged: Path, width: int) -> None:
    for path in (example_page, write_page([flagged], flagged.parent / "bars.html")):
        page = visit(path, width=width)
        shown = "[...document.querySelectorAll('.stacked .part > span')].filter((e) => e.offsetParent).length"
        assert page.evaluate(shown) > 3
        assert page.evaluate(CUT_TEXT) == []
        for value in ("0.2", "0.35", "0.5"):
            page.fill("#tau-low", value)
            page.locator("#tau-low").blur()
            page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
            assert page.evaluate(CUT_TEXT) == []


def test_lists_of_failures_fit_their_panels(visit: Visits, example_page: Path, flagged: Path) -> None:
    for path in (example_page, write_page([flagged], flagged.parent / "panels.html")):
        for width in (1280, 390):
            page = visit(path, width=width)
            assert page.evaluate(CUT_TABLES, "#failures") == []
            assert page.evaluate(CUT_TABLES, "#thresholds") == []


def test_bars_name_what_they_count_on_a_phone(visit: Visits, example_page: Path) -> None:
    page = visit(example_page, width=390)
    words = page.eval_on_selector_all(
        ".bars.live > [data-label]", "all => all.map(e => getComputedStyle(e, '::before').content)"
    )
    assert [word.strip('"').partition(":")[0] for word in words[:3]] == ["workload", "misses", "false alerts"]


def test_a_preset_holds_until_a_slider_moves(visit: Visits, flagged: Path) -> None:
    page = visit(write_page([flagged], flagged.parent / "presets.html"))
    chosen = page.eval_on_selector("#preset", "select => [...select.options].at(-1).value")
    page.select_option("#preset", chosen)
    page.evaluate(NEXT_FRAME)
    assert page.inner_text("#preset-note") != ""
    move = "range => { range.value = Number(range.value) / 2; range.dispatchEvent(new Event('input')); }"
    page.eval_on_selector("#range-high", move)
    page.evaluate(NEXT_FRAME)
    assert page.input_value("#preset") == "moved"
    assert page.inner_text("#preset-note") == ""
    page.click("button:text-is('Reset')")
    page.evaluate(NEXT_FRAME)
    assert page.input_value("#preset") == ""
    assert page.messages == []


def test_labels_and_tables_stay_inside(visit: Visits, made: Path) -> None:
    """One row at the end of the sliders, three panels, 30 folds: nothing is cut, the first screen stays short."""
    tables = worlds.tables(60, ["sleep", "mood", "focus"], 1)
    fold = pl.Series("fold", [f"hospital {at % 30}" for at in range(60)])
    path = worlds.bundle_of({**tables, "folds": tables["folds"].with_columns(fold)}, made / "many folds")
    page = visit(write_page([path], made / "many folds.html"))
    assert page.evaluate(CUT_TABLES, "#failures") == []
    assert page.eval_on_selector("#deployment .cards", "cards => cards.getBoundingClientRect().top") < 600
    one = made / "one row"
    one.mkdir()
    (one / "row.csv").write_text("label,prob\n1,0.3\n", encoding="utf-8")
    single = assay.evaluate(assay.read_decisions(one / "row.csv"), bootstrap=worlds.CI).save(one / "bundle")
    page = visit(write_page([single], one / "page.html"))
    outside = """[...document.querySelectorAll('#thresholds svg text')].filter((text) =>
      text.getBoundingClientRect().right > text.ownerSVGElement.getBoundingClientRect().right + 1).length"""
    assert page.evaluate(outside) == 0
    assert "all 1 query" in page.inner_text("#thresholds")


def test_an_untouched_prevalence_is_that_of_the_data(visit: Visits, flagged: Path) -> None:
    page = visit(write_page([flagged], flagged.parent / "prevalence.html"))
    page.fill("#tau-high", "0.3")
    page.locator("#tau-high").blur()
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    shown = float(page.get_attribute("#at-prevalence", "data-precision"))
    assert shown == pytest.approx(
        float(page.get_attribute("[data-key=alert_precision]", "data-value")), rel=1e-12
    )
    page.fill("#prevalence", "10")
    sensitivity = float(page.get_attribute("[data-key=alert_sensitivity]", "data-value"))
    table = pl.read_csv(flagged / "per_query.csv")
    none = table.filter(pl.col("has_evidence") == 0)
    rate = none.filter(pl.col("prob") >= 0.3).height / none.height
    wanted = 0.1 * sensitivity / (0.1 * sensitivity + 0.9 * rate)
    assert float(page.get_attribute("#at-prevalence", "data-precision")) == pytest.approx(wanted, rel=1e-12)


def test_a_run_under_names_of_trec_sorts_by_a_share(visit: Visits, made: Path) -> None:
    judged = assay.read_trec(worlds.EXAMPLE / "qrels.txt", worlds.EXAMPLE / "run.txt")
    result = assay.evaluate(judged, contract="trec_eval/10", bootstrap=worlds.CI)
    folder = result.save(made / "names_of_trec")
    page = visit(write_page([folder], made / "names_of_trec.html"))
    assert "1 − ndcg_cut_10" in page.inner_text("#queries")
    wrong = page.eval_on_selector_all(
        "#query-table tbody tr", "rows => rows.map(row => Number(row.cells[1].innerText))"
    )
    values = (
        pl.read_csv(folder / "per_query.csv").filter(pl.col("has_evidence") == 1)["ndcg_cut_10"].drop_nulls()
    )
    assert wrong[: len(values)] == [round(1 - each, 3) for each in sorted(values)]
    assert page.locator("#fig-interpolated path[class^=band]").count() == 1
    assert "sentence" not in page.inner_text("#fig-cutoffs")
    assert page.messages == []


def test_exports_are_light_in_the_dark(visit: Visits, example_page: Path) -> None:
    saved = []
    for dark in (False, True):
        page = visit(example_page, dark=dark)
        with page.expect_download() as download:
            page.click("#fig-roc button:text-is('SVG')")
        saved.append(Path(download.value.path()).read_text(encoding="utf-8"))
        assert page.get_attribute("html", "data-theme") == "auto"
    assert saved[0] == saved[1]
    assert '"#ffffff"' in saved[0]


def test_values_outside_their_interval_say_so(visit: Visits, example: Path, example_page: Path) -> None:
    beyond = [
        value.name
        for value in assay.load(example).measures
        if value.interval is not None and not value.interval.low <= value.value <= value.interval.high
    ]
    assert beyond
    page = visit(example_page)
    page.click("#notes summary")
    assert ("‡ The value is outside its interval" in page.inner_text("#notes")) == bool(beyond)


def test_notes_are_printed_and_links_are_not(visit: Visits, example_page: Path) -> None:
    page = visit(example_page)
    page.emulate_media(media="print")
    assert page.is_visible("#quality .onpaper")
    assert not page.is_visible(".concerns a")


def test_figures_are_redrawn_for_paper(visit: Visits, example_page: Path, tmp_path: Path) -> None:
    page = visit(example_page)
    page.evaluate(
        "window.addEventListener('beforeprint', () => { window.drawn = document.querySelector('#fig-roc .drawn svg')"
        ".getAttribute('viewBox'); })"
    )
    before = page.get_attribute("#fig-roc .drawn svg", "viewBox")
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    assert page.evaluate("window.drawn").startswith("0 0 300 ")
    assert page.get_attribute("#fig-roc .drawn svg", "viewBox") == before


def test_hidden_counts_are_in_no_sentence_bar_or_link(visit: Visits, flagged: Path) -> None:
    path = write_page([flagged], flagged.parent / "suppressed.html", suppress_below=10)
    page = visit(path)
    table, said = by_rule(flagged)
    evidence = int(table["has_evidence"].sum())
    missed = table.filter((pl.col("has_evidence") == 1) & ~said).height
    text = page.inner_text("#headline")
    assert text.startswith("About ")
    assert f"about {10 * round(missed / 10)} of {evidence} queries with evidence are missed" in text
    assert f"{evidence} with evidence" in page.inner_text(".bars")
    assert "of the queries with evidence are missed" in page.inner_text(".concerns")  # a share
    gone = "[...document.querySelectorAll('a[href^=\"#\"]')].filter((a) => !document.getElementById(a.hash.slice(1).split('?')[0])).length"
    assert page.evaluate(gone) == 0
    assert page.messages == []


def test_a_hidden_count_has_no_share(visit: Visits, example: Path, made: Path) -> None:
    page = visit(write_page([example], made / "few.html", suppress_below=30))
    labels = page.eval_on_selector_all(".bars .stacked", "all => all.map(e => e.getAttribute('aria-label'))")
    table = pl.read_csv(example / "per_query.csv")
    assert all(0 < n < 30 for n in table["state"].value_counts()["count"])
    for label in (labels[0], page.inner_text("#headline")):
        assert label.count("fewer than 30") >= 3
        assert "%" not in label


def test_outcomes_of_a_comparison_are_exact(visit: Visits, made: Path, five: list[Path]) -> None:
    page = visit(write_page(five[:2], made / "two.html"))
    one, two = (pl.read_csv(each / "per_query.csv")["ndcg@10"].drop_nulls() for each in five[:2])
    won, tied, lost = ((two > one).sum(), (two == one).sum(), (two < one).sum())
    row = page.locator("#comparison tr", has_text="ndcg@10").first
    assert f"{won} / {tied} / {lost}" in row.inner_text()
    dots = page.locator("#fig-scatter .drawn circle").count()
    assert dots == len(set(zip(one, two, strict=True)))


def test_a_query_of_a_table_tells_its_decision(visit: Visits, flagged: Path) -> None:
    page = visit(write_page([flagged], flagged.parent / "dialog.html"))
    page.click("#query-table tbody button >> nth=0")
    text = page.inner_text("#query .why")
    assert (
        "Operating point: the threshold that fpr_0.05 chose on TUNE (false positive rate of at most 5%)."
        in text
    )
    assert "ranked" not in page.inner_text("#query")


def test_a_gate_without_targets_says_so(visit: Visits, flagged: Path, made: Path) -> None:
    bundle = report_bundle(
        flagged, {"passed": True, "checks": [{"name": "hashes", "verdict": "pass", "reason": ""}]}
    )
    assert not any(value.target for value in bundle.result.measures)
    path = made / "no_target.html"
    path.write_text(page_of([bundle]), encoding="utf-8")
    assert "none of them is a target for performance" in visit(path).inner_text(".verdict")
