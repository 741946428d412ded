"""What objects show: short text, escaped HTML without scripts or colours, frames and LaTeX."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import polars as pl
import pytest
from IPython.core.formatters import DisplayFormatter
from mlflow.utils.validation import _validate_metric_name
from nbconvert import HTMLExporter

import assay
from assay.display.displayed import Displayed
from assay.errors import MissingExtraError
from assay.report.figures.figure_files import MAKERS
from assay.verification.publication_gate import publication_gate
from tests.objects.conftest import CORPUS

TAGS = {"div", "p", "br", "table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary"}
HOSTILE = "<script>alert(1)</script>&\x1b[2J\u202e"
PRINTED = """| system | precision | recall | F1 | n |
|---|---|---|---|---|
| <b>a</b> | 0.5 | 0.5 | 0.9 | 100 |
"""


@pytest.fixture(scope="session")
def shown(
    result: assay.Result,
    small: assay.Result,
    every_pair: assay.Comparison,
    bundle: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Displayed]:
    table = tmp_path_factory.mktemp("printed") / "table.md"
    table.write_text(PRINTED, encoding="utf-8")
    return {
        "result": result,
        "small": small,
        "loaded": assay.load(bundle),
        "comparison": every_pair,
        "verification": assay.verify(bundle, draws=5),
        "gate": publication_gate(bundle),
        "audit": assay.audit(CORPUS),
        "lint": assay.lint(table),
        "claims": assay.verify_claims(CLAIMED, {"MAP@10": 0.9}),
        "regression": assay.regression_gate(bundle, bundle, allow={"ndcg@10": -0.01}, resamples=100),
    }


CLAIMED = [
    {"query_id": "q1", "gold_ids": "a", "ranked_ids": "b|a"},
    {"query_id": "q2", "gold_ids": "c", "ranked_ids": "c"},
]
OBJECTS = (
    "result",
    "small",
    "loaded",
    "comparison",
    "verification",
    "gate",
    "audit",
    "lint",
    "claims",
    "regression",
)


@pytest.mark.parametrize("name", OBJECTS)
def test_reprs_fit_a_terminal(name: str, shown: dict[str, Displayed]) -> None:
    lines = repr(shown[name]).split("\n")
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    assert str(shown[name]) == repr(shown[name])


def test_a_repr_has_the_headlines_and_says_what_it_leaves_out(
    result: assay.Result, small: assay.Result
) -> None:
    text = repr(result)
    assert text.startswith("mine under assay/1: 36 queries, 13 with evidence, 195 candidates\n")
    row = next(line for line in text.split("\n") if line.startswith("auroc "))
    assert row.split()[2] == f"{result['auroc']:.4f}"
    assert ">= 0.85 met" in row
    rows = [line for line in text.split("\n") if line.partition(" ")[0] in result]
    assert f"{len(result) - len(rows)} more measures" in text
    assert "recall@k     ↑  0.2778  0.6389" in repr(small)  # a small one is the terminal's table
    assert "more measure" not in repr(small)


def test_a_comparison_shows_every_pair(every_pair: assay.Comparison) -> None:
    text = repr(every_pair)
    for baseline, system in (("a", "b"), ("a", "c"), ("b", "c")):
        assert f"\n{system} minus {baseline}\n" in text
    assert len(re.findall(r"^ndcg@10 +↑ ", text, flags=re.M)) == 3


class Page(HTMLParser):
    """Collects tags, attributes and text, and checks that every tag is closed."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.cells: list[str] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open += [tag] if tag != "br" else []
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert tag == "br" or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.cells.append(data)


@pytest.mark.parametrize("name", OBJECTS)
def test_html_is_plain_and_has_no_colours_of_its_own(name: str, shown: dict[str, Displayed]) -> None:
    page = Page(shown[name]._repr_html_())
    assert page.tags <= TAGS
    assert {attribute for attribute, _ in page.attributes} <= {"style", "colspan"}
    styles = " ; ".join(style for _, style in page.attributes)
    assert "background" not in styles
    assert set(re.findall(r"(?<![-\w])color:([^;]*)", styles)) <= {"inherit"}
    assert not re.search(r"url\(|expression|@import", styles)


