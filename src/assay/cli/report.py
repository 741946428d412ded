"""`assay report`: figures, tables and a page from bundles."""

from __future__ import annotations

import webbrowser
from dataclasses import dataclass
from pathlib import Path

from assay.cli.ending import finish
from assay.cli.table import show
from assay.errors import InputError
from assay.files.staging import Staging
from assay.report.write import write_page, write_report


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command."""

    bundles: tuple[Path, ...]
    with_text: Path | None
    output: Path | None
    open_page: bool


def report_command(request: Request) -> None:
    """Inside the one bundle, or as a file of its own; several bundles make one page."""
    if request.output is None and len(request.bundles) > 1:
        problem = f"{len(request.bundles)} bundles and no place for the page that compares them"
        raise InputError.of("report", problem, "expected -o FILE")
    with Staging() as staging:
        texts = request.with_text
        if request.output is not None:
            target = write_page(request.bundles, request.output, with_text=texts, staging=staging)
            line = f"Page: {target}"
        else:
            target = write_report(request.bundles[0], with_text=texts, staging=staging)
            line = f"Report: {target}, with tables/ and figures/ next to it"
        finish(staging, lambda: show(line))
    if request.open_page:
        webbrowser.open(target.resolve().as_uri())
