"""`assay gate`: may this be published? One table, `gate.json`, and JUnit XML for CI."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from assay.cli.bar import progress_bar
from assay.cli.ending import finish
from assay.cli.output import print_json_text
from assay.cli.table import Table, show
from assay.errors import printable
from assay.evaluation.bundle.read import GATE, MANIFEST, REPORT, listed_files
from assay.files.staging import Staging, refuse_shared
from assay.report.write import PAGE, stage_verdict
from assay.verify.findings import BUNDLE, FROM
from assay.verify.gate import FAIL, NOT_APPLICABLE, PASS, Gate, publication_gate

if TYPE_CHECKING:
    from assay.verify.inputs import Originals

ALONE = (
    "Without the original inputs, forged labels, scores or probabilities would pass "
    "(docs/bundle.md, What a forger can still do)."
)
MARKS = {PASS: "pass", FAIL: "FAIL", NOT_APPLICABLE: "n/a"}


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command."""

    bundle: Path
    originals: Originals | None
    junit: Path | None
    as_json: bool


def gate_command(request: Request) -> None:
    """Exit code 1 where a check fails; the verdict goes to `gate.json`, outside the manifest."""
    _refuse_own_files(request)
    with progress_bar() as progress:
        made = publication_gate(request.bundle, progress, originals=request.originals)
    with Staging() as staging:
        body = stage_verdict(request.bundle, made.to_dict(), staging)
        if request.junit is not None:
            staging.file(request.junit, junit(made))
        finish(staging, lambda: print_json_text(body) if request.as_json else _print(made))
    if not made.passed:
        sys.exit(1)


def _refuse_own_files(request: Request) -> None:
    """JUnit XML must not replace a file of the bundle or of its report."""
    names = [GATE, PAGE, MANIFEST, REPORT, *listed_files(request.bundle)]
    for name in names:
        refuse_shared({name: request.bundle / name, "--junit": request.junit})


def junit(made: Gate) -> str:
    """The checks as test cases: what CI systems show."""
    cases = []
    for check in made.checks:
        name = f"<testcase classname={quoteattr('assay.gate')} name={_attribute(check.name)}"
        reason = _attribute(check.reason)
        if check.verdict == FAIL:
            body = escape(printable(check.reason))
            cases.append(f"{name}><failure message={reason}>{body}</failure></testcase>")
        elif check.verdict == NOT_APPLICABLE:
            cases.append(f"{name}><skipped message={reason}/></testcase>")
        else:
            cases.append(f"{name}/>")
    failures = sum(check.verdict == FAIL for check in made.checks)
    skipped = sum(check.verdict == NOT_APPLICABLE for check in made.checks)
    head = f'<testsuite name={_attribute(made.bundle)} tests="{len(made.checks)}"'
    head += f' failures="{failures}" skipped="{skipped}" errors="0">'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>"]
    return "\n".join(lines) + "\n"


def _attribute(text: str) -> str:
    """Return a quoted attribute; XML has no way to write most control characters."""
    return quoteattr(printable(text))


def _print(made: Gate) -> None:
    failed = sum(check.verdict == FAIL for check in made.checks)
    verdict = "passed" if made.passed else f"NOT passed: {failed} of {len(made.checks)} checks fail"
    hint = f"{ALONE}\n" if made.recomputed_from == BUNDLE else ""
    show(table(made), f"{hint}The gate is {verdict}; numbers {FROM[made.recomputed_from]}.")


def table(made: Gate) -> Table:
    """One row a check."""
    rows = tuple((check.name, MARKS[check.verdict], check.reason) for check in made.checks)
    users = ", a user's contract" if made.users else ""
    title = f"Publication gate of {made.system} under {made.contract}{users}"
    return Table(title, ("check", "", "why"), rows, (0, 1, 2))
