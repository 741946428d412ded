"""The tables of a bundle, checked before anything is computed from them.

A bundle may come from anybody, and its hashes say only that its own manifest agrees with it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from assay.data.cases import FACTS, LARGEST_GRADE, STATES
from assay.data.evidence.evidence_groups import other_grades
from assay.data.readers.column_names import column_list
from assay.data.tasks.task_facts import CORRECT, LIMITS
from assay.errors import Fault, InputError, shown
from assay.evaluation.bundle.bundle_files import larger, read_table, table_parts
from assay.evaluation.bundle.table_text import QUERIES, filled_columns
from assay.evaluation.result import Result

CODE = "__code"
TUNE = "tune.csv"
GOLD = "gold.csv"
CANDIDATES = "candidates.csv.gz"
COUNTED = ("answered", "n", "gold", "has_evidence")
SHARES = ("prob", "tau_neg", "tau_pos")
LARGEST = 10**15


def check_tables(result: Result, folder: Path, *, repeats: bool = False) -> None:
    """Raise what a report could not draw: missing columns, wrong values, unknown queries.

    `repeats` allows a query to stand twice, for an audit that says so itself.
    """
    keys = list(result.query_keys)
    queries = _checked_facts(_facts(result, folder), result, repeats=repeats)
    coded = queries.select(keys).with_row_index(CODE)
    checked_gold(folder, coded)
    first = 0
    for part in larger(table_parts(folder / CANDIDATES), coded.height):
        _checked_part(part, CANDIDATES, coded, ["item", "score"], ["grade", "returned"], first)
        first += part.height
    if (folder / TUNE).is_file():
        checked_tune(folder)


def checked_tune(folder: Path) -> pl.DataFrame:
    """Return `tune.csv`: posts, probabilities in [0, 1] and labels that are 0 or 1."""
    frame = read_table(folder / TUNE, needed=("post_id", "prob", "label"))
    if "fold" in frame.columns:
        filled_columns(frame, TUNE, ["fold"])
    faults = [*_outside(frame, "prob", 0.0, 1.0, "a number in [0, 1]", TUNE)]
    faults += _outside(frame, "label", 0, 1, "0 or 1", TUNE)
    if faults:
        raise InputError(faults)
    return frame


def checked_queries(result: Result, folder: Path, *, repeats: bool = False) -> pl.DataFrame:
    """Return `per_query.csv`: every query once, counts from 0, shares in [0, 1], known states."""
    return _checked_facts(read_table(folder / QUERIES, texts=result.groups), result, repeats=repeats)


def _facts(result: Result, folder: Path) -> pl.DataFrame:
    """Return the columns that are checked; those of measures must be numbers, and are not kept."""
    names = [value.name for value in result.measures]
    wanted = {*result.query_keys, *COUNTED, *SHARES, *FACTS, "selected_k", "state"}
    wanted |= {f"threshold_{each.rule}" for each in result.thresholds}
    parts = []
    for part in table_parts(folder / QUERIES):
        _check_numbers(part, names)
        parts.append(part.select(name for name in part.columns if name in wanted))
    return pl.concat(parts, how="vertical_relaxed")


def _checked_facts(frame: pl.DataFrame, result: Result, *, repeats: bool) -> pl.DataFrame:
    keys = list(result.query_keys)
    filled_columns(frame, QUERIES, dict.fromkeys((*keys, *COUNTED)))
    if not keys or set(keys) - set(TEXT_KEYS):
        raise InputError.of("metrics_master.json", f"keys are {shown(keys)}", KEYS)
    if frame.is_empty():
        raise InputError.of(QUERIES, "has no row", "expected at least one query")
    if not repeats and frame.select(keys).is_duplicated().any():
        raise InputError.of(QUERIES, "has a query twice", "expected each of them once")
    given = [name for name in ("prob", "selected_k", "state", *FACTS) if name in frame.columns]
    chosen = dict.fromkeys(f"threshold_{each.rule}" for each in result.thresholds)
    filled_columns(frame, QUERIES, [*given, *chosen])
    faults: list[Fault] = []
    for name in (*COUNTED, "selected_k"):
        faults += _outside(frame, name, 0, LARGEST, "a whole number from 0")
    for name in SHARES:
        faults += _outside(frame, name, 0.0, 1.0, "a number in [0, 1]")
    for name in FACTS:
        low, high = LIMITS.get(name, (0.0, 1.0))
        faults += _outside(frame, name, low, high, f"a number in [{low:g}, {high:g}]")
    faults += _counts_above(frame)
    if "state" in frame.columns:
        wrong = (~frame["state"].is_in(STATES)).arg_true()
        faults += [
            Fault(
                QUERIES,
                f"row {row + 2}",
                f"state is {shown(frame['state'][row])}",
                f"expected one of {', '.join(STATES)}",
            )
            for row in wrong
        ]
    if faults:
        raise InputError(faults)
    return frame


TEXT_KEYS = ("post_id", "criterion_id", "query_id")
KEYS = f"expected some of {', '.join(TEXT_KEYS)}"


def checked_rows(
    path: Path, coded: pl.DataFrame, needed: Sequence[str], more: Sequence[str] = ()
) -> pl.DataFrame:
    """Return a table with the code of each row's query; a row of an unknown query is a fault."""
    return _checked_part(read_table(path), path.name, coded, needed, more)


