"""Recompute the baselines of a bundle from its tables: the queries as each baseline would answer them."""

from __future__ import annotations  # an array is not subscriptable in Python 3.11

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from assay_oracle.bundle.files import BundleError, decimal, mapping, number, read_table, sequence, text
from assay_oracle.bundle.findings import Finding, worst
from assay_oracle.bundle.parts import Members, Part, folds, part
from assay_oracle.bundle.queries import JOINT
from assay_oracle.bundle.reading import Bundle
from assay_oracle.bundle.scored import Scored, scored
from assay_oracle.core.definition import Definition
from assay_oracle.core.grammar import parse
from assay_oracle.core.rows import Row
from assay_oracle.statistics.expected_orders import expected_value

NAME = "baselines.csv"
ORDERS = ("original", "bm25")


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of baselines.csv, in the order of the queries; no column of a file that is missing."""

    columns: Mapping[str, list[str]]

    def numbers(self, name: str) -> list[float | None]:
        """Return a column as numbers, None for empty fields."""
        fields = enumerate(self.columns[name], start=1)
        return [decimal(field, NAME, row, name) if field else None for row, field in fields]


def baseline_findings(bundle: Bundle, folder: Path) -> Iterator[Finding]:
    """Yield a finding per value of a baseline, and one for the column that other tables imply."""
    keys = [text(key, "keys") for key in sequence(bundle.master.get("keys"), "keys")]
    table = _read(folder / NAME, keys, bundle.rows)
    named = {str(each["name"]): str(each["definition"]) for each in bundle.measures}
    aggregate = mapping(bundle.master.get("contract"), "contract").get("aggregate")
    for position, entry in enumerate(sequence(bundle.master.get("baselines"), "baselines")):
        found = mapping(entry, f"baselines/{position}")
        name = text(found.get("name"), f"baselines/{position}/name")
        rows = _answered(name, bundle, table)
        whole = part(rows, range(len(rows))) if rows else {}
        by_fold = folds(rows) if rows and aggregate == "fold_mean" else {}
        if rows and "sentences" not in table.columns:
            whole = _as_answered(whole, bundle.rows)
            by_fold = {label: _as_answered(each, bundle.rows) for label, each in by_fold.items()}
        for measure, value in mapping(found.get("values"), f"baselines/{name}/values").items():
            place = f"baselines/{name}/{measure}"
            try:
                definition = parse(named[measure]) if measure in named else None
            except ValueError as error:
                yield Finding(place, number(value, place), None, str(error))
                continue
            again = None if definition is None else _value(name, rows, whole, by_fold, definition)
            yield Finding(place, number(value, place), again)
    if "highest_score" in table.columns:
        highest = [None if math.isinf(row.highest_score) else row.highest_score for row in bundle.rows]
        yield worst("baselines/highest_score", zip(table.numbers("highest_score"), highest, strict=True))


def _as_answered(found: Part, rows: Sequence[Row]) -> Part:
    """Return the populations with `predicted` as the queries that the system of a plain run answered."""
    pairs = zip(found["all"].rows, found["all"].places, strict=True)
    kept = [(row, place) for row, place in pairs if rows[place].n > 0]
    return {**found, "predicted": Members([row for row, _ in kept], [place for _, place in kept])}


def _value(
    name: str, rows: Sequence[Row], whole: Part, by_fold: Mapping[str, Part], definition: Definition
) -> float | None:
    """Return the headline value: the mean over folds if that is the contract's, else over all queries."""
    if not rows:
        return None
    taken = _expected(rows, whole, definition) if name == "random" else scored(rows, whole, definition)
    if taken is None:
        return None
    if not by_fold:
        return taken.reduced(whole).value
    values = [taken.reduced(members).value for members in by_fold.values()]
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known)


def _expected(rows: Sequence[Row], whole: Part, definition: Definition) -> Scored | None:
    values = array("d", [math.nan]) * len(rows)
    for place in whole[definition.choice("on")].places:
        one = expected_value(rows[place], definition)
        if one is None:
            return None
        values[place] = one
    return Scored(definition, values, {})


