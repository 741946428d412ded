"""Read the JSON and CSV files of a bundle; a `BundleError` reports what is wrong."""

import csv
import gzip
import json
import math
import stat
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

csv.field_size_limit(1 << 30)  # baselines.csv has a whole order in one field
UNREADABLE = (OSError, EOFError, zlib.error, csv.Error, UnicodeError)


class BundleError(ValueError):
    """A faulty file; the message names the place, the value and what was expected."""


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; repeated keys, NaN and Infinity are errors."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise BundleError(f"{path.name}: the key {twice!r} appears twice in one object")
        return found

    def refuse(constant: str) -> Any:
        raise BundleError(f"{path.name}: a number is {constant}; numbers must be finite")

    try:
        text = _ordinary(path).read_text(encoding="utf-8")
        content = json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except FileNotFoundError:
        raise BundleError(f"{path.name}: the file is missing") from None
    except BundleError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise BundleError(f"{path.name}: it cannot be read as UTF-8 JSON ({error})") from None
    return mapping(content, path.name)


def _ordinary(path: Path) -> Path:
    """Refuse pipes and devices, which could make the reader wait forever."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise BundleError(f"{path.name}: it is not an ordinary file")
    return path


def mapping(value: Any, place: str) -> dict[str, Any]:
    """Return the value, which must be an object."""
    if not isinstance(value, dict):
        raise BundleError(f"{place}: it is {_shown(value)}; expected an object")
    return value


def sequence(value: Any, place: str) -> list[Any]:
    """Return the value, which must be a list."""
    if not isinstance(value, list):
        raise BundleError(f"{place}: it is {_shown(value)}; expected a list")
    return value


def text(value: Any, place: str) -> str:
    """Return the value, which must be a string."""
    if not isinstance(value, str):
        raise BundleError(f"{place}: it is {_shown(value)}; expected a string")
    return value


def number(value: Any, place: str) -> float | None:
    """Return the value, which must be a finite number or null."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BundleError(f"{place}: it is {_shown(value)}; expected a finite number")
    return value


def _shown(value: Any) -> str:
    return json.dumps(value)[:40]


def read_table(path: Path, required: Sequence[str]) -> tuple[list[str], Iterator[list[str]]]:
    """Return the header and the rows, checked for width; `required` columns must exist."""
    lines = _lines(path)
    header = next(lines, None)
    if header is None:
        raise BundleError(f"{path.name}: it is empty; expected a header")
    for column in required:
        if column not in header:
            raise BundleError(f"{path.name}: the column {column} is missing; it has {', '.join(header)}")
    column, times = Counter(header).most_common(1)[0] if header else ("", 0)
    if times > 1:
        raise BundleError(f"{path.name}: the column {column} appears twice")
    return header, _same_width(path.name, len(header), lines)


def _lines(path: Path) -> Iterator[list[str]]:
    try:
        with (
            gzip.open(_ordinary(path), "rt", encoding="utf-8", newline="")
            if path.suffix == ".gz"
            else _ordinary(path).open(encoding="utf-8", newline="")
        ) as stream:
            yield from csv.reader(stream, strict=True)
    except FileNotFoundError:
        raise BundleError(f"{path.name}: the file is missing") from None
    except UNREADABLE as error:
        raise BundleError(f"{path.name}: it cannot be read as CSV ({error})") from None


def _same_width(name: str, width: int, lines: Iterable[list[str]]) -> Iterator[list[str]]:
    for count, line in enumerate(lines, start=1):
        if len(line) != width:
            raise BundleError(f"{name} row {count}: it has {len(line)} fields; expected {width}")
        yield line


def decimal(field: str, name: str, row: int, column: str) -> float:
    """Parse a finite number of a table; rows are counted from 1, without the header."""
    try:
        value = math.nan if "_" in field or not field.isascii() else float(field)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BundleError(f"{name} row {row}: {column} is {field!r}; expected a finite number")
    return value


def flag(field: str, name: str, row: int, column: str) -> int:
    """Parse a 0 or 1 of a table."""
    if field not in ("0", "1"):
        raise BundleError(f"{name} row {row}: {column} is {field!r}; expected 0 or 1")
    return int(field)
