"""Read candidates.csv.gz and gold.csv, and join them by query and item into rows."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from assay_oracle.bundle.files import BundleError, decimal, flag, read_table
from assay_oracle.bundle.findings import Finding, worst
from assay_oracle.bundle.queries import JOINT
from assay_oracle.core.rows import Query, Row, evidence_groups

CANDIDATES = "candidates.csv.gz"
GOLD = "gold.csv"
T = TypeVar("T")
Pairs = list[tuple[float | None, float | None]]


@dataclass(frozen=True, slots=True)
class CandidateList:
    """The candidates of a query in input order; grade and returned as in the file."""

    items: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    grades: list[float | None] = field(default_factory=list)
    returned: list[int | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Joined:
    """One row per query, how many lists were out of order, and the findings of the columns."""

    rows: list[Row]
    resorted: int
    ranked: bool  # whether the bundle has any candidate
    findings: list[Finding]


def read_joined(
    folder: Path,
    keys: Sequence[str],
    queries: Sequence[Query],
    ties: str,
    depth: int | None,
    *,
    repeats: bool = False,
) -> Joined:
    """Join by id, rank by score descending, cut at `depth`; check `grade` and `returned`.

    With `repeats`, an item may be in a list more than once.
    """
    names = [query.id for query in queries]
    gold, members = _read_gold(folder / GOLD, keys, names)
    lists = _read_candidates(folder / CANDIDATES, keys, names, repeats=repeats)
    rows: list[Row] = []
    grade_pairs: Pairs = []
    returned_pairs: Pairs = []
    resorted = 0
    for query in queries:
        found, judged = lists.pop(query.id), gold.pop(query.id)
        resorted += any(later > earlier for earlier, later in pairwise(found.scores))
        order = _ranking(found, ties)
        listed = order[:depth]
        grades = [judged.get(item) for item in found.items]
        grade_pairs += _worth_keeping(zip(found.grades, grades, strict=True))
        wanted: list[int | None] = [None] * len(order)
        if query.selected_k is not None:
            for rank, place in enumerate(order, start=1):
                wanted[place] = int(rank <= query.selected_k)
        returned_pairs += _worth_keeping(zip(found.returned, wanted, strict=True))
        rows.append(
            Row(
                query,
                ranked=tuple(_exact(grades[place]) for place in listed),
                judgements=tuple(_fraction(grade) for grade in judged.values()),
                scores=tuple(found.scores[place] for place in listed),
                averaged=ties == "expected",
                items=() if members is None else tuple(found.items[place] for place in listed),
                groups=None
                if members is None
                else evidence_groups(
                    members[query.id], {item: _fraction(grade) for item, grade in judged.items()}
                ),
            )
        )
    findings = [worst("candidates/grade", grade_pairs), worst("candidates/returned", returned_pairs)]
    return Joined(rows, resorted, any(row.n for row in rows), findings)


def _worth_keeping(pairs: Iterable[tuple[float | None, float | None]]) -> Pairs:
    """Keep the pairs that differ, or else one equal pair: the others would only use memory."""
    found = list(pairs)
    differing = [pair for pair in found if pair[0] != pair[1]]
    return differing or [pair for pair in found if pair != (None, None)][:1]


def _ranking(found: CandidateList, ties: str) -> list[int]:
    """Return the places in input order, sorted by score descending; equal scores by `ties`."""
    places = list(range(len(found.items)))
    if ties == "docno_desc":
        places.sort(key=lambda place: found.items[place].encode(), reverse=True)
    places.sort(key=lambda place: -found.scores[place])
    return places


def _exact(grade: float | None) -> Fraction | None:
    return None if grade is None else _fraction(grade)


@lru_cache
def _fraction(grade: float) -> Fraction:
    """Share one object between all items of a grade."""
    return Fraction(grade)


Members = dict[str, dict[tuple[str, str], None]]  # (item, group) by query


def _read_gold(
    path: Path, keys: Sequence[str], names: Sequence[str]
) -> tuple[dict[str, dict[str, float]], Members | None]:
    """Return the grades by query and item, and the members of evidence groups if there are groups.

    An item has one row per group that it is in, with the same grade.
    """
    header, lines = read_table(path, (*keys, "item", "grade"))
    key_places, item, grade = _places(header, keys), header.index("item"), header.index("grade")
    group = header.index("group") if "group" in header else None
    table: dict[str, dict[str, float]] = {name: {} for name in names}
    members: Members = {name: {} for name in names}
    for row, line in enumerate(lines, start=1):
        judged = _of_query(table, line, key_places, GOLD, row)
        found = decimal(line[grade], GOLD, row, "grade")
        in_group = (line[item], line[group]) if group is not None else None
        mine = members[JOINT.join([line[place] for place in key_places])]
        if in_group in mine or (line[item] in judged and (in_group is None or judged[line[item]] != found)):
            raise BundleError(f"{GOLD} row {row}: the item {line[item]!r} appears twice under its query")
        judged[sys.intern(line[item])] = found
        if in_group is not None:
            mine[in_group] = None
    return table, None if group is None else members


def _read_candidates(
    path: Path, keys: Sequence[str], names: Sequence[str], *, repeats: bool
) -> dict[str, CandidateList]:
    header, lines = read_table(path, (*keys, "item", "score", "grade", "returned"))
    key_places = _places(header, keys)
    item, score, grade, returned = (header.index(column) for column in ("item", "score", "grade", "returned"))
    table = {name: CandidateList() for name in names}
    for row, line in enumerate(lines, start=1):
        found = _of_query(table, line, key_places, CANDIDATES, row)
        found.items.append(sys.intern(line[item]))
        found.scores.append(decimal(line[score], CANDIDATES, row, "score"))
        found.grades.append(
            _one_object(decimal(line[grade], CANDIDATES, row, "grade")) if line[grade] else None
        )
        found.returned.append(flag(line[returned], CANDIDATES, row, "returned") if line[returned] else None)
    for found in () if repeats else table.values():
        _refuse_repeats(found.items)
    return table


@lru_cache
def _one_object(grade: float) -> float:
    return grade


def _refuse_repeats(items: Sequence[str]) -> None:
    if len(set(items)) < len(items):
        twice = Counter(items).most_common(1)[0][0]
        raise BundleError(f"{CANDIDATES}: the item {twice!r} appears twice under one query")


def _places(header: Sequence[str], keys: Sequence[str]) -> list[int]:
    return [header.index(key) for key in keys]


def _of_query(
    table: Mapping[str, T], line: Sequence[str], key_places: Sequence[int], name: str, row: int
) -> T:
    query = JOINT.join([line[place] for place in key_places])
    if query not in table:
        shown = ", ".join(line[place] for place in key_places)
        raise BundleError(f"{name} row {row}: the query {shown} is not in per_query.csv")
    return table[query]
