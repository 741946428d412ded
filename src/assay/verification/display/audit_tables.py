"""What `assay audit` prints: the checks with their verdicts, and the contract's checklist."""

from __future__ import annotations

from assay.evaluation.presentation import counted
from assay.text_table import TextTable
from assay.verification.audit.audit_report import AuditFinding, AuditReport, Verdict
from assay.verification.audit.check_list import CHECKS


def checks_document() -> list[dict[str, str]]:
    """Return every check with its rule, for JSON."""
    return [{"code": each.code, "title": each.title, "rule": each.rule} for each in CHECKS]


def checks_table() -> TextTable:
    """Return every check with its rule."""
    cells = tuple((each.code, each.title, each.rule.replace("`", "")) for each in CHECKS)
    return TextTable("Checks", ("code", "leak", "rule"), cells, (0, 1, 2))


def audit_parts(report: AuditReport) -> list[TextTable | str]:
    """Return the checks with their verdicts, the checklist and examples."""
    rows = tuple((each.code, each.title, each.verdict.value, _what(each)) for each in report.findings)
    lines = tuple((str(each.number), each.asks, each.answer, each.looked_at) for each in report.checklist)
    parts: list[TextTable | str] = [
        _head(report),
        TextTable("Checks", ("code", "leak", "verdict", "evidence"), rows, (0, 1, 2, 3), verdicts=(2,)),
        TextTable(
            "Leakage checklist of e2e/1.0", ("", "question", "answer", "based on"), lines, (0, 1, 2, 3)
        ),
    ]
    examples = [
        f"{each.code}: {', '.join(each.seen.examples)}" for each in report.findings if each.seen.examples
    ]
    if examples:
        parts.append("\n".join(["Examples by id:", *examples]))
    return parts


def _head(report: AuditReport) -> str:
    counts = dict.fromkeys(Verdict, 0)
    for each in report.findings:
        counts[each.verdict] += 1
    leaks = counts[Verdict.FOUND]
    what = f"{counted(leaks, 'leak') if leaks else 'no leak'} found"
    if counts[Verdict.FLAGGED]:
        what += f", {counts[Verdict.FLAGGED]} flagged"
    clean, open_ones = counts[Verdict.CLEAN], counts[Verdict.NOT_APPLICABLE]
    rest = f"{counted(clean, 'check')} passed, {open_ones} not applicable"
    return f"{report.kind} {report.name}: {what}; {rest}"


def _what(each: AuditFinding) -> str:
    return ": ".join(filter(None, (each.seen.looked_at, each.seen.why)))
