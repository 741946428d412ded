"""Which folders a bundle may be written to."""

from __future__ import annotations

import os
from pathlib import Path

from assay.errors import InputError
from assay.files.scratch import contents


def refuse_existing(target: Path, *, overwrite: bool) -> None:
    """Raise where something stands at the target that must not be replaced."""
    if not os.path.lexists(target):
        return
    if not overwrite:
        raise InputError.of(str(target), "exists", "expected a new folder, or --overwrite")
    if not (target / "MANIFEST.json").is_file() and (not target.is_dir() or contents(target)):
        problem = "exists and is not a bundle"
        raise InputError.of(str(target), problem, "only a bundle is overwritten")
