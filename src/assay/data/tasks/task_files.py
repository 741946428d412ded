"""Files of shared tasks: JSON documents and JSON lines, and what several readers check alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.data.cases import Grouping
from assay.data.readers.file_kinds import JSON, LINES, read_records
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

FIRST = 3
LARGEST = 1e300
"""The largest number in a file of a task."""


def json_object(file: InputFile, what: str) -> dict[str, Any]:
    """Return the document of a JSON file, which must be an object."""
    document, lines = read_records(file, JSON)
    if lines or not isinstance(document, dict):
        raise InputError.of(file.name, "is not one JSON object", f"expected {what}")
    return document


Lines = list[tuple[int, dict[str, Any]]]
"""Objects of a JSON-lines file, each with the number of its line."""


def json_lines(file: InputFile, what: str) -> Lines:
    """Return the number and the object of each line of a JSON-lines file."""
    if not file.read().strip():
        raise InputError.of(file.name, "is empty", f"expected {what}")
    document, lines = read_records(file, LINES)
    rows = [document] if isinstance(document, dict) else document
    return list(zip(lines or range(1, len(rows) + 1), rows, strict=True))


def is_number(value: object) -> bool:
    """Return whether a JSON value is a number that a bundle can hold; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def lacking(source: str, missing: Sequence[str], total: int, what: str, expected: str) -> list[Fault]:
    """Return one fault for all ids that a file lacks."""
    if not missing:
        return []
    first = ", ".join(map(shown, missing[:FIRST])) + (", …" if len(missing) > FIRST else "")
    return [Fault(source, "", f"lacks {len(missing):,} of {total:,} {what}: {first}", expected)]


def distinct(names: Sequence[str]) -> list[str]:
    """Return ids that are different; one that was there before gets a number."""
    seen: Counter[str] = Counter()
    made = []
    for name in names:
        seen[name] += 1
        made.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return (
        made if len(set(made)) == len(made) else [f"{at}: {name}" for at, name in enumerate(names, start=1)]
    )


def grouped(labels: Sequence[str]) -> Grouping:
    """Return one label per query as a grouping, in order of first appearance."""
    names = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    return Grouping(np.array([names[label] for label in labels], dtype=np.int64), tuple(names))


def system_name(path: str | Path) -> str:
    """Return what a system is called that is known by its file."""
    return InputFile(path).name


def floats(values: Iterable[float]) -> Any:
    """Return numbers as a column."""
    return np.array(list(values), dtype=np.float64)
