"""The two result tables that the project started from, typed in, and the file itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import assay

ROOT = Path(__file__).parents[3]
SEED = ROOT.parent / "shared" / "seeds" / "000_05c9b784436f9aa6.txt"

FIRST = """\
Model,nDCG@10,MRR,Recall@10
Baseline,0.7330 ± 0.031,0.6746 ± 0.037,0.9444 ± 0.022
GNN,0.8206 ± 0.030,0.7703 ± 0.035,0.9606 ± 0.019
Improvement,+10.48%,+12.02%,+1.71%
"""
SECOND = """\
| Metric | Baseline | GNN | Improvement |
|--------|----------|-----|-------------|
| nDCG@1 | 0.5540 ± 0.063 | 0.6497 ± 0.052 | +17.27% |
| nDCG@3 | 0.6660 ± 0.042 | 0.7532 ± 0.039 | +13.09% |
| nDCG@5 | 0.7086 ± 0.037 | 0.7832 ± 0.038 | +10.53% |
| nDCG@10 | 0.7330 ± 0.031 | 0.8206 ± 0.030 | +10.48% |
| nDCG@20 | 0.7566 ± 0.032 | 0.8223 ± 0.026 | +8.68% |
| Precision@1 | 0.5540 ± 0.063 | 0.6605 ± 0.047 | +19.22% |
| Precision@3 | 0.2709 ± 0.008 | 0.3018 ± 0.008 | +11.41% |
| Precision@5 | 0.1859 ± 0.003 | 0.2002 ± 0.005 | +7.69% |
| Precision@10 | 0.1048 ± 0.002 | 0.1079 ± 0.001 | +2.96% |
| Hit@1 | 0.5540 ± 0.063 | 0.6605 ± 0.047 | +19.22% |
| Hit@3 | 0.7691 ± 0.030 | 0.8483 ± 0.027 | +10.30% |
| Hit@5 | 0.8631 ± 0.020 | 0.9187 ± 0.031 | +6.44% |
| Hit@10 | 0.9534 ± 0.017 | 0.9762 ± 0.012 | +2.39% |
| MAP@1 | 0.5540 ± 0.063 | 0.6605 ± 0.047 | +19.22% |
| MAP@3 | 0.6322 ± 0.047 | 0.7308 ± 0.037 | +15.60% |
| MAP@5 | 0.6574 ± 0.044 | 0.7508 ± 0.038 | +14.21% |
| MAP@10 | 0.6732 ± 0.042 | 0.7612 ± 0.035 | +13.07% |
"""


def seen(report: assay.LintReport) -> list[tuple[str, str, str]]:
    return [(each.code, each.place.rpartition(", ")[2], each.numbers) for each in report]


def check_second(found: list[tuple[str, str, str]], column: str) -> None:
    """Exactly three findings: the equality at 1, the gain of nDCG, and one improvement."""
    codes = [(code, place) for code, place, _ in found]
    assert codes == [("A201", column), ("A404", column), ("A701", "Improvement")]
    first, gain, change = (numbers for _, _, numbers in found)
    assert "nDCG@1 0.6497" in first
    assert "Precision@1 0.6605" in first
    # .78325 + (10·.10795 − 5·.20015)/log2(7) by hand
    assert "nDCG@10 0.8206: at most 0.8113" in gain
    assert "nDCG@5 0.7832, Precision@5 0.2002 and Precision@10 0.1079" in gain
    assert "+10.48%; should be +11.95%" in change


def check_first(found: list[tuple[str, str, str]]) -> None:
    """Two improvements do not follow; that of recall is within rounding."""
    assert [(code, place) for code, place, _ in found] == [("A701", "Improvement")] * 2
    assert "nDCG@10 0.7330 → 0.8206: printed +10.48%; should be +11.95%" in found[0][2]
    assert "MRR 0.6746 → 0.7703: printed +12.02%; should be +14.19%" in found[1][2]


def test_the_first_table(tmp_path: Path) -> None:
    path = tmp_path / "first.csv"
    path.write_text(FIRST, encoding="utf-8")
    check_first(seen(assay.lint(path)))


@pytest.mark.parametrize("folds", [None, 5])
def test_the_second_table(tmp_path: Path, folds: int | None) -> None:
    path = tmp_path / "second.md"
    path.write_text(SECOND, encoding="utf-8")
    check_second(seen(assay.lint(path, folds=folds)), "GNN")


def test_the_second_table_as_csv(tmp_path: Path) -> None:
    rows = [line.strip("| ").split(" | ") for line in SECOND.splitlines() if "---" not in line]
    path = tmp_path / "second.csv"
    path.write_text("\n".join(",".join(row) for row in rows), encoding="utf-8")
    check_second(seen(assay.lint(path)), "GNN")


def test_a_corrected_table_has_no_finding(tmp_path: Path) -> None:
    fixed = SECOND.replace("0.6497", "0.6605").replace("+17.27%", "+19.22%")
    fixed = fixed.replace("0.8206", "0.8111").replace("+10.48%", "+10.65%")
    path = tmp_path / "fixed.md"
    path.write_text(fixed, encoding="utf-8")
    assert seen(assay.lint(path)) == []


def test_graded_gold_leaves_only_what_holds_for_it(tmp_path: Path) -> None:
    path = tmp_path / "second.md"
    path.write_text(SECOND, encoding="utf-8")
    assert assay.lint(path, graded=True).codes == ("A701",)


def test_the_file_itself() -> None:
    if not SEED.is_file():
        if os.environ.get("CI"):
            pytest.fail("the document is not at ../shared/seeds")
        pytest.skip("the document is not at ../shared/seeds")
    report = assay.lint(SEED)
    assert [name.partition(" (")[2] for name in report.skipped] == ["Evaluation Splits)", "Criteria)"]
    assert len(report.tables) == 2
    found = seen(report)
    check_first(found[:2])
    check_second(found[2:], "GNN (HPO)")
    assert report.exit_code == 1