def test_a_notebook_has_every_measure(result: assay.Result) -> None:
    cells = Page(result._repr_html_()).cells
    for value in result.measures:
        family = value.name.partition("@")[0]
        assert value.name in cells or f"{family}@k" in cells, value.name


def test_a_notebook_stays_small_however_many_groups_there_are() -> None:
    """A result used to be shown as one line of up to 501,000 characters."""
    labels = pl.DataFrame(
        {
            "label": [at % 2 for at in range(800)],
            "prob": [(at % 7) / 10 for at in range(800)],
            "post": [f"post {at // 2}" for at in range(800)],
        }
    )
    result = assay.evaluate(
        assay.read_decisions(labels, group="post"), by="post_id", measures=["brier", "ece"]
    )
    assert len(result.groups["post_id"]) == 400
    page = result._repr_html_()
    assert "… and 250 more rows" in page
    assert page.count("<tr>") < 200
    assert len(repr(result).split("\n")) < 60
    assert max(map(len, repr(replace(result, system="x" * 300)).split("\n"))) <= 80


def test_names_are_escaped(result: assay.Result, every_pair: assay.Comparison) -> None:
    hostile = replace(result, system=HOSTILE)
    assert "<script" not in hostile._repr_html_()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;\\x1b[2J\\u202e" in hostile._repr_html_()
    assert "\x1b" not in repr(hostile)
    assert "\u202e" not in repr(hostile)
    first = replace(every_pair.differences[0], system=HOSTILE)
    pairs = (("a", HOSTILE), *every_pair.pairs[1:])
    other = replace(every_pair, differences=(first, *every_pair.differences[1:]), pairs=pairs)
    assert "<script" not in other._repr_html_()
    assert "\\x1b[2J" in repr(other)
    assert r"\textless{}script\textgreater{}" in other.to_latex()


def test_a_notebook_shows_the_html_and_keeps_the_text(result: assay.Result) -> None:
    """What Jupyter stores for a cell, and what nbconvert makes of it."""
    data, _ = DisplayFormatter().format(result)
    assert set(data) == {"text/plain", "text/html"}
    assert data["text/plain"] == repr(result)
    cell = nbformat.v4.new_code_cell(
        "result",
        execution_count=1,
        outputs=[nbformat.v4.new_output("execute_result", data=data, execution_count=1)],
    )
    exporter = HTMLExporter(template_name="basic")
    page, _ = exporter.from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    begin, end = '<div style="overflow-x:auto">', "</details></div>"  # nbconvert spells entities its own way
    kept = Page(begin + page.partition(begin)[2].partition(end)[0] + end)
    mine = Page(data["text/html"])
    assert (kept.cells, kept.attributes) == (mine.cells, mine.attributes)
    assert len(mine.cells) > 500


def test_a_result_as_a_frame(result: assay.Result) -> None:
    frame = result.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["measure"].to_list() == list(result)
    assert frame["value"].to_list() == [float(value) for value in result.values()]
    row = frame.row(by_predicate=pl.col("measure") == "auroc", named=True)
    value = result["auroc"]
    assert value.interval is not None
    assert (row["ci_low"], row["ci_high"]) == (value.interval.low, value.interval.high)
    assert (row["n"], row["population"], row["definition"]) == (36, "all", "auroc:on=all")
    other = result.to_frame("pandas")
    assert isinstance(other, pd.DataFrame)
    assert other["value"].dtype == "float64"
    assert other["value"].tolist() == frame["value"].to_list()
    assert list(other.columns) == frame.columns


def test_queries_as_a_frame(result: assay.Result) -> None:
    assert isinstance(result.per_query(), pl.DataFrame)
    theirs = result.per_query("pandas")
    assert isinstance(theirs, pd.DataFrame)
    assert list(theirs.columns) == result.per_query().columns
    assert theirs["ndcg@10"].mean() == pytest.approx(result["ndcg@10"].pooled)
    assert theirs["ndcg@10"].isna().sum() == 36 - 13


def test_other_frames_are_refused(result: assay.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(assay.AssayError, match="'arrow' was asked for; expected 'polars' or 'pandas'"):
        result.to_frame("arrow")  # type: ignore[call-overload] # that is the test
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pip install pandas"):
        result.to_frame("pandas")


@pytest.mark.parametrize("name", OBJECTS[3:])
def test_every_report_has_rows(name: str, shown: dict[str, Any]) -> None:
    each = shown[name]
    frame = each.to_frame()
    assert frame.height == len(each) > 0
    assert sum(1 for _ in each) == len(each)
    assert len(each.to_frame("pandas")) == len(each)


@pytest.mark.parametrize("name", OBJECTS[4:])
def test_reports_are_neither_true_nor_false(name: str, shown: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"neither true nor false; use \.ok"):
        bool(shown[name])
    wanted = {"verification": True, "gate": False, "audit": True, "lint": False, "claims": False}
    wanted["regression"] = True  # the same bundle is not worse
    assert shown[name].ok is wanted[name]  # a method would be true in every `if`


def test_flat_numbers_are_accepted_by_mlflow(result: assay.Result, every_pair: assay.Comparison) -> None:
    flat = result.to_dict(flat=True)
    assert list(flat.values()) == [value.value for value in result.measures]
    assert all(type(number) is float for number in flat.values())
    assert flat["ndcg_at_10"] == result["ndcg@10"]
    for key in (*flat, *every_pair.to_dict(flat=True)):
        _validate_metric_name(key)
    with pytest.raises(Exception, match="ndcg@10"):
        _validate_metric_name("ndcg@10")  # the reason for other keys
    spelled = assay.evaluate(
        assay.Arrays.of([0.9, 0.1], [1, 0], lengths=[2]),
        measures=["map@10:denominator=min_r_k,cut=k,rel=1,on=all"],
    )
    for key in spelled.to_dict(flat=True):
        _validate_metric_name(key)


def test_latex_is_a_booktabs_table(result: assay.Result, pair: assay.Comparison) -> None:
    text = replace(result, system="50%_of & more").to_latex()
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 1
    assert r"50\%\_of \& more" in text
    rows = [line for line in text.split("\n") if line.endswith(r" \\") and " & " in line]
    assert len({line.count(" & ") for line in rows}) == 1
    assert 8 <= len(rows) - 1 <= 10
    row = next(line for line in rows if "AUROC" in line)
    assert f" {result['auroc']:.2f}" in row or f" {result['auroc']:.3f}" in row
    assert r"\midrule" in pair.to_latex()


def test_displays_take_a_result_like_its_bundle(result: assay.Result, bundle: Path) -> None:
    loaded = assay.load(bundle)
    for name, display in {
        "roc": assay.RocDisplay,
        "pr": assay.PrDisplay,
        "reliability": assay.ReliabilityDisplay,
        "scores": assay.ScoresDisplay,
        "selected_k": assay.SelectedKDisplay,
        "risk_coverage": assay.RiskCoverageDisplay,
        "decision_curve": assay.BenefitDisplay,
        "cutoffs": assay.CutoffDisplay,
    }.items():
        assert name in MAKERS
        made: Any = display
        assert made.of(result).data() == made.of(loaded).data() == made.of(bundle).data(), name
    criteria = [assay.CriteriaDisplay.of(each, "auroc").values for each in (result, loaded, str(bundle))]
    assert criteria[0] == criteria[1] == criteria[2]


def test_a_figure_that_a_result_cannot_have_says_why(small: assay.Result) -> None:
    with pytest.raises(assay.MeasureError, match="prob is absent: the system gave no probabilities"):
        assay.ReliabilityDisplay.of(small)


def test_a_report_needs_a_bundle(result: assay.Result, bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(assay.InputError, match=r"was not loaded from a bundle; save it first: result\.save"):
        assay.write_page([result], tmp_path / "page.html")
    loaded = assay.load(bundle)
    assert assay.write_page([loaded], tmp_path / "page.html").is_file()
