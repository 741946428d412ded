"""Tables that go into a paper as they are: what they say, and that they fit a two-column article."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import assay
from assay.evaluation.display.main_tables import comparison_table, main_table, mark
from assay.report.comparison_files import write_comparison
from assay.report.figures.difference_figure import DifferencesDisplay
from assay.report.paper_files import write_tables
from tests.report import worlds

ARTICLE = r"""\documentclass[twocolumn]{article}
\usepackage{booktabs, textcomp}
\usepackage[T1]{fontenc}
\begin{document}
Text.
%s
\end{document}
"""
QRELS = {f"q{at}": {f"d{at}.{k}": int(k % 3 == 0) for k in range(9)} for at in range(12)}
LONG = "a_system_with/a.very-long.name/of_the_kind_that_paths_have"


def run_of(seed: int) -> dict[str, dict[str, float]]:
    return {q: {d: float((hash_of(d) * seed) % 101) for d in judged} for q, judged in QRELS.items()}


def hash_of(name: str) -> int:
    return sum((at + 3) * ord(mark) for at, mark in enumerate(name))


@pytest.fixture(scope="module")
def three() -> assay.Comparison:
    runs = [run_of(seed) for seed in (7, 11, 13)]
    names = ["first", LONG, "third"]
    return assay.compare(*runs, qrels=QRELS, names=names, measures=["mrr", "ndcg@10"], resamples=200)


def compiled(folder: Path) -> str:
    """Return the log of a two-column article with every table of a folder."""
    tex = shutil.which("pdflatex")
    if tex is None:
        pytest.skip("pdflatex is not installed: no table was compiled")
    listed = [
        path
        for path in sorted(folder.glob("*.tex"))
        if r"\begin{tabular}" in path.read_text(encoding="utf-8")
    ]
    assert listed
    body = "\n".join(rf"\input{{{path.name}}}\clearpage" for path in listed)
    (folder / "article.tex").write_text(ARTICLE % body, encoding="utf-8")
    done = subprocess.run(
        [tex, "-interaction=nonstopmode", "-halt-on-error", "article.tex"],
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, "openin_any": "p", "max_print_line": "1000"},
    )
    text = (folder / "article.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, text[-2000:]
    return text


@pytest.mark.parametrize("kind", ["example", "hostile", "plain_ir"])
def test_every_float_fits_a_two_column_article(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if kind == "plain_ir":
        folder = assay.evaluate(run_of(7), qrels=QRELS, contract="trec_eval/10", system=LONG, bootstrap=50)
        made = folder.save(tmp_path / "bundle")
    else:
        found = request.getfixturevalue(kind)
        made = found if kind == "example" else found[0]
    write_tables(assay.load(made), tmp_path / "tables")
    assert "Overfull" not in compiled(tmp_path / "tables")


def test_a_comparison_fits_a_two_column_article(three: assay.Comparison, tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    runs = [run_of(seed) for seed in (7, 11, 13)]
    every = assay.compare(
        *runs, qrels=QRELS, names=[LONG, "b", "c"], measures="mrr", all_pairs=True, resamples=50
    )
    for at, made in enumerate((three, every)):
        (tmp_path / "all" / f"{at}.tex").write_text(made.to_latex(), encoding="utf-8")
    assert "Overfull" not in compiled(tmp_path / "all")


def test_the_main_table_and_its_caption(example: Path, tmp_path: Path) -> None:
    result = assay.load(example)
    table = main_table(result)
    assert 8 <= len(table.rows) <= 10
    names = [row[0].rstrip(" ↑↓") for row in table.rows]
    assert names[:3] == ["AUROC", "AUPRC", "nDCG@10"]
    assert "Sensitivity (UNCERTAIN or POS)" in names
    plan = result.bootstrap
    assert plan is not None
    for part in (
        "36 queries, 13 with evidence",
        f"assay/1 ({result.contract.hash[:8]})",
        "queries with evidence (n = 13)",
        "all queries (n = 36)",
        f"{plan.method} bootstrap, {plan.resamples:,} resamples of posts, stratified by fold, seed {plan.seed}",
        "Values are means over 3 folds",
        "nDCG: normalised discounted cumulative gain",
    ):
        assert part in table.title, part
    write_tables(result, tmp_path)
    assert (tmp_path / "main.tex").read_text(encoding="utf-8") == result.to_latex()
    assert table.title in (tmp_path / "main.md").read_text(encoding="utf-8").replace("\\", "")


def test_baselines_stand_around_the_system(example: Path, tmp_path: Path) -> None:
    result = assay.load(example)
    write_tables(result, tmp_path)
    with (tmp_path / "baselines.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["System"]: row for row in csv.DictReader(file)}
    assert next(iter(rows)) == "Random order"
    assert list(rows)[-2:] == [result.short_name, "Oracle"]
    random = next(each for each in result.baselines if each.name == "random")
    assert float(rows["Random order"]["nDCG@10 ↑"]) == pytest.approx(random.values["ndcg@10"], abs=0.005)
    assert rows["Random order"]["AUROC ↑"] == "–"


def test_a_comparison_has_marks_by_adjusted_p(three: assay.Comparison, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_comparison(three, tmp_path / "out")
    with (tmp_path / "out" / "comparison.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(three.differences) == 4
    for row, each in zip(rows, three.differences, strict=True):
        holm = each.randomisation.holm
        assert row["Sig."] == (mark(holm) or "–")
        assert float(row["Difference"]) == pytest.approx(each.difference, abs=0.006)
        assert row["System"] == each.system
    assert [mark(p) for p in (0.001, 0.0011, 0.01, 0.05, 0.051)] == ["***", "**", "**", "*", ""]
    assert (tmp_path / "out" / "comparison.tex").read_text(encoding="utf-8") == three.to_latex()
    assert "Baseline: first" in comparison_table(three).title
    figures = {path.name for path in (tmp_path / "out" / "figures").iterdir()}
    assert len(figures) == 4 * 3
    assert "differences_mrr_third_minus_first.pdf" in figures


def test_differences_by_query_are_those_of_the_tables(three: assay.Comparison) -> None:
    first, third = (
        assay.evaluate(run_of(seed), qrels=QRELS, measures="mrr").per_query()["mrr"].to_list()
        for seed in (7, 13)
    )
    expected = sorted((b - a for a, b in zip(first, third, strict=True)), reverse=True)
    shown = DifferencesDisplay.of(three, "mrr", "first", "third")
    assert shown.changes.tolist() == pytest.approx(expected, abs=1e-12)
    outcomes = shown.difference.outcomes
    assert outcomes is not None
    assert (outcomes.wins, outcomes.losses) == (
        sum(each > 1e-12 for each in expected),
        sum(each < -1e-12 for each in expected),
    )
    labels, probs = [1, 0, 1, 0, 0, 1], [0.9, 0.2, 0.6, 0.7, 0.1, 0.3]
    areas = assay.compare(probs, probs[::-1], labels=labels, measures="auroc", resamples=20)
    with pytest.raises(assay.MeasureError, match="no differences by query"):
        DifferencesDisplay.of(areas, "auroc")


def test_small_groups_are_hidden_in_every_file(tmp_path: Path) -> None:
    """No file of tables names a count or a value of a small group, and no total gives it away."""
    made = worlds.tables(30, ["common", "second", "third", "rare"], 3)
    result = assay.load(worlds.bundle_of(made, tmp_path / "bundle"))
    evidence = {label: cells["ndcg@10"].n for label, cells in result.groups["criterion_id"].items()}
    limit = sorted(evidence.values())[0] + 1
    write_tables(result, tmp_path / "tables", limit)
    with (tmp_path / "tables" / "by_criterion_id.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"].startswith("ndcg@10")]
    hidden = {row["criterion_id"]: row["n"] for row in rows if row["value"] == "–"}
    small = {label for label, n in evidence.items() if n < limit}
    assert small < set(hidden) or len(small) > 1
    assert {hidden[label] for label in small} == {f"<{limit}"}
    assert {n for label, n in hidden.items() if label not in small} <= {"–"}
    for row in rows:
        if row["criterion_id"] not in hidden:
            assert int(row["n"]) == evidence[row["criterion_id"]]
    text = (tmp_path / "tables" / "wide_by_criterion_id.md").read_text(encoding="utf-8")
    assert re.search(rf"Groups of fewer than {limit} queries are hidden", text)
