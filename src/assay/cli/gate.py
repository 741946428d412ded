"""`assay gate`: may this be published? One table, `gate.json`, and JUnit XML for CI."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from assay.cli.bar import progress_bar
from assay.cli.table import Table, show
from assay.errors import InputError
from assay.report.write import refresh_page
from assay.verify.gate import FAIL, NOT_APPLICABLE, PASS, Gate, publication_gate

MARKS = {PASS: "pass", FAIL: "FAIL", NOT_APPLICABLE: "n/a"}


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command."""

    bundle: Path
    junit: Path | None
    as_json: bool


def gate_command(request: Request) -> None:
    """Exit code 1 where a check fails; the verdict goes to `gate.json`, outside the manifest."""
    with progress_bar() as progress:
        made = publication_gate(request.bundle, progress)
    body = save(made, request.bundle)
    if request.junit is not None:
        _write(request.junit, junit(made))
    if request.as_json:
        sys.stdout.write(body)
    else:
        _print(made)
    if not made.passed:
        sys.exit(1)


def save(made: Gate, bundle: Path) -> str:
    """Write the verdict beside the bundle's files, and on its page; what was written is given."""
    body = json.dumps(made.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    _write(bundle / "gate.json", body)
    refresh_page(bundle)
    return body


def junit(made: Gate) -> str:
    """The checks as test cases: what CI systems show."""
    cases = []
    for check in made.checks:
        name = f"<testcase classname={quoteattr('assay.gate')} name={quoteattr(check.name)}"
        reason = quoteattr(check.reason)
        if check.verdict == FAIL:
            cases.append(
                f"{name}><failure message={reason}>{escape(check.reason)}</failure></testcase>"
            )
        elif check.verdict == NOT_APPLICABLE:
            cases.append(f"{name}><skipped message={reason}/></testcase>")
        else:
            cases.append(f"{name}/>")
    failures = sum(check.verdict == FAIL for check in made.checks)
    skipped = sum(check.verdict == NOT_APPLICABLE for check in made.checks)
    head = f'<testsuite name={quoteattr(made.bundle)} tests="{len(made.checks)}"'
    head += f' failures="{failures}" skipped="{skipped}" errors="0">'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>"]
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str) -> None:
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        unfinished.write_text(text, encoding="utf-8")
        os.replace(unfinished, path)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise InputError.of(str(path), problem, "expected a writable path") from None


def _print(made: Gate) -> None:
    failed = sum(check.verdict == FAIL for check in made.checks)
    verdict = "passed" if made.passed else f"NOT passed: {failed} of {len(made.checks)} checks fail"
    show(table(made), f"The gate is {verdict}.")


def table(made: Gate) -> Table:
    """One row a check."""
    rows = tuple((check.name, MARKS[check.verdict], check.reason) for check in made.checks)
    title = f"Publication gate of {made.system} under {made.contract}"
    return Table(title, ("check", "", "why"), rows, (0, 1, 2))
