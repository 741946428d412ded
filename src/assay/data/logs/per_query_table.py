"""A per-query table of another tool: ids, gold and ranked ids, probability, label, state, K."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.data.logs.log_chunks import NONE
from assay.data.logs.log_fields import squeezed
from assay.data.logs.log_records import Record, read_records
from assay.data.readers.csv_text import parse_csv, plain_csv, sniffed_separator
from assay.data.readers.memory_tables import frame_of
from assay.data.readers.table_files import read_parquet
from assay.data.readers.text_blocks import read_all
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

NAMES: Mapping[str, str] = {
    "id": "query_id qid q_id id question_id query sample_id topic criterion_id",
    "group": "post_id group group_id patient_id document_id conversation_id",
    "gold": "gold_ids gold gold_uids gold_sent_uids relevant_ids relevant evidence_ids gold_docs qrels",
    "ranked": "ranked_ids ranked ranking ranked_uids ranked_sent_uids retrieved_ids retrieved predicted_ids "
    "candidates candidate_ids top_ids",
    "prob": "prob probability calibrated_prob p_has_evidence has_evidence_prob confidence p",
    "label": "has_evidence label y_true y answerable",
    "state": "state",
    "selected_k": "selected_k k_selected dynamic_k k",
    "fold": "fold fold_id",
}
"""What a column may hold, and the names by which it is recognised."""
ITEM = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,'"\[\]]+?))\s*(?:,|$)""")
PRINTED = re.compile(r"""(?:frozenset\()?\{(['"].*['"])\}\)?|\((['"].*['"],?)?\)""", re.DOTALL)
"""A set or a tuple of texts, as Python prints it."""
WORDS = re.compile(r"""[|;,\s'"\[\](){}]+""")
BAR = "|"
JSON_ENDINGS = (".jsonl", ".json", ".ndjson")


@dataclass(frozen=True, slots=True)
class PerQueryTable:
    """Rows as they are, and the column of each role that the table has."""

    name: str
    rows: list[Record]
    columns: Mapping[str, str]  # by role
    others: tuple[str, ...]  # columns without a role
    file: InputFile | None = None
    separator: str | None = "|"  # between ids; None: blanks
    said_none: int = 0  # cells of gold with a word such as nan, read as empty

    def value(self, row: Record, role: str) -> Any:
        """Return the value of a role in a row; None where it is empty."""
        found = row.fields.get(self.columns[role]) if role in self.columns else None
        return None if found == "" else found


def read_per_query(source: Any, named: Mapping[str, str | None] | None = None) -> PerQueryTable:
    """Return a table from a file (CSV with any separator, JSON lines, Parquet), a frame or dicts.

    `named` gives the column of a role; the others are recognised by common names. An empty name
    leaves a role out.
    """
    name, rows, file = table_rows(source)
    if not rows:
        raise InputError.of(name, "has no row", "expected one row per query")
    has = list(dict.fromkeys(column for row in rows for column in row.fields))
    columns = _columns(name, has, {role: each for role, each in (named or {}).items() if each is not None})
    others = tuple(each for each in has if each not in columns.values())
    rows, said_none = _without_words(rows, columns)
    return PerQueryTable(name, rows, columns, others, file, id_separator(rows, columns), said_none)


def _without_words(rows: list[Record], columns: Mapping[str, str]) -> tuple[list[Record], int]:
    """Empty the cells of gold with a word such as nan, unless it is a ranked id; return how many."""
    gold = columns.get("gold", "")

    def says_none(value: Any) -> bool:
        return isinstance(value, str) and " ".join(value.lower().split()) in NONE

    words = {row.fields[gold].strip() for row in rows if says_none(row.fields.get(gold))}
    if not words:
        return rows, 0
    ranked = [str(row.fields.get(columns.get("ranked", ""))) for row in rows]
    words -= {each for text in ranked for each in WORDS.split(text)}
    empty = [says_none(row.fields.get(gold)) and row.fields[gold].strip() in words for row in rows]
    made = [
        Record(row.place, {**row.fields, gold: ""}) if none else row
        for row, none in zip(rows, empty, strict=True)
    ]
    return made, sum(empty)


def id_separator(rows: Sequence[Record], columns: Mapping[str, str]) -> str | None:
    """Return what joins ids: a bar, unless no cell has one and more gold is found with another."""
    if not {"gold", "ranked"} <= columns.keys():
        return BAR
    pairs = ((row.fields.get(columns["gold"]), row.fields.get(columns["ranked"])) for row in rows)
    texts = [(gold, ranked) for gold, ranked in pairs if isinstance(gold, str) and isinstance(ranked, str)]
    if any(BAR in each or each.lstrip().startswith("[") for pair in texts for each in pair):
        return BAR

    def found(separator: str | None) -> int:
        pairs = ((set(split_ids(each, separator)) for each in pair) for pair in texts)
        return sum(len(gold & ranked) for gold, ranked in pairs)

    return max((BAR, ";", ",", None), key=found)


