"""Arrays in one file with a checksum, to be read or mapped into memory.

SHA-256 of all that follows as 64 hexadecimal digits and a newline; a line of JSON with the type, shape
and place of each array; the arrays as they are in memory, each at a multiple of 64 bytes.
"""

from __future__ import annotations

import errno
import hashlib
import json
import mmap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from assay.files.os_errors import failed
from assay.files.scratch import write_file

Arrays = Mapping[str, NDArray[Any]]
HEAD = 65  # hexadecimal SHA-256 and a newline
ALIGNED = 64
CHUNK = 1 << 20  # bytes read at once


class MappedArrays(dict[str, NDArray[Any]]):
    """Arrays that the processes of a run share: pages of a file, which cannot be written.

    It is pickled as the path of its file.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        super().__init__(_arrays(pages))
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return MappedArrays, (self._path,)


def read_arrays(path: Path, say: Callable[[str], None]) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of a file; None if it is missing or damaged, the latter with a note."""
    try:
        data = _unless_stale(path.read_bytes)
    except FileNotFoundError:
        return None
    if data[:HEAD] != _head(hashlib.sha256(memoryview(data)[HEAD:])):
        _say_damaged(path, say)
        return None
    return {name: values.copy() for name, values in _arrays(data).items()}


def map_arrays(path: Path, say: Callable[[str], None]) -> MappedArrays | None:
    """Return the arrays of a file without reading them; None if it is missing or damaged."""
    try:
        with _unless_stale(lambda: path.open("rb")) as file:
            head = file.read(HEAD)
            whole = head == _head(_digest_of(file))
        if whole:
            return MappedArrays(path)
    except FileNotFoundError:
        return None
    _say_damaged(path, say)
    return None


def write_arrays(path: Path, arrays: Arrays, *, keep: bool = False) -> None:
    """Write a file under a temporary name, then rename it; `keep`: unless another process wrote it."""
    flat = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    parts = [*_parts(flat)]
    made = hashlib.sha256()
    for part in parts:
        made.update(part)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, (_head(made), *parts), keep=keep)
    except OSError as error:
        raise failed("written", path, error) from None


def _parts(arrays: Arrays) -> Iterator[bytes | memoryview]:
    """Yield what follows the checksum."""
    place, listed = 0, {}
    for name, values in arrays.items():
        if values.dtype.kind not in "biufU":
            raise TypeError(f"array {name!r} has type {values.dtype}")
        listed[name] = [values.dtype.str, list(values.shape), place]
        place += values.nbytes + -values.nbytes % ALIGNED
    index = json.dumps(listed, separators=(",", ":")).encode()
    yield index + b" " * (-(HEAD + len(index) + 1) % ALIGNED) + b"\n"
    for values in arrays.values():
        yield values.reshape(-1).view(np.uint8).data
        yield bytes(-values.nbytes % ALIGNED)


def _arrays(data: bytes | mmap.mmap) -> dict[str, NDArray[Any]]:
    """Return the arrays in the bytes of a file, without copying them."""
    end = data.find(b"\n", HEAD)
    out: dict[str, NDArray[Any]] = {}
    for name, (kind, shape, place) in json.loads(data[HEAD:end]).items():
        count = int(np.prod(shape, dtype=np.int64))
        flat = np.frombuffer(data, np.dtype(kind), count, end + 1 + place) if count else np.empty(0, kind)
        out[name] = flat.reshape(shape)
    return out


def _head(digest: Any) -> bytes:
    return f"{digest.hexdigest()}\n".encode()


def _digest_of(file: BinaryIO) -> Any:
    made = hashlib.sha256()
    while data := file.read(CHUNK):
        made.update(data)
    return made


def _unless_stale(opened: Callable[[], Any]) -> Any:
    """Open a file, which another job may replace meanwhile, with the same bytes."""
    try:
        return opened()
    except OSError as error:
        if error.errno != errno.ESTALE:  # what NFS says about a file that was replaced
            raise
    return opened()


def _say_damaged(path: Path, say: Callable[[str], None]) -> None:
    say(f"assay: cache entry {path.name[:12]}… is damaged; recomputing it")
