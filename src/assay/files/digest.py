"""SHA-256 of a stream in a separate thread, so that parsing does not wait for it."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from queue import SimpleQueue
from threading import BoundedSemaphore, Event, Thread

CHUNK = 1 << 20
AHEAD = 2
"""Blocks that may wait to be hashed: more would only hold memory."""


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
                block = os.pread(handle, CHUNK, self._size)
                if not block:
                    return  # the file has become shorter
                self._add(block)

    def _add(self, block: bytes) -> None:
        self._hash.update(block)
        self._size += len(block)