def _answered(name: str, bundle: Bundle, table: Table) -> list[Row]:
    """Return the rows as a baseline answers them; no rows if the tables do not record it."""
    rows = bundle.rows
    if name == "positive_rate":
        rate = sum(row.has_evidence for row in rows) / max(len(rows), 1)
        return [_with(row, prob=rate) for row in rows]
    if name == "highest_score":
        return _ordered_by(rows, [row.highest_score for row in rows])
    if name == "oracle":
        sentences = _sentences(table, rows)
        return [_best(row, n) for row, n in zip(rows, sentences, strict=True)]
    if name == "random" and "sentences" not in table.columns:
        return list(rows)
    return _in_order("original" if name == "random" else name, rows, table)


def _in_order(order: str, rows: Sequence[Row], table: Table) -> list[Row]:
    """Return the rows with their gold at the ranks of the table."""
    if order not in table.columns or order not in ORDERS:
        return []
    listed = zip(rows, table.columns[order], _sentences(table, rows), strict=True)
    made = [_ranked(row, ranks, n, at) for at, (row, ranks, n) in enumerate(listed, start=1)]
    if order != "bm25" or "bm25_score" not in table.columns:
        return made
    return _ordered_by(made, [-math.inf if score is None else score for score in table.numbers("bm25_score")])


def _with(row: Row, **changed: Any) -> Row:
    return replace(row, query=replace(row.query, **changed))


def _ordered_by(rows: Sequence[Row], scores: Sequence[float]) -> list[Row]:
    """Return the rows with their place in the order of the scores as the probability; ties share one."""
    places = {score: place for place, score in enumerate(sorted(set(scores)))}
    return [_with(row, prob=places[score] / len(places)) for row, score in zip(rows, scores, strict=True)]


def _sentences(table: Table, rows: Sequence[Row]) -> list[int]:
    """Return how many candidates a baseline ranks: the sentences of the post, or those of the system."""
    if "sentences" not in table.columns:
        return [max(row.n, sum(grade > 0 for grade in row.judgements)) for row in rows]
    return [_whole(field, row) for row, field in enumerate(table.columns["sentences"], start=1)]


def _best(row: Row, n: int) -> Row:
    gold = sorted((grade for grade in row.judgements if grade > 0), reverse=True)
    count = row.gold_count(1)
    label = 1.0 if count else 0.0
    query = replace(
        row.query,
        prob=None if row.query.prob is None else label,
        selected_k=None if row.query.selected_k is None else count,
    )
    return Row(query, tuple(gold) + (None,) * (n - len(gold)), row.judgements, (0.0,) * n)


def _ranked(row: Row, ranks: str, n: int, at: int) -> Row:
    """Return the row with its gold, by descending grade, at these ranks."""
    gold = sorted((grade for grade in row.judgements if grade > 0), reverse=True)
    places = [_whole(each, at) for each in ranks.split()]
    if (
        len(places) != len(gold)
        or len(set(places)) < len(places)
        or not all(0 < each <= n for each in places)
    ):
        raise BundleError(f"{NAME} row {at}: the ranks are {ranks!r}; expected {len(gold)} from 1 to {n}")
    ranked: list[Fraction | None] = [None] * n
    for place, grade in zip(places, gold, strict=True):
        ranked[place - 1] = grade
    return Row(row.query, tuple(ranked), row.judgements, (0.0,) * n)


def _whole(field: str, row: int) -> int:
    if not (field.isascii() and field.isdigit() and len(field) < 16):
        raise BundleError(f"{NAME} row {row}: it has {field!r}; expected a whole number")
    return int(field)


def _read(path: Path, keys: Sequence[str], rows: Sequence[Row]) -> Table:
    """Read the file, whose rows must be the queries of per_query.csv; a bundle may have none."""
    if not path.exists():
        return Table({})
    header, lines = read_table(path, keys)
    columns: dict[str, list[str]] = {name: [] for name in header}
    for line in lines:
        for name, field in zip(header, line, strict=True):
            columns[name].append(field)
    named = [JOINT.join(each) for each in zip(*(columns[key] for key in keys), strict=True)]
    if named != [row.query.id for row in rows]:
        raise BundleError(f"{NAME}: its queries are not those of per_query.csv, in that order")
    return Table({name: column for name, column in columns.items() if name not in keys})
