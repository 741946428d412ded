"""TREC text line by line: every fault of a file, with its line."""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from assay.data.packed_text.packed_lines import LineLayout
from assay.errors import Fault, shown
from assay.plain_number import plain_number

BLANK_MARKS = " \t\r"
ASCII_BLANKS = re.compile(f"[{BLANK_MARKS}]+")  # ids may hold other blanks, such as U+00A0


def checked_lines(
    text: str,
    source: str,
    layout: LineLayout,
    skip: int = 0,
    *,
    before: int = 0,
    only: Collection[tuple[str, str]] | None = None,
    seen: dict[tuple[str, str], int] | None = None,
) -> tuple[list[tuple[int, str, str, float]], list[Fault]]:
    """Return line, query, item and number of each line that has them, and every fault.

    `before` lines come before the text. With `only`, look for repeats of these pairs of query and
    item alone, and keep in `seen` where each was first.
    """
    number_at, item_at = layout.fields.index(layout.number), layout.fields.index(layout.item)
    wanted = len(layout.fields)
    rows: list[tuple[int, str, str, float]] = []
    faults: list[Fault] = []
    first: dict[tuple[str, str], int] = {} if seen is None else seen
    for line_number, line in enumerate(text.split("\n"), start=before + 1):
        fields = ASCII_BLANKS.split(line.strip(BLANK_MARKS)) if line.strip(BLANK_MARKS) else []
        if line_number <= skip or not fields or fields[0].startswith("#"):
            continue
        if only is not None and (len(fields) < wanted or (fields[0], fields[item_at]) not in only):
            continue
        place = f"line {line_number}"
        if len(fields) < wanted or (len(fields) > wanted and not layout.more):
            found = f"has {len(fields)} field{'s' if len(fields) > 1 else ''} ({shown(line[:80])})"
            other = {4: "judgements", 6: "a run"}.get(len(fields), "")  # the two files may be swapped
            like = f"; this is a line of {other}" if other else ""
            expected = f"expected {wanted}: {' '.join(layout.fields)}{like}"
            faults.append(Fault(source, place, found, expected))
            continue
        try:
            number = plain_number(fields[number_at])
        except ValueError:
            problem = f"{layout.number} is {shown(fields[number_at])}"
            faults.append(Fault(source, place, problem, f"{layout.number}s must be numbers"))
            continue
        if not math.isfinite(number):
            problem = f"{layout.number} is {fields[number_at]}"
            faults.append(Fault(source, place, problem, f"{layout.number}s must be finite"))
            continue
        if abs(number) > layout.largest:
            problem = f"{layout.number} is {shown(fields[number_at])}"
            expected = f"{layout.number}s lie within ±{layout.largest:g}"
            faults.append(Fault(source, place, problem, expected))
            continue
        pair = (fields[0], fields[item_at])
        before = first.setdefault(pair, line_number)
        if before != line_number:
            query, item = map(shown, pair)
            problem = f"document {item} of query {query} is already listed (line {before})"
            faults.append(Fault(source, place, problem, "expected each document once per query"))
        rows.append((line_number, *pair, number))
    return rows, faults
