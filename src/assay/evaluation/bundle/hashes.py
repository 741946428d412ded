"""Hashes of files."""

from __future__ import annotations

import hashlib
from pathlib import Path

from assay.data.readers.text import regular_file


def sha256(path: Path) -> str:
    """The hash of a file's bytes; only an ordinary file has one, a pipe could wait for ever."""
    regular_file(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
