"""Where a bundle may be written."""

from __future__ import annotations

import os
from pathlib import Path

from assay.errors import InputError
from assay.evaluation.bundle.bundle_files import MANIFEST, REPORT, listed_files
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


def refuse_listed(output: Path) -> None:
    """Raise where an output would replace a file that the manifest of a bundle or of its report lists."""
    place = Path(os.path.realpath(output))
    for folder in list(place.parents)[:2]:
        for manifest in (MANIFEST, REPORT):
            if not os.path.isfile(place) or not os.path.isfile(folder / manifest):
                continue
            if place.relative_to(folder).as_posix() in {manifest, *listed_files(folder, manifest)}:
                raise InputError.of(str(output), f"is a file of the bundle {folder}", "expected another file")
