"""Judgements and runs: TREC text here, every other format and shape in `run_tables`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.data.readers.text_blocks import head_of
from assay.data.runs import JudgedRun, Qrels, Run
from assay.data.trec.trec_text import QRELS, RUN, Layout, looks_plain, trec_qrels, trec_run
from assay.errors import InputError
from assay.files.input_file import STDIN, InputFile

if TYPE_CHECKING:
    from assay.data.input_types import Columns, Rankings

TABLE_ENDINGS = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".ndjson")


def read_trec(
    qrels: Rankings,
    run: Rankings,
    *,
    split: str | None = None,
    name: str | None = None,
    qrels_columns: Columns | None = None,
    run_columns: Columns | None = None,
) -> JudgedRun:
    """Read judgements and a run, each from any format or shape.

    Parameters
    ----------
    qrels
        A file (TREC text, CSV, TSV, JSON, JSON lines, Parquet; text may be gzip), a BEIR folder,
        `{query: {item: grade}}`, a list of rows, or a data frame.
    run
        The same with scores, or "-" for standard input. TREC text and Parquet are read in blocks
        when the run is evaluated.
    split
        Read only the judgements of this split.
    name
        What to call a run that is not a file.
    qrels_columns, run_columns
        Names of columns that are not recognised: `{"query": "q", "item": "d", "grade": "g"}`, for
        runs `score`, or `rank`, in place of `grade`; or the same as text, `"query=q,item=d"`.

    Returns
    -------
    JudgedRun
        The judgements, and the run, which is read when it is evaluated.

    Raises
    ------
    InputError
        With all faults of the judgements.

    Examples
    --------
    >>> judged = assay.read_trec({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 0.2, "b": 0.9}})
    >>> judged.qrels.names
    ('q1',)

    """
    return JudgedRun(read_qrels(qrels, split, qrels_columns), read_run(run, name, columns=run_columns))


def read_qrels(source: Rankings, split: str | None = None, columns: Columns | None = None) -> Qrels:
    """Return judgements from any format or shape."""
    file = _file(source, hashed=True)
    if file is None or not _is_trec(file, QRELS):
        from assay.data.readers.run_tables import table_qrels

        return table_qrels(source if file is None else file, split, columns)
    if split is not None or columns is not None:
        raise _no_columns(file, "qrels_columns", split)
    return trec_qrels(file)


def read_run(
    source: Rankings, name: str | None = None, *, hashed: bool = False, columns: Columns | None = None
) -> Run:
    """Return a run from any format or shape; TREC text and Parquet are read in blocks when needed.

    `hashed`: hash a file as it is scored, not only when its bundle is written.
    """
    file = _file(source, hashed=hashed)
    if isinstance(source, str | Path) and file is None:
        problem = "is a folder" if Path(source).is_dir() else "file not found"
        raise InputError.of(str(source), problem, "expected a file with a run")
    if file is None or not _is_trec(file, RUN):
        from assay.data.readers.run_tables import table_run

        return table_run(source if file is None else file, name, columns)
    if columns is not None:
        raise _no_columns(file, "run_columns")
    return trec_run(file)


def _file(source: object, *, hashed: bool) -> InputFile | None:
    """Return the file of a path that is not a folder."""
    if not isinstance(source, str | Path):
        return None
    path = Path(source)
    is_file = str(source) == STDIN or (path.exists() and not path.is_dir())
    return InputFile(source, hashed=hashed) if is_file else None


def _is_trec(file: InputFile, layout: Layout) -> bool:
    """Return whether a file is TREC text: by its name, or by its first line."""
    name = file.name.lower().removesuffix(".gz")
    return not name.endswith(TABLE_ENDINGS) and looks_plain(head_of(file), layout)


def _no_columns(file: InputFile, parameter: str, split: str | None = None) -> InputError:
    if split is not None:
        expected = "a split needs a table with a column split, or a BEIR folder"
        return InputError.of(file.name, f"has no split {split!r} to select", expected)
    return InputError.of(
        f"`{parameter}`", f"has no effect on {file.name}, which is TREC text", "leave it out"
    )
