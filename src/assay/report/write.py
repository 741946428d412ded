"""Reports on disk: tables, figures and the page inside a bundle, or the page alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.read import (
    GATE,
    MANIFEST,
    REPORT,
    changed_files,
    listed_files,
    read_json,
)
from assay.evaluation.bundle.write import json_text, write_json
from assay.evaluation.progress import Progress
from assay.files.faults import failed
from assay.files.scratch import settle, write_new
from assay.files.staging import Check, Staging, joining
from assay.report.bundle import Bundle, open_bundle
from assay.report.figures import absent_figures, write_figures
from assay.report.page.html import page
from assay.report.page.text import Texts, read_texts
from assay.report.tables import write_tables
from assay.version import VERSION

PAGE = "report.html"
PARTS = ("tables", "figures", PAGE)
OURS = '<meta name="generator" content="assay '


def write_report(
    folder: str | Path | Bundle,
    *,
    with_text: str | Path | None = None,
    progress: Progress | None = None,
    staging: Staging | None = None,
) -> Path:
    """Write `tables/`, `figures/` and `report.html` into the bundle's folder, with `REPORT.json`.

    The data of the bundle and its manifest are not touched. Everything is made beside the bundle
    and put in place part by part; `REPORT.json` goes first and comes last, so that a report without
    it is unfinished. With a `staging` that happens when it is committed.
    """
    bundle = open_bundle(folder)
    texts = None if with_text is None else read_texts(Path(with_text), [bundle])
    home = bundle.folder.resolve()
    with joining(staging) as into:
        fresh = into.scratch(home)
        fill_report(bundle, fresh, texts, progress)
        into.lock(home)
        into.remove(home / REPORT, _same_bundle(home, bundle.manifest_hash))
        for part in PARTS:
            into.put(fresh / part, home / part)
        into.put(fresh / REPORT, home / REPORT)
    return bundle.folder / PAGE


def _same_bundle(home: Path, manifest_hash: str) -> Check:
    """A check that nobody has replaced the bundle which something was derived from."""

    def check(_: Path) -> None:
        if sha256(home / MANIFEST) != manifest_hash:
            raise InputError.of(str(home), "changed meanwhile", "run the command again")

    return check


def fill_report(
    bundle: Bundle, fresh: Path, texts: Texts | None = None, progress: Progress | None = None
) -> None:
    """Write all parts of a report into a folder that has none of them."""
    try:
        write_tables(bundle, fresh / "tables")
        write_figures(bundle, fresh / "figures", progress)
        write_new(fresh / PAGE, page([bundle], texts))
        write_json(fresh / REPORT, manifest(fresh, bundle, with_text=texts is not None))
        settle(fresh)
    except OSError as error:
        raise failed("written", bundle.folder, error) from None


def manifest(fresh: Path, bundle: Bundle, *, with_text: bool) -> dict[str, Any]:
    """What the report was made from and by, and the hash of each of its files."""
    paths = [fresh / PAGE]
    paths += [path for part in PARTS for path in (fresh / part).rglob("*") if path.is_file()]
    return {
        "schema": "assay/report/1",
        "assay": VERSION,
        "bundle": bundle.manifest_hash,
        "with_text": with_text,
        "absent_figures": absent_figures(bundle),
        "files": {path.relative_to(fresh).as_posix(): sha256(path) for path in sorted(paths)},
    }


def stage_verdict(folder: str | Path, verdict: dict[str, Any], staging: Staging) -> str:
    """Stage `gate.json`, and the page of the report with the verdict on it; return the JSON.

    The page is left alone where there is no whole report of this very bundle, or where it has texts
    that only its corpus knows.
    """
    home = Path(folder).resolve()
    body = json_text(verdict)
    staging.lock(home)
    staging.file(home / GATE, body, _same_bundle(home, sha256(home / MANIFEST)))
    try:
        bundle = open_bundle(folder, verdict)
        faults = changed_files(home, listed_files(home, REPORT))
        made = read_json(home / REPORT)
    except InputError:
        return body
    ours = isinstance(made, dict) and made.get("bundle") == bundle.manifest_hash
    if faults or not ours or made.get("with_text"):
        return body
    text = page([bundle], None).encode()
    made["files"][PAGE] = hashlib.sha256(text).hexdigest()
    staging.remove(home / REPORT)
    staging.file(home / PAGE, text)
    staging.file(home / REPORT, json_text(made))
    return body


def write_page(
    folders: Sequence[str | Path | Bundle],
    target: str | Path,
    *,
    with_text: str | Path | None = None,
    staging: Staging | None = None,
) -> Path:
    """Write the page of one bundle or several as one file; only a page of ours is replaced."""
    path = Path(target)
    refuse_another(path)
    bundles = [open_bundle(each) for each in folders]
    texts: Texts | None = None if with_text is None else read_texts(Path(with_text), bundles)
    with joining(staging) as into:
        into.file(path, page(bundles, texts), refuse_another, parents=True)
    return path


def refuse_another(path: Path) -> None:
    """Raise where something stands at the target that is not a page of ours."""
    if not os.path.lexists(path):
        return
    try:
        with path.open(encoding="utf-8") as file:
            ours = OURS in file.read(2000)
    except (OSError, UnicodeDecodeError):
        ours = False
    if not ours:
        problem = "exists and is not a report"
        raise InputError.of(str(path), problem, "only a report is replaced")
