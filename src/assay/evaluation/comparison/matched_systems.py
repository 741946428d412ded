"""Systems that are to be compared, query by query: matched by id, and refused where they differ.

What may differ only when the caller says so, with `allow_different`:

contract   only names with the same definition in every contract are compared
queries    only the queries that all systems have (or, for `on=predicted`, answered)
gold       each system is scored against its own gold
folds      there are no folds: pooled values, no strata
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats
from assay.contracts.contract import Contract
from assay.data.cases import Cases, Grouping
from assay.data.ids import as_series
from assay.data.runs import Qrels
from assay.errors import Fault, InputError, shown

MAY_DIFFER = ("contract", "queries", "gold", "folds")
SHARED = ("post_id", "criterion_id", "fold")


@dataclass(frozen=True, slots=True)
class System:
    """One system: its cases under its contract."""

    name: str
    cases: Cases
    contract: Contract
    qrels: Qrels | None = None  # plain IR: judgements with ids, which the cases do not have
    by_row: bool = False  # a plain table without a key: its rows have no ids


@dataclass(frozen=True, slots=True)
class Matched:
    """Systems with the same queries in the same order, and how many were left out for that."""

    systems: tuple[System, ...]
    left_out: int
    same_gold: bool


def matched(systems: Sequence[System], allow_different: Collection[str] = ()) -> Matched:
    """Return every other system in the order of the first; one fault per difference that was not allowed."""
    unknown = [word for word in allow_different if word not in MAY_DIFFER]
    if unknown:
        expected = f"expected {', '.join(MAY_DIFFER)}"
        raise InputError.of("`allow_different`", f"is {unknown[0]!r}", expected)
    first, *others = systems
    faults = []
    if "contract" not in allow_different:
        faults += [
            _fault(
                other,
                f"is under {other.contract.id}, {first.name} under {first.contract.id}",
                "expected one contract; `allow_different='contract'` compares equal definitions",
            )
            for other in others
            if other.contract.hash != first.contract.hash
        ]
    if "queries" not in allow_different:
        faults += [fault for other in others for fault in _other_queries(first, other)]
    if faults:
        raise InputError(faults)
    taken, left_out = _on_shared_queries(systems)
    first, *others = taken
    same_gold = True
    for other in others:
        gold = _other_gold(first, other)
        same_gold &= gold is None
        if gold is not None and (first.by_row or "gold" not in allow_different):
            faults.append(gold)
        faults += _other_groups(first, other, "post_id", "posts", "clusters must be the same")
        if "folds" not in allow_different:
            expected = "expected the same folds; `allow_different='folds'` ignores folds"
            faults += _other_groups(first, other, "fold", "folds", expected)
    if faults:
        raise InputError(faults)
    return Matched(_on_shared_groups(taken, without_folds="folds" in allow_different), left_out, same_gold)


def _fault(system: System, problem: str, expected: str) -> Fault:
    return Fault(system.name, "", problem, expected)


def _other_queries(first: System, other: System) -> list[Fault]:
    expected = "expected the same queries; `allow_different='queries'` compares the shared ones"
    a, b = first.cases.keys, other.cases.keys
    if a.columns != b.columns:
        problem = f"has keys {', '.join(b.columns)}, {first.name} {', '.join(a.columns)}"
        return [_fault(other, problem, "expected the same kind of input")]
    if first.by_row or other.by_row:
        if len(a) == len(b):
            return []
        problem = f"has {len(b):,} rows, {first.name} {len(a):,}"
        return [_fault(other, problem, "expected the same rows; `key='COLUMN'` matches by id")]
    faults = []
    for verb, many in (
        ("has", b.join(a, on=a.columns, how="anti", maintain_order="left")),
        ("lacks", a.join(b, on=a.columns, how="anti", maintain_order="left")),
    ):
        if len(many):
            ids = " ".join(map(shown, many.row(0)))
            against = f"{first.name} lacks" if verb == "has" else f"{first.name} has"
            problem = f"{verb} {len(many):,} queries that {against}, the first {ids}"
            faults.append(_fault(other, problem, expected))
    return faults


def _on_shared_queries(systems: Sequence[System]) -> tuple[list[System], int]:
    """Return all systems on the queries that all of them have, in the order of the first."""
    first = systems[0].cases.keys
    if all(system.cases.keys.equals(first) for system in systems):
        return list(systems), 0
    if any(system.by_row or system.cases.keys.columns != first.columns for system in systems):
        expected = "expected inputs of one kind whose rows have ids"
        raise InputError.of("compare", "the queries cannot be matched", expected)
    shared = first
    for system in systems[1:]:
        shared = shared.join(system.cases.keys, on=first.columns, how="semi", maintain_order="left")
    if shared.is_empty():
        raise InputError.of("compare", "no query is in all systems", "expected shared queries")
    taken = []
    for system in systems:
        rows = system.cases.keys.with_row_index("__row")
        order = shared.join(rows, on=first.columns, how="left", maintain_order="left")["__row"]
        cases = system.cases.take(order.to_numpy().astype(np.int64))
        used = {name: _used(each) for name, each in cases.groupings.items()}
        taken.append(replace(system, cases=replace(cases, groupings=used)))
    everywhere = pl.concat([system.cases.keys for system in systems]).unique()
    return taken, len(everywhere) - len(shared)


def _used(grouping: Grouping) -> Grouping:
    """Return only the labels that queries have: a resample must not draw a post without any."""
    kept, codes = np.unique(grouping.codes, return_inverse=True)
    return Grouping(codes.astype(np.int64), tuple(grouping.labels[code] for code in kept))


def _other_gold(first: System, other: System) -> Fault | None:
    a, b = first.cases, other.cases
    expected = "expected the same gold; `allow_different='gold'` scores each against its own"
    if first.by_row:
        expected = "rows without ids must have the same labels; `key='COLUMN'` matches by id"
    by_id = _same_judgements(first.qrels, other.qrels)
    by_grade = np.array_equal(a.gold_query, b.gold_query)
    by_grade &= np.array_equal(a.gold_grade, b.gold_grade) and np.array_equal(a.judged, b.judged)
    if by_id and by_grade:
        return None
    differs = np.flatnonzero(_gold_sums(a) != _gold_sums(b))
    where = f" (the first on query {_query(a, int(differs[0]))})" if len(differs) else ""
    return _fault(other, f"has other gold than {first.name}{where}", expected)


def _gold_sums(cases: Cases) -> Floats:
    sums = np.bincount(cases.gold_query, weights=cases.gold_grade, minlength=len(cases))
    return np.asarray(sums, dtype=np.float64)


def _query(cases: Cases, row: int) -> str:
    return " ".join(map(shown, cases.keys.row(row)))


def _same_judgements(first: Qrels | None, other: Qrels | None) -> bool:
    if first is other or first is None or other is None:
        return first is other
    frames = []
    for qrels in (first, other):
        judged = qrels.judgements
        names = pl.Series(qrels.names, dtype=pl.String).gather(judged.query)
        frame = pl.DataFrame({"query": names, "item": as_series(judged.items), "grade": judged.grade})
        frames.append(frame.sort("query", "item"))
    return frames[0].equals(frames[1])


def _other_groups(first: System, other: System, column: str, what: str, expected: str) -> list[Fault]:
    a, b = (system.cases.groupings.get(column) for system in (first, other))
    if a is None and b is None:
        return []
    if a is None or b is None:
        lacks, has = (other, first) if b is None else (first, other)
        return [_fault(lacks, f"has no {what}, {has.name} has them", expected)]
    differs = np.flatnonzero(np.array(a.labels)[a.codes] != np.array(b.labels)[b.codes])
    if not len(differs):
        return []
    query = _query(first.cases, int(differs[0]))
    problem = f"has other {what} than {first.name} on {len(differs):,} queries, the first {query}"
    return [_fault(other, problem, expected)]


def _on_shared_groups(systems: Sequence[System], *, without_folds: bool) -> tuple[System, ...]:
    """Return the codes of posts, criteria and folds of the first system in all of them."""
    groupings = systems[0].cases.groupings
    shared = {name: groupings[name] for name in SHARED if name in groupings}
    if without_folds:
        shared.pop("fold", None)
    made = []
    for system in systems:
        own = {name: each for name, each in system.cases.groupings.items() if name not in SHARED}
        cases = replace(system.cases, groupings={**own, **shared})
        made.append(replace(system, cases=cases))
    return tuple(made)


def both_answered(systems: Sequence[System]) -> Bools:
    """Return queries that every system answered."""
    return np.asarray(np.all([system.cases.answered for system in systems], axis=0))
