"""Parts of the queries (all, a fold, a group), each split into the populations of measures."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay_oracle.core.rows import Row, population

POPULATIONS = ("all", "evidence", "no_evidence", "predicted", "returned")


@dataclass(frozen=True, slots=True)
class Members:
    """The rows of a population, and the place of each in the bundle."""

    rows: list[Row]
    places: list[int]


Part = dict[str, Members]  # by the value of `on`


def part(rows: Sequence[Row], places: Sequence[int]) -> Part:
    """Return the populations of the rows in these places."""
    place_of = {rows[place].query.id: place for place in places}
    chosen = [rows[place] for place in places]
    found: Part = {}
    for name in POPULATIONS:
        members = population(chosen, name)
        found[name] = Members(members, [place_of[row.query.id] for row in members])
    return found


def split(rows: Sequence[Row], labels: Sequence[str]) -> dict[str, Part]:
    """Return the part of each label; an empty one is a label like any other."""
    places: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    return {label: part(rows, found) for label, found in places.items()}


def folds(rows: Sequence[Row]) -> dict[str, Part]:
    """Return the part of each fold; no part if some query has no fold."""
    labels = ["" if row.query.fold is None else str(row.query.fold) for row in rows]
    return split(rows, labels) if all(labels) else {}
