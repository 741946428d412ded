"""What `assay verify` and `assay gate` report: recomputed numbers, checks, the verdict."""

from __future__ import annotations

from assay.evaluation.presentation import counted
from assay.text_table import TextTable
from assay.verification.contract_standing import SHIPPED_ONE
from assay.verification.display.junit import FAILED, PASSED, SKIPPED, junit_xml
from assay.verification.publication_verdict import FAIL, NOT_APPLICABLE, PASS, PublicationVerdict
from assay.verification.recompute.number_findings import (
    BUNDLE,
    FROM,
    NumberFinding,
    Verification,
    shown_difference,
)

SHOWN = 40
OUTCOMES = {PASS: PASSED, FAIL: FAILED, NOT_APPLICABLE: SKIPPED}
MARKS = {PASS: "pass", FAIL: "FAIL", NOT_APPLICABLE: "n/a"}
ALONE = "Without the original inputs, forged labels, scores or probabilities cannot be detected"


def verification_parts(made: Verification, *, everything: bool) -> list[TextTable | str]:
    """Return the tables and sentences about a verification."""
    parts: list[TextTable | str] = []
    if made.files:
        parts.append("\n".join(made.files))
    shown = made.findings if everything else [each for each in made.findings if _headline(each)]
    rows = tuple(map(_row, shown if everything else shown[:SHOWN]))
    if rows:
        parts.append(_table("Recomputed from the bundle's tables", rows))
    if made.failed and not everything:
        parts.append(_table("Disagreements", tuple(map(_row, made.failed[:SHOWN]))))
    if made.outdated and not everything:
        rows = tuple(map(_row, made.outdated[:SHOWN]))
        parts.append(_table("Values from before a correction", rows))
    parts.append(_verdict(made))
    if made.standing.kind != SHIPPED_ONE:
        parts.append(f"Contract: {made.standing.sentence}.")
    if made.user_defined:
        names = ", ".join(made.user_defined)
        parts.append(f"Not recomputed by the second implementation (user-defined): {names}.")
    if made.unlisted:
        names = ", ".join(made.unlisted[:SHOWN])
        more = f" and {len(made.unlisted) - SHOWN} more" if len(made.unlisted) > SHOWN else ""
        parts.append(f"Not checked because the manifest does not list them: {names}{more}.")
    if made.recomputed_from == BUNDLE:
        unseen = counted(made.only_inputs, "exclusion count")
        counts = f", and {unseen} cannot be verified" if made.only_inputs else ""
        parts.append(f"{ALONE}{counts} (docs/bundle.md).")
    return parts


def _verdict(made: Verification) -> str:
    files = f", {len(made.files)} files do not match the manifest" if made.files else ""
    bad = "NOT verified" if made.failed or made.files else "OUTDATED"
    return f"{made.bundle}: {'verified' if made.ok else bad}. {made.summary}{files}."


def _headline(finding: NumberFinding) -> bool:
    return finding.what.startswith("measures/") and finding.what.endswith("/value")


def _table(title: str, rows: tuple[tuple[str, ...], ...]) -> TextTable:
    return TextTable(title, ("number", "value", "recomputed", "difference", ""), rows, (0, 4), verdicts=(4,))


def _row(finding: NumberFinding) -> tuple[str, ...]:
    def text(value: float | None) -> str:
        return "–" if value is None else f"{value:.12g}"

    gap = "–" if finding.difference is None else shown_difference(finding.difference)
    holds = "" if finding.is_number else "holds"
    verdict = holds if finding.agrees else f"{finding.reason or 'differs'} ({finding.by})"
    what = finding.what.removeprefix("measures/").removesuffix("/value")
    return (what, text(finding.value), text(finding.recomputed), gap, verdict)


def junit(made: PublicationVerdict) -> str:
    """Return the checks as test cases, the format that CI systems show."""
    return junit_xml(
        made.bundle, "assay.gate", [(each.name, OUTCOMES[each.verdict], each.reason) for each in made.checks]
    )


def verdict_parts(made: PublicationVerdict) -> list[TextTable | str]:
    """Return the checks and the verdict."""
    applicable = [check for check in made.checks if check.verdict != NOT_APPLICABLE]
    failed = sum(check.verdict == FAIL for check in applicable)
    verdict = f"passed: all {len(applicable)} applicable checks passed"
    if not made.ok:
        verdict = f"NOT passed: {failed} of {len(applicable)} applicable checks failed"
    hint = f"{ALONE} (docs/bundle.md).\n" if made.recomputed_from == BUNDLE else ""
    numbers = f"Numbers were {FROM[made.recomputed_from]}"
    return [verdict_table(made), f"{hint}Publication gate {verdict}. {numbers}."]


def verdict_table(made: PublicationVerdict) -> TextTable:
    """Return one row per check."""
    rows = tuple((check.name, MARKS[check.verdict], check.reason) for check in made.checks)
    users = ", a user-defined contract" if made.users else ""
    title = f"Publication gate of {made.system} under {made.contract}{users}"
    return TextTable(title, ("check", "", "why"), rows, (0, 1, 2), verdicts=(1,))
