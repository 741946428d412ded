"""Judgements and runs of plain IR, from TREC text, BEIR, Parquet, a dict or a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from assay.data import checks
from assay.data.chunks import Chunk, whole_queries
from assay.data.model import LARGEST_GRADE
from assay.data.plain import Qrels, Run, explain_rows
from assay.data.readers import trec
from assay.data.readers.beir import BEIR, beir_file, read_beir
from assay.data.readers.tables import (
    Table,
    frame_of,
    parquet_columns,
    read_slices,
    read_table,
    without_nested,
)
from assay.errors import InputError, shown
from assay.files.source import InputFile

NAMES = {
    "query": ("query_id", "q_id", "qid", "query-id", "query"),
    "item": ("doc_id", "docno", "docid", "corpus-id", "sent_uid", "item"),
    "number": ("score", "grade", "rel", "relevance", "sim"),
}


def read_qrels(source: Any, split: str | None = None) -> Qrels:
    """Judgements from TREC text, a BEIR file or folder, Parquet, or a data frame."""
    if not isinstance(source, str | Path):
        return _frame_qrels(Table(frame_of(source, "qrels"), "qrels"), split)
    path = beir_file(Path(source), split)
    file = InputFile(path)
    if path.suffix == ".parquet":
        return replace(_frame_qrels(read_table(file, ()), split), file=file)
    if split is not None and path == Path(source):
        expected = "a table with a column split, or a BEIR folder"
        raise InputError.of(path.name, f"has no split {split!r} to select", f"expected {expected}")
    if path.name.endswith((".tsv", ".tsv.gz")):
        frame = read_beir(file)
        made = Qrels.of(frame, path.name, lambda: trec.explained(file, BEIR, skip=1))
    else:
        frame = trec.read_lines(file, trec.QRELS)
        made = Qrels.of(frame, path.name, lambda: trec.explained(file, trec.QRELS))
    return replace(made, file=file)


def read_run(source: Any, name: str | None = None, *, hashed: bool = False) -> Run:
    """A run from TREC text (read in blocks when it is needed), Parquet, a dict or a data frame.

    `hashed`: hash a file already when it is scored, not only when a bundle of it is written.
    """
    if isinstance(source, Mapping):
        return _frame_run(Table(_dict_frame(source), name or "preds"))
    if not isinstance(source, str | Path):
        return _frame_run(Table(frame_of(source, "run"), name or "run"))
    path = Path(source)
    file = InputFile(path, hashed=hashed)
    if path.suffix == ".parquet":
        return Run(
            path.name,
            chunks=lambda: whole_queries(_slices(file)),
            whole=lambda: Chunk.of(_three(read_table(file, ()))),
            explain=lambda: explain_rows(_three(read_table(file, ())), path.name),
            file=file,
        )
    if path.is_dir() or not path.exists():
        raise InputError.of(str(path), "is not a file", "expected a run: TREC text or Parquet")
    return Run(
        path.name,
        chunks=lambda: trec.read_queries(file, trec.RUN),
        whole=lambda: trec.read_whole(file, trec.RUN),
        explain=lambda: trec.explained(file, trec.RUN),
        file=file,
    )


def _dict_frame(preds: Mapping[Any, Iterable[Any]]) -> pl.DataFrame:
    """`{query: [(item, score), …]}` or `{query: {item: score}}`, in order."""
    rows: list[tuple[str, str, float]] = []
    for query, listed in preds.items():
        pairs = listed.items() if isinstance(listed, Mapping) else listed
        try:
            rows += [(_id(query), *_pair(pair)) for pair in pairs]
        except (TypeError, ValueError, OverflowError):
            expected = "expected lists of (item, score), or dicts of item to score"
            problem = f"query {shown(query)} is not a ranking"
            raise InputError.of("preds", problem, expected) from None
    schema = {"query_id": pl.String(), "doc_id": pl.String(), "score": pl.Float64()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _pair(pair: Any) -> tuple[str, float]:
    """Return an item and its score; a text of two characters is no pair."""
    if isinstance(pair, str | bytes):
        raise TypeError
    item, number = pair
    if isinstance(number, str | bytes):
        raise TypeError
    return _id(item), float(number)


def _id(value: Any) -> str:
    if value is None or isinstance(value, bytes | list | tuple | dict | set):
        raise TypeError
    return str(value)


def _frame_run(table: Table) -> Run:
    frame = _three(table)
    return Run(
        table.source,
        chunks=lambda: Chunk.of(frame).parts(),
        whole=lambda: Chunk.of(frame),
        explain=lambda: explain_rows(frame, table.source),
    )


def _frame_qrels(table: Table, split: str | None) -> Qrels:
    if split is not None:
        if "split" not in table.frame.columns:
            raise InputError.of(
                table.source, "has no column split", f"expected one, to select {split!r}"
            )
        kept = table.frame.filter(pl.col("split").cast(pl.String) == split)
        if kept.is_empty():
            has = ", ".join(map(str, table.frame["split"].unique().sort().to_list()[:9]))
            raise InputError.of(table.source, f"has no row of split {split!r}", f"one of {has}")
        table = Table(kept, table.source, table.first_row)
    frame = _three(table, LARGEST_GRADE)
    return Qrels.of(frame, table.source, lambda: explain_rows(frame, table.source))


def _slices(file: InputFile) -> Iterator[pl.DataFrame]:
    """A Parquet file in parts; where one of them has faults, those of all are given at once."""
    try:
        with file.mapped() as handle:
            columns = _columns(parquet_columns(handle, file.name), file.name)
            yield from map(_three, read_slices(handle, file.name, columns))
    except InputError:
        _three(read_table(file, ()))
        raise


def _three(table: Table, largest: float | None = None) -> pl.DataFrame:
    """Columns query, item and number, whatever they are called, checked."""
    chosen = _columns(table.frame.columns, table.source)
    table = without_nested(table, chosen)
    if table.frame.is_empty():
        raise InputError.of(table.source, "has no row", "expected at least one row")
    query, item, number = chosen
    rule = "must be finite" if largest is None else f"lie within ±{largest}"
    numbers, faults = checks.numbers(table, number, within(largest), f"{number}s {rule}")
    ids = [table.frame[query], table.frame[item]]
    for values in ids:
        if values.null_count():
            empty = values.is_null().arg_true()
            problem = f"{values.name} is empty"
            faults += [table.fault(row, problem, "expected an id") for row in empty]
    if faults:
        raise InputError(faults)
    return pl.DataFrame([*(values.cast(pl.String) for values in ids), numbers])


def within(largest: float | None) -> Callable[[pl.Series], pl.Series] | None:
    """Return the rule that numbers lie between −largest and largest; None where there is none."""
    return None if largest is None else lambda values: values.is_between(-largest, largest)


def _columns(names: Sequence[str], source: str) -> list[str]:
    """Which of the columns are query, item and number."""
    chosen = []
    for what, known in NAMES.items():
        found = [name for name in known if name in names]
        if not found:
            problem = f"has no column for the {what} (it has {', '.join(names[:12])})"
            raise InputError.of(source, problem, f"one of {', '.join(known)}")
        chosen.append(found[0])
    return chosen
