"""Check the files derived from the numbers: RO-Crate, Every Eval Ever, per-post table, states."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from assay.evaluation.bundle import every_eval, ro_crate
from assay.evaluation.bundle.bundle_files import listed_files, read_json, read_table
from assay.evaluation.bundle.bundle_tables import per_post
from assay.verification.recompute.number_findings import NumberFinding

UNUSABLE = (KeyError, TypeError, ValueError, AttributeError, StopIteration, pl.exceptions.PolarsError)
"""What a record of an unexpected shape raises; it then counts as different."""
NO_SUCH_FILE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP)
"""Errors of the system for a name that a record should not have."""
DIFFERS = "does not follow from the rest of the bundle"


def record_findings(folder: Path, document: dict[str, Any]) -> list[NumberFinding]:
    """Return one statement per record: it must be what the rest of the bundle produces.

    The crate lists the hash of every file, so this also finds a file that was changed and
    re-hashed only in the manifest.
    """
    names = [name for name in listed_files(folder) if name != ro_crate.NAME]
    checks: dict[str, Callable[[], bool]] = {
        ro_crate.NAME: lambda: _crate(folder, document, names),
        every_eval.NAME: lambda: _every_eval(folder, document),
        "per_post.csv": lambda: _posts(folder),
        "per_query.csv states": lambda: _states(folder),
    }
    found = []
    for name, holds in checks.items():
        if name == "per_post.csv" and name not in names:
            continue
        try:
            same = holds()
        except UNUSABLE:
            same = False
        except OSError as error:
            if error.errno not in NO_SUCH_FILE:
                raise  # nothing is known about the record
            same = False
        found.append(NumberFinding.statement(name, same, DIFFERS))
    return found


def _states(folder: Path) -> bool:
    """Return whether each state follows from both thresholds: NEG if p < τ_neg, POS if p ≥ τ_pos."""
    queries = read_table(folder / "per_query.csv")
    if not {"prob", "state", "tau_neg", "tau_pos"} <= set(queries.columns):
        return True
    prob, low, high = (pl.col(name).cast(pl.Float64) for name in ("prob", "tau_neg", "tau_pos"))
    rule = (
        pl.when(prob < low)
        .then(pl.lit("NEG"))
        .when(prob >= high)
        .then(pl.lit("POS"))
        .otherwise(pl.lit("UNCERTAIN"))
    )
    known = low.is_not_null() & high.is_not_null()
    wrong = known & ((rule != pl.col("state")) | (low > high))
    return not bool(queries.select(wrong.any()).item())


def _crate(folder: Path, document: dict[str, Any], names: list[str]) -> bool:
    stored = read_json(folder / ro_crate.NAME)
    root = next(each for each in stored["@graph"] if each["@id"] == "./")
    return bool(stored == ro_crate.crate(folder, document, sorted(names), root["datePublished"]))


def _every_eval(folder: Path, document: dict[str, Any]) -> bool:
    stored = read_json(folder / every_eval.NAME)
    return bool(stored == every_eval.every_eval(document, stored["retrieved_timestamp"]))


def _posts(folder: Path) -> bool:
    made = per_post(read_table(folder / "per_query.csv"))
    stored = read_table(folder / "per_post.csv")
    if made.columns != stored.columns:
        return False
    ids = [name for name in made.columns if name in ("post_id", "fold")]
    numbers = [pl.col(name).cast(pl.Float64) for name in made.columns if name not in ids]
    return made.select(*ids, *numbers).equals(stored.select(*ids, *numbers))
