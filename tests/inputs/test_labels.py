"""Labels and probabilities in every shape and format have scikit-learn's values."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

import assay
from assay.evaluation.result import Result
from tests.command import exit_code

MEASURES = ("auroc:on=all", "brier:on=all", "f1:at=0.5,on=all", "auprc:on=all")
RNG = random.Random(5)
LABELS = [RNG.random() < 0.3 for _ in range(120)]
PROBS = [min(1.0, max(0.0, round(RNG.gauss(0.35 + 0.25 * label, 0.2), 2))) for label in LABELS]
GROUPS = [f"patient {at // 4}" for at in range(120)]
FOLDS = [at // 40 for at in range(120)]
PEERS = {
    "auroc:on=all": roc_auc_score(LABELS, PROBS),
    "brier:on=all": brier_score_loss(LABELS, PROBS),
    "f1:at=0.5,on=all": f1_score(LABELS, np.array(PROBS) >= 0.5),
    "auprc:on=all": average_precision_score(LABELS, PROBS),
}


def hold(result: Result) -> None:
    found = {name: result[name].pooled for name in MEASURES}
    assert found == pytest.approx(PEERS, abs=1e-12)


VALUES: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "strided": lambda values: np.repeat(np.array(values), 2)[::2],
    "pandas": pd.Series,
    "shifted pandas": lambda values: pd.Series(values, index=range(7, 7 + len(values))),
    "polars": pl.Series,
    "generator": iter,
}


@pytest.mark.parametrize("kind", VALUES)
def test_arrays(kind: str) -> None:
    make = VALUES[kind]
    hold(assay.evaluate(labels=make(LABELS), probs=make(PROBS), measures=MEASURES))
    whole = assay.evaluate(
        labels=make(LABELS), probs=make(PROBS), groups=make(GROUPS), folds=make(FOLDS), measures=MEASURES
    )
    hold(whole)
    folds = whole["brier:on=all"].folds
    assert folds is not None
    expected = {
        str(fold): brier_score_loss(LABELS[40 * fold : 40 * fold + 40], PROBS[40 * fold : 40 * fold + 40])
        for fold in range(3)
    }
    assert dict(folds.values) == pytest.approx(expected, abs=1e-12)
    assert whole.per_query()["post_id"].to_list() == GROUPS


@pytest.mark.parametrize(
    ("one", "zero"),
    [
        ("True", "False"),
        ("true", "false"),
        ("YES", "no"),
        ("1", "0"),
        ("1.0", "0.0"),
        (" 1 ", "0"),
        ("Y", "n"),
        ("T", "F"),
        (1.0, 0),
    ],
)
def test_words_for_labels(one: Any, zero: Any) -> None:
    hold(assay.evaluate(labels=[one if each else zero for each in LABELS], probs=PROBS, measures=MEASURES))


@pytest.mark.parametrize("written", ["{:.2f}", " {:.2f} ", "{:.0%}", "{:.0%} ", "{:.1%}", "{:.4f}%", "comma"])
def test_ways_to_write_a_probability(written: str, tmp_path: Path) -> None:
    """A table of a spreadsheet has decimal commas, or percent."""

    def text(prob: float) -> str:
        if written == "comma":
            return f"{prob:.3f}".replace(".", ",")
        return written.format(100 * prob if written == "{:.4f}%" else prob)

    hold(assay.evaluate(labels=LABELS, probs=[text(each) for each in PROBS], measures=MEASURES))
    path = tmp_path / "clinic.csv"
    lines = [f"{int(label)};{text(prob)}" for label, prob in zip(LABELS, PROBS, strict=True)]
    path.write_text("\n".join(["label;prob", *lines]))
    result = assay.evaluate(assay.read_decisions(path), measures=MEASURES)
    hold(result)
    assert assay.verify(result.save(tmp_path / "bundle")).ok


@pytest.mark.parametrize(
    ("column", "row", "said"),
    [
        (["0.5", "1,5"], 3, "prob is 1,5; expected a number in [0, 1]"),
        (["0.5", "1,000.0"], 3, "prob is 1,000.0; expected a number in [0, 1]"),
        (["50%", "0.5"], 3, "prob is 0.5; expected a number in [0, 1]"),
        (["50%", "150%"], 3, "prob is 150%; expected a number in [0, 1]"),
        (["50%", "%"], 3, "prob is %; expected a number in [0, 1]"),
        (["NaN", "0.5"], 2, "prob is NaN; expected a number in [0, 1]"),
        (["", "0.5"], 2, "prob is empty; expected a number in [0, 1]"),
    ],
)
def test_what_is_no_probability_is_refused(column: list[str], row: int, said: str, tmp_path: Path) -> None:
    path = tmp_path / "clinic.csv"
    path.write_text("\n".join(["label;prob", *(f"1;{each}" for each in column)]))
    with pytest.raises(assay.InputError) as raised:
        assay.evaluate(assay.read_decisions(path), measures=MEASURES)
    assert [str(fault) for fault in raised.value.faults] == [f"clinic.csv row {row}: {said}"]


def clinic(path: Path, one: str, zero: str, sign: str = "") -> Path:
    """Write a table with words for labels and numbers in percent."""
    lines = [
        f"{one if label else zero},{100 * prob:.6f}{sign}" for label, prob in zip(LABELS, PROBS, strict=True)
    ]
    path.write_text("\n".join(["outcome,risk", *lines]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("one", "zero"), [("positive", "negative"), ("2", "1"), ("ja", "nein"), ("a=b", "0")]
)
def test_the_positive_value_and_percent_are_named(one: str, zero: str, tmp_path: Path) -> None:
    table = assay.read_decisions(clinic(tmp_path / "c.csv", one, zero), prob="risk%", label=f"outcome={one}")
    result = assay.evaluate(table, measures=MEASURES)
    hold(result)
    assert assay.verify(result.save(tmp_path / "bundle")).ok
    signed = clinic(tmp_path / "c.csv", one, zero, "%")
    hold(
        assay.evaluate(assay.read_decisions(signed, prob="risk%", label=f"outcome={one}"), measures=MEASURES)
    )


def test_columns_may_be_called_so(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    lines = [f"{int(label)},{prob}" for label, prob in zip(LABELS, PROBS, strict=True)]
    path.write_text("\n".join(["y=1,p%", *lines]))
    hold(assay.evaluate(assay.read_decisions(path, prob="p%", label="y=1"), measures=MEASURES))


def test_words_and_percent_are_said_once_with_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each row was a message, and none said what to do."""
    path = clinic(tmp_path / "c.csv", "died", "alive")
    assert (
        exit_code(monkeypatch, "evaluate", "--decisions", path, "--prob", "risk", "--label", "outcome") == 2
    )
    above = sum(prob > 0.01 for prob in PROBS)
    assert capsys.readouterr().err.splitlines() == [
        f"assay: c.csv: risk has {above} values above 1, up to {100 * max(PROBS):g}; expected a number in [0, 1]; "
        "if it is in percent, name it with --prob risk%",
        "assay: c.csv: outcome is 'alive' or 'died'; say which one is positive, with --label outcome=VALUE",
    ]
    options = ("--prob", "risk%", "--label", "outcome=died", "-m", "auroc")
    assert exit_code(monkeypatch, "evaluate", "--decisions", path, *options) == 0
    with pytest.raises(assay.InputError, match="outcome is nowhere 'Died'; expected one of 'alive', 'died'"):
        assay.evaluate(assay.read_decisions(path, prob="risk%", label="outcome=Died"))
    path.write_text(path.read_text() + "\nunknown,4\n,5")
    with pytest.raises(assay.InputError, match="outcome has 3 different values: 'alive', 'died', 'unknown'"):
        assay.evaluate(assay.read_decisions(path, prob="risk%", label="outcome=died"))
    with pytest.raises(assay.InputError, match=r"'alive' or 'died'; expected 0 or 1"):
        assay.evaluate(labels=["died" if each else "alive" for each in LABELS], probs=PROBS)


