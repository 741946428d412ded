"""Columns that users name, and measures, have names that the tables of a bundle may use otherwise."""

from __future__ import annotations

import csv
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

import assay
from assay.contracts.contract import Contract

from ..command import exit_code

EXAMPLE = Path(str(files("assay.example")))
LABELS = {
    "numbers": ("1", "2"),
    "with a zero in front": ("01", "1"),
    "yes and no": ("true", "false"),
    "years": ("2024.5", "2025"),
    "empty": ("", "x"),
}


def broken_down(folder: Path, column: str, labels: tuple[str, str], *measures: str) -> assay.Result:
    """Evaluate the example by a column of its queries with two labels in turns."""
    shutil.copytree(EXAMPLE / "corpus", folder / "corpus")
    with (EXAMPLE / "predictions" / "decisions.csv").open(encoding="utf-8") as file:
        queries = [(row["post_id"], row["criterion_id"]) for row in csv.DictReader(file)]
    with (folder / "corpus" / "queries.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [(*query, labels[at % 2]) for at, query in enumerate(queries)]
        csv.writer(file).writerows([("post_id", "criterion_id", column), *rows])
    return assay.evaluate(EXAMPLE / "predictions", folder / "corpus", measures=measures, by=[column])


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_a_bundle_by_labels_that_look_like_numbers_is_verified(
    tmp_path: Path, labels: tuple[str, str]
) -> None:
    result = broken_down(tmp_path, "batch", labels, "mrr", "brier")
    assert set(result.groups["batch"]) == set(labels)
    result.save(tmp_path / "bundle")
    assert assay.verify(tmp_path / "bundle").ok
    loaded = assay.load(tmp_path / "bundle")
    assert sorted(set(loaded.per_query()["batch"].to_list())) == sorted(labels)


@pytest.mark.parametrize("column", ["score", "grade", "label", "returned", "item", "group"])
def test_a_bundle_by_a_column_that_other_tables_have_is_verified(tmp_path: Path, column: str) -> None:
    broken_down(tmp_path, column, ("a", "b"), "mrr").save(tmp_path / "bundle")
    assert assay.verify(tmp_path / "bundle").ok


@pytest.mark.parametrize("column", ["mrr", "n", "gold", "threshold_f1"])
def test_a_column_that_the_table_of_queries_has_already_is_refused(tmp_path: Path, column: str) -> None:
    with pytest.raises(assay.InputError, match=f"`by`: '{column}' is also the name of .*; rename the column"):
        broken_down(tmp_path, column, ("a", "b"), "mrr", "brier")


def test_a_measure_that_is_called_like_a_column_is_verified(tmp_path: Path) -> None:
    """`selected_k` is a measure and a decision; the bundle keeps both."""
    made = assay.evaluate(EXAMPLE / "predictions", EXAMPLE / "corpus", measures=["selected_k", "brier"])
    assert made["selected_k"].definition == "selected_k:stat=mean,on=all"
    made.save(tmp_path / "bundle")
    assert assay.verify(tmp_path / "bundle").ok


@pytest.mark.parametrize(
    "name", ["prob", "post_id", "fold", "answered", "selected_k", "threshold_f1", "na_prob"]
)
def test_a_contract_may_not_name_a_measure_like_a_column(tmp_path: Path, name: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'id = "mine/1"\n[measures]\n{name} = "map@5"\n', encoding="utf-8")
    with pytest.raises(assay.ContractError, match=f"mine.toml: {name} is a column of per_query.csv"):
        assay.contract(path)
    made = Contract.of({**flat(assay.contract("ir/1")), "id": "mine/1", "measures": {name: "map@5"}})
    with pytest.raises(assay.ContractError, match=f"{name} is a column of per_query.csv"):
        assay.evaluate({"q": {"a": 1.0}}, qrels={"q": {"a": 1}}, contract=made)


def flat(contract: Contract) -> dict[str, object]:
    return {**contract.content(), "source": contract.source, "text": "", "corrections": ()}


def test_the_command_says_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('id = "mine/1"\n[measures]\npost_id = "map@5"\n', encoding="utf-8")
    run = ("evaluate", EXAMPLE / "predictions", "--corpus", EXAMPLE / "corpus", "--contract", path)
    assert exit_code(monkeypatch, *run) == 2
    said = capsys.readouterr().err
    assert said == "assay: mine.toml: post_id is a column of per_query.csv; choose another name\n"
