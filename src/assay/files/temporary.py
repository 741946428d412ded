"""Folders for temporary files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.files.scratch import remove_scratch


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a new folder for temporary files, which is removed at the end, as far as that is possible.

    An error while it is removed says nothing about the result, so it is not raised.
    """
    folder = Path(tempfile.mkdtemp(prefix="assay-"))
    try:
        yield folder
    finally:
        remove_scratch(folder, None)
