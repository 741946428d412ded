"""CSV and Parquet that no spreadsheet would write."""

from __future__ import annotations

import gzip
import os
import resource
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.data.readers import limits
from tests.hostile.conftest import EXAMPLE, Call


@pytest.fixture
def spoiled(example: Path, call: Call) -> Any:
    """Give the candidates other bytes, then evaluate."""

    def evaluated(data: bytes) -> Any:
        (example / "predictions" / "candidates.csv").write_bytes(data)
        return call("evaluate", example / "predictions", "--corpus", example / "corpus", "-m", "mrr")

    run: Any = evaluated
    run.candidates = (example / "predictions" / "candidates.csv").read_bytes()
    return run


def test_lines_that_end_in_cr_alone(spoiled: Any) -> None:
    spoiled(spoiled.candidates.replace(b"\n", b"\r")).refused("candidates.csv", "CR alone", "LF")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\0" * 1000, "run of NUL bytes"),
        (b"post_id\0,x\n1,2\n", "no column post_id"),
        ("post_id,b\n1,2\n".encode("utf-16"), "not UTF-8"),
        ("post_id,b\n1,2\n".encode("utf-16-le"), "has 1 fields"),
    ],
)
def test_nul_bytes(spoiled: Any, data: bytes, words: str) -> None:
    spoiled(data).refused("candidates.csv", words)


def test_other_encodings(spoiled: Any) -> None:
    spoiled(spoiled.candidates + "p01,sleep,é,1\n".encode("latin-1")).refused("line 197", "UTF-8")


def test_a_byte_order_mark_is_no_part_of_a_name(spoiled: Any) -> None:
    assert spoiled(b"\xef\xbb\xbf" + spoiled.candidates).code == 0


@pytest.mark.parametrize(("name", "fine"), [(b"", True), (b" ", True), (b"score", False), (b"__x", True)])
def test_odd_and_repeated_columns(spoiled: Any, name: bytes, fine: bool) -> None:
    lines = spoiled.candidates.splitlines()
    data = b"\n".join([name + b",,," + lines[0], *(b"7,,," + line for line in lines[1:])])
    ran = spoiled(data)
    assert ran.code == (0 if fine else 2), ran.err
    if not fine:
        ran.refused("two columns score")


def test_many_columns(spoiled: Any) -> None:
    spoiled(b"," * 20_000 + b"\n").refused("20,001 columns", "10,000")


@pytest.mark.parametrize("data", [b"\n\n", b"", b"\n" + b"post_id\n", b'"\n', b'a,"b\n1,2\n'])
def test_no_usable_header(spoiled: Any, data: bytes) -> None:
    spoiled(data).refused("candidates.csv")


@pytest.mark.parametrize(
    "change",
    [
        pl.col("post_id").cast(pl.Binary),
        pl.struct("post_id").alias("post_id"),
        pl.col("sent_uid").implode().over("sent_uid"),
        pl.lit(1).cast(pl.Duration).alias("score"),
        pl.lit(1).cast(pl.Time).alias("score"),
        pl.lit(None).alias("score"),
    ],
)
def test_parquet_columns_of_other_types(change: pl.Expr, example: Path, call: Call) -> None:
    path = example / "predictions" / "candidates.csv"
    pl.read_csv(path).with_columns(change).write_parquet(path.with_suffix(".parquet"))
    path.unlink()
    ran = call("evaluate", example / "predictions", "--corpus", example / "corpus")
    ran.refused("candidates.parquet")


def test_a_nested_column_that_nobody_asks_for_is_left_out(example: Path, call: Call) -> None:
    path = example / "predictions" / "candidates.csv"
    frame = pl.read_csv(path).with_columns(pl.struct("post_id").alias("more"))
    frame.write_parquet(path.with_suffix(".parquet"))
    path.unlink()
    ran = call("evaluate", example / "predictions", "--corpus", example / "corpus", "-m", "mrr")
    assert ran.code == 0, ran.err


