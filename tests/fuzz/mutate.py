"""Mutations of the bytes of a file: of bytes, lines, fields, JSON and TOML."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

from tests.fuzz import nasty

Mutation = Callable[[bytes, Random], bytes]
TOKEN = re.compile(rb"[^\s,:;|\"{}\[\]=]+")
MOST = 2 << 20
"""Bytes of a mutated file: the fuzzer looks for hangs on small inputs."""


def mutated(data: bytes, kind: str, rng: Random) -> bytes:
    """Return the data after one mutation that fits its kind."""
    return rng.choice(KINDS[kind])(data, rng)[:MOST]


def _place(data: bytes, rng: Random) -> int:
    return rng.randrange(len(data) + 1)


def _flip(data: bytes, rng: Random) -> bytes:
    if not data:
        return data
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 3, 20))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _insert(data: bytes, rng: Random) -> bytes:
    marks = (b"\0", b"\xff", b"\xed\xa0\x80", b"\r", b"\n", b'"', b",", b"\t", b" ", b"\xef\xbb\xbf")
    at = _place(data, rng)
    return data[:at] + rng.choice(marks) * rng.choice((1, 1, 2, 500)) + data[at:]


def _random(data: bytes, rng: Random) -> bytes:
    at = _place(data, rng)
    return data[:at] + rng.randbytes(rng.choice((1, 4, 64))) + data[at:]


def _delete(data: bytes, rng: Random) -> bytes:
    first = _place(data, rng)
    return data[:first] + data[first + rng.choice((1, 2, 10, 100, 1000)) :]


def _truncate(data: bytes, rng: Random) -> bytes:
    return data[: _place(data, rng)]


def _double(data: bytes, rng: Random) -> bytes:
    first, last = sorted((_place(data, rng), _place(data, rng)))
    return data[:last] + data[first:last] * rng.choice((1, 1, 3)) + data[last:]


def _whole(data: bytes, rng: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    changes: tuple[Callable[[], bytes], ...] = (
        lambda: b"",
        lambda: b"\n",
        lambda: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r"),
        lambda: data.replace(b"\n", b"\r\n"),
        lambda: text.encode("utf-16"),
        lambda: text.encode("latin-1", "replace"),
        lambda: b"\xef\xbb\xbf" + data,
        lambda: gzip.compress(data, mtime=0),
        lambda: gzip.compress(data, mtime=0)[:-9],
        lambda: bytes(1 << 16),
        lambda: data * 3,
        lambda: data.replace(b",", b";"),
        lambda: data.replace(b" ", b"\t"),
        lambda: b"PAR1" + data,
        lambda: gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data.upper(),
    )
    try:
        return rng.choice(changes)()
    except (OSError, EOFError, zlib.error):
        return data


def _lines(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(7):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            rng.shuffle(lines)
        case 4:
            lines.insert(at, rng.choice((b"\n", b"#\n", b"   \n", b",,,,\n", b"a b c d e f\n")))
        case 5:
            lines[at] = lines[at].rstrip(b"\n") + b" " + lines[at]
        case _:
            lines = [*lines[:at], *lines[:1]]
    return b"".join(lines)


def _token(data: bytes, rng: Random) -> bytes:
    found = list(TOKEN.finditer(data[: 1 << 16]))
    if not found:
        return data
    for _ in range(rng.choice((1, 1, 2, 5))):
        one = rng.choice(found)
        value = rng.choice((*nasty.NUMBERS, *nasty.TEXTS)).encode("utf-8", "surrogatepass")
        data = data[: one.start()] + value + data[one.end() :]
        found = list(TOKEN.finditer(data[: 1 << 16])) or [one]
    return data


def _table(data: bytes, rng: Random) -> bytes:
    """Change columns and cells of a CSV table, and write it as valid CSV."""
    try:
        rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    except (UnicodeDecodeError, csv.Error):
        return _flip(data, rng)
    if not rows or not rows[0]:
        return data
    column, row = rng.randrange(len(rows[0])), rng.randrange(len(rows))
    value = rng.choice((*nasty.NUMBERS, *nasty.TEXTS))
    match rng.randrange(9):
        case 0:
            rows = [each[:column] + each[column + 1 :] for each in rows]
        case 1:
            rows[0][column] = value
        case 2:
            rows[0][column] = rng.choice(rows[0])
        case 3:
            rows = [[value, *each] for each in rows]
        case 4 | 5:
            rows[row] = [value if at == column else each for at, each in enumerate(rows[row])]
        case 6:
            rows = [
                rows[0],
                *([value if at == column else each for at, each in enumerate(other)] for other in rows[1:]),
            ]
        case 7:
            rows = rows[:1]
        case _:
            other = rng.choice(rows)
            rows[row] = [
                each if at != column or at >= len(other) else other[at] for at, each in enumerate(rows[row])
            ]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode("utf-8", "replace")


def _json(data: bytes, rng: Random) -> bytes:
    """Replace, drop, rename or wrap one node of a JSON document."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return _token(data, rng)
    nodes: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        keys = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            nodes.append((node, key))
            walk(node[key])

    walk(document)
    if not nodes or rng.random() < 0.03:
        return json.dumps(rng.choice(nasty.JSON)).encode()
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        node, key = rng.choice(nodes)
        if (isinstance(node, list) and key >= len(node)) or (isinstance(node, dict) and key not in node):
            continue
        match rng.randrange(6):
            case 0 | 1 | 2:
                node[key] = rng.choice(nasty.JSON)
            case 3:
                del node[key]
            case 4:
                if isinstance(node, dict):
                    node[rng.choice(nasty.TEXTS)] = node.pop(key)
                else:
                    node.insert(key, node[key])
            case _:
                node[key] = _deep(node[key], rng.choice((1, 3, 90, 400)))
    return json.dumps(document).encode()


