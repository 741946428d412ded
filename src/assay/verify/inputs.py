"""`verify --inputs`: the whole way again, from the original files to the same bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.evaluation.api import evaluate
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.read import MASTER, listed_files, read_json, result_of
from assay.evaluation.bundle.snapshot import unchanged
from assay.verify.findings import Finding

if TYPE_CHECKING:
    from assay.evaluation.inputs import Answers

VOLATILE = ("versions",)
"""Parts of the document that another machine may have otherwise."""


def from_inputs(
    folder: Path, predictions: Answers, corpus: str | Path | None = None, tune: Any = None
) -> list[Finding]:
    """Evaluate the original files again, under the bundle's contract, seed and groups.

    A finding is 1 where a table or a part of the document came out the same, byte for byte.
    """
    with unchanged(folder):
        return _from_inputs(folder, predictions, corpus, tune)


def _from_inputs(
    folder: Path, predictions: Answers, corpus: str | Path | None, tune: Any
) -> list[Finding]:
    document = read_json(folder / MASTER)
    result = result_of(document, folder)
    if result.rules is None:
        raise InputError.of(MASTER, "names no contract", "expected a contract in full")
    again = evaluate(
        predictions,
        corpus,
        contract=result.rules,
        by=list(result.groups),
        measures=[*(value.name for value in result), *result.absent],
        system=result.system,
        bootstrap=result.bootstrap,
        tune=tune,
        clean=result.clean,
    )
    with tempfile.TemporaryDirectory() as scratch:
        fresh = again.save(Path(scratch) / "bundle")
        found = [
            Finding(f"inputs/{name}", 1.0, float(_same(folder / name, fresh / name)), by="inputs")
            for name in listed_files(folder)
            if name.endswith((".csv", ".csv.gz"))
        ]
        other = read_json(fresh / MASTER)
    found += [
        Finding(
            f"inputs/{MASTER}/{part}", 1.0, float(document[part] == other.get(part)), by="inputs"
        )
        for part in document
        if part not in VOLATILE
    ]
    return found


def _same(first: Path, second: Path) -> bool:
    return second.is_file() and sha256(first) == sha256(second)
