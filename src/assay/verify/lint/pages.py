"""From figures as read to pages: meanings that the table decides, scales, sheets and changes."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction

from assay.verify.lint.confusion import SCORES
from assay.verify.lint.model import Change, Figure, Given, Page, Sheet, is_share
from assay.verify.lint.names import Kind, Name
from assay.verify.lint.numbers import Quantity
from assay.verify.lint.raw import Draft, Raw

HUNDREDTH = Fraction(1, 100)
CLASSIFYING = frozenset(
    (
        *("sensitivity", "specificity", "fpr", "fnr", "ppv", "npv", "f1", "fbeta", "accuracy"),
        *("balanced_accuracy", "mcc", "auroc", "auprc", "tp", "fp", "tn", "fn", "error_rate"),
        *("kappa", "ji"),
    )
)


def page(draft: Draft, given: Given) -> Page:
    """The page of one table."""
    if draft.graded:
        given = replace(given, graded=True)
    if draft.counts is not None and given.n is None and given.positives is None:
        given = replace(given, n=draft.counts[0], positives=draft.counts[1])
    _decide(draft)
    notes = [*_scales(draft)]
    if draft.remarks:
        notes.append(f"{draft.name}: {draft.remarks} cells have a number in brackets, not judged")
    sheets = _sheets(draft, given)
    notes += _not_judged(draft, sheets, given)
    return Page(draft.name, sheets, _changes(draft, sheets), tuple(notes))


def _not_judged(draft: Draft, sheets: tuple[Sheet, ...], given: Given) -> list[str]:
    """Say where n and positives were given and could not be used."""
    rates = any(f.name.key in SCORES for sheet in sheets for f in sheet.figures)
    if not rates or given.n is None or given.positives is None or draft.counts is not None:
        return []
    if given.folds is not None and given.folds.sizes == "any":
        return [
            f"{draft.name}: sizes of the folds are unknown, so rates are not held against counts"
        ]
    if given.folds is None and any(sheet.averaged for sheet in sheets):
        return [f"{draft.name}: rates with ± are taken for means, and not held against one matrix"]
    return []


def _decide(draft: Draft) -> None:
    """A bare `recall` is sensitivity beside measures of a classifier, else of unknown cut-off."""
    keys = {figure.name.key for figure in draft.figures}
    ranked = any(figure.name.cut is not None for figure in draft.figures)
    classifies = bool(keys & CLASSIFYING or not ranked)
    meant = {"bare_recall": "sensitivity", "bare_precision": "ppv"} if classifies else {}
    for figure in draft.figures:
        figure.name = replace(figure.name, key=meant.get(figure.name.key, figure.name.key))
    draft.changes = [
        replace(change, name=replace(change.name, key=meant.get(change.name.key, change.name.key)))
        for change in draft.changes
    ]


def _series(draft: Draft) -> dict[tuple[str, Fraction | None, str], list[Raw]]:
    found: dict[tuple[str, Fraction | None, str], list[Raw]] = defaultdict(list)
    for figure in draft.figures:
        if is_share(figure.name) and figure.value is not None and not figure.value.percent:
            found[figure.name.key, figure.name.cut, figure.name.group].append(figure)
    return found


def _scales(draft: Draft) -> list[str]:
    """Bring shares to 0–1. Values above 1 are percent only where the whole table speaks for it."""
    series = _series(draft)
    values = [abs(raw.value.value) for group in series.values() for raw in group if raw.value]
    big = [value for value in values if value > 1]
    percent = len(big) >= 2 and 2 * len(big) >= len(values) and 10 < max(big) <= 100
    notes = []
    if percent:
        notes.append(
            f"{draft.name}: read as percent, because {len(big)} of {len(values)} shares are above 1"
        )
    for group in series.values():
        sizes = [abs(raw.value.value) for raw in group if raw.value is not None]
        named = any(raw.name.percent for raw in group)
        if named or (percent and max(sizes) > 1):
            for raw in group:
                _rescale(raw)
        elif percent:
            label = group[0].label
            notes.append(f"{draft.name}: the scale of {label} is unsure, so it is judged alone")
            for raw in group:
                raw.unsure = True
    return notes


def _rescale(raw: Raw) -> None:
    for part in ("value", "std", "low", "high", "query_std"):
        printed = getattr(raw, part)
        if printed is not None and not printed.percent:
            setattr(raw, part, printed.scaled(HUNDREDTH))
    raw.folds = [fold if fold.percent else fold.scaled(HUNDREDTH) for fold in raw.folds]


def _sheets(draft: Draft, given: Given) -> tuple[Sheet, ...]:
    """One sheet a system; a name that comes again begins another one."""
    seen: Counter[tuple[str, str, Name | str]] = Counter()
    found: dict[tuple[str, int], list[Figure]] = defaultdict(list)
    for raw in draft.figures:
        made = _figure(raw, averaged=draft.averaged)
        key = (raw.system, raw.label, f"{raw.name}")
        if made is not None:
            found[raw.system, seen[key]].append(made)
        seen[key] += 1
    sheets = []
    for (system, at), figures in found.items():
        label = system if not at else f"{system} ({at + 1})".strip()
        spread = any(figure.std is not None or figure.folds for figure in figures)
        averaged = draft.averaged or spread or given.folds is not None
        sheets.append(Sheet(draft.name, label, tuple(figures), averaged, given))
    return tuple(sheets)


def _figure(raw: Raw, *, averaged: bool) -> Figure | None:
    if raw.value is None:
        return None
    value = raw.value
    whole = value.value.denominator == 1 and value.half <= Fraction(1, 2)
    if raw.name.kind is Kind.COUNT and whole and raw.std is None and not averaged:
        value = replace(value, half=Fraction(0))
    ends = (raw.low, raw.high) if raw.low is not None and raw.high is not None else None
    return Figure(
        raw.name, raw.label, value, raw.std, ends, raw.method, tuple(raw.folds),
        raw.is_fold_mean, raw.query_std, joined=not raw.unsure,
    )  # fmt: skip


def _changes(draft: Draft, sheets: tuple[Sheet, ...]) -> tuple[Change, ...]:
    made = []
    for raw in draft.changes:
        figures = []
        for sheet in sheets:
            again = sheet.system.endswith(f"({raw.occurrence + 1})")
            if bool(raw.occurrence) != again and raw.occurrence:
                continue
            for figure in sheet.figures:
                if figure.name == raw.name and figure.label == raw.label:
                    figures.append((sheet.system, figure))
                    break
        printed = raw.printed
        if "%" in raw.header and not printed.percent:
            printed = Quantity(
                printed.value * HUNDREDTH, printed.half * HUNDREDTH, printed.text, True
            )
        if len(figures) >= 2:
            made.append(
                Change(draft.name, raw.label, raw.header, printed, tuple(figures),
                       raw.name.lower_is_better)
            )  # fmt: skip
    return tuple(made)
