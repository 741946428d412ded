"""Read the folder of a bundle into one frozen object."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay_oracle.bundle.candidate_rows import read_joined
from assay_oracle.bundle.files import BundleError, mapping, read_json, sequence, text
from assay_oracle.bundle.findings import Finding
from assay_oracle.bundle.queries import QueryTable, read_queries
from assay_oracle.bundle.tuning import (
    Threshold,
    choose_thresholds,
    chosen_for,
    deployment_rule,
    with_thresholds,
)
from assay_oracle.core.rows import Row

MASTER = "metrics_master.json"
TIES = ("stable", "docno_desc", "expected")


@dataclass(frozen=True, slots=True)
class Bundle:
    """The content of the files; `rows` are joined, ranked, cut, and have recomputed thresholds.

    `chosen`: those thresholds by rule and query; `ranked`: whether there is any candidate.
    """

    master: Mapping[str, Any]
    measures: list[dict[str, Any]]
    table: QueryTable
    thresholds: list[Threshold]
    chosen: dict[str, list[float | None]]
    rows: list[Row]
    resorted: int
    ranked: bool
    candidate_findings: list[Finding]


def read_bundle(folder: Path) -> Bundle:
    """Read the folder; raise a BundleError if a file is faulty."""
    master = read_json(folder / MASTER)
    contract = mapping(master.get("contract"), "contract")
    ties = text(contract.get("ties"), "contract/ties")
    if ties not in TIES:
        raise BundleError(f"contract/ties: it is {ties!r}; expected one of {', '.join(TIES)}")
    measures = [
        mapping(entry, f"measures/{position}")
        for position, entry in enumerate(sequence(master.get("measures"), "measures"))
    ]
    names = [text(entry.get("name"), "measures: name") for entry in measures]
    if len(set(names)) < len(names):
        raise BundleError(f"measures: {next(n for n in names if names.count(n) > 1)} appears twice")
    keys = [text(key, "keys") for key in sequence(master.get("keys"), "keys")]
    if not keys:
        raise BundleError("keys: the list is empty; expected the columns that identify a query")
    table = read_queries(folder / "per_query.csv", keys, names)
    thresholds = choose_thresholds(folder, master)
    rule = deployment_rule(master, thresholds)
    chosen = chosen_for(table.queries, thresholds, rule)
    queries = with_thresholds(table.queries, chosen)
    repeats = master.get("predicted_lists") is True
    joined = read_joined(folder, keys, queries, ties, _depth(contract), repeats=repeats)
    return Bundle(
        master=master,
        measures=measures,
        table=table,
        thresholds=thresholds,
        chosen=chosen,
        rows=joined.rows,
        resorted=joined.resorted,
        ranked=joined.ranked,
        candidate_findings=joined.findings,
    )


def _depth(contract: Mapping[str, Any]) -> int | None:
    depth = contract.get("depth")
    if depth is None:
        return None
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise BundleError(f"contract/depth: it is {depth!r}; expected a positive integer or null")
    return depth
