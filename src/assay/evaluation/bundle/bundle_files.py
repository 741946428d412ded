"""The files of a bundle: their names, hashes and layout, written and read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl

from assay.data.readers.csv_records import first_record, whole_records
from assay.data.readers.json_toml import parse_json
from assay.data.readers.limits import JSON_BYTES, TABLE_BYTES, too_large
from assay.data.readers.text_blocks import blocks, check_utf8, refuse_large, regular_file
from assay.errors import Fault, InputError, shown
from assay.evaluation.bundle.table_text import TABLE, filled_columns, parse_table
from assay.files.input_file import InputFile
from assay.files.scratch import paths_below, write_new

MANIFEST = "MANIFEST.json"
MASTER = "metrics_master.json"
REPORT = "REPORT.json"
"""The manifest of what a report derived, outside the bundle's own."""
GATE = "gate.json"
"""The publication gate's verdict, likewise."""
LONGEST_NAME = 1000
PART_BYTES = 2 << 20
"""Text of a table that is parsed at a time, where it is read in parts."""
UNPACKED = 100
"""Largest size of a table that is read in parts, as a multiple of its file: those of runs have about 10."""


def sha256(path: Path) -> str:
    """Return the hash of a regular file's bytes; reading a pipe could block forever."""
    regular_file(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def manifest(folder: Path) -> dict[str, Any]:
    """Return the SHA-256 of every file in the folder, by relative path."""
    names = {name: sha256(folder / name) for name in files_of(folder) if name != MANIFEST}
    return {"schema": "assay/manifest/1", "files": names}


def files_of(folder: Path) -> list[str]:
    """Return the relative paths of all files in the folder, sorted."""
    paths = (path for path in paths_below(folder) if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def json_text(document: Any) -> str:
    """Return readable JSON with a fixed layout and the shortest lossless numbers."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def write_json(path: Path, document: Any) -> None:
    """Write a new JSON file."""
    write_new(path, json_text(document))


def read_bytes(path: Path, wanted: str | None = None) -> bytes:
    """Return the bytes of a file of a bundle; with the `wanted` hash, these very bytes or an error."""
    refuse_large(regular_file(path), TABLE_BYTES, *TABLE)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError.of(path.name, f"cannot be read ({error})", "expected a bundle") from None
    if wanted is not None and hashlib.sha256(data).hexdigest() != wanted:
        raise _was_changed(path)
    return data


def read_json(path: Path, wanted: str | None = None) -> Any:
    """Return a JSON document of a bundle."""
    refuse_large(path, JSON_BYTES, "JSON", "expected a bundle")
    data = read_bytes(path, wanted)
    check_utf8(data, 1, path.name)
    return parse_json(data.decode(), path.name)


def listed_files(folder: Path, manifest: str = MANIFEST) -> dict[str, str]:
    """Return names and hashes of a manifest; a name that leaves the folder is refused."""
    if not folder.is_dir():
        if folder.exists():
            how = "expected a bundle; `assay evaluate … -o DIR` writes one"
            raise InputError.of(str(folder), "is not a folder", how)
        raise InputError.of(str(folder), "folder not found", "expected a bundle")
    if not (folder / manifest).is_file():
        raise InputError.of(str(folder), f"has no {manifest}", "expected a bundle")
    document = read_json(folder / manifest)
    names = document.get("files") if isinstance(document, dict) else None
    if not isinstance(names, dict) or not all(isinstance(each, str) for each in names.values()):
        raise InputError.of(manifest, "has no table files", "expected names and hashes")
    faults = []
    inside = folder.resolve()
    for name in names:
        parts = PurePosixPath(name)
        leaves = parts.is_absolute() or ".." in parts.parts or "\\" in name or ":" in name
        odd = not parts.parts or "\0" in name or len(name.encode()) > LONGEST_NAME
        if leaves or odd or not _resolved(folder / name).is_relative_to(inside):
            expected = "expected names inside the bundle"
            faults.append(Fault(manifest, "", f"names {shown(name)}", expected))
    if faults:
        raise InputError(faults)
    return names


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links
        return Path("/")


def check_hashes(folder: Path, names: dict[str, str] | None = None) -> list[Fault]:
    """Files that are missing, changed, or that nobody listed."""
    names = listed_files(folder) if names is None else names
    faults = [
        Fault(name, "", "is not in the bundle", "expected the file that the manifest lists")
        for name in (MASTER, "per_query.csv", "gold.csv", "candidates.csv.gz")
        if name not in names
    ]
    return faults + changed_files(folder, names)


def unlisted_files(folder: Path) -> list[str]:
    """Return the files of a bundle that neither its manifest nor that of its report lists."""
    listed = {MANIFEST, REPORT, GATE, *listed_files(folder)}
    with suppress(InputError):
        listed |= set(listed_files(folder, REPORT))
    found = sorted(
        path.relative_to(folder).as_posix()
        for path in paths_below(folder)
        if path.is_symlink() or not path.is_dir()
    )
    return [name for name in found if name not in listed]


def changed_files(folder: Path, names: dict[str, str]) -> list[Fault]:
    """Listed files that are missing, or of another hash."""
    faults = []
    for name, wanted in names.items():
        path = folder / name
        if not path.is_file():
            faults.append(Fault(name, "", "is missing", "expected a file of the manifest"))
        elif sha256(path) != wanted:
            faults.append(Fault(name, "", "was changed", "expected the hash of the manifest"))
    return faults


def table_parts(path: Path, wanted: str | None = None) -> Iterator[pl.DataFrame]:
    """Give a table of a bundle in parts, at least one.

    The file must have the `wanted` hash, which is known after the last part.
    """
    limit = max(TABLE_BYTES, UNPACKED * regular_file(path).stat().st_size)
    file, size = InputFile(path), 0
    records = whole_records(blocks(file, PART_BYTES), path.name)
    header, rest = first_record(records)
    for number, block in enumerate(chain([rest], records)):
        size += len(block)
        if size > limit:
            raise too_large(path.name, limit, *TABLE)
        if block or not number:
            yield parse_table(header + block, path.name)
    if wanted is not None and file.record().sha256 != wanted:
        raise _was_changed(path)


def larger(parts: Iterable[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """Give parts of about so many rows at least: for joins with as many, which cost their size each time."""
    held: list[pl.DataFrame] = []
    for part in parts:
        held.append(part)
        if sum(each.height for each in held) >= rows:
            yield pl.concat(held, how="vertical_relaxed")
            held = []
    if held:
        yield pl.concat(held, how="vertical_relaxed")


def _was_changed(path: Path) -> InputError:
    return InputError.of(path.name, "was changed", "expected the hash of the manifest")


def read_table(
    path: Path, wanted: str | None = None, *, needed: Iterable[str] = (), texts: Iterable[str] = ()
) -> pl.DataFrame:
    """Return a table of a bundle, ids and `texts` as text; needed columns must be there and filled."""
    return filled_columns(parse_table(read_bytes(path, wanted), path.name, texts=texts), path.name, needed)
