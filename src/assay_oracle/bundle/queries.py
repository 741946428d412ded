"""Read per_query.csv: the queries with their decisions, and the columns to check."""

from __future__ import annotations  # an array is not subscriptable in Python 3.11

import sys
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from pathlib import Path

from assay_oracle.bundle.files import BundleError, decimal, read_table
from assay_oracle.core.rows import STATES, Query

NAME = "per_query.csv"
JOINT = "\u001f"  # separates the parts of a query's key
THRESHOLD = "threshold_"
FACTS = (
    "answer_exact",
    "answer_f1",
    "answer_given",
    "na_prob",
    "na_place",
    "label_correct",
    "verifiable",
    "vacuous_evidence",
    "said_answerable",
    "said_unanswerable",
    "abstracts_relevant",
    "abstracts_retrieved",
    "abstracts_labelled",
    "abstracts_rationalized",
    "abstracts_rationalized_3",
    "rationales_relevant",
    "rationales_retrieved",
    "rationales_selected",
    "rationales_labelled",
)
REQUIRED = ("answered", "n", "gold", "has_evidence")


@dataclass(frozen=True, slots=True)
class QueryTable:
    """Queries in file order; `texts` by column, `values` by measure (nan for an empty field)."""

    queries: list[Query]
    texts: dict[str, list[str]]
    values: dict[str, array[float]]

    def numbers(self, column: str) -> list[float | None]:
        """Return a column as numbers, None for empty fields."""
        if column in self.values:
            return [None if isnan(value) else value for value in self.values[column]]
        fields = enumerate(self.texts[column], start=1)
        return [_number(field, row, column) for row, field in fields]


def read_queries(path: Path, keys: Sequence[str], measures: Collection[str]) -> QueryTable:
    """Read the file; columns named by a measure are kept as numbers, the others as text."""
    header, lines = read_table(path, (*keys, *REQUIRED))
    texts: dict[str, list[str]] = {name: [] for name in header if name not in measures}
    values: dict[str, array[float]] = {name: array("d") for name in header if name in measures}
    for row, line in enumerate(lines, start=1):
        for column, field in zip(header, line, strict=True):
            if column in values:
                values[column].append(nan if not field else decimal(field, NAME, row, column))
            else:
                texts[column].append(sys.intern(field))
    return QueryTable(_queries(keys, texts), texts, values)


def _queries(keys: Sequence[str], texts: dict[str, list[str]]) -> list[Query]:
    thresholds = [column for column in texts if column.startswith(THRESHOLD)]
    queries: list[Query] = []
    seen: set[str] = set()
    for index in range(len(texts[keys[0]])):
        here = {column: fields[index] for column, fields in texts.items()}
        row = index + 1
        identity = JOINT.join(here[key] for key in keys)
        if identity in seen:
            shown = ", ".join(f"{key} {here[key]}" for key in keys)
            raise BundleError(f"{NAME} row {row}: the query of {shown} appears twice")
        seen.add(identity)
        set_by = {c.removeprefix(THRESHOLD): _threshold(here[c], row, c) for c in thresholds}
        queries.append(
            Query(
                identity,
                post=here.get("post_id") or None,
                criterion=here.get("criterion_id") or None,
                fold=here.get("fold") or None,
                prob=_number(here.get("prob", ""), row, "prob"),
                selected_k=_size(here.get("selected_k", ""), row),
                state=_state(here.get("state", ""), row),
                thresholds={rule: value for rule, value in set_by.items() if value is not None},
                facts={name: decimal(here[name], NAME, row, name) for name in FACTS if name in here},
            )
        )
    return queries


def _number(field: str, row: int, column: str) -> float | None:
    if column.startswith(THRESHOLD):
        return _threshold(field, row, column)
    return decimal(field, NAME, row, column) if field else None


def _threshold(field: str, row: int, column: str) -> float | None:
    if field == "inf":
        return inf
    return decimal(field, NAME, row, column) if field else None


def _size(field: str, row: int) -> int | None:
    if not field:
        return None
    if not (field.isascii() and field.isdigit()):
        raise BundleError(f"{NAME} row {row}: selected_k is {field!r}; expected a whole number >= 0")
    return int(field)


def _state(field: str, row: int) -> str | None:
    if field and field not in STATES:
        raise BundleError(f"{NAME} row {row}: state is {field!r}; expected one of {', '.join(STATES)}")
    return field or None
