"""Text files, plain or gzip, in blocks of whole lines, with bounded memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from assay.errors import InputError, shown

BLOCK = 16 << 20
LONGEST_LINE = 64 << 20
GZIP_MAGIC = b"\x1f\x8b"

Bytes = IO[bytes] | gzip.GzipFile


def open_bytes(path: Path) -> Bytes:
    """The file's bytes, unpacked when they are gzip (by content, not by name)."""
    try:
        handle = path.open("rb")
        if handle.peek(2)[:2] != GZIP_MAGIC:
            return handle
        handle.close()
        return gzip.open(path, "rb")
    except IsADirectoryError:
        raise InputError.of(path.name, "is a folder", "a file was expected") from None
    except OSError as error:
        raise InputError.of(
            str(path), f"cannot be opened ({error.strerror})", "an existing, readable file"
        ) from None


def read_all(path: Path) -> bytes:
    """A whole file, unpacked; an unusable gzip stream is a fault of the input."""
    with open_bytes(path) as handle:
        return _read(handle, -1, path)


def blocks(path: Path, size: int = BLOCK) -> Iterator[bytes]:
    """Blocks of whole lines; the last line may lack its line break."""
    rest = b""
    with open_bytes(path) as handle:
        while more := _read(handle, size, path):
            cut = more.rfind(b"\n") + 1
            if cut:
                yield rest + more[:cut] if rest else more[:cut]
                rest = more[cut:]
            else:
                rest += more
            if len(rest) > LONGEST_LINE:
                raise InputError.of(
                    path.name,
                    f"a line is longer than {LONGEST_LINE >> 20} MB",
                    "text with line breaks was expected",
                )
    if rest:
        yield rest


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


def _read(handle: Bytes, size: int, path: Path) -> bytes:
    try:
        return handle.read(size)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError.of(
            path.name, f"the gzip stream is damaged ({error})", "a complete gzip file"
        ) from None
    except OSError as error:
        raise InputError.of(
            path.name, f"cannot be read ({error.strerror})", "a readable file"
        ) from None
