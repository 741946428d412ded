"""The checklist of the contract `e2e/1.0` before results are reported, filled in from findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.evaluation.scoring.score_all import permitted
from assay.verification.audit.audit_report import AuditFinding, Item, Verdict
from assay.verification.audit.facts import Facts

YES, NO, UNSEEN = "yes", "no", "cannot be seen here"

LINES = (
    # the item, the checks that refute it, and groups of checks: one clean in each confirms it
    (
        "no post is in two parts of a split",
        ("L001", "L003", "L004", "L006", "L007", "L008", "L009", "L019"),
        (("L001", "L007"),),
    ),
    ("thresholds were chosen on TUNE only", ("L007", "L016", "L017", "L018", "L023", "L026"), (("L018",),)),
    ("only EVAL is scored", ("L007", "L009"), (("L007",),)),
    (
        "no feature was made from gold",
        (
            "L010",
            "L011",
            "L012",
            "L013",
            "L014",
            "L015",
            "L021",
            "L022",
            "L023",
            "L024",
            "L025",
            "L027",
            "L028",
            "L102",
            "L103",
            "L104",
            "L105",
            "L106",
            "L107",
        ),
        (("L102",), ("L103",), ("L104",), ("L105",)),
    ),
)


def checklist(facts: Facts, findings: Iterable[AuditFinding]) -> tuple[Item, ...]:
    """Return yes if it was confirmed, no if it was refuted, else what was flagged or not seen."""
    by_code = {each.code: each for each in findings}
    made = [
        Item(number, asks, *_answer(by_code, denies, confirms))
        for number, (asks, denies, confirms) in enumerate(LINES, start=1)
    ]
    made.append(Item(5, "every formula is that of the contract", *_formulas(facts)))
    recompute = "not recomputed here; run assay verify BUNDLE"
    made.append(Item(6, "a second person computed the same results", UNSEEN, recompute))
    return tuple(made)


def _answer(
    by_code: Mapping[str, AuditFinding], denies: tuple[str, ...], confirms: tuple[tuple[str, ...], ...]
) -> tuple[str, str]:
    leaks = [by_code[code] for code in denies if by_code[code].verdict is Verdict.FOUND]
    if leaks:
        return NO, "; ".join(f"{each.code} {each.seen.why}" for each in leaks)
    flags = [by_code[code] for code in denies if by_code[code].verdict is Verdict.FLAGGED]
    if flags:
        return UNSEEN, "; ".join(f"{each.code} flagged: {each.seen.why}" for each in flags)
    unseen = [
        by_code[group[0]]
        for group in confirms
        if not any(by_code[code].verdict is Verdict.CLEAN for code in group)
    ]
    if unseen:
        return UNSEEN, "; ".join(f"{each.code} {each.seen.why}" for each in unseen)
    seen = [by_code[code] for code in denies if by_code[code].verdict is Verdict.CLEAN]
    rest = [code for code in denies if by_code[code].verdict is Verdict.NOT_APPLICABLE]
    text = f"{', '.join(each.code for each in seen)} clean"
    return YES, f"{text}; {', '.join(rest)} not applicable" if rest else text


def _formulas(facts: Facts) -> tuple[str, str]:
    """Return whether the measures of a bundle have the definitions that its contract names."""
    contract = facts.contract
    if contract is None:
        return UNSEEN, "there are no results"
    other = [
        name
        for name, definition in facts.definitions.items()
        if name in contract.names and definition not in permitted(name, contract.resolve(name))
    ]
    outside = [name for name in facts.definitions if name not in contract.names]
    if other:
        return NO, f"{len(other)} measures have another definition, the first {other[0]}"
    text = f"{len(facts.definitions)} definition ids, {len(outside)} of them not of {contract.id}"
    return YES, text
