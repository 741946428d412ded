"""A per-query table as an input of `evaluate`: rankings with decisions, or labels alone."""

from __future__ import annotations

import math
import re
from typing import Any

import polars as pl

from assay.data.cases import STATES
from assay.data.label_table import LabelTable, read_decisions
from assay.data.logs.log import Log
from assay.data.logs.log_chunks import Chunk
from assay.data.logs.log_records import Record
from assay.data.logs.log_tables import Question, corpus_of, predictions_of
from assay.data.logs.per_query_table import PerQueryTable, id_of, ids_of, is_set
from assay.errors import Fault, InputError, shown
from assay.plain_number import plain_number

TRUE = ("1", "1.0", "true", "yes")
SEPARATORS = re.compile(r"[|;,\s]+")
FALSE = ("0", "0.0", "false", "no")


def evaluation_input(table: PerQueryTable) -> Log | LabelTable:
    """Return rankings where the table has gold and ranked ids, else labels and probabilities."""
    faults: list[Fault] = []
    questions = [_question(table, row, faults) for row in table.rows]
    seen: dict[tuple[str, str], str] = {}
    for each in questions:
        first = seen.setdefault((each.post_id, each.id), each.place)
        if first != each.place:
            problem = f"query {shown(each.id)} is that of {first} too"
            faults.append(Fault(table.name, each.place, problem, "expected each query once"))
    if faults:
        raise InputError(faults)
    if {"gold", "ranked"} <= table.columns.keys():
        corpus, _ = corpus_of(questions, table.name, table.file)
        predictions = predictions_of(questions, table.name, table.file)
        return Log(corpus, predictions, "log", table.columns, ())
    return _labels(table, questions)


def query_keys(table: PerQueryTable) -> list[tuple[str, ...]]:
    """Return the key that each row has in a result: post and criterion, or the number of the row."""
    if not {"gold", "ranked"} <= table.columns.keys():
        return [(str(at),) for at in range(1, len(table.rows) + 1)]
    keys: list[tuple[str, ...]] = []
    for row in table.rows:
        name, group = (str(id_of(table.value(row, role))) for role in ("id", "group"))
        keys.append((group if "group" in table.columns else name, name))
    return keys


def _labels(table: PerQueryTable, questions: list[Question]) -> LabelTable:
    if "prob" not in table.columns:
        expected = "name the probability column with `prob`, or the gold ids with `gold`"
        raise InputError.of(table.name, "has neither gold ids nor probabilities", expected)
    frame: dict[str, Any] = {
        "prob": [each.prob for each in questions],
        "label": [int(bool(each.gold)) for each in questions],
    }
    if "group" in table.columns:
        frame["group"] = [each.post_id for each in questions]
    if "fold" in table.columns:
        frame["fold"] = [each.fold for each in questions]
    named = {name: name for name in ("group", "fold") if name in frame}
    return read_decisions(pl.DataFrame(frame), **named)


def _question(table: PerQueryTable, row: Record, faults: list[Fault]) -> Question:
    def wrong(role: str, value: Any, expected: str) -> None:
        said = "empty" if value is None else shown(value)
        faults.append(Fault(table.name, row.place, f"{table.columns[role]} is {said}", expected))

    def chunks(role: str) -> list[Chunk]:
        value = table.value(row, role)
        ids = ids_of(value, table.separator)
        if ids is None:
            wrong(role, value, "expected ids joined by |, or a JSON list")
            return []
        if role == "ranked" and is_set(value):
            wrong(role, value, "expected a list, best first; a set has no order")
        if role == "ranked" and len(set(ids)) < len(ids):
            wrong(role, value, "expected each id once")
        return [Chunk(each) for each in dict.fromkeys(ids)]

    gold = chunks("gold")
    if "gold" not in table.columns:
        value = table.value(row, "label")
        text = str(value).strip().lower()
        if text not in (*TRUE, *FALSE):
            wrong("label", value, "expected 0 or 1")
        gold = [Chunk("evidence")] if text in TRUE else []
    ids = {role: id_of(table.value(row, role)) for role in ("id", "group", "fold") if role in table.columns}
    for role, expected in (("id", "an id"), ("group", "an id"), ("fold", "the fold of the query")):
        if role in ids and ids[role] is None:
            wrong(role, table.value(row, role), f"expected {expected}")
    ranked = chunks("ranked")
    listed = {each.id for each in ranked}
    if any(listed.intersection(SEPARATORS.split(each.id)) for each in gold if each.id not in listed):
        wrong("gold", table.value(row, "gold"), "expected ids joined as those of the ranking are")
    return Question(
        place=row.place,
        id=str(ids["id"]),
        own_id=True,
        text=None,
        post=ids.get("group"),
        fold=ids.get("fold"),
        retrieved=ranked,
        gold=gold,
        prob=_number(table, row, "prob", wrong),
        selected_k=_count(table, row, len(ranked), wrong),
        state=_state(table, row, wrong),
    )


SPREADSHEET = re.compile(r"([0-9]+)(?:[.,]([0-9]+))?\s*(?:(%)|(?<=[0-9]))")
"""A number with a decimal comma, or in percent, as spreadsheets write it."""


def _number(table: PerQueryTable, row: Record, role: str, wrong: Any) -> float | None:
    if role not in table.columns:
        return None
    value = table.value(row, role)
    number = _as_number(value)
    if isinstance(value, str) and (found := SPREADSHEET.fullmatch(value.strip())) is not None:
        number = _as_number(f"{found[1]}.{found[2] or 0}") / (100 if found[3] else 1)
    if not 0 <= number <= 1:
        wrong(role, value, "expected a number in [0, 1]")
        return 0.0
    return number


def _as_number(value: Any) -> float:
    """Return the number of a cell, which is text in a CSV table; NaN where there is none."""
    try:
        if isinstance(value, bool):
            return math.nan
        return plain_number(value) if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _count(table: PerQueryTable, row: Record, most: int, wrong: Any) -> int | None:
    if not {"selected_k", "ranked"} <= table.columns.keys():
        return None
    value = table.value(row, "selected_k")
    number = _as_number(value)
    if not (0 <= number <= most and number == int(number)):
        wrong("selected_k", value, f"expected a whole number from 0 to {most}, the number of ranked ids")
        return 0
    return int(number)


def _state(table: PerQueryTable, row: Record, wrong: Any) -> str | None:
    if "state" not in table.columns:
        return None
    value = table.value(row, "state")
    if str(value).upper() not in STATES:
        wrong("state", value, f"expected one of {', '.join(STATES)}")
        return STATES[0]
    return str(value).upper()
