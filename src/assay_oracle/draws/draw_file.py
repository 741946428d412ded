"""Read the file of draws: JSON lines, the units first, then one list of counts per draw."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay_oracle.bundle.files import BundleError, mapping, sequence, text
from assay_oracle.core.rows import Row

UNITS = ("post", "query")


@dataclass(frozen=True, slots=True)
class Draws:
    """The names of the units, what a unit is, and how often each was drawn in each resample."""

    units: list[str]
    unit: str
    counts: list[list[int]]

    def unit_of(self, rows: list[Row]) -> list[int]:
        """Return the place of each row's unit; a query without a post is its own post."""
        places = {unit: place for place, unit in enumerate(self.units)}
        names = [row.query.post if self.unit == "post" and row.query.post else row.query.id for row in rows]
        for name in names:
            if name not in places:
                raise BundleError(f"draws: the {self.unit} {name!r} of the bundle is not in the units")
        return [places[name] for name in names]


def read_draws(path: Path) -> Draws:
    """Read the file; every draw must have one count per unit."""
    lines = _lines(path)
    head = mapping(next(lines, None), f"{path.name} line 1")
    units = [text(unit, f"{path.name} line 1: units") for unit in sequence(head.get("units"), path.name)]
    if len(set(units)) < len(units):
        raise BundleError(f"{path.name} line 1: a unit appears twice")
    unit = text(head.get("unit"), f"{path.name} line 1: unit")
    if unit not in UNITS:
        raise BundleError(f"{path.name} line 1: unit is {unit!r}; expected one of {', '.join(UNITS)}")
    counts = [
        _counts(line, len(units), f"{path.name} line {number}") for number, line in enumerate(lines, start=2)
    ]
    return Draws(units, unit, counts)


def _lines(path: Path) -> Iterator[Any]:
    try:
        with path.open(encoding="utf-8") as stream:
            yield from map(json.loads, stream)
    except FileNotFoundError:
        raise BundleError(f"{path.name}: the file is missing") from None
    except (OSError, UnicodeError, json.JSONDecodeError) as error:
        raise BundleError(f"{path.name}: it cannot be read as JSON lines ({error})") from None


def _counts(line: Any, units: int, place: str) -> list[int]:
    counts = sequence(line, place)
    if len(counts) != units:
        raise BundleError(f"{place}: it has {len(counts)} counts; expected {units}, one per unit")
    if not all(type(count) is int and count >= 0 for count in counts):
        raise BundleError(f"{place}: a count is not a whole number >= 0")
    return counts
