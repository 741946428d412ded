"""The queries as a whole, of one fold or of one group, by the populations of measures."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay_oracle.rows import Row, population

POPULATIONS = ("all", "evidence", "predicted", "returned")


@dataclass(frozen=True, slots=True)
class Members:
    """Rows of a population, and the place of each in the bundle."""

    rows: list[Row]
    places: list[int]


Part = dict[str, Members]  # by the value of `on`


def part(rows: Sequence[Row], places: Sequence[int]) -> Part:
    """The populations of the rows in these places."""
    place_of = {rows[place].query.id: place for place in places}
    chosen = [rows[place] for place in places]
    found: Part = {}
    for name in POPULATIONS:
        members = population(chosen, name)
        found[name] = Members(members, [place_of[row.query.id] for row in members])
    return found


def split(rows: Sequence[Row], labels: Sequence[str]) -> dict[str, Part]:
    """The part of each label; rows whose label is empty are in none."""
    places: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        if label:
            places.setdefault(label, []).append(place)
    return {label: part(rows, found) for label, found in places.items()}


def folds(rows: Sequence[Row]) -> dict[str, Part]:
    """The part of each fold; nothing where some query has none."""
    labels = ["" if row.query.fold is None else str(row.query.fold) for row in rows]
    return split(rows, labels) if all(labels) else {}