def test_an_empty_label_is_a_fault_of_its_row(tmp_path: Path) -> None:
    path = clinic(tmp_path / "c.csv", "died", "alive")
    path.write_text(path.read_text() + "\n,5")
    with pytest.raises(assay.InputError, match=r"c.csv row 122: outcome is empty; expected 'alive', 'died'"):
        assay.evaluate(assay.read_decisions(path, prob="risk%", label="outcome=died"))


@pytest.mark.parametrize(("encoding", "name"), [("cp1252", "WINDOWS-1252"), ("utf-16", "UTF-16")])
def test_other_encodings_are_refused_with_the_command_that_helps(
    encoding: str, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes("Übelkeit;prob\n1;0.5\n".encode(encoding))
    with pytest.raises(assay.InputError, match=f"line 1: byte .* is not UTF-8; .*iconv -f {name} -t UTF-8"):
        assay.read_decisions(path)


@pytest.mark.parametrize("of", ["assay/1", "trec_eval/10"])
def test_names_of_scikit_learn_mean_its_measures_of_labels_alone(of: str) -> None:
    """`recall` was called ambiguous, or recall@5 to recall@1000 without a ranking."""
    positive = np.array(PROBS) >= 0.5
    theirs = {"precision": precision_score, "recall": recall_score, "F1": f1_score}
    result = assay.evaluate(labels=LABELS, probs=PROBS, measures=list(theirs), contract=of)
    assert len(result) == 3
    for name, function in theirs.items():
        assert result[name.lower()].value == pytest.approx(function(LABELS, positive), abs=1e-12)
    made = assay.compare(PROBS, PROBS[::-1], labels=LABELS, measures="recall", contract=of, resamples=20)
    later = recall_score(LABELS, positive[::-1]) - recall_score(LABELS, positive)
    assert made.differences[0].difference == pytest.approx(later, abs=1e-12)


def rows() -> list[dict[str, Any]]:
    listed = zip(LABELS, PROBS, GROUPS, strict=True)
    return [{"y": bool(label), "p": prob, "who": group} for label, prob, group in listed]


def _csv(separator: str, words: tuple[str, str]) -> bytes:
    lines = [separator.join(("y", "p", "who"))]
    lines += [separator.join((words[row["y"]], str(row["p"]), f'"{row["who"]}"')) for row in rows()]
    return "\n".join(lines).encode()


FILES: dict[str, bytes] = {
    "comma.csv": _csv(",", ("False", "True")),
    "semicolon.csv": _csv(";", ("no", "yes")),
    "tab.tsv": _csv("\t", ("0", "1")),
    "bar.txt": _csv("|", ("0.0", "1.0")),
    "packed.csv.gz": gzip.compress(_csv(";", ("false", "true"))),
    "mark.csv": b"\xef\xbb\xbf" + _csv(";", ("0", "1")),
    "rows.json": json.dumps(rows()).encode(),
    "columns.json": json.dumps({name: [row[name] for row in rows()] for name in ("y", "p", "who")}).encode(),
    "lines.jsonl": "\n".join(map(json.dumps, rows())).encode(),
    "lines.json": "\n".join(map(json.dumps, rows())).encode(),
    "pandas.json": str(pd.DataFrame(rows()).to_json()).encode(),
}


@pytest.mark.parametrize("name", [*FILES, "table.parquet"])
def test_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    if name in FILES:
        path.write_bytes(FILES[name])
    else:
        pl.DataFrame(rows()).write_parquet(path)
    table = assay.read_decisions(path, prob="p", label="y", group="who")
    hold(assay.evaluate(table, measures=MEASURES))
    options = ("--prob", "p", "--label", "y", "--group", "who", "--json", "-m", MEASURES[0])
    assert exit_code(monkeypatch, "evaluate", "--decisions", path, *options) == 0
    value = json.loads(capsys.readouterr().out)["measures"][0]["pooled"]
    assert value == pytest.approx(PEERS[MEASURES[0]], abs=1e-12)


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, list, lambda listed: pd.DataFrame(listed).to_dict("list")]
)
def test_tables_in_memory(make: Callable[[Any], Any]) -> None:
    hold(assay.evaluate(assay.read_decisions(make(rows()), prob="p", label="y"), measures=MEASURES))


