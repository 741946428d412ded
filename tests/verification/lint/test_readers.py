"""LaTeX, plain-text classification reports, trec_eval output, standard input."""

from __future__ import annotations

import io
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sklearn.metrics import classification_report

import assay
from assay.verification.lint.formats.latex_tables import latex
from assay.verification.lint.formats.latex_text import plain_text
from tests.command import exit_code
from tests.verification.lint.conftest import Ran
from tests.verification.lint.generate.render import Printed, rendered

Call = Callable[..., Ran]

BOOKTABS = r"""
\documentclass{article}
% \begin{tabular}{ll} MRR & 7 \\ \end{tabular}
\begin{table}[t]
\caption[short]{Results on \textsc{nq}: 95\% of queries~\cite{x}.}\label{tab:main}
\resizebox{\textwidth}{!}{%
\begin{tabular}{@{}l cc c@{}}
\toprule
\multirow{2}{*}{\textbf{Model}} & \multicolumn{2}{c}{\textbf{NQ}} & \multicolumn{1}{c}{WebQ} \\
\cmidrule(lr){2-3}\cmidrule(l){4-4}
 & R@20 $\uparrow$ & R@100 & R@20 \\
\midrule
BM25~\cite{robertson} & 59.1 & 73.7 & 55.0 \\[2pt]
\rowcolor{gray!10} DPR$^{\dagger}$ & \textbf{78.4}$_{\pm 0.3}$ & \underline{85.4 $\pm$ 0.2} & {\bf 73.2}\% \\ % best
\textcolor{red}{Ours} & 79.0\textsuperscript{*} & SECOND & -- \\
\bottomrule
\end{tabular}}
\end{table}
"""


def test_latex_cells() -> None:
    (table,) = latex(BOOKTABS)
    assert table.name == "table 1 (Results on nq: 95% of queries .)"
    assert table.header_rows == 2
    cells = [row for _, row in table.rows]
    assert cells[0] == ["Model", "NQ", "NQ", "WebQ"]
    assert cells[1] == ["Model", "R@20 ↑", "R@100", "R@20"]
    assert cells[2] == ["BM25", "59.1", "73.7", "55.0"]
    assert cells[3] == ["DPR", "78.4 ± 0.3", "85.4 ± 0.2", "73.2%"]
    assert cells[4] == ["Ours", "79.0", "SECOND", "–"]


def test_latex_is_linted_by_data_set(tmp_path: Path) -> None:
    path = tmp_path / "paper.tex"
    path.write_text(BOOKTABS.replace("SECOND", "84.0"), encoding="utf-8")
    sound = assay.lint(path)
    assert (sound.codes, sound.figures, sound.not_read) == ((), 8, ())
    path.write_text(BOOKTABS.replace("SECOND", "77.0"), encoding="utf-8")
    (found,) = assay.lint(path).findings
    assert (found.code, found.place.split("), ")[1]) == ("A301", "Ours, NQ")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"\textbf{0.82}", "0.82"),
        (r"$\mathbf{0.82}$", "0.82"),
        (r"0.82{\scriptsize$\pm$0.01}", "0.82 ±0.01"),
        (r"$0.82_{\pm 0.01}$", "0.82 ± 0.01"),
        (r"0.82$_{0.01}$", "0.82 (0.01)"),
        (r"0.82$^{a,b}$", "0.82"),
        (r"82.1\%", "82.1%"),
        (r"\cellcolor{blue!10}{0.82}", "0.82"),
        (r"\best{0.82}", "0.82"),
        (r"\makecell{nDCG\\@10}", "nDCG @10"),
        (r"$\Delta$", "Δ"),
        (r"map\_cut\_10", "map_cut_10"),
        (r"A \& B", "A & B"),
    ],
)
def test_tex_to_plain_text(text: str, plain: str) -> None:
    assert plain_text(text) == plain


def test_cells_that_span_rows_and_columns() -> None:
    text = r"""\begin{tabular}{lll}\hline Data & Metric & A \\ \hline
    \multirow{2}{*}{NQ} & R@5 & 0.5 \\ & R@20 & 0.7 \\ \hline
    \multicolumn{3}{c}{More} \\ WebQ & R@5 & 0.4 \\ \end{tabular}"""
    (table,) = latex(text)
    assert [row for _, row in table.rows] == [
        ["Data", "Metric", "A"],
        ["NQ", "R@5", "0.5"],
        ["NQ", "R@20", "0.7"],
        ["More", "More", "More"],
        ["WebQ", "R@5", "0.4"],
    ]


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{tabular}",
        r"\begin{tabular}{ll} a & {b \\",
        r"\begin{tabular}{ll}\end{tabular}",
        "\\" * 99,
        r"\begin{tabular}{l}\multicolumn{999999}{c}{MRR} \\ 0.5 \end{tabular}",
        "{" * 5000,
    ],
)
def test_broken_latex_is_no_crash(call: Call, text: str) -> None:
    ran = call(text, name="broken.tex")
    assert ran.code in (0, 2)
    assert "Traceback" not in ran.err


RANDOM = random.Random(4)
TRUTH = [RANDOM.randint(0, 2) for _ in range(90)]
GUESS = [label if RANDOM.random() < 0.7 else RANDOM.randint(0, 2) for label in TRUTH]


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_a_printed_report_is_sound_until_it_is_changed(tmp_path: Path, digits: int) -> None:
    text = classification_report(TRUTH, GUESS, digits=digits)
    path = tmp_path / "report.txt"
    path.write_text(text, encoding="utf-8")
    report = assay.lint(path)
    assert report.codes == ()
    assert report.figures == 3 * 4 + 2 + 2 * 4
    lines = text.splitlines()
    at = next(at for at, line in enumerate(lines) if "macro avg" in line)
    value = lines[at].split()[2]
    lines[at] = lines[at].replace(value, f"{float(value) + 0.05:.{digits}f}", 1)
    path.write_text("\n".join(lines), encoding="utf-8")
    assert "A521" in assay.lint(path).codes


