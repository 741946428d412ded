"""Stage results as files under a content hash: written atomically, checked when read.

No pickle: a file contains plain arrays and a SHA-256 that covers them.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.data import bm25, splits
from assay.pipeline.protocol.array_files import Arrays, MappedArrays, map_arrays, read_arrays, write_arrays

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
ENDING = ".result"


def say(line: str) -> None:
    """Print a note."""
    print(line, file=sys.stderr)


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of results; without a folder, nothing is cached."""

    folder: Path | None
    say: Callable[[str], None] = say

    def get(self, facts: Any, make: Callable[[], Arrays]) -> Arrays:
        """Return the result for these facts: from the cache if it is intact, else computed."""
        if self.folder is None:
            return make()
        path = self._path(self.folder, facts)
        found = read_arrays(path, self.say)
        if found is not None:
            return found
        made = make()
        write_arrays(path, made)
        return made

    def shared(self, facts: Any, make: Callable[[], Arrays]) -> Arrays:
        """Return the same as read-only pages of the file, which all processes of a run share."""
        if self.folder is None:
            return make()
        path = self._path(self.folder, facts)
        found = map_arrays(path, self.say)
        if found is not None:
            return found
        path.unlink(missing_ok=True)  # it is damaged, or not there
        write_arrays(path, make(), keep=True)
        return MappedArrays(path)

    def find(self, facts: Any) -> Arrays | None:
        """Return the result for these facts if the cache has it."""
        return None if self.folder is None else read_arrays(self._path(self.folder, facts), self.say)

    def has(self, facts: Any) -> bool:
        """Return whether the cache has a file for these facts, without reading it."""
        return self.folder is not None and self._path(self.folder, facts).is_file()

    @staticmethod
    def _path(folder: Path, facts: Any) -> Path:
        return folder / (digest({"code": code(), "facts": facts}) + ENDING)


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
    own = sorted(Path(__file__).parents[1].rglob("*.py"))
    sources = [*own, Path(bm25.__file__), Path(splits.__file__)]
    joined = b"".join(path.name.encode() + path.read_bytes() for path in sources)
    return out | {"pipeline": hashlib.sha256(joined).hexdigest()}
