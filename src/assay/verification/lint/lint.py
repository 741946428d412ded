"""`assay.lint`: read printed values, apply the rules, report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from assay.errors import Fault, InputError, shown
from assay.verification.lint.contract_names import GRADED, with_contract
from assay.verification.lint.formats.detect_format import FORMATS, read
from assay.verification.lint.formats.sidecar import given as read_given
from assay.verification.lint.formats.sidecar import sidecar
from assay.verification.lint.lint_report import LintReport
from assay.verification.lint.names.measure_names import squeezed
from assay.verification.lint.printed_values import Given, Page
from assay.verification.lint.rule_list import findings
from assay.verification.lint.tables.read_values import Draft
from assay.verification.lint.tables.sheets import page

LARGEST = 20_000_000  # bytes; a table of results is small
MOST_FIGURES = 200_000
EXPECTED = (
    "expected CSV, Markdown, JSON, LaTeX, HTML, text in columns, a classification report or trec_eval output"
)

Figures = str | Path | Mapping[str, Any] | Sequence[Any] | IO[str] | IO[bytes]


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
    strict: bool = False,
    format: str | None = None,  # noqa: A002 (the name of the option)
) -> LintReport:
    """Find printed values that cannot all be right.

    Parameters
    ----------
    source
        A file, an open file, or what a JSON file would hold.
    n, positives
        The number of queries, and of those with evidence. A table may have both itself.
    folds
        A number, `equal:5`, `stratified:5`, or a list of (positives, negatives).
    mean_gold
        The mean number of gold items per query with evidence.
    graded
        Judgements have grades: skip what holds for binary gold only.
    contract
        A contract that fixes definitions which names leave open.
    ignore
        Rows or columns to skip without listing them.
    strict
        Raise an error for a row or column that is not a known measure, and for a cell that is not a
        number. Otherwise they are skipped and listed.
    format
        csv, tsv, markdown, json, latex, html, sklearn, text or trec_eval; detected by default.

    Returns
    -------
    LintReport
        Findings, notes, and what was skipped. Options may also be in a file next to the source,
        SOURCE.lint.toml; arguments take precedence.

    Raises
    ------
    InputError
        The source cannot be read, or has no known measure.

    Examples
    --------
    >>> report = assay.lint({"precision": 0.9, "recall": 0.5, "f1": 0.8})
    >>> [finding.kind for finding in report.findings]
    ['impossible']

    """
    label, ending, text, beside, beside_name = _read(source)
    options = {"n": n, "positives": positives, "folds": folds, "mean_gold": mean_gold, "contract": contract}
    merged = {**beside, **{key: value for key, value in options.items() if value is not None}}
    merged["graded"] = graded or beside.get("graded", False)
    given = read_given(merged, beside_name or "lint")
    named = tuple(map(str, ignore))
    left_out = frozenset(map(squeezed, (*named, *map(str, beside.get("ignore", ())))))
    made, skipped = read(text, label, left_out, ending=ending, chosen=format or "")
    met = {name for each in made for name in each.met}
    absent = [name for name in named if squeezed(name) not in met]
    if absent:
        problem = f"no row or column is called {shown(absent[0])}"
        raise InputError.of("`ignore`", problem, f"expected names as {label} prints them")
    chosen = merged.get("contract")
    if chosen is not None:
        given = replace(given, graded=given.graded or str(chosen) in GRADED)
        for each in made:
            with_contract(each, str(chosen))
    return _report(label, made, skipped, given, strict=strict)


def printed_pages(source: Figures, *, format: str | None = None) -> tuple[str, list[Page], list[str]]:  # noqa: A002
    """Return a label, the printed values by table and system, and what is not a known measure."""
    label, ending, text, _, _ = _read(source)
    made, skipped = read(text, label, frozenset(), ending=ending, chosen=format or "")
    _refuse(label, made, [])
    not_read = [_listed(fault) for each in made for fault in each.skipped]
    return label, [page(each, Given()) for each in made], [*skipped, *dict.fromkeys(not_read)]


def _report(label: str, made: list[Draft], skipped: list[str], given: Given, *, strict: bool) -> LintReport:
    not_read = [fault for each in made for fault in each.skipped]
    _refuse(label, made, not_read if strict else [])
    pages = [page(each, given) for each in made]
    return LintReport(
        label,
        tuple(findings(pages)),
        tuple(each.name for each in pages),
        tuple(skipped),
        tuple(note for each in pages for note in each.notes),
        sum(raw.value is not None for each in made for raw in each.figures),
        tuple(dict.fromkeys(_listed(fault) for fault in not_read)),
    )


def _refuse(label: str, made: list[Draft], not_read: list[Fault]) -> None:
    """Raise where nothing can be read, or where something cannot that must be."""
    faults = [fault for each in made for fault in each.faults] + not_read
    if faults:
        raise InputError(faults)
    if not any(raw.value is not None for each in made for raw in each.figures):
        raise InputError.of(label, "no table with a known measure", EXPECTED)
    number = sum(len(each.figures) for each in made)
    if number > MOST_FIGURES:
        raise InputError.of(label, f"has {number:,} values", f"expected at most {MOST_FIGURES:,}")


def _listed(fault: Fault) -> str:
    return f"{fault.place}: {fault.problem}" if fault.place else fault.problem


def _read(source: Figures) -> tuple[str, str, str, dict[str, Any], str]:
    """Return a label, the ending of the file, its text, and the settings next to it."""
    if isinstance(source, str | Path):
        path = Path(source)
        text = _text(path.name, _bytes(path))
        beside, name = sidecar(path)
        return path.name, path.suffix, text, beside, name
    if hasattr(source, "read"):
        data = source.read(LARGEST + 1)
        name = str(getattr(source, "name", "") or "")
        label = "standard input" if re.fullmatch(r"<stdin>|0|", name) else Path(name).name
        return label, Path(label).suffix, _text(label, data), {}, ""
    try:
        plain = json.dumps(source, default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError.of("values", f"cannot be read ({error})", "expected names and numbers") from None
    return "values", ".json", plain, {}, ""


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise InputError.of(
                path.name, f"has {path.stat().st_size:,} bytes", f"expected at most {LARGEST:,}"
            )
        with path.open("rb") as file:
            return file.read(LARGEST + 1)  # a device or a pipe has no size, and may have no end
    except FileNotFoundError:
        raise InputError.of(str(path)[:200], "file not found", EXPECTED) from None
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        reason = getattr(error, "strerror", None) or "not a path"
        raise InputError.of(str(path)[:200], f"cannot be read ({reason})", EXPECTED) from None


def _text(label: str, data: bytes | str) -> str:
    if len(data) > LARGEST:
        raise InputError.of(label, "too large", f"expected at most {LARGEST:,} bytes")
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError.of(label, "not UTF-8 text", EXPECTED) from None
    if "\0" in text:
        raise InputError.of(label, "holds binary data", EXPECTED)
    if not text.strip():
        raise InputError.of(label, "is empty", EXPECTED)
    return text


__all__ = ["FORMATS", "lint"]
