"""All rules, in the order of their codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.verify.lint.model import Page
from assay.verify.lint.rule import Breach, Finding, Rule, allowance
from assay.verify.lint.rules import (
    averages,
    bounds,
    changes,
    counts,
    ranges,
    ranking,
    rates,
    spread,
    states,
    totals,
)

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *ranges.RULES,
            *ranking.RULES,
            *bounds.RULES,
            *rates.RULES,
            *counts.RULES,
            *averages.RULES,
            *totals.RULES,
            *states.RULES,
            *changes.RULES,
            *spread.RULES,
        ),
        key=lambda rule: rule.code,
    )
)


def findings(pages: Sequence[Page]) -> Iterator[Finding]:
    """What the rules find, page by page."""
    for page in pages:
        for rule in RULES:
            if rule.check is not None:
                for sheet in page.sheets:
                    for breach in rule.check(sheet):
                        yield _finding(rule, breach, sheet.place)
            if rule.change is not None:
                for change in page.changes:
                    for breach in rule.change(change):
                        yield _finding(rule, breach, change.place)
            if rule.report is not None:
                for report in page.reports:
                    for breach in rule.report(report):
                        yield _finding(rule, breach, report.place)


def _finding(rule: Rule, breach: Breach, place: str) -> Finding:
    rounding = breach.rounding or allowance(breach.figures)
    return Finding(
        rule.code, rule.kind, place, rule.statement, breach.numbers, rounding, rule.assumes
    )
