"""Rewrite what follows from a bundle's document and tables, as a careful forger would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.evaluation.bundle import every_eval, ro_crate
from assay.evaluation.bundle.bundle_files import MANIFEST, files_of, manifest
from assay.evaluation.bundle.master import summary

MASTER = "metrics_master.json"


def document_of(folder: Path) -> dict[str, Any]:
    document = json.loads((folder / MASTER).read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def put(path: Path, document: Any) -> None:
    """Write JSON over a file that is there."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def rebuilt(folder: Path, document: dict[str, Any]) -> Path:
    """Write the document, then regenerate summary, records and manifest, so that all of them agree."""
    put(folder / MASTER, document)
    put(folder / "summary.json", summary(document))
    put(folder / every_eval.NAME, every_eval.every_eval(document))
    derived = (ro_crate.NAME, MANIFEST)
    names = [name for name in files_of(folder) if name not in derived]
    put(folder / ro_crate.NAME, ro_crate.crate(folder, document, names))
    put(folder / MANIFEST, manifest(folder))
    return folder
