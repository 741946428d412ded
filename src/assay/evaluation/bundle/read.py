"""`load`: a bundle back as a result; and what its manifest says about its files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl

from assay.contracts.corrections import Correction
from assay.contracts.model import Contract
from assay.contracts.targets import SPELLED as TARGET
from assay.contracts.targets import Target
from assay.data.align import Rules
from assay.data.model import Counts
from assay.data.readers.documents import parse_json
from assay.data.readers.limits import JSON_BYTES, TABLE_BYTES
from assay.data.readers.text import check_utf8, refuse_large, regular_file
from assay.errors import Fault, InputError, shown
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.master import SCHEMA
from assay.evaluation.bundle.schema_check import check_document
from assay.evaluation.bundle.table_text import TABLE, filled_columns, parse_table
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.result import (
    Exact,
    Folds,
    GroupValue,
    Interval,
    Result,
    Spread,
    Value,
)
from assay.evaluation.thresholds import Threshold
from assay.metrics.rules import Rule

MANIFEST = "MANIFEST.json"
MASTER = "metrics_master.json"
REPORT = "REPORT.json"
GATE = "gate.json"
"""The manifest of what a report derived, outside the bundle's own."""
LONGEST_NAME = 1000


def load(folder: str | Path) -> Result:
    """The result of a bundle. Hashes are compared first: what was changed is not loaded.

    It is a snapshot: the queries are those of the bundle that was loaded, whatever happens to the
    folder afterwards.
    """
    path = Path(folder)
    names = listed_files(path)
    faults = check_hashes(path, names)
    if faults:
        raise InputError(faults)
    return result_of(read_json(path / MASTER, names[MASTER]), path, names)


def read_bytes(path: Path, wanted: str | None = None) -> bytes:
    """The bytes of a file of a bundle; with the `wanted` hash, these very bytes or an error."""
    refuse_large(regular_file(path), TABLE_BYTES, *TABLE)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError.of(path.name, f"cannot be read ({error})", "expected a bundle") from None
    if wanted is not None and hashlib.sha256(data).hexdigest() != wanted:
        raise InputError.of(path.name, "was changed", "expected the hash of the manifest")
    return data


def read_json(path: Path, wanted: str | None = None) -> Any:
    """A JSON document of a bundle."""
    refuse_large(path, JSON_BYTES, "JSON", "expected a bundle")
    data = read_bytes(path, wanted)
    check_utf8(data, 1, path.name)
    return parse_json(data.decode(), path.name)


def listed_files(folder: Path, manifest: str = MANIFEST) -> dict[str, str]:
    """Names and hashes of a manifest; a name that leaves the folder is refused."""
    if not folder.is_dir():
        raise InputError.of(str(folder), "is not a folder", "expected a bundle")
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
        for path in folder.rglob("*")
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


def result_of(
    document: dict[str, Any], folder: Path, names: dict[str, str] | None = None
) -> Result:
    """The result behind a `metrics_master.json`; tables must have the hashes of `names`, if given.

    Those are read now. Without hashes they are read when somebody asks for them.
    """
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError.of(MASTER, "is of another schema", f"expected {SCHEMA}")
    check_document(document, "bundle", MASTER)
    try:
        return _result(document, folder, names or {})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"lacks or misspells something ({type(error).__name__}: {error})"
        raise InputError.of(MASTER, problem, f"expected {SCHEMA}") from None


def _result(document: dict[str, Any], folder: Path, names: dict[str, str]) -> Result:
    queries = folder / "per_query.csv"
    held = read_bytes(queries, names["per_query.csv"]) if names else None
    contract = document["contract"]
    plan = document["bootstrap"]
    return Result(
        system=document["system"],
        contract=contract["id"],
        contract_hash=contract["hash"],
        counts=Counts(**document["counts"]),
        values=tuple(map(_value, document["measures"])),
        absent=document["absent"],
        unexpected=document["unexpected"],
        groups={
            column: {
                label: {name: _group(value) for name, value in row.items()}
                for label, row in rows.items()
            }
            for column, rows in document["groups"].items()
        },
        thresholds=tuple(_threshold(each, folder, names) for each in document["thresholds"]),
        selected_k={
            group: {int(k): count for k, count in counts.items()}
            for group, counts in document["selected_k"].items()
        },
        keys=tuple(document["keys"]),
        clean=document["tune_only"],
        rules=_contract(contract),
        bootstrap=None if plan is None else Bootstrap(**plan),
        queries=lambda: read_table(queries) if held is None else parse_table(held, queries.name),
    )


def read_table(
    path: Path, wanted: str | None = None, *, needed: Iterable[str] = ()
) -> pl.DataFrame:
    """A table of a bundle, ids as text; needed columns must be there, without empty cells."""
    return filled_columns(parse_table(read_bytes(path, wanted), path.name), path.name, needed)


def _value(each: dict[str, Any]) -> Value:
    made = Value(**each)
    return replace(
        made,
        spread=each["spread"] and Spread(**each["spread"]),
        folds=each["folds"] and Folds(**each["folds"]),
        interval=each["interval"] and Interval(**each["interval"]),
        exact=each["exact"] and Exact(**each["exact"]),
        target=each["target"] and Target(**each["target"]),
    )


def _group(each: dict[str, Any]) -> GroupValue:
    made = GroupValue(**each)
    interval, exact = each.get("interval"), each.get("exact")
    return replace(made, interval=interval and Interval(**interval), exact=exact and Exact(**exact))


def _threshold(each: dict[str, Any], folder: Path, names: dict[str, str]) -> Threshold:
    """With the posts that chose it, as `tune.csv` has them."""
    value = float("inf") if each["value"] is None else each["value"]
    posts: frozenset[str] = frozenset()
    if (folder / "tune.csv").is_file():
        needed = ["post_id"] if each["fold"] is None else ["post_id", "fold"]
        tune = read_table(folder / "tune.csv", names.get("tune.csv"), needed=needed)
        mine = tune if each["fold"] is None else tune.filter(pl.col("fold") == each["fold"])
        posts = frozenset(mine["post_id"].to_list())
    return Threshold(**{**each, "value": value, "posts": posts})


def _contract(each: dict[str, Any]) -> Contract:
    """The contract that a bundle was made under; `ValueError` where it could not be one."""
    odd = [text for text in each["targets"].values() if not re.fullmatch(TARGET, text)]
    if odd:
        raise ValueError(f"a target is {shown(odd[0])}")
    if each["deployment"] is not None:
        Rule.of(each["deployment"])
    if not 0 < each["confidence"] < 1:
        raise ValueError(f"confidence is {each['confidence']}")
    return Contract(
        id=each["id"],
        title=each["title"],
        source="bundle",
        rules=Rules(
            ties=each["ties"],
            depth=each["depth"],
            unjudged_queries=each["unjudged_queries"],
            exclude_criteria=tuple(each["exclude_criteria"]),
        ),
        aggregate=each["aggregate"],
        k=tuple(each["k"]),
        k_primary=tuple(each["k_primary"]),
        k_optional=tuple(each["k_optional"]),
        k_ceiling=each["k_ceiling"],
        measures=each["patterns"],
        expected=each["expected"],
        targets=each["targets"],
        deployment=each["deployment"],
        confidence=each["confidence"],
        absent=each.get("absent", {}),
        corrections=tuple(
            Correction(**{**entry, "measures": tuple(entry["measures"])})
            for entry in each.get("corrections", ())
        ),
        text=each["text"],
    )
