"""Two bundles as paired systems; refused, with all differences, where they cannot be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from assay.contracts.contract import Contract
from assay.contracts.contract_diff import measures_differ, rules_differ, targets_differ
from assay.data.cases import Cases
from assay.errors import Fault, InputError, shown
from assay.evaluation.bundle.bundle_files import read_table
from assay.evaluation.bundle.bundle_systems import bundled_systems
from assay.evaluation.comparison.matched_systems import MAY_DIFFER, Matched, matched
from assay.evaluation.presentation import counted
from assay.metrics.core.entry import Metric, Population

SHOWN = 3
PREDICTED = ("answered", "n", "hit_query", "hit_rank", "hit_grade", "hit_first", "hit_last")
DECIDED = ("prob", "selected_k", "state")


def comparable(old: Path, new: Path) -> Matched:
    """Return the systems of two bundles on the same queries, the old one first.

    Contract, queries, gold, posts and folds must be the same; the error lists everything that differs.
    """
    first, second = bundled_systems([old, new], MAY_DIFFER)
    names = (new.name, old.name) if new.name != old.name else (str(new), str(old))
    faults = [
        Fault(names[0], "", problem, expected)
        for problem, expected in (
            *_contracts(second.contract, first.contract, names[1]),
            *_queries(second.cases, first.cases, names[1]),
            *_gold(read_table(new / "gold.csv"), read_table(old / "gold.csv"), names[1]),
        )
    ]
    if faults:
        raise InputError(faults)
    return matched([first, second])


def same_predictions(same: Matched) -> bool:
    """Return whether the systems gave the same rankings and decisions on every query."""
    first, second = (system.cases for system in same.systems)
    columns = [(getattr(first, name), getattr(second, name)) for name in (*PREDICTED, *DECIDED)]
    for name in ("taus", "thresholds", "confidence"):
        a, b = getattr(first, name), getattr(second, name)
        columns += [(a.get(key), b.get(key)) for key in {*a, *b}]
    if first.pairs is not None and second.pairs is not None:
        columns += [(getattr(first.pairs, name), getattr(second.pairs, name)) for name in ("query", "score")]
    return all(_same(a, b) for a, b in columns)


def refuse_other_answers(same: Matched, metrics: Mapping[str, Metric]) -> None:
    """Raise for a mean over answered queries where the systems answered different ones."""
    names = [name for name, each in metrics.items() if each.population is Population.PREDICTED]
    first, second = same.systems
    differ = int(np.count_nonzero(first.cases.answered != second.cases.answered))
    if names and differ:
        problem = (
            f"{differ:,} queries are answered in only one of the bundles, and {names[0]} is a mean over "
        )
        problem += "answered queries"
        raise InputError.of("gate", problem, "evaluate both with `complete=True`")


def _same(a: object, b: object) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(np.asarray(a), np.asarray(b))


def _contracts(new: Contract, old: Contract, other: str) -> Iterator[tuple[str, str]]:
    if new.hash == old.hash:
        return
    rules = [f"{each.name} {each.first}, not {each.second}" for each in rules_differ(new, old)]
    measures = [f"{each.name}" for each in measures_differ(new, old)]
    targets = [
        f"{each.name} {each.first or 'none'}, not {each.second or 'none'}"
        for each in targets_differ(new, old)
    ]
    parts = {"rules": rules, "definitions": measures, "targets": targets}
    listed = [f"{what}: {_few(names)}" for what, names in parts.items() if names]
    ids = f"is under {new.id}, {other} under {old.id}" if new.id != old.id else f"is under another {new.id}"
    yield f"{ids} ({'; '.join(listed) or 'its notes'})", "evaluate both under one contract"


def _queries(new: Cases, old: Cases, other: str) -> Iterator[tuple[str, str]]:
    expected = "evaluate both on the same queries"
    if new.keys.columns != old.keys.columns:
        names = ", ".join(new.keys.columns), ", ".join(old.keys.columns)
        yield f"has queries by {names[0]}, {other} by {names[1]}", "expected the same kind of input"
        return
    for verb, a, b in (("has", new.keys, old.keys), ("lacks", old.keys, new.keys)):
        only = a.join(b, on=a.columns, how="anti", maintain_order="left")
        if only.height:
            contrast = f"{other} lacks" if verb == "has" else f"{other} has"
            yield (
                f"{verb} {counted(only.height, 'query', 'queries')} that {contrast}, {_first(only)}",
                expected,
            )


def _gold(new: pl.DataFrame, old: pl.DataFrame, other: str) -> Iterator[tuple[str, str]]:
    """Count the judgements that were added, removed and changed."""
    if new.columns != old.columns:
        return  # other keys, which is said above
    on = [name for name in new.columns if name != "grade"]
    keys = [name for name in on if name != "item"]
    both = new.join(old, on=on, how="inner", suffix="_old", maintain_order="left")
    parts = {
        "added": new.join(old, on=on, how="anti", maintain_order="left"),
        "removed": old.join(new, on=on, how="anti", maintain_order="left"),
        "changed": both.filter(pl.col("grade") != pl.col("grade_old")),
    }
    listed = [f"{each.height:,} {what}" for what, each in parts.items() if each.height]
    if listed:
        where = next(each for each in parts.values() if each.height).select(keys)
        problem = f"has other gold than {other}: judgements {', '.join(listed)}, {_first(where)}"
        yield problem, "evaluate both against the same gold"


def _first(frame: pl.DataFrame) -> str:
    return f"the first {' '.join(map(shown, frame.row(0)))}"


def _few(names: Sequence[str]) -> str:
    rest = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")
