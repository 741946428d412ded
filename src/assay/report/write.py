"""Reports on disk: tables, figures and the page inside a bundle, or the page alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.evaluation.bundle.folder import clear_leftovers, exchange, settle
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.read import REPORT, changed_files, listed_files, read_json
from assay.evaluation.bundle.write import write_json
from assay.evaluation.progress import Progress
from assay.report.bundle import Bundle, open_bundle
from assay.report.figures import absent_figures, write_figures
from assay.report.page.html import page
from assay.report.page.text import Texts, read_texts
from assay.report.tables import write_tables
from assay.version import VERSION

PAGE = "report.html"
PARTS = ("tables", "figures", PAGE)
UNFINISHED = ".report.unfinished-"
OURS = '<meta name="generator" content="assay '


def write_report(
    folder: str | Path | Bundle,
    *,
    with_text: str | Path | None = None,
    progress: Progress | None = None,
) -> Path:
    """`tables/`, `figures/` and `report.html` in the bundle's folder, with `REPORT.json`.

    The data of the bundle and its manifest are not touched. Everything is made beside the bundle
    and put in place part by part; `REPORT.json` goes first and comes last, so that a report without
    it is unfinished.
    """
    bundle = open_bundle(folder)
    texts = None if with_text is None else read_texts(Path(with_text), [bundle])
    home = bundle.folder.resolve()
    clear_leftovers(home, UNFINISHED)
    fresh = home.parent / f".{home.name}{UNFINISHED}{os.getpid()}"
    try:
        fresh.mkdir()
        write_tables(bundle, fresh / "tables")
        write_figures(bundle, fresh / "figures", progress)
        (fresh / PAGE).write_text(page([bundle], texts), encoding="utf-8")
        write_json(fresh / REPORT, manifest(fresh, bundle, with_text=texts is not None))
        settle(fresh)
        (home / REPORT).unlink(missing_ok=True)
        for part in (*PARTS, REPORT):
            put(fresh / part, home / part)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise InputError.of(str(bundle.folder), problem, "expected a place to write to") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return bundle.folder / PAGE


def manifest(fresh: Path, bundle: Bundle, *, with_text: bool) -> dict[str, Any]:
    """What the report was made from and by, and the hash of each of its files."""
    paths = sorted(path for path in fresh.rglob("*") if path.is_file() and path.name != REPORT)
    return {
        "schema": "assay/report/1",
        "assay": VERSION,
        "bundle": bundle.manifest_hash,
        "with_text": with_text,
        "absent_figures": absent_figures(bundle),
        "files": {path.relative_to(fresh).as_posix(): sha256(path) for path in paths},
    }


def refresh_page(folder: str | Path) -> bool:
    """The page of a report made anew, because the gate has spoken; the rest of it stays.

    False, and nothing is touched, where there is no whole report of this very bundle, or where its
    page has texts that only its corpus knows.
    """
    bundle = open_bundle(folder)
    home = bundle.folder
    if not (home / REPORT).is_file():
        return False
    made = read_json(home / REPORT)
    stale = made.get("bundle") != bundle.manifest_hash or made.get("with_text")
    if stale or changed_files(home, listed_files(home, REPORT)):
        return False
    write_page([bundle], home / PAGE)
    made["files"][PAGE] = sha256(home / PAGE)
    fresh = home / f"{REPORT}.unfinished"
    write_json(fresh, made)
    fresh.replace(home / REPORT)
    return True


def put(fresh: Path, target: Path) -> None:
    """One part in place of the one that is there."""
    if fresh.is_dir() and target.is_dir() and not target.is_symlink():
        exchange(fresh, target)
    else:
        fresh.replace(target)


def write_page(
    folders: Sequence[str | Path | Bundle],
    target: str | Path,
    *,
    with_text: str | Path | None = None,
) -> Path:
    """The page of one bundle or several, as one file; only a page of ours is replaced."""
    path = Path(target)
    refuse_another(path)
    bundles = [open_bundle(each) for each in folders]
    texts: Texts | None = None if with_text is None else read_texts(Path(with_text), bundles)
    text = page(bundles, texts)
    fresh = path.with_name(f".{path.name}{UNFINISHED}{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise InputError.of(str(path), problem, "expected a place to write to") from None
    finally:
        fresh.unlink(missing_ok=True)
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
