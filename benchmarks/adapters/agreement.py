"""Check that all tools give the same numbers; otherwise their times mean nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from adapters.definitions import NAMES, Values
from measure import assay_cli, script

TOLERANCE = 1e-6
ROUNDED = 0.5001e-4
REFERENCE = "pytrec_eval"


def largest_difference(given: Mapping[str, Values], what: str) -> str:
    """Return how far each tool is from pytrec_eval (or the first tool) on its worst measure."""
    reference = given.get(REFERENCE, next(iter(given.values())))
    parts = []
    for tool, values in given.items():
        if set(values) != set(NAMES):
            raise SystemExit(f"{what}: {tool} returned other measures than requested")
        worst = max(NAMES, key=lambda name: abs(values[name] - reference[name]))
        difference = abs(values[worst] - reference[worst])
        if not difference <= TOLERANCE:
            raise SystemExit(f"{what}: {worst} of {tool} is {values[worst]}, expected {reference[worst]}")
        parts.append(f"{tool} {difference:.0e}")
    return f"{what}: {', '.join(parts)}"


def rounded_difference(values: Values, reference: Values, what: str) -> str:
    """Return how far values with four decimals are from a reference."""
    worst = max(values, key=lambda name: abs(values[name] - reference[name]))
    difference = abs(values[worst] - reference[worst])
    if not difference <= ROUNDED:
        raise SystemExit(f"{what}: {worst} is {values[worst]}, expected {reference[worst]}")
    return f"{what}: {difference:.0e} (four decimals)"


def before_timing(folder: Path) -> str:
    """Run every tool on a small data set, from every kind of file that is timed."""
    given = {tool: script(tool, folder, "trec").values for tool in (REFERENCE, "ranx")}
    given["ir_measures"] = script("ir_measures", folder, "trec").values
    given["ranx (Parquet)"] = script("ranx", folder, "parquet").values
    given["assay (text)"] = assay_cli(folder, "trec").values
    given["assay (Parquet)"] = assay_cli(folder, "parquet").values
    for form in ("sorted", "shuffled"):
        for tool in ("assay", "assay_arrays"):
            given[f"{tool} ({form})"] = script(tool, folder, form).values
    return largest_difference(given, f"before timing, {folder.name}")
