"""Text files, plain or gzip, in blocks of whole lines, with bounded memory."""

from __future__ import annotations

import gzip
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import BinaryIO, TypeVar

from assay.data.readers.limits import LINE_BYTES, MB, TABLE_BYTES, too_large
from assay.errors import InputError, shown
from assay.files.input_file import InputFile, Saw
from assay.files.os_errors import failed

BLOCK = 8 << 20
SPARSE = bytes(16)
GZIP_MAGIC = b"\x1f\x8b"
HEAD = 1 << 14
PROGRAMS = {
    b"PK\x03\x04": "an Excel workbook or another zip archive",
    b"\xd0\xcf\x11\xe0": "an Excel workbook (.xls)",
    b"$FL2": "an SPSS file",
    b"$FL3": "an SPSS file",
    b"<stata_dta>": "a Stata file",
    b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60": "a SAS file",
}
"""First bytes of files that programs for tables write."""

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


def head_of(file: InputFile) -> bytes:
    """Return the first bytes of a file, unpacked, to recognise its format by; a pass reads them again."""
    with file.opened() as raw:
        head = _read(file, partial(raw.read, HEAD))
    if head[:2] == GZIP_MAGIC:
        with suppress(zlib.error):  # reading the file raises the error
            return zlib.decompressobj(31).decompress(head, HEAD)
    return head


def read_all(
    file: InputFile,
    limit: int = TABLE_BYTES,
    what: str = "a CSV table",
    expected: str = "expected a smaller file, or Parquet",
) -> bytes:
    """Return a whole file of text, unpacked.

    A damaged gzip stream, a run of NUL bytes and more than `limit` bytes are faults of the input.
    """
    refuse_large(file.path, limit, what, expected)
    data = unpacked(file.read(), file.name, limit, what, expected)
    check_text(data, file.name)
    return data


def refuse_large(path: Path, limit: int, what: str, expected: str) -> None:
    """Refuse a file by its size, before a byte of it is read: a sparse one would fill memory."""
    with suppress(OSError, ValueError):  # reading it raises the error
        if path.stat().st_size > limit:
            raise too_large(path.name, limit, what, expected)


def unpacked(data: bytes, name: str, limit: int, what: str, expected: str) -> bytes:
    """Return bytes as they are, or unpacked where they are gzip; never more than the limit."""
    if data[:2] == GZIP_MAGIC:
        data = _named(name, partial(_unpack, data, limit))
    if len(data) > limit:
        raise too_large(name, limit, what, expected)
    return data


def _unpack(data: bytes, limit: int) -> bytes:
    """Return what gzip holds, or a little more than the limit of it.

    Block by block: a read of the limit at once would allocate all of it first.
    """
    parts, size = [], 0
    with gzip.GzipFile(fileobj=BytesIO(data)) as stream:
        while size <= limit and (part := stream.read(BLOCK)):
            parts.append(part)
            size += len(part)
    return b"".join(parts)


def regular_file(path: Path) -> Path:
    """Return the path of an ordinary file; a pipe or device could make a reader wait for ever."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise failed("read", path, error) from None
    if stat.S_ISDIR(mode):
        raise InputError.of(path.name, "is a folder", "expected a file")
    if not stat.S_ISREG(mode):
        raise InputError.of(path.name, "is not an ordinary file", "expected a file")
    return path


def check_text(block: bytes, source: str) -> None:
    """Refuse a run of NUL bytes: the file is sparse or binary. A single one may be in a text.

    One byte is found faster than several: a block without any takes a tenth of the time.
    """
    for magic, what in PROGRAMS.items():
        if block.startswith(magic):
            raise InputError.of(source, f"is {what}", "export the table as CSV (in Excel: CSV UTF-8)")
    first = block.find(b"\0")
    if first >= 0 and block.find(SPARSE, first) >= 0:
        problem = "has a run of NUL bytes: it is sparse, or not a text file"
        raise InputError.of(source, problem, "expected UTF-8 text")


def blocks(file: InputFile, size: int | None = None) -> Iterator[bytes]:
    """Blocks of whole lines; the last line may lack its line break."""
    size = size or BLOCK
    held = b""  # an unfinished line
    with _unpacked(file) as (handle, saw):
        while part := _read(file, partial(handle.read, max(size - len(held), len(held)))):
            check_text(part, file.name)
            cut = part.rfind(b"\n") + 1
            if cut:
                with memoryview(part) as view:
                    block = b"".join((held, view[:cut]))
                held = part[cut:]
                del part
                saw(block)
                yield block
            else:
                held += part
                if len(held) >= LINE_BYTES:
                    raise InputError.of(
                        file.name,
                        f"a line is longer than {LINE_BYTES // MB} MB",
                        "expected text with line breaks",
                    )
        if held:
            saw(held)
            yield held


def check_utf8(block: bytes, first_line: int, source: str) -> None:
    """UTF-8 or an error that names the line and the byte."""
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + block.count(b"\n", 0, error.start)
        wide = block.startswith((b"\xff\xfe", b"\xfe\xff"))
        raise InputError.of(
            source,
            f"byte {shown(block[error.start : error.start + 1])} is not UTF-8",
            "save the file as UTF-8 (Excel: CSV UTF-8), or convert it, for example with "
            f"iconv -f {'UTF-16' if wide else 'WINDOWS-1252'} -t UTF-8",
            f"line {line}",
        ) from None


def _read(file: InputFile, read: Callable[[], T]) -> T:
    """Read, with faults of the file named as such."""
    try:
        return _named(file.name, read)
    except OSError as error:
        raise failed("read", file.path, error) from None


def _named(name: str, read: Callable[[], T]) -> T:
    """Read gzip, with a damaged stream named as such."""
    try:
        return read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        problem = f"the gzip stream is damaged ({error})"
        raise InputError.of(name, problem, "expected a complete gzip file") from None
