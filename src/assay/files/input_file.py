"""An input file: a path names one file, and its hash is of the bytes that were parsed.

The hash is computed in a separate thread, so that parsing does not wait for it.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import BoundedSemaphore, Event, Thread
from typing import BinaryIO, NamedTuple

from assay.errors import InputError
from assay.files.os_errors import failed

STDIN = "-"
"""The path of standard input."""
LARGEST_PIPE = 512 << 20
CHUNK = 4 << 20
HASHED = 1 << 20
AHEAD = 2
"""Blocks that may wait to be hashed: more would only hold memory."""
Saw = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Record:
    """What a bundle says of an input: its name, and the size and hash of its bytes."""

    name: str
    bytes: int
    sha256: str


class Marks(NamedTuple):
    """What changes when a file is written to or replaced."""

    device: int
    number: int
    size: int
    written: int
    changed: int


class InputFile:
    """A file that is read once or more, and must have the same bytes every time.

    The first pass that hashes the whole file sets the record; each later one is compared with it.
    Until a hash is needed (`hashed`), a pass goes by what the system records when a file is
    written to or replaced: that costs nothing. What comes through a pipe can be read once only, so
    its bytes are kept. The path `-` is standard input.
    """

    def __init__(self, path: str | Path, *, hashed: bool = True) -> None:
        self.path = Path(path)
        self.name = "stdin" if str(path) == STDIN else self.path.name
        self.hashed = hashed
        self._record: Record | None = None
        self._marks: Marks | None = None  # of passes without a hash
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
            if self._held is not None:
                return self._held
            self._same(_marks(raw))
            try:
                data = raw.read()
            except OSError as error:
                raise failed("read", self.path, error) from None
            self._same(_marks(raw))
        self._passed(len(data), hashlib.sha256(data).hexdigest())
        return data

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Give the file, open for reading from its start."""
        if self._held is not None:
            yield io.BytesIO(self._held)
            return
        with self._open() as raw:
            if stat.S_ISREG(os.fstat(raw.fileno()).st_mode) and str(self.path) != STDIN:
                yield raw
                return
            self._hold(raw)
        assert self._held is not None, "it has just been read"
        yield io.BytesIO(self._held)

    @contextmanager
    def watched(self, raw: BinaryIO) -> Iterator[Saw]:
        """Watch a pass over the opened file; give a function to call with each block of it."""
        if self._held is not None:
            yield _ignored
            return
        marks = _marks(raw)
        self._same(marks)
        if not self.hashed:
            yield _ignored
            self._marks = marks
            self._same(_marks(raw))
            return
        with Digest() as digest:
            yield digest.update
            seen = digest.finish()
        self._same(_marks(raw))
        self._passed(*seen)

    @contextmanager
    def mapped(self) -> Iterator[BinaryIO]:
        """Give the file to a reader that takes its parts in any order.

        Where it is hashed, that happens beside: the bytes of the hash are those of the reader as
        long as nobody writes to the file, which the system would note.
        """
        with self.opened() as raw:
            if self._held is not None:
                yield raw
                return
            marks = _marks(raw)
            self._same(marks)
            with Digest() as digest:
                if self.hashed:
                    digest.follow(raw.fileno(), marks.size)
                yield raw
                size, sha256 = digest.finish()
            if _marks(raw) != marks or (self.hashed and size != marks.size):
                raise self._changed()
        if self.hashed:
            self._passed(size, sha256)
        else:
            self._marks = marks

    def _passed(self, size: int, sha256: str) -> None:
        """Note what a whole pass over the file saw; raise where an earlier one saw other bytes."""
        seen = Record(self.name, size, sha256)
        if self._record is None:
            self._record = seen
        elif self._record != seen:
            raise self._changed()

    def _same(self, marks: Marks) -> None:
        """Raise where a pass without a hash saw another state of the file."""
        if self._marks not in (None, marks):
            raise self._changed()

    def _open(self) -> BinaryIO:
        if str(self.path) == STDIN:
            return self._open_stdin()
        try:
            mode = os.stat(self.path).st_mode
            if stat.S_ISDIR(mode):
                raise InputError.of(self.name, "is a folder", "expected a file")
            if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
                raise InputError.of(str(self.path), "is a device", "expected a file or a pipe")
            return self.path.open("rb", buffering=0)
        except OSError as error:
            raise failed("opened", self.path, error) from None

    def _open_stdin(self) -> BinaryIO:
        """Give standard input, which is read once: a file behind it is not read from its start again."""
        try:
            raw = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115 # the caller closes it
            if raw.isatty():
                problem = "is a terminal"
                raise InputError.of("standard input", problem, "pipe a file to it, or name a file")
        except OSError as error:
            raise failed("read", self.path, error) from None
        return raw

    def _hold(self, raw: BinaryIO) -> None:
        parts, size = [], 0
        while part := raw.read(CHUNK):
            parts.append(part)
            size += len(part)
            if size > LARGEST_PIPE:
                problem = f"a pipe with more than {LARGEST_PIPE >> 20} MB"
                raise InputError.of(str(self.path), problem, "write it to a file first")
        self._held = b"".join(parts)
        self._passed(size, hashlib.sha256(self._held).hexdigest())

    def _changed(self) -> InputError:
        problem = "changed while it was being read"
        return InputError.of(str(self.path), problem, "run the command again on a file that stays")


def _marks(raw: BinaryIO) -> Marks:
    found = os.fstat(raw.fileno())
    return Marks(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _ignored(_: bytes) -> None:
    """No hash was asked for, or it is known."""


class Digest:
    """The hash of blocks in their order. One small block is hashed without a thread."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._size = 0
        self._first: bytes | None = None
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._room = BoundedSemaphore(AHEAD)
        self._stop = Event()
        self._thread: Thread | None = None

    def __enter__(self) -> Digest:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._join()

    def update(self, block: bytes) -> None:
        """Add a block, which nobody may change."""
        if self._thread is None:
            if self._first is None:
                self._first = block
                return
            self._begin(Thread(target=self._work, daemon=True))
            first, self._first = self._first, None
            self._hand(first)
        self._hand(block)

    def follow(self, handle: int, size: int) -> None:
        """Hash a file from its start, without moving its position."""
        self._begin(Thread(target=self._read, args=(handle, size), daemon=True))

    def finish(self) -> tuple[int, str]:
        """Return the number of bytes, and their hash."""
        self._join()
        if self._first is not None:
            self._add(self._first)
        return self._size, self._hash.hexdigest()

    def _begin(self, thread: Thread) -> None:
        self._thread = thread
        thread.start()

    def _hand(self, block: bytes) -> None:
        self._room.acquire()
        self._queue.put(block)

    def _join(self) -> None:
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while (block := self._queue.get()) is not None:
            self._add(block)
            self._room.release()

    def _read(self, handle: int, size: int) -> None:
        with suppress(OSError):  # the caller notices that bytes are missing
            while self._size < size and not self._stop.is_set():
                block = os.pread(handle, HASHED, self._size)
                if not block:
                    return  # the file has become shorter
                self._add(block)

    def _add(self, block: bytes) -> None:
        self._hash.update(block)
        self._size += len(block)
