"""`assay audit`: look for leaks, print what was found, and fill in the contract's checklist."""

from __future__ import annotations

import sys
from pathlib import Path

from assay.cli.output import print_json
from assay.cli.table import Table, show
from assay.errors import InputError
from assay.verify.audit.api import audit
from assay.verify.audit.model import AuditReport, Finding, Verdict, many
from assay.verify.audit.registry import CHECKS


def checks_command(*, as_json: bool) -> None:
    """All checks, with the rule of each."""
    if as_json:
        rows = [{"code": each.code, "title": each.title, "rule": each.rule} for each in CHECKS]
        print_json(rows)
        return
    cells = tuple((each.code, each.title, each.rule.replace("`", "")) for each in CHECKS)
    show(Table("Checks", ("code", "leak", "found where"), cells, (0, 1, 2)))


def audit_command(
    path: Path | None, predictions: Path | None, threshold: float, shuffles: int, *, as_json: bool
) -> None:
    """Exit code 1 where a leak was found; what is only flagged leaves it at 0."""
    if path is None:
        expected = "expected a corpus, a bundle or a configuration"
        raise InputError.of("audit", "no path was given", expected)
    report = _report(path, predictions, threshold, shuffles)
    if as_json:
        print_json(report.to_dict())
    else:
        show(*_parts(report))
    if report.leaks:
        sys.exit(1)


def _report(path: Path, predictions: Path | None, threshold: float, shuffles: int) -> AuditReport:
    if path.suffix != ".toml":
        return audit(path, predictions, threshold=threshold)
    if predictions is not None:
        problem = "is a configuration, and predictions were given"
        raise InputError.of(path.name, problem, "a configuration makes its own")
    from assay.verify.audit.configured import audit_plan  # noqa: PLC0415 # the pipeline is an extra

    return audit_plan(path, shuffles=shuffles, threshold=threshold)


def _parts(report: AuditReport) -> list[Table | str]:
    rows = tuple(
        (each.code, each.title, each.verdict.value, _what(each)) for each in report.findings
    )
    lines = tuple(
        (str(each.number), each.asks, each.answer, each.looked_at) for each in report.checklist
    )
    parts: list[Table | str] = [
        _head(report),
        Table("Checks", ("code", "leak", "verdict", "what was seen"), rows, (0, 1, 2, 3)),
        Table("Checklist of e2e/1.0", ("", "point", "answer", "from"), lines, (0, 1, 2, 3)),
    ]
    examples = [
        f"{each.code}: {', '.join(each.seen.examples)}"
        for each in report.findings
        if each.seen.examples
    ]
    if examples:
        parts.append("\n".join(["Examples, by id:", *examples]))
    return parts


def _head(report: AuditReport) -> str:
    counts = dict.fromkeys(Verdict, 0)
    for each in report.findings:
        counts[each.verdict] += 1
    leaks = counts[Verdict.FOUND]
    what = f"{many(leaks, 'leak') if leaks else 'no leak'} found"
    if counts[Verdict.FLAGGED]:
        what += f", {counts[Verdict.FLAGGED]} flagged"
    clean, open_ones = counts[Verdict.CLEAN], counts[Verdict.NOT_APPLICABLE]
    return f"{report.kind} {report.name}: {what}; {clean} checks clean, {open_ones} not applicable"


def _what(each: Finding) -> str:
    return ": ".join(filter(None, (each.seen.looked_at, each.seen.why)))
