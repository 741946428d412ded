"""BEIR judgements: `qrels/*.tsv` with a header query-id, corpus-id, score."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from assay.data.cases import LARGEST_GRADE
from assay.data.readers.limits import TREC_BYTES
from assay.data.readers.text_blocks import head_of, read_all, regular_file
from assay.data.trec.trec_text import Layout, explained, parse_block
from assay.errors import InputError, OddLineError
from assay.files.input_file import InputFile

BEIR = Layout(("query-id", "corpus-id", "score"), "query-id", "corpus-id", "score", largest=LARGEST_GRADE)


def beir_file(path: Path, split: str | None) -> Path:
    """Return the judgements of a split in a BEIR folder or its `qrels` folder; a file is itself."""
    folder = path / "qrels" if (path / "qrels").is_dir() else path
    if not folder.is_dir():
        return path
    found = {file.stem: file for file in sorted(folder.glob("*.tsv"))}
    if split is None and len(found) == 1:
        return regular_file(next(iter(found.values())))
    if split in found:
        return regular_file(found[split])
    names = ", ".join(file.name for file in found.values()) or "no .tsv file"
    problem = f"has {names}" if split is None else f"has no split {split!r}, only {names}"
    raise InputError.of(path.name, problem, "expected one .tsv file; `split='NAME'` selects one of several")


def is_beir(file: InputFile) -> bool:
    """Return whether a file begins with the header of BEIR's judgements."""
    return head_of(file).split(b"\n", 1)[0].decode("utf-8", "replace").split() == list(BEIR.fields)


def read_beir(file: InputFile) -> pl.DataFrame:
    """Return columns query, item, number; the header is left out."""
    data = read_all(file, TREC_BYTES, "judgements", "expected a smaller file")
    _, _, body = data.partition(b"\n")
    if not body.strip():
        raise InputError.of(file.name, "has no row", "expected at least one judgement")
    try:
        return parse_block(body, BEIR)
    except OddLineError:
        return explained(file, BEIR, skip=1)
