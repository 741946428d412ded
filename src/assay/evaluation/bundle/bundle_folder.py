"""Where a bundle may be written."""

from __future__ import annotations

import os
from pathlib import Path

from assay.errors import InputError
from assay.evaluation.bundle.bundle_files import MANIFEST
from assay.files.scratch import contents


def refuse_existing(target: Path, *, overwrite: bool) -> None:
    """Raise where the target exists and must not be replaced."""
    if not os.path.lexists(target):
        return
    if not overwrite:
        raise InputError.of(str(target), "exists", "choose a new folder, or `overwrite=True`")
    if not (target / MANIFEST).is_file() and (not target.is_dir() or contents(target)):
        problem = "exists and is not a bundle"
        raise InputError.of(str(target), problem, "only a bundle is overwritten")
