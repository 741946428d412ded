"""Check that a bundle's figures, tables and page are complete and were made from this bundle."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from assay.errors import InputError
from assay.evaluation.bundle.bundle_files import (
    MANIFEST,
    REPORT,
    changed_files,
    listed_files,
    read_json,
    sha256,
)
from assay.evaluation.presentation import counted

FORMATS = {"figures": {".svg", ".pdf", ".png"}, "tables": {".csv", ".md", ".tex"}}
PAGE = "report.html"


def report_faults(folder: Path) -> list[str]:
    """Return what is wrong with a report; empty if it is complete."""
    if not (folder / REPORT).is_file():
        return [f"there is no report; run assay report {folder.name}"]
    try:
        names = listed_files(folder, REPORT)
    except InputError as error:
        return [str(fault) for fault in error.faults]
    faults = [str(fault) for fault in changed_files(folder, names)]
    if read_json(folder / REPORT).get("bundle") != sha256(folder / MANIFEST):
        faults.append("the report was made from other data than the bundle now has")
    if PAGE not in names:
        faults.append(f"{PAGE} is not among its files")
    document = read_json(folder / REPORT)
    for part, formats in FORMATS.items():
        found = stems(names, part)
        without = part == "figures" and document.get("no_figures")
        faults += [f"there are no {part}"] if not found and not without else []
        faults += [
            f"{part}/{stem} lacks {', '.join(sorted(formats - have))}"
            for stem, have in found.items()
            if formats - have
        ]
    return faults


def report_summary(folder: Path) -> str:
    """Return how many figures and tables there are, and which figures the data do not support."""
    names, document = listed_files(folder, REPORT), read_json(folder / REPORT)
    figures, tables = (len(stems(names, part)) for part in FORMATS)
    if document.get("no_figures"):
        return f"no figures ({document['no_figures']}), {counted(tables, 'table')} and the page"
    absent = document.get("absent_figures") or {}
    text = f"{counted(figures, 'figure')}, {counted(tables, 'table')} and the page"
    return f"{text}; not supported by the data: {', '.join(sorted(absent))}" if absent else text


def stems(names: dict[str, str], part: str) -> dict[str, set[str]]:
    """Return the file extensions of each figure or table of a part."""
    found: dict[str, set[str]] = {}
    for name in names:
        path = PurePosixPath(name)
        if path.parent.name == part:
            found.setdefault(path.stem, set()).add(path.suffix)
    return found
