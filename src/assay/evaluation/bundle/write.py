"""`save`: a result with its tables, schemas and hashes, as a folder that appears in one step."""

from __future__ import annotations

import json
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.evaluation.bundle import crate, every_eval
from assay.evaluation.bundle.folder import refuse_existing
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.master import master, summary
from assay.evaluation.bundle.tables import write_tables
from assay.evaluation.result import Result
from assay.files.scratch import write_new
from assay.files.staging import Staging

MANIFEST = "MANIFEST.json"
SCHEMAS = ("bundle.schema.json", "result.schema.json")


def save(result: Result, folder: str | Path, *, overwrite: bool = False) -> Path:
    """Write the bundle of a result; the same input, seed and version give the same bytes.

    Threads and processes may save to one place: there is always one whole bundle. Without
    `overwrite` the first one to finish wins, and the others get an error.
    """
    with Staging() as staging:
        stage(result, folder, staging, overwrite=overwrite)
        staging.commit()
    return Path(folder)


def stage(result: Result, folder: str | Path, staging: Staging, *, overwrite: bool = False) -> Path:
    """Write the bundle to scratch space; return where it is until the staging is committed."""
    sources = result.sources
    if sources is None:
        raise AssayError(
            "this result has no tables to save: it was loaded, or came from another process; "
            "save it where it was computed"
        )

    for file in sources.files:
        file.hashed = True

    def fill(fresh: Path) -> None:
        write_tables(result, sources, fresh)
        document = master(result, sources)
        write_json(fresh / "metrics_master.json", document)
        write_json(fresh / "summary.json", summary(document))
        (fresh / "schema").mkdir()
        for name in SCHEMAS:
            text = files("assay.schemas").joinpath(name).read_text(encoding="utf-8")
            write_new(fresh / "schema" / name, text)
        write_json(fresh / every_eval.NAME, every_eval.every_eval(document))
        write_json(fresh / crate.NAME, crate.crate(fresh, document, files_of(fresh)))
        write_json(fresh / MANIFEST, manifest(fresh))

    return staging.folder(folder, fill, partial(refuse_existing, overwrite=overwrite))


def manifest(folder: Path) -> dict[str, Any]:
    """SHA-256 of every file of the folder, by its path in it."""
    names = {name: sha256(folder / name) for name in files_of(folder) if name != MANIFEST}
    return {"schema": "assay/manifest/1", "files": names}


def files_of(folder: Path) -> list[str]:
    """The files of a folder by their paths in it, in order."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def json_text(document: Any) -> str:
    """Readable JSON with a fixed layout; numbers as short as they can be without loss."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def write_json(path: Path, document: Any) -> None:
    """Write a new JSON file."""
    write_new(path, json_text(document))
