"""One document and its columns as text that a page can carry: deflated, then base64.

Layout before deflation: the length of the JSON (4 bytes, little endian), the JSON, and the columns,
each at a multiple of 8 bytes. The JSON lists under `columns` what stands where, counted from the
first multiple of 8 after the JSON.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u2": "<u2", "u1": "u1"}
EDGE = 8
LEVEL = 6
"""Of deflate: for 100,000 queries 0.3 CPU seconds, where level 9 takes 1.8 for 1% fewer bytes."""


def packed(document: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]) -> str:
    """Return the text; the same document and columns give the same text."""
    listed: dict[str, dict[str, Any]] = {}
    body = bytearray()
    for name, column in columns.items():
        kind = smallest(column)
        listed[name] = {"type": kind, "at": len(body), "length": len(column)}
        body += column.astype(TYPES[kind]).tobytes()
        body += bytes(-len(body) % EDGE)
    compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = compact.encode({**document, "columns": listed}).encode("utf-8", "backslashreplace")
    head = len(text).to_bytes(4, "little") + text
    head += bytes(-len(head) % EDGE)
    return base64.b64encode(zlib.compress(head + body, LEVEL)).decode("ascii")


def smallest(column: NDArray[Any]) -> str:
    """Return the smallest type that holds a column without loss."""
    if column.dtype == np.float32:
        return "f4"
    if column.dtype.kind == "f":
        return "f8"
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
    return "i4" if low < 0 or high > 65535 else "u2" if high > 255 else "u1"


def unpacked(text: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the document and columns of a packed text, as the page reads them."""
    data = zlib.decompress(base64.b64decode(text))
    size = int.from_bytes(data[:4], "little")
    document = json.loads(data[4 : 4 + size])
    start = -(-(4 + size) // EDGE) * EDGE
    columns = {
        name: np.frombuffer(data, TYPES[each["type"]], each["length"], start + each["at"])
        for name, each in document["columns"].items()
    }
    return document, columns