def test_a_bundle_of_arrays_is_verified(tmp_path: Path) -> None:
    result = assay.evaluate(labels=LABELS, probs=PROBS, groups=GROUPS, bootstrap=20)
    folder = result.save(tmp_path / "bundle")
    assert assay.verify(folder).ok
    again = assay.load(folder)
    assert again["auroc"].value == result["auroc"].value
    assert again.per_query()["query_id"].cast(pl.String).to_list() == [str(at + 1) for at in range(120)]


def test_compare() -> None:
    other = np.clip(np.array(PROBS) + 0.1, 0, 1)
    made = assay.compare(PROBS, other, labels=LABELS, groups=GROUPS, measures="brier", resamples=50)
    expected = brier_score_loss(LABELS, other) - brier_score_loss(LABELS, PROBS)
    assert made.differences[0].difference == pytest.approx(expected, abs=1e-12)
    assert made.posts == 30
    once = assay.compare(iter(PROBS), other, labels=iter(LABELS), measures="brier", resamples=50)  # type: ignore[arg-type]
    assert once.differences[0].difference == pytest.approx(expected, abs=1e-12)


def test_tune_of_arrays() -> None:
    """TUNE has the same columns as the arrays."""
    tune = {"labels": [0, 1, 0, 1], "probs": [0.2, 0.7, 0.1, 0.9], "groups": ["a", "b", "c", "d"]}
    result = assay.evaluate(labels=LABELS, probs=PROBS, groups=GROUPS, tune=tune)
    assert result.thresholds


PLAIN = "patient,died,risk\n" + "".join(f"p{at},{at % 2},0.{at + 1}\n" for at in range(6))


