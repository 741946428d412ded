"""Text files, plain or gzip, in blocks of whole lines, with bounded memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

from assay.errors import InputError, shown

BLOCK = 8 << 20
LONGEST_LINE = 64 << 20
GZIP_MAGIC = b"\x1f\x8b"

Bytes = BufferedReader | gzip.GzipFile
T = TypeVar("T")


def open_bytes(path: Path) -> Bytes:
    """The file's bytes, unpacked when they are gzip (by content, not by name)."""
    try:
        handle = path.open("rb")
        if handle.peek(2)[:2] != GZIP_MAGIC:
            return handle
        handle.close()
        return gzip.open(path, "rb")
    except IsADirectoryError:
        raise InputError.of(path.name, "is a folder", "expected a file") from None
    except OSError as error:
        raise InputError.of(
            str(path), f"cannot be opened ({error.strerror})", "expected an existing, readable file"
        ) from None


def read_all(path: Path) -> bytes:
    """A whole file, unpacked; an unusable gzip stream is a fault of the input."""
    with open_bytes(path) as handle:
        return _read(path, handle.read)


def blocks(path: Path, size: int | None = None) -> Iterator[bytes]:
    """Blocks of whole lines; the last line may lack its line break."""
    buffer = bytearray(size or BLOCK)
    kept = 0  # bytes of an unfinished line at the front of the buffer
    with open_bytes(path) as handle:
        while True:
            if kept == len(buffer):
                if kept >= LONGEST_LINE:
                    raise InputError.of(
                        path.name,
                        f"a line is longer than {LONGEST_LINE >> 20} MB",
                        "expected text with line breaks",
                    )
                buffer.extend(bytes(kept))
            got = _read(path, partial(_fill, handle, buffer, kept))
            filled = kept + got
            cut = filled if not got else buffer.rfind(b"\n", kept, filled) + 1
            if cut:
                with memoryview(buffer) as view:
                    yield bytes(view[:cut])
                    kept = filled - cut
                    view[:kept] = view[cut:filled]
            else:
                kept = filled
            if not got:
                return


def _fill(handle: Bytes, buffer: bytearray, kept: int) -> int:
    with memoryview(buffer) as view, view[kept:] as room:
        return handle.readinto(room) or 0


def check_utf8(block: bytes, first_line: int, source: str) -> None:
    """UTF-8 or an error that names the line and the byte."""
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + block.count(b"\n", 0, error.start)
        raise InputError.of(
            source,
            f"byte {shown(block[error.start : error.start + 1])} is not UTF-8",
            "text must be UTF-8",
            f"line {line}",
        ) from None


def _read(path: Path, read: Callable[[], T]) -> T:
    """Read, with faults of the file named as such."""
    try:
        return read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        problem = f"the gzip stream is damaged ({error})"
        raise InputError.of(path.name, problem, "expected a complete gzip file") from None
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise InputError.of(path.name, problem, "expected a readable file") from None
