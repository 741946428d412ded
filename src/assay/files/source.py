"""An input file: a path names one file, and its hash is of the bytes that were parsed."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from assay.errors import InputError
from assay.files.digest import Digest
from assay.files.faults import failed

LARGEST_PIPE = 512 << 20
CHUNK = 4 << 20


@dataclass(frozen=True, slots=True)
class Record:
    """What a bundle says of an input: its name, and the size and hash of its bytes."""

    name: str
    bytes: int
    sha256: str


class InputFile:
    """A file that is read once or more, and must have the same bytes every time.

    The first pass to reach the end of the file sets the record; each later one is compared with it.
    What comes through a pipe can be read once only, so its bytes are kept.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = self.path.name
        self._record: Record | None = None
        self._held: bytes | None = None

    def record(self) -> Record:
        """Return the size and hash of the bytes that were read; read them if nobody has."""
        if self._record is None:
            self.read()
        assert self._record is not None, "reading sets it"
        return self._record

    def read(self) -> bytes:
        """Return all bytes of the file, as they are."""
        with self.opened() as raw:
            try:
                data = raw.read()
            except OSError as error:
                raise failed("read", self.path, error) from None
        if self._held is None:
            self.passed(len(data), hashlib.sha256(data).hexdigest())
        return data

    @property
    def is_held(self) -> bool:
        """Whether the bytes came through a pipe and are kept: their hash is known."""
        return self._held is not None

    def passed(self, size: int, sha256: str) -> None:
        """Note what a whole pass over the file saw; raise where an earlier one saw other bytes."""
        seen = Record(self.name, size, sha256)
        if self._record is None:
            self._record = seen
        elif self._record != seen:
            raise self._changed()

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Give the file, open for reading from its start."""
        if self._held is not None:
            yield io.BytesIO(self._held)
            return
        with self._open() as raw:
            if stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
                yield raw
                return
            self._hold(raw)
        assert self._held is not None, "it has just been read"
        yield io.BytesIO(self._held)

    @contextmanager
    def mapped(self) -> Iterator[BinaryIO]:
        """Give the file to a reader that takes its parts in any order, while it is hashed beside.

        The bytes of the hash are those of the reader as long as nobody writes to the file, which
        the system would note.
        """
        with self.opened() as raw:
            if self._held is not None:
                yield raw
                return
            before = _marks(raw)
            with Digest() as digest:
                digest.follow(raw.fileno(), before[0])
                yield raw
                size, sha256 = digest.finish()
            if _marks(raw) != before or size != before[0]:
                raise self._changed()
        self.passed(size, sha256)

    def _open(self) -> BinaryIO:
        try:
            mode = os.stat(self.path).st_mode
            if stat.S_ISDIR(mode):
                raise InputError.of(self.name, "is a folder", "expected a file")
            if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
                raise InputError.of(str(self.path), "is a device", "expected a file or a pipe")
            return self.path.open("rb", buffering=0)
        except OSError as error:
            raise failed("opened", self.path, error) from None

    def _hold(self, raw: BinaryIO) -> None:
        parts, size = [], 0
        while part := raw.read(CHUNK):
            parts.append(part)
            size += len(part)
            if size > LARGEST_PIPE:
                problem = f"a pipe with more than {LARGEST_PIPE >> 20} MB"
                raise InputError.of(str(self.path), problem, "write it to a file first")
        self._held = b"".join(parts)
        self.passed(size, hashlib.sha256(self._held).hexdigest())

    def _changed(self) -> InputError:
        problem = "changed while it was being read"
        return InputError.of(str(self.path), problem, "run the command again on a file that stays")


def _marks(raw: BinaryIO) -> tuple[int, ...]:
    """What changes when somebody writes to an open file; the size first."""
    found = os.fstat(raw.fileno())
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns
