"""Different data sets, splits and models are never compared with each other."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.verification.lint.tables.header_labels import in_caption, read_label, read_path


def lint(folder: Path, text: str, name: str = "t.md", **options: object) -> assay.LintReport:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return assay.lint(path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "key", "cut", "population"),
    [
        ("NQ R@20", "recall", 20, "NQ"),
        ("R@20 (NQ)", "recall", 20, "NQ"),
        ("NQ-R@20", "recall", 20, "NQ"),
        ("nDCG@10 on TREC DL", "ndcg", 10, "TREC DL"),
        ("MRR@10 (MS Marco Dev)", "mrr", 10, "MS Marco Dev"),
        ("MS MARCO Dev MRR@10", "mrr", 10, "MS MARCO Dev"),
        ("R@1k MS MARCO", "recall", 1000, "MS MARCO"),
        ("dev_f1", "f1", None, "dev"),
        ("F1 (test)", "f1", None, "test"),
        ("Test accuracy", "accuracy", None, "Test"),
        ("cosine_ndcg@10", "ndcg", 10, "cosine"),
        ("SQuAD EM", "exact_match", None, "SQuAD"),
        ("Precision (pos)", "bare_precision", None, "pos"),
        ("Top-20", "hit", 20, ""),
        ("Top-1 accuracy", "hit", 1, ""),
        ("top-10 recall", "recall", 10, ""),
        ("H@10", "hit", 10, ""),
        ("P_5", "precision", 5, ""),
        ("recip_rank", "mrr", None, ""),
        ("iprec_at_recall_0.00", "iprec", 0, ""),
        ("ndcg_cut_10", "ndcg", 10, ""),
        ("Recall (k=10)", "recall", 10, ""),
        ("MRR@10 (95% CI)", "mrr", 10, ""),
        ("Recall (Sensitivity)", "bare_recall", None, ""),
    ],
)
def test_labels(text: str, key: str, cut: int | None, population: str) -> None:
    found = read_label(text)
    assert found is not None
    assert (found.name.key, found.name.cut, found.population) == (key, cut, population)


@pytest.mark.parametrize(
    "text",
    [
        "R-1",
        "ROUGE-2",
        "Params (M)",
        "Mean absolute error",
        "Word error rate",
        "Accuracy gain",
        "Δ F1",
        "F1 (Δ)",
        "F1 drop",
        "Latency (ms)",
        "FPR@95",
        "AP50",
        "fit_time",
        "Top-5 error",
        "MR",
        "Training samples",
        "relative recall",
        "F1 std",
    ],
)
def test_other_quantities_are_not_measures(text: str) -> None:
    assert read_label(text) is None


@pytest.mark.parametrize(
    ("path", "key", "cut", "population"),
    [
        (("NQ", "R@20"), "recall", 20, "NQ"),
        (("R@20", "NQ"), "recall", 20, "NQ"),
        (("Recall", "@5"), "recall", 5, ""),
        (("NQ", "Recall", "5"), "recall", 5, "NQ"),
        (("P", "@5"), "precision", 5, ""),
        (("Test", "F1"), "f1", None, "Test"),
        (("Retrieval metrics", "MRR"), "mrr", None, ""),
    ],
)
def test_headers_of_several_levels(path: tuple[str, ...], key: str, cut: int | None, population: str) -> None:
    found = read_path(path)
    assert found is not None
    assert (found.name.key, found.name.cut, found.population) == (key, cut, population)


def test_a_caption_names_one_measure_or_none() -> None:
    found = in_caption("Top-20 accuracy on five data sets")
    assert found is not None
    assert found.key == "hit"
    assert found.cut == 20
    assert in_caption("R@20 on NQ and MRR on MS MARCO") is None
    assert in_caption("Results of all systems") is None


SEPARATE = [
    "| Model | MRR@10 (MS Marco Dev) | MRR@100 (TREC DL) |\n|-|-|-|\n| A | 0.405 | 0.390 |\n",
    "| Model | NQ R@20 | TriviaQA R@100 |\n|-|-|-|\n| A | 0.85 | 0.80 |\n",
    "| Model | dev F1 | test precision | test recall |\n|-|-|-|-|\n| A | 0.95 | 0.80 | 0.60 |\n",
    "| | NQ | WebQ |\n|-|-|-|\n| Model | R@20 | R@100 |\n| A | 0.85 | 0.80 |\n",
    "| Dataset | Metric | A |\n|-|-|-|\n| NQ | R@20 | 0.85 |\n| WebQ | R@100 | 0.80 |\n",
    "| Metric | A |\n|-|-|\n| **NQ** | |\n| R@20 | 0.85 |\n| **WebQ** | |\n| R@100 | 0.80 |\n",
    "| Metric | NQ | WebQ |\n|-|-|-|\n| R@20 | 0.85 | |\n| R@100 | | 0.80 |\n",
    "| Model | R@20 | R@20 |\n|-|-|-|\n| A | 0.85 | 0.80 |\n",
]


@pytest.mark.parametrize("text", SEPARATE)
def test_data_sets_are_not_compared(tmp_path: Path, text: str) -> None:
    report = lint(tmp_path, text)
    assert report.codes == (), [each.numbers for each in report]
    assert report.figures >= 2
    assert report.not_read == ()


SAME = [
    "| Model | NQ R@20 | NQ R@100 | WebQ R@5 |\n|-|-|-|-|\n| A | 0.85 | 0.80 | 0.9 |\n",
    "| Model | R@20 (NQ) | R@100 (NQ) |\n|-|-|-|\n| A | 0.85 | 0.80 |\n",
    "| | NQ | | WebQ |\n|-|-|-|-|\n| Model | R@20 | R@100 | R@5 |\n| A | 0.85 | 0.80 | 0.9 |\n",
    "| Dataset | Metric | A |\n|-|-|-|\n| NQ | R@20 | 0.85 |\n| | R@100 | 0.80 |\n",
    "| Metric | A |\n|-|-|\n| **NQ** | |\n| R@20 | 0.85 |\n| R@100 | 0.80 |\n",
    "| Metric | A |\n|-|-|\n| *Ranking metrics* | |\n| R@20 | 0.85 |\n| *Recall* | |\n| R@100 | 0.80 |\n",
    "| Model | R@20 | R@100 | Params (M) |\n|-|-|-|-|\n| A | 0.85 | 0.80 | 110 |\n",
    "| Model | R@20 | R@100 |\n|-|-|-|\n| Model | R@20 | R@100 |\n| A | 0.85 | 0.80 |\n",
    "| Model | R@100 | R@20 | Note |\n|-|-|-|-|\n| A | 0.80 | 0.85 |\n",
    "## Recall at k\n\n| Model | @20 | @100 |\n|-|-|-|\n| A | 0.85 | 0.80 |\n",
    "| Model | Recall | |\n|-|-|-|\n| | @20 | @100 |\n| A | 0.85 | 0.80 |\n",
]


@pytest.mark.parametrize("text", SAME)
def test_one_data_set_is_still_checked(tmp_path: Path, text: str) -> None:
    assert lint(tmp_path, text).codes == ("A301",)


def test_cells_beyond_the_header_are_not_read(tmp_path: Path) -> None:
    """As GitHub shows it: the third cell of a row under two headers is not there."""
    report = lint(tmp_path, "|Metric|A|\n|-|-|\n|MRR|.5|7|\n")
    assert report.codes == ()
    assert "more cells than the header" in report.notes[0]


def test_a_measure_in_the_caption(tmp_path: Path) -> None:
    table = "Table 2: {} of all models\n\n| Model | NQ | WebQ |\n|-|-|-|\n| A | 0.85 | 1.80 |\n| B | 0.7 | 0.6 |\n"
    assert lint(tmp_path, table.format("Top-20 accuracy")).codes == ("A101",)
    with pytest.raises(assay.InputError, match="no table with a known measure"):
        lint(tmp_path, table.format("Speed"))


def test_grades_untie_ndcg_from_binary_measures(tmp_path: Path) -> None:
    table = "| Model | {0}nDCG@1 | {0}P@1 |\n|-|-|-|\n| A | 0.60 | 0.66 |\n"
    assert lint(tmp_path, table.format("NQ ")).codes == ("A201",)
    assert lint(tmp_path, table.format("TREC DL 19 ")).codes == ()


def test_n_of_the_table_is_used_and_a_sweep_is_not(tmp_path: Path) -> None:
    own = "| System | n | positives | Hit@1 |\n|-|-|-|-|\n| A | 100 | 20 | {} |\n"
    assert lint(tmp_path, own.format("0.5503")).codes == ("A515",)
    assert lint(tmp_path, own.format("0.5500")).codes == ()
    assert lint(tmp_path, own.format("0.5503"), positives=10_000).codes == ("A515",)
    assert lint(tmp_path, "|S|n|Accuracy|\n|-|-|-|\n|A|30|0.934|\n").codes == ("A513",)
    sweep = "|Model|n|Accuracy|\n|-|-|-|\n|A|30|0.934|\n|A|60|0.951|\n"
    assert lint(tmp_path, sweep).codes == ()
    assert lint(tmp_path, "|n|Accuracy|\n|-|-|\n|30|0.934|\n|60|0.951|\n").codes == ()


def test_given_counts_are_of_no_data_set_in_particular(tmp_path: Path) -> None:
    table = "|Model|NQ sensitivity|WebQ sensitivity|\n|-|-|-|\n|A|0.95|0.94|\n"
    report = lint(tmp_path, table, n=100, positives=10)
    assert report.codes == ()
    assert "several data sets" in report.notes[0]


@pytest.mark.parametrize(
    ("header", "codes"),
    [("Improvement", ("A701",)), ("Improvement over B", ("A701",)), ("Gain over SOTA", ())],
)
def test_a_change_to_a_system_outside_of_the_table(
    tmp_path: Path, header: str, codes: tuple[str, ...]
) -> None:
    table = f"| Metric | B | A | {header} |\n|-|-|-|-|\n| MRR | 0.50 | 0.60 | +33.0% |\n"
    assert lint(tmp_path, table).codes == codes


def test_changes_under_data_sets_are_of_their_own_systems(tmp_path: Path) -> None:
    rows = "| **{}** | |\n| BM25 | {} |\n| Ours | {} |\n| Improvement | {} |\n"
    head = "| Model | MRR |\n|-|-|\n"
    one = rows.format("NQ", "0.50", "0.60", "+20.0%")
    assert lint(tmp_path, head + one + rows.format("WebQ", "0.40", "0.50", "+25.0%")).codes == ()
    # +50% is 0.40 to 0.60, across the data sets
    assert lint(tmp_path, head + one + rows.format("WebQ", "0.40", "0.50", "+50.0%")).codes == ("A701",)


def test_k_beside_a_classifier_is_not_a_cut_off(tmp_path: Path) -> None:
    knn = "|k|Precision|Recall|F1|\n|-|-|-|-|\n|1|0.80|0.90|0.85|\n|5|0.90|0.80|0.85|\n"
    assert lint(tmp_path, knn).codes == ()
    ranked = "|k|nDCG|Recall|\n|-|-|-|\n|1|0.80|0.90|\n|5|0.90|0.80|\n"
    assert lint(tmp_path, ranked).codes == ("A301",)
