"""`assay.lint`: read figures, apply the rules, report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.verify.lint.beside import given as read_given
from assay.verify.lint.beside import sidecar
from assay.verify.lint.contract import GRADED, with_contract
from assay.verify.lint.documents import drafts, parse
from assay.verify.lint.grid import markdown, separated
from assay.verify.lint.layout import draft
from assay.verify.lint.model import Given
from assay.verify.lint.names import squeezed
from assay.verify.lint.pages import page
from assay.verify.lint.raw import Draft
from assay.verify.lint.registry import findings
from assay.verify.lint.report import LintReport

LARGEST = 20_000_000  # bytes; a table of figures is small
MOST_FIGURES = 20_000

Figures = str | Path | Mapping[str, Any] | Sequence[Any]


def lint(
    source: Figures,
    *,
    n: int | None = None,
    positives: int | None = None,
    folds: object = None,
    mean_gold: float | str | None = None,
    graded: bool = False,
    contract: str | None = None,
    ignore: Iterable[str] = (),
) -> LintReport:
    """Find printed figures that cannot stand together.

    `source` is a file (CSV, Markdown, JSON) or what a JSON file would hold. `n` and `positives` are
    the queries and those with evidence; `folds` is a number, `equal:5`, `stratified:5` or a list of
    (positives, negatives); `contract` fixes definitions; `graded` leaves out what holds for binary
    gold only; `ignore` names columns or rows that are no measures. A file may have these beside it,
    in FIGURES.lint.toml; what is given here comes first.
    """
    label, found, beside, beside_name = _read(source)
    options = {
        "n": n,
        "positives": positives,
        "folds": folds,
        "mean_gold": mean_gold,
        "contract": contract,
    }
    merged = {**beside, **{key: value for key, value in options.items() if value is not None}}
    merged["graded"] = graded or beside.get("graded", False)
    given = read_given(merged, beside_name or "lint")
    names = [*ignore, *beside.get("ignore", ())]
    left_out = frozenset(squeezed(str(name)) for name in names)
    made, skipped = _drafts(found, label, left_out)
    chosen = merged.get("contract")
    if chosen is not None:
        given = replace(given, graded=given.graded or str(chosen) in GRADED)
        for each in made:
            with_contract(each, str(chosen))
    return _report(label, made, skipped, given)


def _report(label: str, made: list[Draft], skipped: list[str], given: Given) -> LintReport:
    faults = [fault for each in made for fault in each.faults]
    if faults:
        raise InputError(faults)
    if not any(raw.value is not None for each in made for raw in each.figures):
        raise InputError.of(
            label, "has no table with a known measure", "expected figures of measures"
        )
    number = sum(len(each.figures) for each in made)
    if number > MOST_FIGURES:
        raise InputError.of(label, f"has {number} figures", f"expected at most {MOST_FIGURES}")
    pages = [page(each, given) for each in made]
    return LintReport(
        label,
        tuple(findings(pages)),
        tuple(each.name for each in pages),
        tuple(skipped),
        tuple(note for each in pages for note in each.notes),
        sum(len(sheet.figures) for each in pages for sheet in each.sheets),
    )


def _read(source: Figures) -> tuple[str, Any, dict[str, Any], str]:
    """A label, text or parsed JSON, and the settings beside a file."""
    if isinstance(source, str | Path):
        path = Path(source)
        text = _text(path)
        beside, name = sidecar(path)
        return path.name, (path.suffix.lower(), text), beside, name
    try:
        plain = json.dumps(source, default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError.of(
            "figures", f"cannot be read ({error})", "expected names and numbers"
        ) from None
    return "figures", (".json", plain), {}, ""


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise InputError.of(
                path.name, f"has {path.stat().st_size} bytes", f"expected at most {LARGEST}"
            )
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        reason = getattr(error, "strerror", None) or "not a path"
        raise InputError.of(
            str(path)[:200], f"cannot be read ({reason})", "expected a file"
        ) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError.of(
            path.name, "is not UTF-8 text", "expected CSV, Markdown or JSON"
        ) from None
    if "\0" in text:
        raise InputError.of(path.name, "holds binary data", "expected CSV, Markdown or JSON")
    if not text.strip():
        raise InputError.of(path.name, "is empty", "expected CSV, Markdown or JSON")
    return text


def _drafts(
    found: tuple[str, str], label: str, ignore: frozenset[str]
) -> tuple[list[Draft], list[str]]:
    ending, text = found
    if ending == ".json" or (ending not in (".csv", ".tsv", ".md") and text.lstrip()[:1] in "{["):
        return drafts(parse(text, label), label, ignore)
    grids = [] if ending in (".csv", ".tsv") else markdown(text, label)
    if not grids and ending not in (".md", ".markdown"):
        grids = separated(text, label, tabs=ending == ".tsv")
    made, skipped = [], []
    for grid in grids:
        each = draft(grid, label, ignore)
        if each is None:
            skipped.append(grid.name)
        else:
            made.append(each)
    return made, skipped
