"""No false alarm: tables computed from real rankings and decisions never give an impossible finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from tests.verification.lint.direct import Query, Variant, of_query, queries, ranking_means, rates, variants

CUTS = (1, 2, 3, 5, 10)


def printed(value: float, digits: int, *, percent: bool) -> str:
    return f"{100 * value:.{digits}f} %" if percent else f"{value:.{digits}f}"


def judge(folder: Path, text: str, name: str = "table.csv", **options: object) -> assay.LintReport:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    report = assay.lint(path, **options)  # type: ignore[arg-type]
    assert report.impossible == (), [(each.code, each.numbers) for each in report.impossible]
    assert report.exit_code == 0
    return report


@settings(max_examples=120)
@given(queries, queries, variants, st.integers(2, 5), st.booleans(), st.booleans(), st.data())
def test_tables_of_rankings(
    tmp_path_factory: pytest.TempPathFactory,
    first: list[Query],
    second: list[Query],
    variant: Variant,
    digits: int,
    percent: bool,
    in_rows: bool,
    data: st.DataObject,
) -> None:
    """Two systems, with relative and absolute changes computed before rounding."""
    a, b = ranking_means(first, CUTS, variant), ranking_means(second, CUTS, variant)
    names = data.draw(st.lists(st.sampled_from(sorted(a)), min_size=2, unique=True))
    rows = [["Metric", "A", "B", "Improvement", "Δ"]]
    for name in names:
        change = f"{100 * (b[name] / a[name] - 1):+.{digits}f} %" if a[name] else "–"
        shift = printed(b[name] - a[name], digits, percent=percent)
        cells = [printed(system[name], digits, percent=percent) for system in (a, b)]
        rows.append([name, *cells, change, shift])
    folder = tmp_path_factory.mktemp("rankings")
    if in_rows:
        judge(folder, "\n".join(",".join(row) for row in rows))
        return
    lines = ["| " + " | ".join(row) + " |" for row in zip(*rows, strict=True)]
    lines.insert(1, "|" + "---|" * len(rows))
    judge(folder, "\n".join(lines), "table.md")


@settings(max_examples=60)
@given(st.lists(queries, min_size=2, max_size=4), variants, st.integers(2, 4))
def test_means_over_folds(
    tmp_path_factory: pytest.TempPathFactory, folds: list[list[Query]], variant: Variant, digits: int
) -> None:
    """Fold values, their mean and their std, printed side by side."""
    values = [ranking_means(fold, CUTS, variant) for fold in folds]
    head = ["Metric", *(f"Fold {at + 1}" for at in range(len(folds))), "Mean", "Std"]
    rows = [head]
    for name in values[0]:
        each = [fold[name] for fold in values]
        mean = sum(each) / len(each)
        std = (sum((value - mean) ** 2 for value in each) / (len(each) - 1)) ** 0.5
        rows.append([name, *(f"{value:.{digits}f}" for value in (*each, mean, std))])
    folder = tmp_path_factory.mktemp("folds")
    judge(folder, "\n".join(",".join(row) for row in rows), folds=len(folds))


@settings(max_examples=60)
@given(queries, variants, st.integers(2, 4))
def test_one_row_for_each_k(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[Query], variant: Variant, digits: int
) -> None:
    names = ("MRR", "nDCG", "MAP", "Recall", "P")
    head = ["k", "MRR", "nDCG", "MAP", "Recall", "Precision"]
    kept = [query for query in drawn if query.gold]
    rows = [head]
    for k in CUTS:
        values = [of_query(query, k, variant) for query in kept]
        means = [sum(value[name] for value in values) / len(values) for name in names]
        rows.append([str(k), *(f"{mean:.{digits}f}" for mean in means)])
    report = judge(tmp_path_factory.mktemp("k"), "\n".join(",".join(row) for row in rows))
    assert report.figures == len(CUTS) * len(names)


matrices = st.tuples(*(st.integers(0, 60) for _ in range(4))).filter(lambda four: sum(four) > 0)


@settings(max_examples=150)
@given(matrices, st.integers(1, 4), st.booleans(), st.booleans())
def test_rates_of_one_confusion_matrix(
    tmp_path_factory: pytest.TempPathFactory,
    four: tuple[int, int, int, int],
    digits: int,
    counts_inside: bool,
    zeros: bool,
) -> None:
    """With n and positives given, or with the four counts in the table; 0/0 left out or printed as 0."""
    tp, fp, tn, fn = four
    found = rates(tp, fp, tn, fn)
    if zeros:
        found = {**dict.fromkeys(("PPV", "NPV", "F1", "MCC", "sensitivity", "FNR"), 0.0), **found}
    rows = [[name, f"{value:.{digits}f}"] for name, value in found.items()]
    options: dict[str, Any] = {}
    if counts_inside:
        rows += [["TP", str(tp)], ["FP", str(fp)], ["TN", str(tn)], ["FN", str(fn)]]
    else:
        options = {"n": sum(four), "positives": tp + fn}
    table = "\n".join(",".join(row) for row in [["Metric", "System"], *rows])
    judge(tmp_path_factory.mktemp("matrix"), table, **options)


def test_a_consistent_table_at_full_size(tmp_path: Path) -> None:
    """14,770 queries, 1,379 of them positive, and figures of four digits."""
    found = rates(tp=1201, fp=640, tn=13391 - 640, fn=178)
    table = "Metric,System\n" + "\n".join(f"{name},{value:.4f}" for name, value in found.items())
    judge(tmp_path, table, n=14770, positives=1379)
    wrong = table.replace(f"F1,{found['F1']:.4f}", f"F1,{found['F1'] + 0.002:.4f}")
    (tmp_path / "wrong.csv").write_text(wrong, encoding="utf-8")
    report = assay.lint(tmp_path / "wrong.csv", n=14770, positives=1379)
    assert "A513" in report.codes
    assert "without F1" in next(each.numbers for each in report if each.code == "A513")
