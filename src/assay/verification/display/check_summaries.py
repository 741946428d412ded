"""What reports of checks show of themselves at the prompt and in a notebook, and their rows."""

from __future__ import annotations

from dataclasses import asdict, replace

import polars as pl

from assay.display.summary import Parts, Summary
from assay.evaluation.presentation import counted
from assay.text_table import TextTable
from assay.verification.audit.audit_report import AuditReport, Verdict
from assay.verification.claims.claim_report import ClaimReport
from assay.verification.display.audit_tables import audit_parts
from assay.verification.display.claim_tables import claim_parts
from assay.verification.display.lint_tables import lint_parts
from assay.verification.display.regression_tables import regression_parts
from assay.verification.display.verification_tables import verdict_parts, verification_parts
from assay.verification.lint.lint_report import LintReport
from assay.verification.publication_verdict import PublicationVerdict
from assay.verification.recompute.number_findings import Verification
from assay.verification.regression.regression_verdict import RegressionVerdict

MOST_ROWS = 20
TEXT, REAL, TRUTH = pl.String(), pl.Float64(), pl.Boolean()


def lint_summary(report: LintReport) -> Summary:
    """Return the findings, without assumptions and notes."""
    head, *rest = lint_parts(report)
    found = [_columns(part, ("code", "class", "where", "numbers")) for part in rest[:1] if report.findings]
    return _summary([head, *found], {"Rules, assumptions and notes": rest}, len(report))


def audit_summary(report: AuditReport) -> Summary:
    """Return the checks with their verdicts; what was not applicable is left to the whole report."""
    head, checks, *rest = audit_parts(report)
    assert isinstance(checks, TextTable), "the checks follow the head"
    rows = tuple(row for row in checks.rows if row[2] != Verdict.NOT_APPLICABLE)
    return _summary(
        [head, replace(checks, rows=rows)], {"All checks and the checklist": [checks, *rest]}, len(rows)
    )


def verification_summary(made: Verification) -> Summary:
    """Return the verdict and what disagrees; a notebook has every headline number, too."""
    parts = verification_parts(made, everything=False)
    brief = [part for part in parts if isinstance(part, str) or part.title.startswith("Disagreements")]
    return _summary(brief, {"Recomputed values": parts}, len(made.failed))


def verdict_summary(made: PublicationVerdict) -> Summary:
    """Return one row per check, and the verdict."""
    return _summary(verdict_parts(made), {}, 0)


def regression_summary(made: RegressionVerdict) -> Summary:
    """Return one row per guarded measure, and the verdict."""
    return _summary(regression_parts(made), {}, len(made))


def claim_summary(report: ClaimReport) -> Summary:
    """Return the claims with their verdicts, or the recomputed values where nothing was claimed."""
    parts = claim_parts(report, everything=False)
    return _summary(parts, {"All values": claim_parts(report, everything=True)}, len(report))


def _summary(parts: Parts, folded: dict[str, Parts], rows: int) -> Summary:
    """Return a summary whose text has the first rows of each table."""
    more = f"{counted(rows - MOST_ROWS, 'more row')}: see to_frame()." if rows > MOST_ROWS else ""
    shown = [part if isinstance(part, str) else replace(part, rows=part.rows[:MOST_ROWS]) for part in parts]
    return Summary(shown if more else parts, folded, more)


def _columns(part: TextTable | str, names: tuple[str, ...]) -> TextTable | str:
    if isinstance(part, str):
        return part
    places = [part.head.index(name) for name in names]
    rows = tuple(tuple(row[at] for at in places) for row in part.rows)
    left = tuple(new for new, at in enumerate(places) if at in part.left)
    return TextTable(part.title, names, rows, left)


def lint_rows(report: LintReport) -> pl.DataFrame:
    """Return one row per finding."""
    fields = ("code", "kind", "place", "numbers", "rounding", "rule", "assumes")
    rows = [{name: getattr(each, name) for name in fields} for each in report.findings]
    return pl.DataFrame(rows, schema=dict.fromkeys(fields, TEXT))


def audit_rows(report: AuditReport) -> pl.DataFrame:
    """Return one row per check."""
    fields = ("code", "title", "verdict", "looked_at", "why")
    rows = [
        (each.code, each.title, each.verdict.value, each.seen.looked_at, each.seen.why)
        for each in report.findings
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(fields, TEXT), orient="row")


def verification_rows(made: Verification) -> pl.DataFrame:
    """Return one row per number or statement that was checked."""
    schema = {
        "what": TEXT,
        "value": REAL,
        "recomputed": REAL,
        "difference": REAL,
        "agrees": TRUTH,
        "reason": TEXT,
        "by": TEXT,
    }
    rows = [
        (each.what, each.value, each.recomputed, each.difference, each.agrees, each.reason, each.by)
        for each in made.findings
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def verdict_rows(made: PublicationVerdict) -> pl.DataFrame:
    """Return one row per check."""
    fields = ("name", "verdict", "reason")
    rows = [(each.name, each.verdict, each.reason) for each in made.checks]
    return pl.DataFrame(rows, schema=dict.fromkeys(fields, TEXT), orient="row")


def regression_rows(made: RegressionVerdict) -> pl.DataFrame:
    """Return one row per guarded measure."""
    return pl.DataFrame([asdict(each) for each in made], infer_schema_length=None)


def claim_rows(report: ClaimReport) -> pl.DataFrame:
    """Return one row per claim; per recomputed value where nothing was claimed."""
    listed = report.claims or report.values
    return pl.DataFrame([asdict(each) for each in listed], infer_schema_length=None)
