"""From read values to pages: ambiguous meanings, sheets and changes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction

from assay.verification.lint.feasibility.confusion_counts import SCORES
from assay.verification.lint.names.measure_names import ValueKind
from assay.verification.lint.numbers import Quantity
from assay.verification.lint.printed_values import Change, Figure, Given, Page, Sheet
from assay.verification.lint.tables.class_reports import class_reports
from assay.verification.lint.tables.read_values import Draft, Raw, RawChange
from assay.verification.lint.tables.scales import HUNDREDTH, settle

CLASSIFYING = frozenset(
    (
        *("sensitivity", "specificity", "fpr", "fnr", "ppv", "npv", "f1", "fbeta", "accuracy"),
        *("balanced_accuracy", "mcc", "auroc", "auprc", "tp", "fp", "tn", "fn", "error_rate"),
        *("kappa", "ji"),
    )
)
# Collections with graded judgements: nDCG is then not tied to the binary measures.
GRADED = re.compile(
    r"\bgraded\b|trec[ -]?(?:dl|deep|covid|web)|\bdl[ -]?'?(?:20)?(?:19|2[0-3])\b|\bbeir\b|"
    r"\brobust[ -]?(?:20)?0[345]\b|nf-?corpus|touch[eé]|dbpedia|clueweb|\bcw(?:09|12)|\bgov2\b|"
    r"mslr|web(?:10|30)k|istella|\byahoo\b|\besci\b",
    re.IGNORECASE,
)


def page(draft: Draft, given: Given) -> Page:
    """Return the page of one table."""
    if draft.graded:
        given = replace(given, graded=True)
    if draft.counts is not None and given.n is None and given.positives is None:
        given = replace(given, n=draft.counts[0], positives=draft.counts[1])
    _decide(draft)
    _doubt_counts(draft)
    _doubt_means(draft)
    notes = [*draft.notes, *settle(draft)]
    if draft.remarks:
        notes.append(f"{draft.name}: {draft.remarks} cells have a number in brackets, not judged")
    figures = [(raw, _figure(raw, averaged=draft.averaged)) for raw in draft.figures]
    reports, rest = class_reports(draft, figures)
    sheets = _sheets(draft, rest, given)
    notes += _not_judged(draft, sheets, given)
    return Page(draft.name, sheets, _changes(draft, sheets), reports, tuple(notes))


def _not_judged(draft: Draft, sheets: tuple[Sheet, ...], given: Given) -> list[str]:
    """Note where n and positives were given but could not be used."""
    rates = any(f.name.key in SCORES for sheet in sheets for f in sheet.figures)
    if not rates or given.n is None or given.positives is None or draft.counts is not None:
        return []
    if given.folds is not None and given.folds.sizes == "any":
        return [f"{draft.name}: fold sizes are unknown, so rates are not compared with counts"]
    if given.folds is None and any(sheet.averaged for sheet in sheets):
        return [f"{draft.name}: rates with ± are read as means, not compared with one matrix"]
    if any(sheet.given.n is None for sheet in sheets):
        return [f"{draft.name}: it names several data sets, so n and positives are not used"]
    return []


def _decide(draft: Draft) -> None:
    """Read a bare `recall` next to classifier measures as sensitivity, else without a cut-off."""
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


def _doubt_counts(draft: Draft) -> None:
    """Ignore an `n` that is a setting, such as the size of the training set.

    It is one if the same system occurs with several n, or if n itself names the rows.
    """
    counts = [raw for raw in draft.figures if raw.name.key == "n" and raw.value is not None]
    others = {raw.name.key for raw in draft.figures}
    if others & {"positives", "negatives", "tp", "tn"}:
        return
    names_rows = not any(raw.system for raw in draft.figures)
    seen: dict[tuple[str, str], set[Fraction]] = defaultdict(set)
    for raw in counts:
        if raw.value is not None:
            seen[raw.system, raw.population].add(raw.value.value)
    if (names_rows and len(counts) > 1) or any(len(values) > 1 for values in seen.values()):
        for raw in counts:
            raw.unsure = True


def _doubt_means(draft: Draft) -> None:
    """Judge a mean over rows separately: without folds, each column may be over other rows."""
    for raw in draft.figures:
        if raw.system.endswith("folds") and raw.is_fold_mean and len(raw.folds) < 2:
            raw.unsure = True


def _sheets(draft: Draft, figures: list[tuple[Raw, Figure | None]], given: Given) -> tuple[Sheet, ...]:
    """Return one sheet per system and population; a repeated name begins another one."""
    seen: Counter[tuple[str, str, str, str]] = Counter()
    found: dict[tuple[str, str, int], list[Figure]] = defaultdict(list)
    first: dict[tuple[str, str, int], Raw] = {}
    for raw, made in figures:
        key = (raw.system, raw.population.casefold(), raw.label, f"{raw.name}")
        place = (*key[:2], seen[key])
        if made is not None:
            found[place].append(made)
            first.setdefault(place, raw)
        seen[key] += 1
    several = len({raw.population.casefold() for raw in first.values()}) > 1
    if several:
        given = replace(given, n=None, positives=None)
    sheets = []
    for place, members in found.items():
        raw = first[place]
        spread = any(figure.std is not None or figure.folds for figure in members)
        averaged = draft.averaged or spread or given.folds is not None
        words = f"{draft.name} {raw.system} {raw.population}"
        own = replace(given, graded=given.graded or GRADED.search(words) is not None)
        sheets.append(
            Sheet(draft.name, raw.system, tuple(members), averaged, own, raw.population, place[2], raw.owner)
        )
    return tuple(sheets)


def _figure(raw: Raw, *, averaged: bool) -> Figure | None:
    if raw.value is None:
        return None
    value = raw.value
    whole = value.value.denominator == 1 and value.half <= Fraction(1, 2)
    if raw.name.kind is ValueKind.COUNT and whole and raw.std is None and not averaged:
        value = replace(value, half=Fraction(0))
    ends = (raw.low, raw.high) if raw.low is not None and raw.high is not None else None
    return Figure(
        raw.name,
        raw.label,
        value,
        raw.std,
        ends,
        raw.method,
        tuple(raw.folds),
        raw.is_fold_mean,
        raw.query_std,
        joined=not raw.unsure,
        plus_minus=raw.plus_minus,
        queries=tuple(raw.queries),
    )


def _changes(draft: Draft, sheets: tuple[Sheet, ...]) -> tuple[Change, ...]:
    made = []
    owners = {raw.owner for raw in draft.changes}
    for raw in draft.changes:
        figures = [
            (sheet, figure)
            for sheet in sheets
            if sheet.occurrence == raw.occurrence
            and sheet.population.casefold() == raw.population.casefold()
            and (figure := _of(sheet, raw)) is not None
        ]
        figures = _compared(raw, figures, owners)
        printed = raw.printed
        if "%" in raw.header and not printed.percent:
            printed = Quantity(printed.value * HUNDREDTH, printed.half * HUNDREDTH, printed.text, True)
        if len(figures) >= 2:
            pairs = tuple((sheet.system, figure) for sheet, figure in figures)
            lower = raw.name.lower_is_better
            made.append(Change(draft.name, raw.label, raw.header, printed, pairs, lower))
    return tuple(made)


def _of(sheet: Sheet, change: RawChange) -> Figure | None:
    for figure in sheet.figures:
        if figure.name == change.name and figure.label == change.label:
            return figure
    return None


_REFERENCE = re.compile(r"\b(?:over|vs\.?|versus|to|from|against|w\.?r\.?t\.?)\s+(.+)$", re.I)


def _compared(
    change: RawChange, figures: list[tuple[Sheet, Figure]], owners: set[str]
) -> list[tuple[Sheet, Figure]]:
    """Return the systems that a change may be between; none if one is outside the table.

    If the systems of one heading recur under others, and each heading has a change, the headings
    are data sets, and a change is between two systems under its own heading.
    """
    named = _REFERENCE.search(change.header)
    if named is not None:
        wanted = set(re.findall(r"[a-z0-9]+", named[1].casefold())) - _ANY_SYSTEM
        words = [set(re.findall(r"[a-z0-9]+", s.system.casefold())) for s, _ in figures]
        if wanted and not any(wanted & each for each in words):
            return []
    own = [each for each in figures if each[0].owner == change.owner]
    names = [_last(sheet) for sheet, _ in figures]
    repeated = {name for name in names if names.count(name) > 1}
    alike = len(own) > 1 and all(_last(sheet) in repeated for sheet, _ in own)
    if change.owner and alike and {sheet.owner for sheet, _ in figures} <= owners:
        return own
    return figures


_ANY_SYSTEM = frozenset(("baseline", "baselines", "the", "best", "a", "second", "of"))


def _last(sheet: Sheet) -> str:
    return sheet.system.rpartition(", ")[2].casefold()