def _deep(value: Any, levels: int) -> Any:
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def _json_lines(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines()
    if not lines:
        return data
    at = rng.randrange(len(lines))
    lines[at] = _json(lines[at], rng)
    return b"\n".join(lines)


def _nested(data: bytes, rng: Random) -> bytes:
    mark = rng.choice((b"[", b'{"a":', b"[{}, "))
    return mark * 5000 + data


def _toml(data: bytes, rng: Random) -> bytes:
    """Give one key of a TOML file another value, or another name."""
    lines = data.split(b"\n")
    keys = [at for at, line in enumerate(lines) if b"=" in line]
    if not keys:
        return data
    at = rng.choice(keys)
    name, _, value = lines[at].partition(b"=")
    match rng.randrange(4):
        case 0 | 1:
            lines[at] = name + b"= " + rng.choice(nasty.TOML).encode()
        case 2:
            lines[at] = rng.choice((b"x ", b'"" ', b"a.b.c ", b'"\\u0000" ')) + b"=" + value
        case _:
            tables = (b"[protocol]", b"[x]", b"[[ablation]]", b"[targets]", b"[tune]", b"[" * 500)
            lines.insert(at, rng.choice(tables))
    return b"\n".join(lines)


BYTES: tuple[Mutation, ...] = (_flip, _insert, _random, _delete, _truncate, _double, _whole)
TEXT: tuple[Mutation, ...] = (*BYTES, _lines, _token, _token, _token)
KINDS: dict[str, tuple[Mutation, ...]] = {
    "csv": (*TEXT, _table, _table, _table, _table, _table, _table),
    "text": TEXT,
    "json": (*TEXT, _nested, _json, _json, _json, _json, _json, _json, _json),
    "jsonl": (*TEXT, _json_lines, _json_lines, _json_lines, _json_lines),
    "toml": (*TEXT, _nested, _toml, _toml, _toml, _toml, _toml),
    "parquet": BYTES,
    "gz": BYTES,
}
ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".toml": "toml",
    ".parquet": "parquet",
    ".gz": "gz",
    ".md": "csv",
}


def kind_of(name: str) -> str:
    """Return which mutations fit a file."""
    return next((kind for ending, kind in ENDINGS.items() if name.endswith(ending)), "text")
