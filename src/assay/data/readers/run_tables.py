"""Judgements and runs that are not TREC text: tables, JSON, BEIR folders, and objects in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Ints
from assay.data import table_checks
from assay.data.cases import LARGEST_GRADE
from assay.data.ids import Lookup, encode, pick
from assay.data.input_types import Columns, as_rows, count_of_values, is_frame, is_rows, wrong_type
from assay.data.readers import column_names as names
from assay.data.readers import file_kinds as files
from assay.data.readers.beir import BEIR, beir_file, is_beir, read_beir
from assay.data.readers.column_names import QRELS, RANKS, RUN, Form
from assay.data.readers.memory_tables import columns_of, frame_of
from assay.data.readers.rankings_by_query import QUERY_COLUMN, frame_by_query, holds_runs, rows_by_query
from assay.data.readers.table_files import (
    Table,
    parquet_columns,
    read_parquet,
    read_slices,
    require,
    texts,
    without_nested,
)
from assay.data.runs import Chunk, Qrels, Run, run_starts, whole_queries
from assay.data.table_checks import has_empty
from assay.data.trec.trec_text import explained, trec_qrels, trec_run
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

ACCEPTED = (
    "expected a path, a dict {{query: {{item: {0}}}}}, a list of rows as dicts, or a data frame (pandas, "
    "polars, pyarrow)"
)


@dataclass(frozen=True, slots=True)
class Triples:
    """Checked columns query, item and number, and the table they are from, to name its rows."""

    frame: pl.DataFrame
    source: str
    table: Table | None = None  # None: a mapping by query, which has no rows
    starts: Ints | None = None  # rows where the query changes, if they are known

    def chunk(self) -> Chunk:
        """Group the rows by query."""
        return Chunk.of(self.frame, self.starts)

    def explain(self) -> None:
        """Raise a fault for each (query, item) that occurs before."""
        query, item = self.frame.columns[:2]
        codes, _ = encode(self.frame[query])
        faults = []
        for row in Lookup(codes, self.frame[item]).repeated().tolist():
            document, asked = shown(self.frame[item][row]), shown(self.frame[query][row])
            problem, expected = f"document {document} of query {asked} is listed twice", "expected each once"
            made = Fault(self.source, "", problem, expected)
            faults.append(made if self.table is None else self.table.fault(row, problem, expected))
        raise InputError(faults)


def table_qrels(source: Any, split: str | None, columns: Columns | None) -> Qrels:
    """Return the judgements of a folder, a file that is not plain TREC text, or an object in memory."""
    named = names.named_columns(columns, QRELS)
    file = source if isinstance(source, InputFile) else None
    if isinstance(source, str | Path):
        file, split = InputFile(beir_file(Path(source), split)), None
    if file is None:
        return _qrels(_of_object(source, "qrels", QRELS, named, split))
    kind = _kind(file, named)
    if kind != files.OTHER and (named or kind != files.DELIMITED or not is_beir(file)):
        return replace(_qrels(_of_file(file, kind, QRELS, named, split)), file=file)
    if split is not None:
        raise _no_split(file.name, split)
    return beir_qrels(file) if kind == files.DELIMITED else trec_qrels(file)


def _kind(file: InputFile, named: Mapping[str, str]) -> str:
    """Return the format of a file; one whose columns the caller names has columns."""
    kind = files.kind_of(file)
    return files.DELIMITED if named and kind == files.OTHER else kind


def beir_qrels(file: InputFile) -> Qrels:
    """Return the judgements of a BEIR file."""
    made = Qrels.of(read_beir(file), file.name, lambda: explained(file, BEIR, skip=1))
    return replace(made, file=file)


def _qrels(made: Triples) -> Qrels:
    return Qrels.of(made.frame, made.source, made.explain)


def table_run(source: Any, name: str | None, columns: Columns | None) -> Run:
    """Return the run of a file that is not plain TREC text, or of an object in memory."""
    named = names.named_columns(columns, RUN)
    form = RANKS if names.is_ranked(RUN, named) else RUN
    if not isinstance(source, InputFile):
        made = _of_object(source, name or "run", form, named, None)
        return Run(made.source, chunks=lambda: [made.chunk()], whole=made.chunk, explain=made.explain)
    kind = _kind(source, named)
    if kind == files.OTHER:
        return trec_run(source)

    def whole() -> Triples:
        return _of_file(source, kind, form, named, None)

    in_parts = form is RUN and kind in (files.PARQUET, files.DELIMITED)
    sliced = in_parts and kind == files.PARQUET
    return Run(
        source.name,
        chunks=lambda: whole_queries(_slices(source, named)) if sliced else [whole().chunk()],
        whole=lambda: whole().chunk(),
        explain=lambda: whole().explain(),
        file=source,
        form=kind if in_parts else None,
        columns=named,
    )


def _slices(file: InputFile, named: Mapping[str, str]) -> Iterator[pl.DataFrame]:
    """A Parquet file in parts; where one of them has faults, those of all are given at once."""
    try:
        with file.mapped() as handle:
            chosen = names.chosen_columns(parquet_columns(handle, file.name), file.name, RUN, named)
            for table in read_slices(handle, file.name, chosen):
                yield checked_triples(table, chosen, None)
    except InputError:
        _of_table(read_parquet(file), RUN, named, None)
        raise


def _of_object(source: Any, name: str, form: Form, named: Mapping[str, str], split: str | None) -> Triples:
    """Return the judgements or the run of an object in memory."""
    source = as_rows(source)
    if form is not QRELS and isinstance(source, Mapping | list | tuple) and holds_runs(source):
        expected = "expected one; several are compared with assay.compare(first, second, qrels=…)"
        raise InputError.of(name, f"holds {count_of_values(len(source))} that are runs themselves", expected)
    if is_rows(source) or is_frame(source) or isinstance(source, pl.LazyFrame):
        return _of_table(Table(frame_of(source, name), name), form, named, split)
    if not isinstance(source, Mapping):
        parameter = "qrels" if form is QRELS else "run"
        raise wrong_type(parameter, source, ACCEPTED.format(form.number).removeprefix("expected "))
    columns = columns_of(source)
    if columns is not None and names.fits(list(columns), form, named):
        return _of_table(Table(frame_of(columns, name), name), form, named, split)
    return _by_query(source, name, form, named, split)


def _by_query(
    data: Mapping[Any, Any], source: str, form: Form, named: Mapping[str, str], split: str | None
) -> Triples:
    rows = rows_by_query(data)
    if rows is not None:
        table = Table(frame_of(rows, source), source)
        return _of_table(table, form, {**named, "query": QUERY_COLUMN}, split)
    if split is not None:
        raise _no_split(source, split)
    if named:
        problem = f"has no effect on {source}, which is by query and has no columns"
        raise InputError.of(f"`{form.parameter}`", problem, "leave it out")
    largest = LARGEST_GRADE if form is QRELS else float("inf")
    frame = frame_by_query(data, source, form, largest)
    if frame.is_empty():
        raise InputError.of(source, "has no row", f"expected at least one item with its {form.number}")
    return Triples(frame, source)


def _of_file(file: InputFile, kind: str, form: Form, named: Mapping[str, str], split: str | None) -> Triples:
    """Return the judgements or the run of a Parquet, JSON or delimited file, read as a whole."""
    if kind == files.PARQUET:
        return _of_table(read_parquet(file), form, named, split)
    if kind == files.DELIMITED:
        return _of_delimited(file, form, named, split)
    document, lines = files.read_records(file, kind)
    by_query = isinstance(document, dict) and any(isinstance(each, dict | list) for each in document.values())
    columns = columns_of(document)
    if by_query and (columns is None or not names.fits(list(columns), form, named)):
        return _by_query(document, file.name, form, named, split)
    return _of_table(files.records_table(document, lines, file), form, named, split)


def _of_delimited(file: InputFile, form: Form, named: Mapping[str, str], split: str | None) -> Triples:
    table = files.read_delimited(file, lambda row: names.has_header(row, form, named))
    if not table.header:
        has = table.frame.columns
        if form is RUN and len(has) == 3 and "score" not in named:
            refuse_ranks(table)
        named = names.placed_columns(has, form, named)
    return _of_table(table, form, named, split)


def refuse_ranks(table: Table) -> None:
    """Refuse a run without a header whose numbers count 1, 2, 3 in each query: they may be ranks."""
    query, number = table.frame["1"], table.frame["3"].cast(pl.Float64, strict=False)
    if number.null_count() or table.frame["1"].null_count():
        return
    starts = run_starts(query)
    first = np.repeat(starts, np.diff(np.append(starts, len(query))))
    if len(query) > len(starts) and (number.to_numpy() == np.arange(len(query)) - first + 1).all():
        problem = "column 3 counts 1, 2, 3 … in each query, as ranks do"
        expected = (
            "say what it holds: `run_columns='rank=3'`, or scores (the highest is best), "
            "`run_columns='score=3'`"
        )
        raise InputError.of(table.source, problem, expected)


def _of_table(table: Table, form: Form, named: Mapping[str, str], split: str | None) -> Triples:
    if not table.frame.columns:
        require(table, ())
    if split is not None:
        table = _of_split(table, split)
    chosen = names.chosen_columns(table.frame.columns, table.source, form, named, header=table.header)
    largest = LARGEST_GRADE if form is QRELS else None
    table = texts(require(without_nested(table, chosen), ()), *chosen[:2])
    ids = table.frame[chosen[0]]
    starts = run_starts(ids) if form is RUN and not ids.null_count() else None
    blank = has_empty(ids if starts is None else pick(ids, starts)) or has_empty(table.frame[chosen[1]])
    frame = checked_triples(table, chosen, largest, blank=blank)
    if form is RANKS:
        frame = frame.with_columns(-pl.col(chosen[2]))
    return Triples(frame, table.source, table, starts)


def _of_split(table: Table, split: str) -> Table:
    if "split" not in table.frame.columns:
        problem = f"has no column split ({table.columns})"
        raise InputError.of(table.source, problem, f"expected one, to select {split!r}")
    values = table.frame["split"].cast(pl.String)
    if not (values == split).any():
        has = ", ".join(values.drop_nulls().unique().sort().to_list()[:9])
        raise InputError.of(table.source, f"has no row of split {split!r}", f"one of {has}")
    return table.part(values == split)


def _no_split(source: str, split: str) -> InputError:
    expected = "a split needs a table with a column split, or a BEIR folder"
    return InputError.of(source, f"has no split {split!r} to select", expected)


def checked_triples(
    table: Table, chosen: Sequence[str], largest: float | None, *, blank: bool = False
) -> pl.DataFrame:
    """Return columns query, item and number, whatever they are called, checked.

    `blank`: there are ids that are an empty text; in slices of Parquet a look for them would cost time.
    """
    query, item, number = chosen
    rule = "must be finite" if largest is None else f"lie within ±{largest}"
    numbers, faults = table_checks.numbers(table, number, within(largest), f"{number}s {rule}")
    ids = [table.frame[query].cast(pl.String), table.frame[item].cast(pl.String)]
    if blank or any(values.null_count() for values in ids):
        faults += table_checks.filled(texts(table, query, item), query, item)
    if faults:
        raise InputError(faults)
    return pl.DataFrame([*ids, numbers])


def within(largest: float | None) -> Callable[[pl.Series], pl.Series] | None:
    """Return the rule that numbers lie between −largest and largest; None where there is none."""
    return None if largest is None else lambda values: values.is_between(-largest, largest)
