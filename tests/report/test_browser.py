"""The page in a real browser, opened from disk."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
import assay.compat
from assay.report.report_folder import write_page
from tests.report import worlds

pytestmark = pytest.mark.full
Visits = Callable[..., Any]
SHAPES = ("many_criteria", "no_negatives", "plain_ir", "decisions_alone")


def test_it_opens_from_disk_with_no_request_and_no_error(visit: Visits, example_page: Path) -> None:
    page = visit(example_page)
    assert page.messages == []
    assert page.requests == [example_page.as_uri()]
    assert page.inner_text("h1") == "predictions"
    assert page.inner_text("[data-measure=auroc] .big") != ""


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_opens_without_an_error_and_fits_a_phone(visit: Visits, made: Path, shape: str) -> None:
    bundle = getattr(worlds, shape)(made / shape)
    page = visit(write_page([bundle], made / f"{shape}.html"), width=390, dark=True)
    assert page.messages == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    empty = "[...document.querySelectorAll('main > section')].filter((s) => s.children.length < 2).length"
    assert page.evaluate(empty) == 0
    listed = page.eval_on_selector_all(
        "nav a", "all => all.map((link) => link.getAttribute('href').slice(1))"
    )
    assert listed == page.eval_on_selector_all("main > section", "all => all.map((each) => each.id)")
    to = page.eval_on_selector_all(
        "a[href^='#']", "all => all.map((link) => link.getAttribute('href').slice(1).split('?')[0])"
    )
    missing = [each for each in set(to) if not page.locator(f"#{each}").count()]
    assert missing == []
    without = {"plain_ir": {"thresholds", "criteria"}, "decisions_alone": {"criteria"}}
    assert not without.get(shape, set()) & set(listed)


def expected(bundle: Path, low: float, high: float) -> dict[str, float]:
    """Counted by hand from the table of the bundle, states by the contract's own function."""
    table = pl.read_csv(bundle / "per_query.csv")
    states = np.array([assay.compat.assign_state(p, low, high) for p in table["prob"]])
    label = table["has_evidence"].to_numpy() == 1
    n, positives = len(label), int(label.sum())
    count = {state: int((states == state).sum()) for state in ("NEG", "UNCERTAIN", "POS")}
    found = {state: int((label & (states == state)).sum()) for state in count}
    return {
        "neg": count["NEG"],
        "uncertain": count["UNCERTAIN"],
        "pos": count["POS"],
        "neg_evidence": found["NEG"],
        "uncertain_evidence": found["UNCERTAIN"],
        "pos_evidence": found["POS"],
        "neg_rate": count["NEG"] / n,
        "screening_sensitivity": (positives - found["NEG"]) / positives,
        "screening_fn_per_1000": 1000 * found["NEG"] / n,
        "screening_miss_rate": found["NEG"] / positives,
        "npv": (count["NEG"] - found["NEG"]) / count["NEG"] if count["NEG"] else 0.0,
        "alert_precision": found["POS"] / count["POS"] if count["POS"] else 0.0,
        "alert_sensitivity": found["POS"] / positives,
        "alert_rate_per_1000": 1000 * count["POS"] / n,
        "workload_per_1000": 1000 * (count["UNCERTAIN"] + count["POS"]) / n,
        "sentences": int(table.filter(pl.Series(states != "NEG"))["selected_k"].sum()),
    }


TYPED = """
(steps) => steps.forEach(([name, text]) => {
  const field = document.getElementById(`tau-${name}`);
  field.value = text;
  for (const event of ['input', 'change']) field.dispatchEvent(new Event(event, {bubbles: true}));
})
"""
SHOWN = """
new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(Object.fromEntries(
  [...document.querySelectorAll('[data-key]')]
    .map((cell) => [cell.dataset.key, Number(cell.dataset.value)]))))))
"""