def split_ids(text: str, separator: str | None) -> list[str]:
    """Return the ids of a text; without a separator, blanks separate."""
    return [each.strip() for each in text.split(separator) if each.strip()]


def table_rows(source: Any) -> tuple[str, list[Record], InputFile | None]:
    """Return the name, the rows and the file of a table: a path, a data frame, or dicts."""
    if isinstance(source, str | Path):
        file = InputFile(source)
        if file.path.suffix in JSON_ENDINGS:
            return file.name, read_records(file, "log").rows, file
        if file.path.suffix == ".parquet":
            return file.name, _numbered(read_parquet(file).frame.to_dicts(), 1), file
        data = plain_csv(read_all(file), file.name)
        separator, _ = sniffed_separator(data, file.name)
        frame = parse_csv(data, file.name, separator)
        return file.name, _numbered(frame.to_dicts(), 2), file
    if isinstance(source, list) and all(isinstance(each, dict) for each in source):
        return "table", _numbered(source, 1), None
    return "table", _numbered(frame_of(source, "table").to_dicts(), 1), None


def _numbered(rows: Sequence[Mapping[str, Any]], first: int) -> list[Record]:
    return [
        Record(f"row {at}", {str(key): value for key, value in row.items()})
        for at, row in enumerate(rows, start=first)
    ]


def _columns(source: str, has: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    listed = ", ".join(has[:20]) + (f" and {len(has) - 20} more" if len(has) > 20 else "")
    faults = [
        Fault(
            source,
            "",
            f"no column {shown(column)}",
            f"name the {role} column with `{role}` (columns: {listed})",
        )
        for role, column in named.items()
        if column and column not in has
    ]
    if faults:
        raise InputError(faults)
    known: dict[str, str] = {}
    for column in has:
        known.setdefault(squeezed(column), column)
    found = dict(named)
    for role, names in NAMES.items():
        if role not in found:
            free = (known.get(squeezed(name)) for name in names.split())
            match = next((each for each in free if each is not None and each not in found.values()), None)
            if match is not None:
                found[role] = match
    found = {role: column for role, column in found.items() if column}
    missing = []
    if "id" not in found:
        missing.append(("id", "the query"))
    if "gold" not in found and "label" not in found:
        missing.append(("gold", "the gold ids"))
    if "ranked" not in found and "prob" not in found:
        missing.append(("ranked", "the ranked ids"))
    if missing:
        raise InputError(
            Fault(source, "", f"no column with {what}", f"name it with `{role}` (columns: {listed})")
            for role, what in missing
        )
    return found


def id_of(value: Any) -> str | None:
    """Return an id as text, 1.0 as 1; None where a value is none."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else None if value != value else repr(value)  # noqa: PLR0124
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def ids_of(value: Any, separator: str | None = BAR) -> list[str] | None:
    """Return the ids of a cell: a list, a JSON list, or ids that are joined; None where it is neither."""
    if value is None:
        return []
    if isinstance(value, str):
        text = printed_list(value.strip())
        if not text.startswith("["):
            return split_ids(text, separator)
        value = cell_list(text)
    if isinstance(value, int) and not isinstance(value, bool):
        return [str(value)]
    right = isinstance(value, list) and all(
        isinstance(each, str | int) and not isinstance(each, bool) for each in value
    )
    return [str(each) for each in value] if right else None


def printed_list(text: str, *, sets: bool = True) -> str:
    """Return a tuple, or a set, as Python prints it, as a list; anything else as it is."""
    if sets and text in ("set()", "frozenset()"):
        return "[]"
    found = PRINTED.fullmatch(text)
    if found is None or (found[1] is not None and not sets):
        return text
    return f"[{(found[1] or found[2] or '').rstrip(', ')}]"


def is_set(value: Any) -> bool:
    """Return whether a cell is a set, which has no order, as Python prints it."""
    return isinstance(value, str) and printed_list(value.strip()) != printed_list(value.strip(), sets=False)


def cell_list(text: str) -> Any:
    """Return a JSON list, or one as Python prints it, with single quotes."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if not text.endswith("]"):
        return None
    inner, at, items = text[1:-1].strip(), 0, []
    while at < len(inner):
        found = ITEM.match(inner, at)
        if found is None or found.end() == at:
            return None
        items.append(next(each for each in found.groups() if each is not None))
        at = found.end()
    return items