def _checked_part(
    frame: pl.DataFrame,
    source: str,
    coded: pl.DataFrame,
    needed: Sequence[str],
    more: Sequence[str],
    first: int = 0,
) -> pl.DataFrame:
    keys = [name for name in coded.columns if name != CODE]
    filled_columns(frame, source, [*keys, *needed], first)
    missing = [name for name in more if name not in frame.columns]
    if missing:
        problem = f"has no column {missing[0]} ({column_list(frame.columns, header=True)})"
        raise InputError.of(source, problem, "this column is required")
    limit, largest = LARGEST_GRADE, sys.float_info.max
    faults = [
        *_outside(frame, "grade", -limit, limit, f"a number within ±{limit}", source, first),
        *_outside(frame, "score", -largest, largest, "a finite number", source, first),
    ]
    if faults:
        raise InputError(faults)
    rows = frame.join(coded, on=keys, how="left", maintain_order="left")
    unknown = rows[CODE].null_count()
    if unknown:
        problem = f"has {unknown} rows of unknown queries"
        raise InputError.of(source, problem, f"queries must be in {QUERIES}")
    return rows


def checked_gold(folder: Path, coded: pl.DataFrame) -> pl.DataFrame:
    """Return `gold.csv` with the code of each row's query: an item is judged once per query."""
    rows = checked_rows(folder / GOLD, coded, ["item", "grade"])
    grouped = "group" in rows.columns
    if rows.select(CODE, "item", *(["group"] if grouped else [])).is_duplicated().any():
        once = "once per group" if grouped else "once per query"
        raise InputError.of(GOLD, "has a judgement twice", f"expected each item {once}")
    other = other_grades(rows, [CODE, "item"]) if grouped else []
    if other:
        raise InputError.of(
            GOLD, "has another grade for an item", "expected one grade", f"row {other[0] + 2}"
        )
    return rows


def _outside(
    frame: pl.DataFrame,
    name: str,
    low: float,
    high: float,
    expected: str,
    source: str = QUERIES,
    first: int = 0,
) -> Iterable[Fault]:
    if name not in frame.columns:
        return []
    values = frame[name]
    wrong = (~values.is_between(low, high)).fill_null(False).arg_true()
    return [
        Fault(source, f"row {first + row + 2}", f"{name} is {values[row]}", f"expected {expected}")
        for row in wrong
    ]


def _counts_above(frame: pl.DataFrame) -> list[Fault]:
    """Return a fault for each count of correct units above that of predicted or gold ones."""
    return [
        Fault(QUERIES, f"row {row + 2}", f"{name} is {frame[name][row]:g}", f"expected at most {most}")
        for unit, names in CORRECT.items()
        for name in names
        for most in (f"{unit}_retrieved", f"{unit}_relevant")
        if name in frame.columns and most in frame.columns
        for row in (frame[name] > frame[most]).fill_null(False).arg_true()
    ]


def _check_numbers(queries: pl.DataFrame, names: Iterable[str]) -> None:
    faults = [
        Fault(QUERIES, "", f"column {shown(name)} has a value that is not a number", "numbers")
        for name in names
        if name in queries.columns
        and not queries[name].dtype.is_numeric()
        and queries[name].null_count() < len(queries)
    ]
    if faults:
        raise InputError(faults)
