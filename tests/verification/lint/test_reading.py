"""Cells, names, layouts, scales, JSON shapes, and options that describe a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import assay
from assay.errors import NotANumberError
from assay.metrics.core.registry import FAMILIES
from assay.verification.lint.names.known_measures import KINDS
from assay.verification.lint.names.measure_names import ALL, definition_name
from assay.verification.lint.numbers import read_cell
from assay.verification.lint.tables.column_roles import role
from assay.verification.lint.tables.header_labels import read_label
from tests.verification.lint.conftest import Ran

F = Fraction


@pytest.mark.parametrize(
    ("text", "value", "half"),
    [
        ("0.8206", F(8206, 10000), F(1, 20000)),
        (".8206", F(8206, 10000), F(1, 20000)),
        ("**.82**", F(82, 100), F(1, 200)),
        ("0.82 ↑", F(82, 100), F(1, 200)),
        ("0.82*", F(82, 100), F(1, 200)),
        ("0.820", F(82, 100), F(1, 2000)),
        ("12.02%", F(1202, 10000), F(1, 20000)),
        ("+10.48 %", F(1048, 10000), F(1, 20000)),
        ("−3.1 %", F(-31, 1000), F(1, 2000)),
        ("14,770", F(14770), F(1, 2)),
        ("1,234,567.8", F(12345678, 10), F(1, 20)),
        ("8.2e-1", F(82, 100), F(1, 200)),
        ("1E3", F(1000), F(500)),
        ("0,82", F(82, 100), F(1, 200)),
        ("0,8206", F(8206, 10000), F(1, 20000)),
        ("82.06\\%", F(8206, 10000), F(1, 20000)),
        ("1", F(1), F(1, 2)),
        ("0.8206114211234567", F("0.8206114211234567"), F(1, 10**9)),
    ],
)
def test_numbers(text: str, value: Fraction, half: Fraction) -> None:
    cell = read_cell(text)
    assert cell is not None
    assert cell.value is not None
    assert (cell.value.value, cell.value.half) == (value, half)


@pytest.mark.parametrize(
    ("text", "value", "std", "ends"),
    [
        ("0.7330 ± 0.031", F(733, 1000), F(31, 1000), None),
        ("0.73+/-0.03", F(73, 100), F(3, 100), None),
        ("$0.73 \\pm 0.03$", F(73, 100), F(3, 100), None),
        ("73.3 ± 3.1 %", F(733, 1000), F(31, 1000), None),
        ("73.3% ± 3.1%", F(733, 1000), F(31, 1000), None),
        ("0.73 [0.70, 0.76]", F(73, 100), None, (F(70, 100), F(76, 100))),
        ("0.73 (0.70–0.76)", F(73, 100), None, (F(70, 100), F(76, 100))),
        ("0.73 (95% CI: 0.70-0.76)", F(73, 100), None, (F(70, 100), F(76, 100))),
        ("73% (70–76)", F(73, 100), None, (F(70, 100), F(76, 100))),
        ("[0.70; 0.76]", None, None, (F(70, 100), F(76, 100))),
        ("0.73 ± 0.02 [0.70, 0.76]", F(73, 100), F(2, 100), (F(70, 100), F(76, 100))),
    ],
)
def test_compound_cells(
    text: str, value: Fraction | None, std: Fraction | None, ends: tuple[Fraction, Fraction] | None
) -> None:
    cell = read_cell(text)
    assert cell is not None
    assert (cell.value.value if cell.value else None) == value
    assert (cell.std.value if cell.std else None) == std
    assert (tuple(end.value for end in cell.interval) if cell.interval else None) == ends


@pytest.mark.parametrize("text", ["", "–", "—", "n/a", "N.A.", "nan", "-", "**–**"])
def test_absent_cells(text: str) -> None:
    assert read_cell(text) is None


@pytest.mark.parametrize("text", ["yes", "~0.8", "<0.001", "0.8.1", "1e999999", "9" * 500, "0.8 0.9"])
def test_texts_are_no_numbers(text: str) -> None:
    with pytest.raises(NotANumberError):
        read_cell(text)


@pytest.mark.parametrize(
    ("text", "key", "cut", "group"),
    [
        ("nDCG@10", "ndcg", 10, ""),
        ("NDCG@10 ↑", "ndcg", 10, ""),
        ("ndcg_cut_10", "ndcg", 10, ""),
        ("**nDCG@10**", "ndcg", 10, ""),
        ("P@1", "precision", 1, ""),
        ("P_5", "precision", 5, ""),
        ("Precision@1", "precision", 1, ""),
        ("Precision at 5", "precision", 5, ""),
        ("Recall@10", "recall", 10, ""),
        ("R@10", "recall", 10, ""),
        ("Evidence Recall@10", "recall", 10, ""),
        ("recall@all", "recall", int(ALL), ""),
        ("Hit@1", "hit", 1, ""),
        ("HitRate@1", "hit", 1, ""),
        ("Hits@10", "hit", 10, ""),
        ("Success@1", "hit", 1, ""),
        ("MAP", "map", None, ""),
        ("MAP@10", "map", 10, ""),
        ("MRR", "mrr", None, ""),
        ("MRR@10", "mrr", 10, ""),
        ("AUROC", "auroc", None, ""),
        ("ROC-AUC", "auroc", None, ""),
        ("AUPRC", "auprc", None, ""),
        ("AP", "auprc", None, ""),
        ("TPR@FPR5%", "tpr_at_fpr", F(1, 20), ""),
        ("TPR @ 5% FPR", "tpr_at_fpr", F(1, 20), ""),
        ("tpr_at_fpr@0.05", "tpr_at_fpr", F(1, 20), ""),
        ("TPR at FPR ≤ 5 %", "tpr_at_fpr", F(1, 20), ""),
        ("Sensitivity (%)", "sensitivity", None, ""),
        ("Sensitivity (TPR)", "sensitivity", None, ""),
        ("PPV", "ppv", None, ""),
        ("F1-score", "f1", None, ""),
        ("F2", "fbeta", None, ""),
        ("MCC", "mcc", None, ""),
        ("Balanced accuracy", "balanced_accuracy", None, ""),
        ("deployment/fpr", "fpr", None, "deployment"),
        ("Deployment FPR", "fpr", None, "deployment"),
        ("screening_sensitivity", "sensitivity", None, "screening"),
        ("Alert precision", "ppv", None, "alert"),
        ("FN per 1000", "screening_fn_per_1000", None, ""),
        ("Alert rate per 1000", "alert_rate_per_1000", None, ""),
        ("NEG rate", "neg_rate", None, ""),
        ("Hamming loss", "hamming_loss", None, ""),
        ("Exact match", "exact_match", None, ""),
        ("mean K", "selected_k_mean", None, ""),
        ("LR+", "lrp", None, ""),
        ("LR-", "lrn", None, ""),
        ("n", "n", None, ""),
    ],
)
def test_names(text: str, key: str, cut: int | Fraction | None, group: str) -> None:
    found = read_label(text)
    assert found is not None
    assert found.population == ""
    assert (found.name.key, found.name.cut, found.name.group) == (key, cut, group)


@pytest.mark.parametrize("text", ["foo", "ndcg@0", "fooness@10", "", "x" * 500, "Params", "ndcg@", "f0"])
def test_unknown_names(text: str) -> None:
    assert read_label(text) is None


def test_every_measure_of_the_catalogue_is_known_with_its_range() -> None:
    for family in FAMILIES.values():
        entry = family.sample()
        found = definition_name(entry.id)
        assert found is not None, entry.id
        low, high = KINDS[found.key].bounds
        assert low is None or low == entry.range[0]
        assert high is None or high == entry.range[1]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Improvement", "change"),
        ("**Improvement**", "change"),
        ("Δ", "change"),
        ("Δ %", "change"),
        ("Rel. improvement (%)", "change"),
        ("Improvement over BM25", "change"),
        ("Δ (pp)", "change"),
        ("gain", "change"),
        ("relative", "change"),
        ("std", "std"),
        ("±", "std"),
        ("95% CI", "ci"),
        ("CI low", "low"),
        ("ci_upper", "high"),
        ("Fold 3", "fold"),
        ("Mean", "mean"),
        ("p-value", "note"),
        ("Metric", "names"),
        ("k", "k"),
        ("GNN", ""),
        ("Baseline", ""),
    ],
)
def test_roles(text: str, meant: str) -> None:
    assert role(text) == meant


def lint(folder: Path, text: str, name: str = "t.csv", **options: object) -> assay.LintReport:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return assay.lint(path, **options)  # type: ignore[arg-type]


def test_scale_of_a_table_in_percent(tmp_path: Path) -> None:
    table = "Metric,A,B\nHit@5,60.0,80.0\nnDCG@5,62.0,70.1\nMAP@5,40.2,50.0\n"
    report = lint(tmp_path, table)
    assert report.codes == ("A401",)
    assert "read as percent" in report.notes[0]


def test_an_unsure_scale_is_judged_alone(tmp_path: Path) -> None:
    table = "Metric,A\nHit@5,60.0\nnDCG@5,0.62\nMAP@5,40.2\nRecall@5,50.0\n"
    report = lint(tmp_path, table)
    assert report.codes == ()
    assert "scale of nDCG@5 is uncertain" in " ".join(report.notes)


def test_percent_and_shares_in_one_table(tmp_path: Path) -> None:
    """Accuracy and ECE are in percent without a sign; nothing is compared with the other measures."""
    table = "Model,Accuracy,ECE,F1,Recall,Precision\nA,93.1,4.3,0.72,0.60,0.90\nB,91,0.9,0.72,0.60,0.90\n"
    report = lint(tmp_path, table)
    assert report.codes == ()
    assert "scale of Accuracy is uncertain" in " ".join(report.notes)
    assert lint(tmp_path, table.replace("93.1", "193.1")).codes == ("A101",)


def test_a_spread_tells_the_scale(tmp_path: Path) -> None:
    table = "Model,Accuracy,F1,Kappa\nA,93.1 ± 2.0,70.1 ± 3.1,0.0 ± 27.2\n"
    assert lint(tmp_path, table).codes == ()
    unsure = "Model,Accuracy,F1,Kappa\nA,93.1 ± 2.0,70.1 ± 3.1,0.9 ± 0.6\n"
    assert lint(tmp_path, unsure).codes == ()


def test_a_header_says_percent(tmp_path: Path) -> None:
    report = lint(tmp_path, "Model,Hit@5 (%),nDCG@5\nA,60.0,0.62\n")
    assert report.codes == ("A401",)


def test_a_single_value_above_one_is_not_taken_for_percent(tmp_path: Path) -> None:
    assert lint(tmp_path, "Metric,A\nAUROC,1.7\nECE,0.02\n").codes == ("A101",)


def test_bare_recall_beside_a_classifier_and_beside_rankings(tmp_path: Path) -> None:
    classes = "Metric,A\nPrecision,0.80\nRecall,0.60\nF1,0.75\n"
    assert lint(tmp_path, classes).codes == ("A503",)
    ranked = "Metric,A\nRecall,0.60\nnDCG@5,0.55\nHit@5,0.58\n"
    assert lint(tmp_path, ranked).codes == ()


def test_std_and_interval_in_columns_of_their_own(tmp_path: Path) -> None:
    report = lint(tmp_path, "Metric,Value,Std,CI low,CI high\nMRR,0.80,0.60,0.90,0.70\n")
    assert report.codes == ("A801", "A802")


def test_suffixes_in_a_header(tmp_path: Path) -> None:
    report = lint(tmp_path, "system,mrr,mrr_std,mrr_ci_low,mrr_ci_high\na,0.80,0.60,0.90,0.70\n")
    assert report.codes == ("A801", "A802")
    assert report.figures == 1


def test_folds_in_rows(tmp_path: Path) -> None:
    table = "Fold,MRR,nDCG@10\n1,0.70,0.80\n2,0.80,0.82\n3,0.90,0.84\nMean,0.80,0.85\nStd,0.10,0.02\n"
    report = lint(tmp_path, table)
    assert report.codes == ("A901",)
    assert "nDCG@10 0.85" in report.findings[0].numbers


def test_a_name_that_comes_again_is_another_set(tmp_path: Path) -> None:
    """Two data sets under each other: values of one are not compared with the other."""
    table = "Metric,A\nHit@5,0.90\nnDCG@5,0.80\nHit@5,0.50\nnDCG@5,0.40\n"
    report = lint(tmp_path, table)
    assert report.codes == ()
    broken = lint(tmp_path, table.replace("0.40", "0.60"))
    assert broken.codes == ("A401",)
    assert broken.findings[0].place == "table 1, A (2)"


def test_several_systems_and_one_change(tmp_path: Path) -> None:
    """The pair that changed is not named: any pair will do."""
    table = "Metric,A,B,C,Improvement\nMRR,0.50,0.60,0.75,{}\n"
    for sound in ("+20.0%", "+25.0%", "+50.0%", "+15.0%", "−20.0%"):
        assert lint(tmp_path, table.format(sound)).codes == (), sound
    assert lint(tmp_path, table.format("+33.0%")).codes == ("A701",)


def test_lower_is_better(tmp_path: Path) -> None:
    assert lint(tmp_path, "Metric,A,B,Improvement\nECE,0.100,0.050,+50.0%\n").codes == ()
    assert lint(tmp_path, "Metric,A,B,Improvement\nMRR,0.100,0.050,+50.0%\n").codes == ("A701",)


def test_tables_without_measures_are_skipped_and_named(tmp_path: Path) -> None:
    text = "# Splits\n\n|Split|Posts|\n|---|---|\n|train|100|\n\n## Results\n\n|Metric|A|\n|-|-|\n|MRR|.5|\n"
    report = lint(tmp_path, text, "t.md")
    assert report.skipped == ("table 1 (Splits)",)
    assert report.tables == ("table 2 (Results)",)


def test_tables_in_a_code_block_are_not_read(tmp_path: Path) -> None:
    text = "```\n|Metric|A|\n|-|-|\n|AUROC|7|\n```\n\n|Metric|A|\n|-|-|\n|MRR|.5|\n"
    assert lint(tmp_path, text, "t.md").codes == ()


@pytest.mark.parametrize(
    "figures",
    [
        {"auroc": 1.7},
        {"system": {"auroc": 1.7}},
        {"systems": {"a": {"auroc": 1.7}, "b": {"auroc": 0.9}}},
        [{"name": "auroc", "value": 1.7}],
        {"metrics": [{"metric": "auroc", "value": 1.7}]},
        {"a": {"auroc": {"mean": 1.7, "std": 0.1}}},
        [{"model": "a", "auroc": 1.7}, {"model": "b", "auroc": 0.8}],
        {"auroc": "1.7 ± 0.1"},
        {"results": {"test": {"a": {"auroc": 1.7}}}},
    ],
)
def test_shapes_of_json(figures: object) -> None:
    assert "A101" in assay.lint(figures).codes  # type: ignore[arg-type]


def test_json_without_measures_is_named(tmp_path: Path) -> None:
    text = json.dumps({"about": {"year": 2020}, "a": {"mrr": 0.5}})
    assert lint(tmp_path, text, "m.json").skipped == ("about",)


def test_n_and_positives_hold_for_the_systems_inside() -> None:
    figures = {"n": 100, "positives": 10, "systems": {"a": {"sensitivity": "0.95"}}}
    assert assay.lint(figures).codes == ("A513",)
    assert assay.lint({**figures, "positives": 20}).codes == ()


def test_a_ragged_table_without_measures_is_no_fault(tmp_path: Path) -> None:
    text = "|a|b|\n|-|-|\n|x|y|z|\n\n|Metric|A|\n|-|-|\n|MRR|.5|\n"
    assert lint(tmp_path, text, "t.md").skipped == ("table 1",)


def test_what_could_not_be_judged_is_said(tmp_path: Path) -> None:
    table = "Metric,A\nsensitivity,0.95 ± 0.01\n"
    report = lint(tmp_path, table, n=100, positives=10)
    assert (report.codes, "read as means" in report.notes[0]) == ((), True)
    report = lint(tmp_path, table, n=100, positives=10, folds=5)
    assert (report.codes, "fold sizes are unknown" in report.notes[0]) == ((), True)


def test_a_sidecar(tmp_path: Path) -> None:
    table = "Metric,A\nsensitivity,0.95\n"
    assert lint(tmp_path, table).codes == ()
    (tmp_path / "t.csv.lint.toml").write_text("n = 100\npositives = 10\n", encoding="utf-8")
    assert lint(tmp_path, table).codes == ("A513",)
    assert lint(tmp_path, table, positives=20).codes == ()
    (tmp_path / "t.csv.lint.toml").unlink()
    (tmp_path / "t.lint.json").write_text('{"n": 100, "positives": 10}', encoding="utf-8")
    assert lint(tmp_path, table).codes == ("A513",)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("m = 3", "unknown key 'm'"),
        ("n = -1", "n is -1"),
        ("folds = 'x'", "folds"),
        ("n =", "is not TOML"),
        ("n = 3\npositives = 5", "at most n"),
        ("mean_gold = 'x'", "mean_gold"),
    ],
)
def test_a_bad_sidecar(tmp_path: Path, text: str, word: str) -> None:
    (tmp_path / "t.lint.toml").write_text(text, encoding="utf-8")
    with pytest.raises(assay.InputError, match=word):
        lint(tmp_path, "Metric,A\nMRR,0.5\n")


def test_an_unknown_name_can_be_left_out(call: Callable[..., Ran]) -> None:
    table = "Metric,A\nMRR,0.5\nFooness,0.7\nBarness,0.2\n"
    ran = call(table, "--ignore", "fooness", "--ignore", "Barness", "--strict")
    assert (ran.code, "Fooness" in ran.out) == (0, False)
    wide = "Model,MRR,Params\nA,0.5,110\n"
    assert call(wide, "--ignore", "params", "--strict").code == 0
    assert call('{"mrr": 0.5, "note": "text"}', "--strict", name="f.json").code == 0
    ran = call(wide, "--ignore", "params", "--ignore", "Parms")
    assert ran.code == 2
    assert "--ignore: no row or column is called 'Parms'" in ran.err