@pytest.mark.parametrize(
    "text",
    [
        PLAIN + ",,\n,,\n",
        PLAIN.replace("\n", "\r\n") + ",,\r\n\r\n",
        PLAIN.replace("\n", ",,\n") + ",,,,\n",
        "sep=;\n" + PLAIN.replace(",", ";"),
        '"sep=;"\r\n' + PLAIN.replace(",", ";").replace("\n", "\r\n"),
    ],
)
def test_what_spreadsheets_add_is_no_row(text: str, tmp_path: Path) -> None:
    """Rows of separators alone were taken for a third label, the first line for the header."""
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    table = assay.read_decisions(path, prob="risk", label="died", group="patient")
    result = assay.evaluate(table, measures="auroc")
    assert result.counts.queries == 6
    assert result["auroc"].value == pytest.approx(6 / 9)
    wrong = tmp_path / "wrong.csv"
    wrong.write_bytes(text.encode().replace(b"0.3", b"1.3"))
    with pytest.raises(assay.InputError, match=r"wrong\.csv row 4: risk is 1\.3"):
        assay.evaluate(assay.read_decisions(wrong, prob="risk", label="died"))


def test_empty_labels_are_named_and_not_taken_for_a_third_value(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("died,risk\n,0.1\n,0.2\n1,0.7\n0,0.3\n")
    with pytest.raises(assay.InputError, match=r"table\.csv row 2: died is empty; expected 0 or 1"):
        assay.evaluate(assay.read_decisions(path, prob="risk", label="died"))


def test_a_column_that_stands_twice_is_not_chosen(tmp_path: Path) -> None:
    """The first one was, whatever the second one held."""
    path = tmp_path / "table.csv"
    path.write_text("risk,died,risk,,\n0.1,1,0.9,a,b\n0.9,0,0.1,a,b\n")
    with pytest.raises(
        assay.InputError, match=r"no column 'risk'; .*\(columns: risk_1, died, risk_3, \(no name\)"
    ):
        assay.evaluate(assay.read_decisions(path, prob="risk", label="died"))
    table = assay.read_decisions(path, prob="risk_3", label="died")
    assert assay.evaluate(table, measures="auroc")["auroc"].value == 1.0


def test_row_names_of_r_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("died\trisk\n1\t1\t0.9\n2\t0\t0.1\n")
    with pytest.raises(assay.InputError, match=r"row 1: has 2 fields, and every other row 3; .*row\.names"):
        assay.read_decisions(path, prob="risk", label="died")


@pytest.mark.parametrize(
    ("magic", "what"),
    [
        (b"PK\x03\x04\x14\x00", "an Excel workbook"),
        (b"$FL2@(#) SPSS", "an SPSS file"),
        (b"<stata_dta><header>", "a Stata file"),
        (bytes(12) + b"\xc2\xea\x81\x60", "a SAS file"),
    ],
)
def test_files_of_programs_are_named(magic: bytes, what: str, tmp_path: Path) -> None:
    """They were `not UTF-8` or `sparse`."""
    path = tmp_path / "table.xlsx"
    path.write_bytes(magic + bytes(range(256)))
    with pytest.raises(assay.InputError, match=rf"table\.xlsx: is {what}.*; export the table as CSV"):
        assay.read_decisions(path)


def test_a_table_is_broken_down_by_its_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the group and the fold could be named; subgroups are scikit-learn's on their rows."""
    sex = [RNG.choice("fm") for _ in LABELS]
    path = tmp_path / "table.csv"
    frame = pl.DataFrame({"label": [int(each) for each in LABELS], "prob": PROBS, "sex": sex, "g": GROUPS})
    frame.write_csv(path)
    table = assay.read_decisions(path, group="g")
    result = assay.evaluate(table, measures="auroc", by="sex", bootstrap=200)
    groups = result.groups["sex"]
    for label in "fm":
        rows = [at for at, each in enumerate(sex) if each == label]
        expected = roc_auc_score([LABELS[at] for at in rows], [PROBS[at] for at in rows])
        assert groups[label]["auroc"].value == pytest.approx(expected)
    with pytest.raises(assay.InputError, match=r"no column is called 'age'; expected .*columns: label, prob"):
        assay.evaluate(table, measures="auroc", by="age")
    split = assay.evaluate(table, measures="auroc", by=["sex", "post_id"], tune_share=0.5)
    assert set(split.groups) == {"sex", "post_id"}
    command = ("evaluate", "--decisions", path, "--group", "g", "--by", "sex", "-m", "auroc")
    assert exit_code(monkeypatch, *command, "--no-report", "-o", tmp_path / "bundle") == 0
    assert "By sex" in capsys.readouterr().out
    given = ("--decisions", path, "--group", "g")
    assert exit_code(monkeypatch, "verify", tmp_path / "bundle", *given) == 0
    assert "sex" not in assay.evaluate(table, measures="auroc").per_query().columns