def test_several_reports_in_a_log(tmp_path: Path) -> None:
    text = classification_report(TRUTH, GUESS)
    path = tmp_path / "train.log"
    path.write_text(f"epoch 1\n{text}\nepoch 2, loss 0.3\n{text}\ndone\n", encoding="utf-8")
    report = assay.lint(path)
    assert report.codes == ()
    assert report.tables == ("report 1 (epoch 1)", "report 2 (epoch 2, loss 0.3)")


def test_a_correct_report_as_dict_has_no_finding() -> None:
    found = classification_report(TRUTH, GUESS, output_dict=True)
    assert assay.lint(found).codes == ()
    found["weighted avg"]["recall"] += 0.02
    assert "A523" in assay.lint({"svm": found}).codes


def test_a_class_row_has_whole_counts(tmp_path: Path) -> None:
    """Its support is its positives, in a table of classes too; elsewhere support is of anything."""
    table = "{}|Precision|Recall|F1|Support\n-|-|-|-|-\na|0.80|0.85|0.82|10\n"
    path = tmp_path / "t.md"
    path.write_text(table.format("Class"), encoding="utf-8")
    assert assay.lint(path).codes == ("A513",)
    path.write_text(table.format("Model"), encoding="utf-8")
    assert assay.lint(path).codes == ()


SUMMARY = "runid\tall\t{}\nnum_q\tall\t2\nP_5\tall\t0.4000\nrecall_5\tall\t0.5000\nrecall_10\tall\t{}\n"


def test_trec_eval_runs(call: Call) -> None:
    both = SUMMARY.format("a", "0.6000") + SUMMARY.format("b", "0.4000")
    ran = call(both, "--json", name="eval.txt")
    (found,) = json.loads(ran.out)["findings"]
    assert (found["code"], found["place"]) == ("A301", "run 2 (b), all")
    assert call(both, "--format", "trec_eval", "--json", name="eval.csv").codes == ["A301"]


def test_trec_eval_per_query(call: Call) -> None:
    text = "recall_5\t1\t0.5000\nrecall_10\t1\t0.4000\nrecall_5\tall\t0.5000\nrecall_10\tall\t0.4000\n"
    places = [each["place"] for each in json.loads(call(text, "--json", name="q").out)["findings"]]
    assert places == ["run 1, query 1", "run 1, all"]


def test_trec_eval_uses_its_own_definitions(call: Call) -> None:
    """AP is divided by R, so that it never falls; by name alone nothing says so."""
    text = "map_cut_5 all 0.5000\nmap_cut_10 all 0.4800\n"
    assert call(text, "--json", name="eval.txt").codes == ["A303"]
    assert call("Metric,A\nmap_cut_5,0.5000\nmap_cut_10,0.4800\n", "--json").codes == []


FAULTS = Printed(
    [["Metric", "A", "B", "Improvement"]],
    [
        ["nDCG@1", "0.6497", "0.5540", "–"],
        ["P@1", "0.6605", "0.5540", "–"],
        ["R@5", "0.700 ± 0.010", "0.500 ± 0.010", "–"],
        ["R@10", "0.600 ± 0.010", "0.520 ± 0.010", "–"],
        ["MRR", "0.700", "0.600", "+33.3%"],
        ["AUROC", "1.70", "0.80", "–"],
        ["MAP@5", "0.60 [0.70, 0.50]", "0.5", "–"],
    ],
)


@pytest.mark.parametrize("kind", ["md", "csv", "tsv", "tex"])
@pytest.mark.parametrize("style", [0, 1, 2])
@pytest.mark.parametrize("piped", [False, True], ids=["file", "stdin"])
def test_every_reader_finds_the_same_faults(
    tmp_path: Path,
    kind: str,
    style: int,
    piped: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = rendered(FAULTS, kind, style)
    path = tmp_path / f"t.{kind}"
    path.write_text(text, encoding="utf-8")
    if piped:
        stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
        monkeypatch.setattr(sys, "stdin", stdin)
    code = exit_code(monkeypatch, "lint", "-" if piped else path, "--json")
    found = json.loads(capsys.readouterr().out)
    assert code == 1
    codes = [each["code"] for each in found["findings"]]
    assert codes == ["A101", "A201", "A301", "A701", "A802"]
    assert found["source"] == ("standard input" if piped else path.name)


def test_standard_input_in_each_format(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, code in (
        ('{"auroc": 1.7}', 1),
        (SUMMARY.format("a", "0.4"), 1),
        ("", 2),
        ("just words", 2),
        (classification_report(TRUTH, GUESS), 0),
        ("nDCG@10\t0.45\nP@1\t0.2\n", 0),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert exit_code(monkeypatch, "lint", "-") == code, text
        assert "Traceback" not in capsys.readouterr().err


def test_a_format_that_does_not_fit(call: Call) -> None:
    assert call("Metric,A\nMRR,0.5\n", "--format", "latex").code == 2
    assert call("Metric,A\nMRR,0.5\n", "--format", "nonsense").code == 2
    with pytest.raises(assay.InputError, match="unknown format"):
        assay.lint(io.StringIO("x"), format="nonsense")