def test_sliders_give_the_numbers_that_python_gives(visit: Visits, made: Path, five: list[Path]) -> None:
    bundle = five[2]
    page = visit(write_page([bundle], made / "sliders.html"))
    rng = np.random.default_rng(7)
    probs = pl.read_csv(bundle / "per_query.csv")["prob"].to_numpy()
    for turn in range(20):
        pair = rng.choice(probs, 2) if turn % 2 else rng.random(2)  # on a probability: p ≥ t
        low, high = sorted(float(each) for each in pair)
        steps = (("low", 0.0), ("high", high), ("low", low))
        if turn < 4:  # as somebody types, for a few; the same events for the rest
            for name, value in steps:
                page.fill(f"#tau-{name}", repr(value))
                page.locator(f"#tau-{name}").blur()
        else:
            page.evaluate(TYPED, [[name, repr(value)] for name, value in steps])
        shown = page.evaluate(SHOWN)
        for key, value in expected(bundle, low, high).items():
            assert shown[key] == value, (key, low, high)
        copied = page.inner_text("#thresholds-text").splitlines()
        assert [float(line.partition(" = ")[2]) for line in copied] == [low, high]


def test_a_slider_moves_by_queries_and_pushes_the_other(
    visit: Visits, example: Path, example_page: Path
) -> None:
    page = visit(example_page)
    probs = np.sort(pl.read_csv(example / "per_query.csv")["prob"].to_numpy())
    page.evaluate(
        "(() => { const range = document.getElementById('range-low'); range.value = 30;"
        " range.dispatchEvent(new Event('input')); })()"
    )
    low = float(page.input_value("#tau-low"))
    assert page.input_value("#tau-high") == page.input_value("#tau-low")
    assert probs[29] < low <= probs[30]  # of 36 queries, 30 are below: steps are queries, not probabilities
    page.focus("#range-high")
    page.keyboard.press("ArrowRight")
    assert probs[30] < float(page.input_value("#tau-high")) <= probs[31]


def test_costs_are_read_out(visit: Visits, example: Path, example_page: Path) -> None:
    page = visit(example_page)
    page.fill("#cost-miss", "100")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    table = pl.read_csv(example / "per_query.csv")
    low, high = (float(page.input_value(f"#tau-{each}")) for each in ("low", "high"))
    prob, has = pl.col("prob"), pl.col("has_evidence") == 1
    missed = table.filter((prob < low) & has).height
    doubted = table.filter((prob >= low) & (prob < high)).height
    alarms = table.filter((prob >= high) & ~has).height
    cost = 1000 / table.height * (100 * missed + 1 * doubted + 2 * alarms)
    shown = float(page.get_attribute("#cost", "data-value"))
    assert shown == pytest.approx(cost, rel=1e-12)


def ranked(bundle: Path, post: str, criterion: str) -> list[str]:
    with gzip.open(bundle / "candidates.csv.gz", "rt", encoding="utf-8") as file:
        table = pl.read_csv(file.read().encode())
    mine = table.filter((pl.col("post_id") == post) & (pl.col("criterion_id") == criterion))
    return mine.sort("score", descending=True, maintain_order=True)["item"].to_list()


def test_a_query_shows_its_sentences(visit: Visits, example: Path, example_page: Path) -> None:
    page = visit(example_page)
    page.fill("#search", "p04")
    page.wait_for_selector("#queries [role=status]:text('3 of 36')")
    page.click("#query-table tbody button >> text=fatigue")
    rows = page.eval_on_selector_all(
        "#ranked tbody tr",
        "rows => rows.map(row => [row.querySelector('bdi').textContent,"
        " row.querySelector('.sentence').textContent, row.className])",
    )
    assert [row[0] for row in rows] == ranked(example, "p04", "fatigue")
    texts = pl.read_csv(worlds.EXAMPLE / "corpus" / "sentences.csv")
    known = dict(texts.select("sent_uid", "text").iter_rows())
    assert [row[1] for row in rows] == [known[row[0]] for row in rows]
    gold = pl.read_csv(worlds.EXAMPLE / "corpus" / "gold.csv")
    mine = gold.filter((pl.col("post_id") == "p04") & (pl.col("criterion_id") == "fatigue"))
    assert {row[0] for row in rows if "gold" in row[2]} <= set(mine["sent_uid"])
    query = pl.read_csv(example / "per_query.csv").row(
        by_predicate=(pl.col("post_id") == "p04") & (pl.col("criterion_id") == "fatigue"), named=True
    )
    assert sum("returned" in row[2] for row in rows) == query["selected_k"]
    assert f"{query['prob']:.4f}" in page.inner_text("#query .facts")
    assert query["state"] in page.inner_text("#query .facts")
    page.keyboard.press("Escape")
    page.wait_for_selector("#query", state="detached")
    assert page.evaluate("document.activeElement.dataset.query") is not None


