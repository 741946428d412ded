"""All rules, in the order of their codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.verification.lint.printed_values import Page
from assay.verification.lint.rule import Breach, LintFinding, LintRule, allowance
from assay.verification.lint.rules import (
    class_averages,
    confusion_rates,
    cutoff_order,
    printed_changes,
    query_totals,
    ranking_bounds,
    spreads,
    state_shares,
    value_ranges,
    whole_counts,
)

RULES: tuple[LintRule, ...] = tuple(
    sorted(
        (
            *value_ranges.RULES,
            *cutoff_order.RULES,
            *ranking_bounds.RULES,
            *confusion_rates.RULES,
            *whole_counts.RULES,
            *class_averages.RULES,
            *query_totals.RULES,
            *state_shares.RULES,
            *printed_changes.RULES,
            *spreads.RULES,
        ),
        key=lambda rule: rule.code,
    )
)


def findings(pages: Sequence[Page]) -> Iterator[LintFinding]:
    """Return what the rules find, page by page."""
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


def _finding(rule: LintRule, breach: Breach, place: str) -> LintFinding:
    rounding = breach.rounding or allowance(breach.figures)
    return LintFinding(rule.code, rule.kind, place, rule.statement, breach.numbers, rounding, rule.assumes)
