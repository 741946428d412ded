"""Text files, plain or gzip, in blocks of whole lines, with bounded memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from typing import BinaryIO, TypeVar

from assay.errors import InputError, shown
from assay.files.faults import failed
from assay.files.source import InputFile, Saw

BLOCK = 8 << 20
LONGEST_LINE = 64 << 20
GZIP_MAGIC = b"\x1f\x8b"

Bytes = BinaryIO | gzip.GzipFile
T = TypeVar("T")


class _Tee(RawIOBase):
    """A file whose bytes are hashed as they are read."""

    def __init__(self, raw: BinaryIO, saw: Saw) -> None:
        self._raw, self._saw = raw, saw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override] # any buffer
        block = self._raw.read(len(buffer))
        if block:
            buffer[: len(block)] = block
            self._saw(block)
        return len(block)


@contextmanager
def _unpacked(file: InputFile) -> Iterator[tuple[Bytes, Saw]]:
    """The file's bytes, unpacked when they are gzip (by content, not by name).

    Packed bytes are hashed here. Plain ones are hashed by the caller, who hands on each block.
    """
    with file.opened() as raw, file.watched(raw) as saw:
        packed = _read(file, partial(raw.read, 2)) == GZIP_MAGIC
        raw.seek(0)
        if packed:
            tee = BufferedReader(_Tee(raw, saw))
            yield gzip.GzipFile(fileobj=tee), lambda _: None
            _read(file, tee.read)
        else:
            yield raw, saw


def read_all(file: InputFile) -> bytes:
    """A whole file, unpacked; an unusable gzip stream is a fault of the input."""
    data = file.read()
    if data[:2] != GZIP_MAGIC:
        return data
    return _read(file, gzip.GzipFile(fileobj=BytesIO(data)).read)


def blocks(file: InputFile, size: int | None = None) -> Iterator[bytes]:
    """Blocks of whole lines; the last line may lack its line break."""
    buffer = bytearray(size or BLOCK)
    kept = 0  # bytes of an unfinished line at the front of the buffer
    with _unpacked(file) as (handle, saw):
        while True:
            if kept == len(buffer):
                if kept >= LONGEST_LINE:
                    raise InputError.of(
                        file.name,
                        f"a line is longer than {LONGEST_LINE >> 20} MB",
                        "expected text with line breaks",
                    )
                buffer.extend(bytes(kept))
            got = _read(file, partial(_fill, handle, buffer, kept))
            filled = kept + got
            cut = filled if not got else buffer.rfind(b"\n", kept, filled) + 1
            if cut:
                with memoryview(buffer) as view:
                    block = bytes(view[:cut])
                    saw(block)
                    yield block
                    kept = filled - cut
                    view[:kept] = view[cut:filled]
            else:
                kept = filled
            if not got:
                return


def _fill(handle: Bytes, buffer: bytearray, kept: int) -> int:
    with memoryview(buffer) as view, view[kept:] as room:
        return handle.readinto(room) or 0  # type: ignore[union-attr] # every one of them can


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


def _read(file: InputFile, read: Callable[[], T]) -> T:
    """Read, with faults of the file named as such."""
    try:
        return read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        problem = f"the gzip stream is damaged ({error})"
        raise InputError.of(file.name, problem, "expected a complete gzip file") from None
    except OSError as error:
        raise failed("read", file.path, error) from None
