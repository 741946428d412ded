"""What `assay verify --per-query` prints: recomputed values, claims, what cannot be recomputed."""

from __future__ import annotations

from collections import defaultdict

from assay.evaluation.presentation import counted
from assay.text_table import TextTable
from assay.verification.claims.claim_report import NONE, OTHER, UNKNOWN, Claim, ClaimReport

SHOWN = 40


def claim_parts(made: ClaimReport, *, everything: bool) -> list[TextTable | str]:
    """Return the tables and sentences about a per-query table and its claims."""
    columns = ", ".join(f"{role} = {column}" for role, column in made.columns.items())
    parts: list[TextTable | str] = [
        f"{made.table} under {made.contract}: {counted(made.queries, 'query', 'queries')} ({columns})"
    ]
    if everything or not made.source:
        parts.append(_values(made, everything=everything))
    if made.claims:
        parts.append(_claims(made))
        reasons = [
            f"{each.label}: {each.why}." for each in made.claims if each.verdict in (NONE, OTHER, UNKNOWN)
        ]
        if reasons:
            parts.append("\n".join(reasons))
    parts += _notes(made)
    return parts


def _values(made: ClaimReport, *, everything: bool) -> TextTable:
    values = made.values if everything else made.values[:SHOWN]
    rows = tuple(
        (
            each.name,
            f"{each.value:.6g}",
            "–" if each.second is None else f"{each.second:.6g}",
            str(each.n),
            each.definition,
        )
        for each in values
    )
    head = ("measure", "assay", "second", "n", "definition")
    return TextTable("Recomputed from the table by both implementations", head, rows, left=(0, 4))


def _claims(made: ClaimReport) -> TextTable:
    rows = tuple(
        (each.label, each.claimed, _number(each), each.verdict, each.definition) for each in made.claims
    )
    head = ("claim", "claimed", "recomputed", "verdict", "definition")
    return TextTable(f"Claims of {made.source or made.table}", head, rows, left=(0, 3, 4), verdicts=(3,))


def _number(claim: Claim) -> str:
    return "–" if claim.value is None else f"{claim.value:.6g}"


def _notes(made: ClaimReport) -> list[str]:
    parts = []
    if made.said_none:
        many = f"{made.said_none:,} {'query has' if made.said_none == 1 else 'queries have'}"
        parts.append(f"{many} a word such as nan for gold: read as no evidence.")
    if len(made.values) > SHOWN and not made.source:
        parts.append(f"{len(made.values) - SHOWN} more values: see `everything=True`.")
    by_reason: dict[str, list[str]] = defaultdict(list)
    for name, reason in made.absent.items():
        by_reason[reason].append(name)
    if by_reason:
        lines = []
        for reason, names in by_reason.items():
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            lines.append(f"{names[0]}{more} cannot be recomputed: {reason}.")
        parts.append("\n".join(lines))
    if made.unread:
        parts.append(f"Not read from the claims: {'; '.join(made.unread[:5])}.")
    both = f"{len(made.values)} values by both implementations"
    if made.disagreements:
        apart = ", ".join(each.definition for each in made.disagreements[:5])
        parts.append(f"{both}; they differ on {apart}.")
    else:
        parts.append(f"{both}, no difference above 1e-9.")
    if made.claims:
        compared = [each for each in made.claims if each.verdict != UNKNOWN]
        wrong = made.unmatched
        other = sum(each.verdict == OTHER for each in compared)
        parts.append(
            f"{counted(len(compared), 'claim')} compared: {len(compared) - other - len(wrong)} as defined in "
            f"{made.contract}, {other} by another definition, {len(wrong)} by none."
        )
    return parts
