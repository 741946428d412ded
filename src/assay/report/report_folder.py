"""Write reports: tables, figures and the page inside a bundle, or the page alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.evaluation.bundle.bundle_files import (
    GATE,
    MANIFEST,
    REPORT,
    changed_files,
    json_text,
    listed_files,
    read_json,
    sha256,
    write_json,
)
from assay.evaluation.progress import Progress
from assay.evaluation.result import Result
from assay.files.commit_steps import Check
from assay.files.os_errors import failed
from assay.files.scratch import paths_below, settle, write_new
from assay.files.staging import Staging, joining
from assay.report.figures.figure_files import absent_figures, no_figures, write_figures
from assay.report.page.page_html import page
from assay.report.page.post_text import Texts, read_texts
from assay.report.paper_files import write_tables
from assay.report.report_bundle import Bundle, report_bundle
from assay.version import VERSION

PAGE = "report.html"
PARTS = ("tables", "figures", PAGE)
SUPPRESS_BELOW = "suppress_below"
OURS = '<meta name="generator" content="assay '


def write_report(
    source: str | Path | Result,
    *,
    with_text: str | Path | None = None,
    suppress_below: int | None = None,
    progress: Progress | None = None,
    staging: Staging | None = None,
) -> Path:
    """Write `tables/`, `figures/` and `report.html` into the folder of a bundle.

    Figure files need the extra `figures` (matplotlib); the page draws its own without it.
    The data of the bundle and its manifest are not touched. `REPORT.json` is removed first and
    written last, so that a report without it is unfinished.

    Parameters
    ----------
    source
        The folder of a bundle, or what `load` returned for it.
    with_text
        A corpus folder whose texts are put into the page. Without it the page has none.
    suppress_below
        Hide groups of fewer queries in breakdowns, as for clinical data.
    progress
        Called with what is being done, how much of it is done, and the total.
    staging
        Collects the files of several steps, to put them in place together.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    InputError
        If the folder is not a bundle, or was changed meanwhile.

    Examples
    --------
    >>> inputs = assay.example_path("predictions"), assay.example_path("corpus")
    >>> bundle = assay.evaluate(*inputs).save("reported")
    >>> assay.write_report(bundle).name
    'report.html'

    """
    bundle = report_bundle(source)
    texts = None if with_text is None else read_texts(Path(with_text), [bundle])
    home = bundle.folder.resolve()
    with joining(staging) as into:
        fresh = into.scratch(home)
        fill_report(bundle, fresh, texts, progress, suppress_below=suppress_below)
        into.lock(home)
        into.remove(home / REPORT, _same_bundle(home, bundle.manifest_hash))
        for part in PARTS:
            into.put(fresh / part, home / part)
        into.put(fresh / REPORT, home / REPORT)
    return bundle.folder / PAGE


def _same_bundle(home: Path, manifest_hash: str) -> Check:
    """Return a check that the bundle was not replaced since something was derived from it."""

    def check(_: Path) -> None:
        if sha256(home / MANIFEST) != manifest_hash:
            raise InputError.of(str(home), "changed while it was read", "run the command again")

    return check


def fill_report(
    bundle: Bundle,
    fresh: Path,
    texts: Texts | None = None,
    progress: Progress | None = None,
    *,
    suppress_below: int | None = None,
    target: Path | None = None,
) -> None:
    """Write all parts of a report into a folder that has none of them.

    Errors of the system name the `target`, where the bundle will be if it is not in its place yet.
    """
    try:
        write_tables(bundle.result, fresh / "tables", suppress_below)
        write_figures(bundle, fresh / "figures", progress, suppress_below)
        write_new(fresh / PAGE, page([bundle], texts, suppress_below))
        made = manifest(fresh, bundle, with_text=texts is not None, suppress_below=suppress_below)
        write_json(fresh / REPORT, made)
        settle(fresh)
    except OSError as error:
        raise failed("written", target or bundle.folder, error) from None


def manifest(
    fresh: Path, bundle: Bundle, *, with_text: bool, suppress_below: int | None = None
) -> dict[str, Any]:
    """Return what the report was derived from, and the hash of each of its files."""
    drawn = any((fresh / "figures").rglob("*.svg"))
    why = no_figures() or ("" if drawn else "the data support none")
    paths = [fresh / PAGE]
    folders = [fresh / part for part in PARTS if (fresh / part).is_dir()]
    paths += [path for folder in folders for path in paths_below(folder) if path.is_file()]
    return {
        "schema": "assay/report/1",
        "assay": VERSION,
        "bundle": bundle.manifest_hash,
        "with_text": with_text,
        **({} if suppress_below is None else {SUPPRESS_BELOW: suppress_below}),
        "absent_figures": absent_figures(bundle),
        **({"no_figures": why} if why else {}),
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
        bundle = report_bundle(folder, verdict)
        faults = changed_files(home, listed_files(home, REPORT))
        made = read_json(home / REPORT)
    except InputError:
        return body
    ours = isinstance(made, dict) and made.get("bundle") == bundle.manifest_hash
    if faults or not ours or made.get("with_text"):
        return body
    text = page([bundle], None, made.get(SUPPRESS_BELOW)).encode()
    made["files"][PAGE] = hashlib.sha256(text).hexdigest()
    staging.remove(home / REPORT)
    staging.file(home / PAGE, text)
    staging.file(home / REPORT, json_text(made))
    return body


def write_page(
    sources: Sequence[str | Path | Result],
    target: str | Path,
    *,
    with_text: str | Path | None = None,
    suppress_below: int | None = None,
    staging: Staging | None = None,
) -> Path:
    """Write one HTML page about one or more bundles.

    Parameters
    ----------
    sources
        Folders of bundles, or loaded results; the page can switch between them.
    target
        The file to write. An existing file is replaced only if it is such a page.
    with_text
        A corpus folder whose texts are put into the page. Without it the page has none.
    suppress_below
        Hide counts below this number, for clinical data; the page then has no queries and no texts.
    staging
        Collects the files of several steps, to put them in place together.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    InputError
        If a folder is not a bundle, or the target is another file.

    Examples
    --------
    >>> inputs = assay.example_path("predictions"), assay.example_path("corpus")
    >>> bundle = assay.evaluate(*inputs).save("shown")
    >>> assay.write_page([bundle], "page.html").name
    'page.html'

    """
    path = Path(target)
    refuse_another(path)
    bundles = [report_bundle(each) for each in sources]
    texts: Texts | None = None if with_text is None else read_texts(Path(with_text), bundles)
    with joining(staging) as into:
        into.file(path, page(bundles, texts, suppress_below), refuse_another, parents=True)
    return path


def refuse_another(path: Path) -> None:
    """Raise if the target exists and is not an assay page."""
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