def test_filters_find_what_they_say(visit: Visits, example: Path, example_page: Path) -> None:
    page = visit(example_page)
    table = pl.read_csv(example / "per_query.csv")
    has, returns = pl.col("has_evidence") == 1, pl.col("selected_k") >= 1
    for name, rule in (
        ("missed", has & ~returns),
        ("alarms", ~has & returns),
        ("alerts", ~has & (pl.col("state") == "POS")),
        ("evidence", has),
        ("all", pl.lit(value=True)),
    ):
        page.select_option("#show", name)
        listed = page.eval_on_selector_all("#query-table tbody th", "all => all.map(e => e.innerText)")
        wanted = table.filter(rule).select(pl.format("{} · {}", "post_id", "criterion_id"))
        assert sorted(listed) == sorted(wanted.to_series().to_list())
    page.select_option("#show", "worst")
    values = page.eval_on_selector_all(
        "#query-table tbody tr", "rows => rows.map(row => Number(row.cells[6].innerText))"
    )
    want = table.filter(has)["ndcg@10"].sort().to_list()
    assert values == [round(each, 3) for each in want]


def test_tables_sort(visit: Visits, example_page: Path) -> None:
    page = visit(example_page)
    press = page.locator("#criteria thead button", has_text="auroc")
    press.click()
    column = "#criteria tbody td:nth-child(3)"
    down = page.eval_on_selector_all(column, "all => all.map(e => Number(e.innerText))")
    assert down == sorted(down, reverse=True)
    assert page.locator("#criteria th[aria-sort=descending]").count() == 1
    press.click()
    up = page.eval_on_selector_all(column, "all => all.map(e => Number(e.innerText))")
    assert up == sorted(down)
    assert len(set(up)) > 1
    page.locator("#query-table thead button", has_text="probability").click()
    probs = page.eval_on_selector_all(
        "#query-table tbody tr", "rows => rows.map(row => Number(row.cells[3].innerText))"
    )
    assert probs == sorted(probs, reverse=True)


def test_definitions_show_on_focus_and_leave_on_escape(visit: Visits, example_page: Path) -> None:
    page = visit(example_page)
    entry = assay.metric("auroc:on=all")
    page.focus("[data-measure=auroc] .def")
    tip = page.inner_text("#tip")
    for words in (entry.title, entry.formula, entry.meaning[1:] + ".", "all queries", "n = 36", entry.id):
        assert words in tip
    assert page.get_attribute("[data-measure=auroc] .def", "aria-describedby") == "tip"
    page.keyboard.press("Escape")
    assert not page.is_visible("#tip")


def test_a_figure_reads_out_by_keyboard(visit: Visits, example_page: Path) -> None:
    page = visit(example_page)
    page.focus("#fig-roc svg[role=img]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#live").startswith("FPR ")
    assert page.is_visible("#fig-roc .readout")


def test_five_runs_are_compared(visit: Visits, made: Path, five: list[Path]) -> None:
    page = visit(write_page(five, made / "five.html"))
    assert page.messages == []
    heads = page.eval_on_selector_all(
        "#comparison table:has(caption:text('Headline'))",
        "all => [...all[0].rows[0].cells].map(c => c.innerText)",
    )
    assert [head.strip() for head in heads] == ["measure", *(f"system {at}" for at in range(5))]
    row = page.locator("#comparison table:has(caption:text('Headline')) tbody tr", has_text="auroc").first
    for at, bundle in enumerate(five):
        value = assay.load(bundle)["auroc"].value
        text = row.locator("td").nth(at).inner_text()
        shown = text.split()[0]
        assert abs(float(shown) - value) <= 0.5 * 10 ** -len(shown.partition(".")[2])
    page.select_option("#run", "3")
    assert page.inner_text("#lede").startswith("system 3")
    page.click("#query-table tbody button >> nth=0")
    assert "In the other runs" in page.inner_text("#query")


