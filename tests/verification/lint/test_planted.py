"""Every rule has a planted violation that triggers exactly its code, and a neighbour that does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.verification.lint.rule_list import RULES

Figures = dict[str, Any]
# code, broken, sound, options; a text is output of trec_eval
Case = tuple[str, Figures | str, Figures | str, dict[str, Any]]

CHANGES = {"a": {"mrr": "0.6746"}, "b": {"mrr": "0.7703"}}
WIDE = {"mrr": "0.8000 ± 0.0100 [0.7804, 0.8196]", "map@5": "0.7000 ± 0.0200 [0.6608, 0.7392]"}
LESS = {"mrr": "0.8000 ± 0.0100 [0.7810, 0.8196]", "map@5": "0.7000 ± 0.0200 [0.6608, 0.7350]"}
FOLDS = {"mean": "0.50", "std": "0.10", "folds": ["0.40", "0.50", "0.60"]}


def by_class(**changed: object) -> Figures:
    """A report of three classes with 10, 20 and 30 items, of which 8, 15 and 24 are found."""
    rows: Figures = {
        "a": {"precision": "0.800", "recall": "0.800", "f1-score": "0.800", "support": 10},
        "b": {"precision": "0.750", "recall": "0.750", "f1-score": "0.750", "support": 20},
        "c": {"precision": "0.800", "recall": "0.800", "f1-score": "0.800", "support": 30},
        "accuracy": "0.783",
        "macro avg": dict.fromkeys(("precision", "recall", "f1-score"), "0.783") | {"support": 60},
        "weighted avg": dict.fromkeys(("precision", "recall", "f1-score"), "0.783") | {"support": 60},
    }
    for path, value in changed.items():
        row, _, key = path.partition("__")
        label = row.replace("_", " ")
        if not key:
            rows[label] = value
        elif label in rows:
            rows[label] = {**rows[label], key.replace("_", "-"): value}
    return {label: row for label, row in rows.items() if row is not None}


MICRO: Figures = {
    "accuracy": None,
    "micro_avg": {"precision": "0.780", "recall": "0.783", "f1-score": "0.782", "support": 60},
}
# 18 of 20 and 9 of 10 are found; each class is possible by itself in either table.
TWO: Figures = {
    "no": {"precision": "0.947", "recall": "0.900", "f1-score": "0.923", "support": 20},
    "yes": {"precision": "0.818", "recall": "0.900", "f1-score": "0.857", "support": 10},
    "accuracy": "0.900",
    "weighted avg": {"recall": "0.900", "precision": "0.904", "f1-score": "0.901", "support": 30},
}
NOT_TWO: Figures = {
    "no": {"precision": "0.900", "recall": "0.900", "f1-score": "0.900", "support": 20},
    "yes": {"precision": "0.900", "recall": "0.900", "f1-score": "0.900", "support": 10},
    "accuracy": "0.900",
    "weighted avg": {"recall": "0.900", "precision": "0.900", "f1-score": "0.900", "support": 30},
}
QUERIES = "map\tq1\t0.5000\nmap\tq2\t0.3000\nnum_q\tall\t2\nmap\tall\t{}\n"

CASES: list[Case] = [
    ("A101", {"auroc": "1.7"}, {"auroc": "1.00"}, {}),
    ("A101", {"ndcg@10": "3"}, {"ndcg@10": "1"}, {}),
    ("A101", {"ece": "-1"}, {"ece": "0.0"}, {}),
    ("A101", {"accuracy": "100.2 %"}, {"accuracy": "100.0 %"}, {}),
    ("A102", {"mcc": "1.2"}, {"mcc": "-1.0"}, {}),
    ("A103", {"mean k": "-0.6"}, {"mean k": "0.0"}, {}),
    ("A103", {"alerts per 1000": "1001.5"}, {"alerts per 1000": "1000.0"}, {}),
    ("A104", {"tp": "-3", "auroc": "0.8"}, {"tp": "0", "auroc": "0.8"}, {}),
    ("A105", {"tp": "3.5", "auroc": "0.8"}, {"tp": "3", "auroc": "0.8"}, {}),
    ("A201", {"ndcg@1": "0.650", "p@1": "0.661"}, {"ndcg@1": "0.66", "p@1": "0.655"}, {}),
    ("A201", {"mrr@1": "0.650", "hit@1": "0.661"}, {"mrr@1": "0.66", "hit@1": "0.655"}, {}),
    ("A202", {"map@1": "0.70", "p@1": "0.66"}, {"map@1": "0.60", "p@1": "0.66"}, {}),
    ("A202", {"map@1": "0.60", "p@1": "0.66"}, {"map@1": "0.66", "p@1": "0.66"}, {"contract": "assay/1"}),
    (
        "A202",
        {"map@1": "0.60", "p@1": "0.66", "recall@1": "0.5"},
        {"map@1": "0.50", "p@1": "0.66", "recall@1": "0.5"},
        {},
    ),
    ("A301", {"recall@5": "0.80", "recall@10": "0.78"}, {"recall@5": "0.80", "recall@10": "0.80"}, {}),
    ("A301", {"mrr@5": "0.80", "mrr@10": "0.78"}, {"ndcg@5": "0.80", "ndcg@10": "0.78"}, {}),
    ("A302", {"p@5": "0.50", "p@10": "0.20"}, {"p@5": "0.50", "p@10": "0.25"}, {}),
    ("A302", {"p@1": "0.10", "p@2": "0.61"}, {"p@1": "0.10", "p@2": "0.55"}, {}),
    (
        "A303",
        {"map@5": "0.50", "map@10": "0.48"},
        {"map@5": "0.50", "map@10": "0.50"},
        {"contract": "evidence/1.0.0"},
    ),
    ("A304", {"TPR@FPR1%": "0.50", "TPR@FPR5%": "0.48"}, {"TPR@FPR1%": "0.50", "TPR@FPR5%": "0.50"}, {}),
    ("A401", {"hit@5": "0.60", "ndcg@5": "0.62"}, {"hit@5": "0.60", "ndcg@5": "0.60"}, {}),
    ("A401", {"hit@5": "0.60", "map@5": "0.62"}, {"hit@5": "0.60", "map@5": "0.60"}, {}),
    ("A402", {"p@10": "0.050", "recall@10": "0.52"}, {"p@10": "0.050", "recall@10": "0.50"}, {}),
    ("A403", {"mrr": "0.58", "hit@1": "0.60"}, {"mrr": "0.60", "hit@1": "0.60"}, {}),
    ("A403", {"mrr": "0.72", "hit@1": "0.40"}, {"mrr": "0.70", "hit@1": "0.40"}, {}),
    (
        "A403",
        {"mrr@10": "0.60", "mrr@5": "0.55", "hit@5": "0.70", "hit@10": "0.80"},
        {"mrr@10": "0.565", "mrr@5": "0.55", "hit@5": "0.70", "hit@10": "0.80"},
        {},
    ),
    (
        "A404",
        {"ndcg@5": "0.7832", "ndcg@10": "0.8206", "p@5": "0.2002", "p@10": "0.1079"},
        {"ndcg@5": "0.7832", "ndcg@10": "0.8113", "p@5": "0.2002", "p@10": "0.1079"},
        {},
    ),
    ("A405", {"p@10": "0.23", "mean R": "2.1"}, {"p@10": "0.21", "mean R": "2.1"}, {"contract": "assay/1"}),
    ("A407", {"p@10": "0.23"}, {"p@10": "0.21"}, {"mean_gold": "2.1"}),
    ("A407", {"p@10": "0.23", "mean R": "2.1"}, {"p@10": "0.21", "mean R": "2.1"}, {}),
    (
        "A406",
        {"mrr": "0.61", "hit@1": "0.60", "hit@3": "0.90"},
        {"mrr": "0.70", "hit@1": "0.60", "hit@3": "0.90"},
        {},
    ),
    ("A501", {"sensitivity": "0.80", "FNR": "0.30"}, {"sensitivity": "0.80", "FNR": "0.20"}, {}),
    ("A501", {"specificity": "0.80", "FPR": "0.10"}, {"specificity": "0.0", "FPR": "0.0"}, {}),
    (
        "A502",
        {"sensitivity": "0.80", "specificity": "0.60", "balanced accuracy": "0.72"},
        {"sensitivity": "0.80", "specificity": "0.60", "balanced accuracy": "0.70"},
        {},
    ),
    (
        "A502",
        {"sensitivity": "0.80", "specificity": "0.60", "Youden": "0.42"},
        {"sensitivity": "0.80", "specificity": "0.60", "Youden": "0.40"},
        {},
    ),
    (
        "A503",
        {"precision": "0.80", "recall": "0.60", "F1": "0.71"},
        {"precision": "0.80", "recall": "0.60", "F1": "0.69"},
        {},
    ),
    (
        "A503",
        {"macro precision": "0.90", "macro recall": "0.90", "macro F1": "0.78"},
        {"macro precision": "0.90", "macro recall": "0.90", "macro F1": "0.85"},
        {},
    ),
    (
        "A504",
        {"precision": "0.80", "recall": "0.60", "F1": "0.60"},
        {"precision": "0.80", "recall": "0.60", "F1": "0.69"},
        {},
    ),
    (
        "A505",
        {"accuracy": "0.90", "sensitivity": "0.80", "specificity": "0.70"},
        {"accuracy": "0.75", "sensitivity": "0.80", "specificity": "0.70"},
        {},
    ),
    (
        "A506",
        {"AUROC": "0.55", "sensitivity": "0.80", "specificity": "0.80"},
        {"AUROC": "0.85", "sensitivity": "0.80", "specificity": "0.80"},
        {},
    ),
    ("A511", {"TP": "10", "FN": "5", "positives": "16"}, {"TP": "10", "FN": "6", "positives": "16"}, {}),
    (
        "A511",
        {"TP": "10", "FN": "5", "FP": "3", "TN": "20"},
        {"TP": "10", "FN": "6", "FP": "4", "TN": "20"},
        {"n": 40},
    ),
    (
        "A512",
        {"prevalence": "0.20", "auroc": "0.8"},
        {"prevalence": "0.30", "auroc": "0.8"},
        {"n": 100, "positives": 30},
    ),
    (
        "A513",
        {"sensitivity": "0.95", "specificity": "0.90"},
        {"sensitivity": "0.90", "specificity": "0.90"},
        {"n": 100, "positives": 10},
    ),
    (
        "A513",
        {"F1": "0.700", "accuracy": "0.900"},
        {"F1": "0.667", "accuracy": "0.900"},
        {"n": 100, "positives": 20},
    ),
    ("A513", {"accuracy": "0.934"}, {"accuracy": "0.933"}, {"n": 30}),
    (
        "A513",
        {"TP": "9", "FN": "1", "FP": "5", "TN": "85", "MCC": "0.80"},
        {"TP": "9", "FN": "1", "FP": "5", "TN": "85", "MCC": "0.73"},
        {},
    ),
    (
        "A514",
        {"accuracy": "0.920", "sensitivity": "0.900", "specificity": "0.983"},
        {"accuracy": "0.950", "sensitivity": "0.900", "specificity": "0.983"},
        {"n": 100, "positives": 40, "folds": "stratified:5"},
    ),
    (
        "A514",
        {"sensitivity": "0.97"},
        {"sensitivity": "0.95"},
        {"folds": [(2, 10), (2, 10), (2, 10), (2, 10), (4, 10)]},
    ),
    ("A515", {"hit@1": "0.5503"}, {"hit@1": "0.5500"}, {"positives": 20}),
    ("A515", {"hit@1": "0.5503", "positives": "20"}, {"hit@1": "0.5500", "positives": "20"}, {}),
    ("A515", {"hit@1": "0.5503", "n": "20"}, {"hit@1": "0.5500", "n": "20"}, {}),
    (
        "A305",
        {"iprec_at_recall_0.00": "0.50", "iprec_at_recall_0.10": "0.60"},
        {"iprec_at_recall_0.00": "0.60", "iprec_at_recall_0.10": "0.60"},
        {},
    ),
    (
        "A516",
        {"num_rel_ret": "120", "num_rel": "100", "MAP": "0.4"},
        {"num_rel_ret": "90", "num_rel": "100", "MAP": "0.4"},
        {},
    ),
    (
        "A516",
        "num_q all 10\nnum_rel_ret all 20\nP_5 all 0.6000\n",
        "num_q all 10\nnum_rel_ret all 30\nP_5 all 0.6000\n",
        {},
    ),
    ("A521", by_class(macro_avg__precision="0.793"), by_class(), {}),
    ("A521", by_class(macro_avg__f1_score="0.770"), by_class(), {}),
    ("A522", by_class(weighted_avg__precision="0.793"), by_class(), {}),
    ("A523", by_class(accuracy="0.80"), by_class(accuracy="0.78"), {}),
    (
        "A523",
        by_class(**{**MICRO, "micro_avg__recall": "0.750", "micro_avg__f1_score": "0.765"}),
        by_class(**MICRO),
        {},
    ),
    ("A524", by_class(macro_avg__support=61), by_class(), {}),
    ("A524", by_class(macro_avg__support=55, weighted_avg__support=55), by_class(), {}),
    ("A525", by_class(c=None), by_class(), {}),
    (
        "A526",
        by_class(**{**MICRO, "micro_avg__precision": "0.900", "micro_avg__f1_score": "0.837"}),
        by_class(**MICRO),
        {},
    ),
    ("A503", by_class(**{**MICRO, "micro_avg__f1_score": "0.750"}), by_class(**MICRO), {}),
    (
        "A503",
        {"micro precision": "0.80", "micro recall": "0.60", "micro F1": "0.60"},
        {"micro precision": "0.80", "micro recall": "0.60", "micro F1": "0.69"},
        {},
    ),
    (
        "A527",
        by_class(
            a__precision="0.500",
            a__f1_score="0.615",
            b__precision="0.500",
            b__f1_score="0.600",
            macro_avg=None,
            weighted_avg__precision="0.650",
            weighted_avg__f1_score="0.703",
        ),
        by_class(),
        {},
    ),
    ("A528", NOT_TWO, TWO, {}),
    ("A903", QUERIES.format("0.4600"), QUERIES.format("0.4000"), {}),
    (
        "A903",
        QUERIES.replace("num_q\tall\t2\n", "").format("0.4600"),
        QUERIES.replace("num_q\tall\t2\n", "").format("0.3600"),
        {},
    ),
    (
        "A601",
        {"NEG rate": "0.50", "UNCERTAIN rate": "0.30", "POS rate": "0.30"},
        {"NEG rate": "0.50", "UNCERTAIN rate": "0.30", "POS rate": "0.20"},
        {},
    ),
    (
        "A602",
        {"Hamming score": "0.90", "Hamming loss": "0.20"},
        {"Hamming score": "0.90", "Hamming loss": "0.10"},
        {},
    ),
    (
        "A602",
        {"Hamming score": "0.90", "exact match": "0.95"},
        {"Hamming score": "0.90", "exact match": "0.55"},
        {},
    ),
    (
        "A603",
        {"POS rate": "0.100", "alert rate per 1000": "120"},
        {"POS rate": "0.100", "alert rate per 1000": "100"},
        {},
    ),
    (
        "A604",
        {"FN per 1000": "5.0", "screening sensitivity": "0.90"},
        {"FN per 1000": "10.0", "screening sensitivity": "0.90"},
        {"n": 1000, "positives": 100},
    ),
    (
        "A605",
        {"gate FPR": "0.050", "deployment FPR": "0.080"},
        {"gate FPR": "0.050", "deployment FPR": "0.040"},
        {},
    ),
    ("A606", {"mean K": "3.00", "avg K pred pos": "2.00"}, {"mean K": "1.00", "avg K pred pos": "2.00"}, {}),
    (
        "A606",
        {"mean K": "0.80", "avg K pred pos": "2.00", "returned rate": "0.500"},
        {"mean K": "1.00", "avg K pred pos": "2.00", "returned rate": "0.500"},
        {},
    ),
    ("A607", {"median K": "3", "K p25": "5"}, {"median K": "3", "K p25": "2"}, {}),
    (
        "A701",
        {**CHANGES, "Improvement": {"mrr": "+12.02%"}},
        {**CHANGES, "Improvement": {"mrr": "+14.19%"}},
        {},
    ),
    ("A701", {**CHANGES, "Δ": {"mrr": "0.0877"}}, {**CHANGES, "Δ": {"mrr": "0.0957"}}, {}),
    ("A801", {"mrr": "0.90 ± 0.88"}, {"mrr": "0.90 ± 0.84"}, {}),
    ("A801", {"mrr": "0.90 ± 0.70"}, {"mrr": "0.90 ± 0.66"}, {"folds": 5}),
    ("A802", {"mrr": "0.80 [0.90, 0.70]"}, {"mrr": "0.80 [0.70, 0.90]"}, {}),
    ("A802", {"mrr": "0.95 [0.80, 1.20]"}, {"mrr": "0.95 [0.80, 1.00]"}, {}),
    ("A803", {"mrr": "0.97 [0.92, 1.02]"}, {"mrr": "0.97 [0.94, 1.00]"}, {}),
    ("A804", {"mrr": "0.80 [0.82, 0.90]"}, {"mrr": "0.80 [0.80, 0.90]"}, {}),
    ("A805", WIDE, LESS, {}),
    ("A806", {"hit@1": "0.55 ± 0.48"}, {"hit@1": "0.55 ± 0.05"}, {"folds": 5}),
    ("A901", {"mrr": {**FOLDS, "mean": "0.54"}}, {"mrr": FOLDS}, {}),
    ("A902", {"mrr": {**FOLDS, "std": "0.15"}}, {"mrr": {**FOLDS, "std": "0.08"}}, {}),
]


def found(tmp_path: Path, figures: Figures | str, options: dict[str, Any]) -> assay.LintReport:
    path = tmp_path / ("eval.txt" if isinstance(figures, str) else "figures.json")
    text = figures if isinstance(figures, str) else json.dumps(figures)
    path.write_text(text, encoding="utf-8")
    return assay.lint(path, **options)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_a_violation_triggers_its_code_alone(tmp_path: Path, case: Case) -> None:
    code, broken, _, options = case
    report = found(tmp_path, broken, options)
    assert set(report.codes) == {code}, [each.numbers for each in report]
    kind = next(rule.kind for rule in RULES if rule.code == code)
    assert {each.kind for each in report} == {kind}
    assert report.exit_code == (1 if kind == "impossible" else 0)
    for each in report:
        assert each.rounding.startswith("each ± ")
        assert each.assumes
        assert each.rule


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_its_neighbour_passes(tmp_path: Path, case: Case) -> None:
    _, _, sound, options = case
    report = found(tmp_path, sound, options)
    assert report.codes == (), [each.numbers for each in report]


def test_no_rule_is_forgotten() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert {case[0] for case in CASES} == set(codes)
    for rule in RULES:
        checks = (rule.check, rule.change, rule.report)
        assert sum(check is not None for check in checks) == 1
        assert rule.kind in ("impossible", "unusual")
