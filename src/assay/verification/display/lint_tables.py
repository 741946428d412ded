"""What `assay lint` reports: findings with their rules, and what was not read."""

from __future__ import annotations

from assay.evaluation.presentation import counted
from assay.text_table import TextTable
from assay.verification.lint.lint_report import PROVES, LintReport
from assay.verification.lint.names.known_measures import FAMILIES
from assay.verification.lint.rule_list import RULES

MOST_LISTED = 20


def rules_document() -> list[dict[str, str]]:
    """Return every rule with what it assumes, for JSON."""
    fields = {"code": "code", "class": "kind", "title": "title", "rule": "statement", "assumes": "assumes"}
    return [{key: getattr(rule, name) for key, name in fields.items()} for rule in RULES]


def rules_parts() -> list[TextTable | str]:
    """Return every rule with what it assumes, and the names that are read."""
    rows = tuple((rule.code, rule.kind, rule.statement, rule.assumes) for rule in RULES)
    names = sorted(aliases[0] for aliases in FAMILIES.values() if not aliases[0].startswith("bare"))
    known = f"Names, in many spellings: recall@k, precision@k, {', '.join(names)}."
    return [TextTable("Rules", ("code", "class", "rule", "assumes"), rows, (0, 1, 2, 3)), known]


def lint_parts(report: LintReport) -> list[TextTable | str]:
    """Return the findings, their assumptions and notes."""
    parts: list[TextTable | str] = [
        f"{report.source}: {counted(report.figures, 'value')} in "
        f"{counted(len(report.tables), 'table')}, "
        f"{len(report.impossible)} impossible, {len(report.unusual)} unusual"
    ]
    if report.findings:
        rows = tuple(
            (each.code, each.kind, each.place, each.numbers, each.rounding, each.rule)
            for each in report.findings
        )
        head = ("code", "class", "where", "numbers", "rounding allowed", "rule")
        parts.append(TextTable("Findings", head, rows, (0, 1, 2, 3, 4, 5), verdicts=(1,)))
        assumed = dict.fromkeys((each.code, each.assumes) for each in report.findings)
        parts.append("\n".join(f"{code} assumes: {text}." for code, text in assumed))
    notes = [*report.notes]
    notes += [f"skipped (no known measure): {name}" for name in report.skipped]
    if report.not_read:
        notes += ["Not read (use `strict=True` to make this an error):"]
        notes += [f"  {each}" for each in report.not_read[:MOST_LISTED]]
        rest = len(report.not_read) - MOST_LISTED
        notes += [f"  and {rest} more"] if rest > 0 else []
    if notes:
        parts.append("\n".join(notes))
    parts.append(PROVES)
    return parts
