"""Stage results as files under a content hash: written atomically, checked when read.

No pickle: a file is a SHA-256 followed by arrays in NumPy's own format, which it covers.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.data import splits
from assay.files.os_errors import failed
from assay.files.scratch import write_file

Arrays = Mapping[str, NDArray[Any]]
LIBRARIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "polars",
    "torch",
    "torch-geometric",
    "sentence-transformers",
    "optuna",
)
HEAD = 65  # hexadecimal SHA-256 and a newline
ENDING = ".result"


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of results; without a folder, nothing is cached."""

    folder: Path | None
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr)

    def get(self, facts: Any, make: Callable[[], Arrays]) -> Arrays:
        """Return the result for these facts: from the cache if it is intact, else computed."""
        if self.folder is None:
            return make()
        path = self.folder / (digest({"code": code(), "facts": facts}) + ENDING)
        found = read_arrays(path, self.say)
        if found is not None:
            return found
        made = make()
        write_arrays(path, made)
        return made


def read_arrays(path: Path, say: Callable[[str], None]) -> Arrays | None:
    """Return the arrays of a file; None if it is missing or damaged, the latter with a note."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    head, body = data[:HEAD], data[HEAD:]
    if head != _head(body):
        say(f"assay: cache entry {path.name[:12]}… is damaged; recomputing it")
        return None
    with np.load(io.BytesIO(body), allow_pickle=False) as arrays:
        return dict(arrays)


def digest(facts: Any) -> str:
    """Return the SHA-256 of plain values."""
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def digest_array(values: NDArray[Any]) -> str:
    """Return the SHA-256 of an array and its shape."""
    head = f"{values.dtype.str}{values.shape}".encode()
    return hashlib.sha256(head + np.ascontiguousarray(values).tobytes()).hexdigest()


@cache
def code() -> dict[str, str]:
    """Return versions of the libraries and a hash of the pipeline's own sources."""
    out = {"python": ".".join(map(str, sys.version_info[:2]))}
    for name in LIBRARIES:
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            out[name] = "absent"
    sources = [*sorted(Path(__file__).parents[1].rglob("*.py")), Path(splits.__file__)]
    joined = b"".join(path.name.encode() + path.read_bytes() for path in sources)
    return out | {"pipeline": hashlib.sha256(joined).hexdigest()}


def _head(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode() + b"\n"


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write a file under a temporary name, then rename it."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    body = buffer.getvalue()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, (_head(body), body))
    except OSError as error:
        raise failed("written", path, error) from None