# Tables have hundreds of rows of one kind (the same elements, classes and styles): two are enough
# for axe, which takes seconds to find the background of every cell.
FEW_OF_A_KIND = """
(async () => {
  document.querySelectorAll('details').forEach((each) => { each.open = true; });
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));  // they fill when open
  const kind = (node) => [node.tagName, node.getAttribute('class'), node.getAttribute('style')].join();
  for (const table of document.querySelectorAll('table')) {
    const seen = {};
    for (const row of [...table.rows]) {
      const key = [row, ...row.querySelectorAll('*')].map(kind).join(' ');
      seen[key] = (seen[key] ?? 0) + 1;
      if (seen[key] > 2) row.remove();
    }
  }
})()
"""
AXE = """
(only) => axe.run(document, {resultTypes: ['violations'], ...only}).then((found) => found.violations.map(
  (each) => [each.id, each.nodes.slice(0, 3).map((node) => node.html + ' ' + node.failureSummary)]))
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(visit: Visits, small_page: Path, example_page: Path, scheme: str) -> None:
    script = Path(os.environ.get("ASSAY_AXE", worlds.ROOT / ".venv" / "axe" / "package" / "axe.min.js"))
    if not script.is_file():
        pytest.skip(f"axe-core is not at {script}: `make axe` brings it")
    # the page is the same in the dark but for its colours
    colours = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
    only = {"runOnly": colours} if scheme == "dark" else {}
    for path in (example_page, small_page):
        page = visit(path, dark=scheme == "dark")
        page.evaluate(FEW_OF_A_KIND)
        # the page's policy lets no script in: axe is injected through the debugger, which the policy does not restrict
        page.evaluate(script.read_text(encoding="utf-8") + "; undefined")
        assert page.evaluate(AXE, only) == []
        page.click("#query-table tbody button >> nth=0")
        assert page.evaluate(AXE, only) == []


def test_hostile_text_is_text(visit: Visits, hostile: tuple[Path, Path], made: Path) -> None:
    bundle, corpus = hostile
    page = visit(write_page([bundle], made / "hostile.html", with_text=corpus))
    assert page.messages == []
    assert len(page.requests) == 1
    page.click("#query-table tbody button >> nth=0")
    shown = page.inner_text("#query")
    assert worlds.HOSTILE[0] in shown
    assert "Show all 1,000,000 characters" in shown
    for at in range(len(worlds.HOSTILE)):
        page.keyboard.press("Escape")
        page.eval_on_selector("#query-table tbody tr", "row => { row.id = 'before'; }")
        page.fill("#search", f"post {worlds.HOSTILE[at]}")
        page.wait_for_selector("#before", state="detached")
        assert page.locator("#query-table tbody tr").count() == len(worlds.HOSTILE)
        page.click("#query-table tbody button >> nth=0")
        title = page.inner_text("#query-title")
        if at < 4 or at > 5:
            assert worlds.HOSTILE[at] in title
        elif at == 4:
            assert "\u202e" not in title
            assert "⟨U+202E⟩" in title
        else:
            assert "⟨U+0000⟩" in title
    assert page.evaluate("window.hacked === undefined")
    assert page.locator("main img, main iframe, main script, dialog img").count() == 0


def test_the_policy_blocks_what_remains(visit: Visits, example_page: Path) -> None:
    """Even a script that got into the page would not run, and nothing could be sent anywhere."""
    page = visit(example_page)
    page.evaluate(
        "(() => { const node = document.createElement('img'); node.src = 'https://example.org/x.png';"
        " document.body.append(node); })()"
    )
    page.wait_for_timeout(200)
    assert any("Content Security Policy" in each for each in page.messages)
    injected = "(() => { try { document.body.innerHTML = '<img src=x onerror=hacked=1>'; return 'in'; } catch { return 'out'; } })()"
    assert page.evaluate(injected) == "out"
    refused = "fetch('https://example.org/').then(() => 'sent', () => 'refused')"
    assert page.evaluate(refused) == "refused"


def test_it_prints(visit: Visits, example_page: Path, tmp_path: Path) -> None:
    page = visit(example_page)
    page.emulate_media(media="print")
    assert not page.is_visible("nav")
    assert not page.is_visible("#tools")
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    printed = (tmp_path / "page.pdf").read_bytes()
    assert len(printed) > 50_000
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 6
    for hidden in ("#thresholds", "#queries", "#measures", ".exports >> nth=0"):
        assert not page.is_visible(hidden)
