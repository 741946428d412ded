"""Whether a bundle has its figures, tables and page, whole and of this very bundle."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from assay.errors import InputError
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.read import MANIFEST, REPORT, changed_files, listed_files, read_json

FORMATS = {"figures": {".svg", ".pdf", ".png"}, "tables": {".csv", ".md", ".tex"}}
PAGE = "report.html"


def report_faults(folder: Path) -> list[str]:
    """What is wrong with a report; empty where all of it is there."""
    if not (folder / REPORT).is_file():
        return [f"no report was made; assay report {folder.name} makes it"]
    try:
        names = listed_files(folder, REPORT)
    except InputError as error:
        return [str(fault) for fault in error.faults]
    faults = [str(fault) for fault in changed_files(folder, names)]
    if read_json(folder / REPORT).get("bundle") != sha256(folder / MANIFEST):
        faults.append("the report was made from other data than the bundle has now")
    if PAGE not in names:
        faults.append(f"{PAGE} is not among its files")
    for part, formats in FORMATS.items():
        found = stems(names, part)
        faults += [f"there are no {part}"] if not found else []
        faults += [
            f"{part}/{stem} lacks {', '.join(sorted(formats - have))}"
            for stem, have in found.items()
            if formats - have
        ]
    return faults


def report_summary(folder: Path) -> str:
    """How many figures and tables there are, and which figures the data do not allow."""
    names = listed_files(folder, REPORT)
    figures, tables = (len(stems(names, part)) for part in FORMATS)
    absent = read_json(folder / REPORT).get("absent_figures") or {}
    text = f"{figures} figures, {tables} tables and the page"
    return f"{text}; not possible with these data: {', '.join(sorted(absent))}" if absent else text


def stems(names: dict[str, str], part: str) -> dict[str, set[str]]:
    """Endings that each figure or table of a part comes in."""
    found: dict[str, set[str]] = {}
    for name in names:
        path = PurePosixPath(name)
        if path.parent.name == part:
            found.setdefault(path.stem, set()).add(path.suffix)
    return found
