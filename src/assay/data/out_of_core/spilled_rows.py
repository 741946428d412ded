"""Rows that do not fit into memory: tables in buckets, in temporary files that nobody else sees."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Self

import polars as pl

from assay.errors import FileError
from assay.files.scratch import scratch_folder

LENGTH = 8
"""Bytes of the number before each part."""


class Spill:
    """Parts of tables, each in the file of a bucket and in the order in which they came.

    The files are in scratch space of the temporary folder (TMPDIR), which is removed when the spill
    is closed, when nobody refers to it, and when the interpreter ends. What a killed process leaves
    is cleared away by the next one.
    """

    def __init__(self) -> None:
        parent = Path(tempfile.gettempdir())
        stack = ExitStack()
        with _named(parent):
            self._folder = stack.enter_context(scratch_folder(parent))
        self._parent = parent
        self.close = weakref.finalize(self, stack.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, bucket: int, frame: pl.DataFrame) -> None:
        """Append rows to a bucket."""
        body = BytesIO()
        frame.rechunk().write_ipc_stream(body, compression="lz4")
        with _named(self._parent), self._path(bucket).open("ab") as file:
            file.write(len(body.getbuffer()).to_bytes(LENGTH, "little"))
            file.write(body.getbuffer())

    def parts(self, bucket: int) -> Iterator[pl.DataFrame]:
        """Give the rows of a bucket as they were added, and remove its file at the end."""
        path = self._path(bucket)
        if not path.exists():
            return
        with _named(self._parent):
            with path.open("rb") as file:
                while length := int.from_bytes(file.read(LENGTH), "little"):
                    yield pl.read_ipc_stream(BytesIO(file.read(length)))
            path.unlink()

    def _path(self, bucket: int) -> Path:
        return self._folder / str(bucket)


@contextmanager
def _named(parent: Path) -> Iterator[None]:
    """Errors of the system name the temporary folder."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problem = f"temporary files cannot be written there ({reason})"
        expected = "free some space, or set TMPDIR to another folder"
        raise FileError.of(str(parent), problem, expected) from None
