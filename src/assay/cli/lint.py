"""`assay lint`: check published results for mutual inconsistency."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from assay.cli.output import print_json
from assay.cli.table import Table, show
from assay.errors import InputError
from assay.verify.lint.api import lint
from assay.verify.lint.known import FAMILIES
from assay.verify.lint.registry import RULES
from assay.verify.lint.report import PROVES, LintReport

WIDTH = 100
MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command."""

    figures: Path | None
    n: int | None
    positives: int | None
    folds: str | None
    mean_gold: str | None
    graded: bool
    contract: str | None
    ignore: tuple[str, ...]
    strict: bool
    format: str | None
    rules: bool
    as_json: bool


def lint_command(request: Request) -> None:
    """Read, check and print; exit with 1 if something is impossible."""
    if request.rules:
        _rules(as_json=request.as_json)
        return
    if request.figures is None:
        raise InputError.of(
            "lint", "no file given", "expected FILE, - for standard input, or --rules"
        )
    report = lint(
        sys.stdin.buffer if str(request.figures) == "-" else request.figures,
        n=request.n,
        positives=request.positives,
        folds=request.folds,
        mean_gold=request.mean_gold,
        graded=request.graded,
        contract=request.contract,
        ignore=request.ignore,
        strict=request.strict,
        format=request.format,
    )
    if request.as_json:
        print_json(report.to_dict())
    else:
        show(*_parts(report))
    if report.exit_code:
        sys.exit(report.exit_code)


def _rules(*, as_json: bool) -> None:
    if as_json:
        body = [
            {"code": rule.code, "class": rule.kind, "title": rule.title, "rule": rule.statement,
             "assumes": rule.assumes}
            for rule in RULES
        ]  # fmt: skip
        print_json(body)
        return
    rows = tuple((rule.code, rule.kind, rule.statement, rule.assumes) for rule in RULES)
    names = sorted(aliases[0] for aliases in FAMILIES.values() if not aliases[0].startswith("bare"))
    known = fill(f"Names, in many spellings: recall@k, precision@k, {', '.join(names)}.", WIDTH)
    show(Table("Rules", ("code", "class", "rule", "assumes"), rows, (0, 1, 2, 3)), known)


def _parts(report: LintReport) -> list[Table | str]:
    tables = "1 table" if len(report.tables) == 1 else f"{len(report.tables)} tables"
    values = "1 value" if report.figures == 1 else f"{report.figures} values"
    parts: list[Table | str] = [
        f"{report.source}: {values} in {tables}, "
        f"{len(report.impossible)} impossible, {len(report.unusual)} unusual"
    ]
    if report.findings:
        rows = tuple(
            (each.code, each.kind, each.place, each.numbers, each.rounding, each.rule)
            for each in report.findings
        )
        head = ("code", "class", "where", "numbers", "rounding allowed", "rule")
        parts.append(Table("Findings", head, rows, (0, 1, 2, 3, 4, 5)))
        assumed = dict.fromkeys((each.code, each.assumes) for each in report.findings)
        parts.append("\n".join(fill(f"{code} assumes: {text}.", WIDTH) for code, text in assumed))
    notes = [*report.notes]
    notes += [f"skipped (no known measure): {name}" for name in report.skipped]
    if report.not_read:
        notes += ["Not read (use --strict to make this an error):"]
        notes += [f"  {each}" for each in report.not_read[:MOST_LISTED]]
        rest = len(report.not_read) - MOST_LISTED
        notes += [f"  and {rest} more"] if rest > 0 else []
    if notes:
        parts.append("\n".join(notes))
    parts.append(fill(PROVES, WIDTH))
    return parts
