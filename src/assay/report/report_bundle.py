"""A bundle as the report reads it: numbers, tables, and the publication gate's verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assay.errors import InputError
from assay.evaluation.bundle.load import load
from assay.evaluation.bundle.loaded_bundle import LoadedBundle
from assay.evaluation.result import Result
from assay.report.figure_data import FigureData


@dataclass(frozen=True, eq=False)
class Bundle(FigureData):
    """A result that was loaded, with what a report shows beyond figures."""

    loaded: LoadedBundle
    gate: Mapping[str, Any] | None  # the publication gate's verdict, if it was run

    @property
    def name(self) -> str:
        """Return the name of the system; how its file was compressed is no part of it."""
        return self.result.short_name.removesuffix(".gz")

    @property
    def folder(self) -> Path:
        """Return where the bundle is."""
        return self.loaded.folder

    @property
    def document(self) -> Mapping[str, Any]:
        """Return `metrics_master.json`."""
        return self.loaded.document

    @property
    def manifest_hash(self) -> str:
        """Return what a report says it was derived from."""
        return self.loaded.manifest_hash

    @property
    def candidates(self) -> pl.DataFrame:
        """Return one row per candidate, in input order."""
        return self.loaded.candidates

    @property
    def gold(self) -> pl.DataFrame:
        """Return one row per judgement."""
        return self.loaded.gold


def report_bundle(source: str | Path | Result, gate: Mapping[str, Any] | None = None) -> Bundle:
    """Return the bundle in a folder, or of a loaded result.

    A verdict given as `gate` replaces the one in the folder.
    """
    result = source if isinstance(source, Result) else load(source)
    if result.bundle is None:
        problem = "was not loaded from a bundle"
        raise InputError.of(f"result of {result.short_name}", problem, "save it first: result.save(folder)")
    return Bundle(result, result.bundle, gate or result.bundle.gate)
