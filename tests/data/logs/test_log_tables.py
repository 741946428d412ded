"""Logs as CSV, Parquet, data frames and dicts have the values of the same log as JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.command import exit_code
from tests.data.logs.log_cases import honest_log, written

import assay

MEASURES = ["mrr", "recall@5", "auroc"]


def rows() -> list[dict[str, Any]]:
    """Return questions whose lists are ids; a question without gold has an empty list."""
    return [
        {
            "question_id": row["question_id"],
            "question": row["question"],
            "retrieved_ids": [each["id"] for each in row["retrieved"]],
            "gold_ids": row["gold"],
            "confidence": row["confidence"],
        }
        for row in honest_log()
    ]


def values(log: Any) -> dict[str, tuple[float, int]]:
    result = assay.evaluate(log, measures=MEASURES)
    return {name: (each.value, each.n) for name, each in result.items()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[float, int]]:
    """The values of the log as JSON lines, which other tests compare with pytrec_eval."""
    return values(written(tmp_path_factory.mktemp("log") / "log.jsonl", rows()))


def in_memory() -> Iterator[tuple[str, Any]]:
    yield "dicts", rows()
    yield "dicts one by one", iter(rows())
    yield "columns", pd.DataFrame(rows()).to_dict("list")
    yield "pandas", pd.DataFrame(rows())
    yield "polars", pl.DataFrame(rows())
    yield "pyarrow", pa.Table.from_pylist(rows())


@pytest.mark.parametrize("shape", [name for name, _ in in_memory()])
def test_in_memory(shape: str, expected: dict[str, tuple[float, int]]) -> None:
    log = dict(in_memory())[shape]
    assert values(log) == expected
    if shape != "dicts one by one":
        assert values(assay.read_log(log)) == expected


@pytest.mark.parametrize("cell", ["json", "python", "joined"])
def test_csv(cell: str, expected: dict[str, tuple[float, int]], tmp_path: Path) -> None:
    """An empty list is written as `[]`; joined ids have nothing for it, which is a null."""
    path = tmp_path / "log.csv"
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, rows()[0])
        table.writeheader()
        for row in rows():
            lists = {name: row[name] for name in ("retrieved_ids", "gold_ids")}
            how: dict[str, Callable[[list[str]], str]]
            how = {"json": json.dumps, "python": str, "joined": "|".join}
            table.writerow(row | {name: how[cell](ids) for name, ids in lists.items()})
    null = "null=unanswerable" if cell == "joined" else None
    assert values(assay.read_log(path, map=null)) == expected
    if cell == "joined":
        note = f"{sum(not row['gold_ids'] for row in rows()):,} records have no value for gold: left out"
        assert any(each.startswith(note) for each in assay.read_log(path).notes)
    else:
        assert values(path) == expected
        record = assay.evaluate(path, measures=MEASURES).to_dict()
        assert record["system"] == "log.csv"


def test_parquet(expected: dict[str, tuple[float, int]], tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pd.DataFrame(rows()).to_parquet(path)
    assert values(path) == expected
    assert values(pd.read_parquet(path)) == expected  # its lists are arrays


def test_arrays_in_a_cell_of_csv_are_refused(tmp_path: Path) -> None:
    """`['a' 'b']` is how NumPy prints: two strings, which Python would join to one."""
    path = tmp_path / "log.csv"
    path.write_text("question,retrieved,gold\nWho?,['a' 'b'],['b']\nWhat?,['c' 'd'],['d']\n")
    with pytest.raises(assay.InputError, match="no field for retrieved"):
        assay.read_log(path)


def test_a_table_without_chunks_is_no_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("label,prob\n1,0.9\n0,0.1\n")
    assert exit_code(monkeypatch, "evaluate", path) == 2
    message = capsys.readouterr().err
    assert "is neither a predictions folder nor a log; " in message
    assert "a table of labels as --decisions FILE" in message
    with pytest.raises(assay.InputError, match="is a file, and no judgements were given"):
        assay.evaluate(path)
