"""Check the value and the number of queries of every measure in every group."""

from collections.abc import Iterator
from typing import Any

from assay_oracle.bundle.files import BundleError, mapping, number
from assay_oracle.bundle.findings import Finding
from assay_oracle.bundle.measures import Measured, Recomputed, exact_findings
from assay_oracle.bundle.parts import Part, part, split
from assay_oracle.bundle.reading import Bundle

UNKNOWN = "the file has no measure of this name"


def group_findings(bundle: Bundle, recomputed: Recomputed) -> Iterator[Finding]:
    """Yield the findings per group: the queries with its label in a column of per_query.csv."""
    measures = {measured.name: measured for measured in recomputed.measures}
    nobody = part(bundle.rows, [])
    for column, labels in mapping(bundle.master.get("groups", {}), "groups").items():
        if column not in bundle.table.texts:
            raise BundleError(f"per_query.csv: the column {column} is missing; groups need it")
        parts = split(bundle.rows, bundle.table.texts[column])
        place = f"groups/{column}"
        for label, cells in mapping(labels, place).items():
            members = parts.get(label, nobody)
            for name, cell in mapping(cells, f"{place}/{label}").items():
                here = f"{place}/{label}/{name}"
                yield from _cell(here, mapping(cell, here), measures.get(name), members)


def _cell(place: str, cell: dict[str, Any], measured: Measured | None, members: Part) -> Iterator[Finding]:
    again: dict[str, float | None] = {}
    reason = UNKNOWN
    if measured is not None:
        reason = measured.reason
        if measured.measure is not None:
            again["n"] = len(measured.measure.members(members).rows)
            try:
                again["value"] = measured.measure.reduced(members).value
            except ValueError as error:
                reason = str(error)
    for name in ("value", "n"):
        value = number(cell.get(name), f"{place}/{name}")
        yield Finding(f"{place}/{name}", value, again.get(name), "" if name in again else reason)
    if cell.get("exact") is not None and measured is not None and measured.measure is not None:
        here = f"{place}/exact"
        inside = measured.measure.members(members)
        yield from exact_findings(here, mapping(cell["exact"], here), measured.measure, inside)