def test_damaged_parquet(example: Path, call: Call) -> None:
    """Polars panics on some of these, and prints that by itself."""
    path = example / "predictions" / "candidates.csv"
    good = path.with_suffix(".parquet")
    pl.read_csv(path).write_parquet(good)
    path.unlink()
    data = good.read_bytes()
    for at in range(4, len(data), len(data) // 60):
        good.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        ran = call("evaluate", example / "predictions", "--corpus", example / "corpus", "-m", "mrr")
        assert ran.code in (0, 2), (at, ran.err)
        assert "panicked" not in ran.err
        assert ran.code == 0 or ran.refused("candidates.parquet")


def test_a_pipe_in_a_folder_is_not_opened(example: Path, call: Call) -> None:
    path = example / "corpus" / "folds.csv"
    path.unlink()
    os.mkfifo(path)
    ran = call("evaluate", example / "predictions", "--corpus", example / "corpus")
    ran.refused("folds.csv", "not an ordinary file")


def test_a_pipe_in_a_beir_folder_is_not_opened(tmp_path: Path, call: Call) -> None:
    (tmp_path / "qrels").mkdir()
    os.mkfifo(tmp_path / "qrels" / "test.tsv")
    run = EXAMPLE / "run.txt"
    for split in ((), ("--split", "test")):
        ran = call("evaluate", "--qrels", tmp_path, "--run", run, *split)
        ran.refused("test.tsv", "not an ordinary file")


def test_an_endless_table(call: Call) -> None:
    """`/dev/zero` filled 10 GB of memory before it was refused."""
    call("evaluate", "--decisions", "/dev/zero").refused("zero", "is a device")
    call("evaluate", "--qrels", "/dev/zero", "--run", "/dev/zero").refused("zero", "is a device")


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("sparse.csv", ("evaluate", "--decisions"), "larger than 1 GB"),
        ("sparse.parquet", ("evaluate", "--decisions"), "larger than 4 GB"),
        ("sparse.txt", ("evaluate", "--run", EXAMPLE / "run.txt", "--qrels"), "run of NUL bytes"),
        ("sparse.txt", ("evaluate", "--qrels", EXAMPLE / "qrels.txt", "--run"), "run of NUL bytes"),
        ("sparse.toml", ("contract", "show"), "larger than 1 MB"),
        ("sparse.toml", ("run", "-o", "nowhere"), "larger than 1 MB"),
        ("sparse.json", ("import", "squad2", "-o", "nowhere"), "larger than 128 MB"),
        ("sparse.jsonl", ("import", "jsonl", "-o", "nowhere"), "larger than 1 GB"),
        ("sparse.json", ("lint",), "sparse.json"),
    ],
)
def test_a_sparse_file(
    name: str, arguments: tuple[object, ...], words: str, tmp_path: Path, call: Call
) -> None:
    """It filled 10 GB of memory."""
    with (tmp_path / name).open("wb") as file:
        file.truncate(10 << 30)
    call(*arguments, tmp_path / name).refused(name, words)


@pytest.mark.parametrize("packed", [False, True])
def test_a_table_above_the_limit(
    packed: bool, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.data.readers.text_blocks.BLOCK", 1000)
    monkeypatch.setattr(
        "assay.data.readers.text_blocks.read_all.__defaults__", (limits.MB, "a CSV table", "x")
    )
    data = b"label,prob\n" + b"1,0.5\n" * 300_000
    path = tmp_path / "large.csv"
    path.write_bytes(gzip.compress(data) if packed else data)
    call("evaluate", "--decisions", path).refused("large.csv", "larger than 1 MB", "a CSV table")


def test_unpacking_costs_what_is_there(example: Path, call: Call) -> None:
    """Room for the whole limit was asked for before a byte was unpacked."""
    for name in ("qrels.txt", "run.txt"):
        path = example / name
        path.write_bytes(gzip.compress(path.read_bytes() + b"# odd\n"))
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, hard))
    try:
        ran = call("evaluate", "--qrels", example / "qrels.txt", "--run", example / "run.txt")
        tsv = example / "test.tsv"
        tsv.write_bytes(gzip.compress(b"query-id\tcorpus-id\tscore\np01.sleep\tp01.2\t1\n"))
        beir = call("evaluate", "--qrels", tsv, "--run", example / "run.txt", "-m", "mrr")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert ran.code == 0, ran.err
    assert beir.code == 0, beir.err


def test_a_parquet_table_above_the_limit(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.data.readers.table_files.CELLS", 100)
    pl.DataFrame({"label": [0, 1] * 30, "prob": [0.5] * 60}).write_parquet(tmp_path / "a.parquet")
    call("evaluate", "--decisions", tmp_path / "a.parquet").refused("60 rows", "100 cells")


def test_a_parquet_file_of_repeats(tmp_path: Path, call: Call) -> None:
    """Some bytes declare millions of rows."""
    path = tmp_path / "run.parquet"
    rows = 4_000_000
    columns = [
        pl.repeat("q", rows, eager=True).alias("query_id"),
        pl.repeat("d", rows, eager=True).alias("doc_id"),
        pl.repeat(1.0, rows, eager=True).alias("score"),
    ]
    pl.DataFrame(columns).write_parquet(path, row_group_size=rows)
    assert path.stat().st_size < 30_000
    ran = call("evaluate", "--qrels", path, "--run", path)
    ran.refused("run.parquet", "declares 4,000,000 rows")
