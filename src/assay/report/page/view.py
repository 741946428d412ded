"""A bundle as a plain document: what the page shows, with nothing left to compute but choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.errors import MeasureError
from assay.evaluation.result import GroupValue, Value, bounds, unanswered
from assay.metrics.catalogue import metric
from assay.report.bundle import Bundle
from assay.report.digits import decimals
from assay.report.figures import MAKERS
from assay.report.page.checklist import checklist
from assay.report.page.lists import query_lists
from assay.report.page.packed import packed
from assay.report.page.text import Texts
from assay.report.tables import sections, subset

HEADLINES = ("auroc", "auprc", "ndcg@10", "recall@10", "evidence_recall", "evidence_precision",
             "screening_sensitivity", "screening_fn_per_1000", "alert_precision", "ece", "brier",
             "mrr", "map@10")  # fmt: skip
CARDS = 8
IN_GROUPS = 24
"""Measures that the table of criteria offers, at the most."""


def packed_run(bundle: Bundle, texts: Texts | None) -> str:
    """One run of a page."""
    lists = query_lists(bundle, texts)
    return packed(view(bundle) | lists.document, lists.columns)


def view(bundle: Bundle) -> dict[str, Any]:
    """Everything but the queries."""
    document = bundle.document
    contract = {
        name: document["contract"][name]
        for name in ("id", "title", "hash", "ties", "depth", "aggregate", "deployment",
                     "confidence", "exclude_criteria", "unjudged_queries")
    }  # fmt: skip
    figures, absent_figures = _figures(bundle)
    taus = bundle.taus
    return {
        "name": bundle.name,
        "folder": bundle.folder.resolve().name,
        "contract": contract,
        "counts": document["counts"],
        "unanswered": unanswered(bundle.result.counts) if bundle.result.counts.missing else None,
        "measures": [_measure(value, section) for section, value in _placed(bundle)],
        "headlines": headlines(bundle),
        "definitions": _definitions(bundle),
        "absent": document["absent"],
        "unexpected": document["unexpected"],
        "groups": _groups(bundle),
        "thresholds": document["thresholds"],
        "taus": None if taus is None else {
            "common": taus.common, "start": taus.start,
            "folds": [[fold, taus.neg[fold], taus.pos[fold]] for fold in taus.neg],
        },
        "figures": figures,
        "absent_figures": absent_figures,
        "targets": targets(bundle),
        "gate": gate(bundle.gate),
        "checklist": checklist(bundle),
        "versions": document["versions"],
        "inputs": document["inputs"],
        "bootstrap": document["bootstrap"],
        "manifest": bundle.manifest_hash,
    }  # fmt: skip


def _figures(bundle: Bundle) -> tuple[dict[str, Any], dict[str, str]]:
    made: dict[str, Any] = {}
    absent = {}
    for name, (make, _) in MAKERS.items():
        try:
            made[name] = make(bundle).data()
        except MeasureError as error:
            reason = str(error).rpartition("is absent: ")[2].removeprefix("curves: ")
            absent[name] = reason[:1].upper() + reason[1:]
    return made, absent


def headlines(bundle: Bundle) -> list[str]:
    """The numbers that matter: those with a target first, then the usual ones."""
    declared = targets(bundle)
    wanted = [*declared, *HEADLINES]
    there = {value.name for value in bundle.result}
    found = [name for name in dict.fromkeys(wanted) if name in there]
    return (found or [value.name for value in bundle.result.values])[
        : max(CARDS, len(declared) + 4)
    ]


def _placed(bundle: Bundle) -> Iterator[tuple[str, Value]]:
    for section, values in sections(bundle.result.values).items():
        for value in values:
            yield section, value


def _measure(value: Value, section: str) -> dict[str, Any]:
    folds = value.folds
    shown = bounds(value)
    low, high = (None, None) if shown is None else (shown.low, shown.high)
    mean = value.aggregate == "fold_mean" and folds is not None
    return {
        "name": value.name,
        "section": section,
        "definition": value.definition,
        "value": value.value,
        "pooled": value.pooled,
        "mean": mean,
        "std": folds.std if mean and folds is not None else None,
        "folds": None if folds is None else dict(folds.values),
        "low": low,
        "high": high,
        "exact_shown": shown is not None and shown.exact,
        "no_spread": shown is None and value.interval is not None,
        "n": value.n,
        "better": value.better,
        "convention": value.convention,
        "conventions": dict(value.by_convention),
        "ties": value.tie_sensitive,
        "digits": decimals(value.value, low, high),
    }


def _definitions(bundle: Bundle) -> dict[str, Any]:
    found = {}
    for value in bundle.result:
        entry = metric(value.definition)
        found[value.definition] = {
            "title": entry.title,
            "formula": entry.formula,
            "meaning": entry.meaning,
            "subset": subset(value.population),
            "range": [None if abs(end) == float("inf") else end for end in entry.range],
        }
    return found


def _groups(bundle: Bundle) -> dict[str, Any]:
    """Breakdowns: values, ends of intervals, numbers and conventions, row by row."""
    names = [*headlines(bundle), *(value.name for value in bundle.result)]
    kept = [name for name in dict.fromkeys(names) if "/" not in name][:IN_GROUPS]
    found = {}
    for column, rows in bundle.result.groups.items():
        found[column] = {
            "measures": kept,
            "rows": [
                [label, [_group(values[name]) if name in values else None for name in kept]]
                for label, values in rows.items()
            ],
        }
    return found


def _group(value: GroupValue) -> list[Any]:
    shown = bounds(value)
    ends = (None, None) if shown is None else (shown.low, shown.high)
    exact = shown is not None and shown.exact
    return [value.value, *ends, value.n, value.convention, exact]


def targets(bundle: Bundle) -> dict[str, list[Any]]:
    """Targets that the contract declares: `name = ">= 0.85"`, as [sign, limit]."""
    declared = bundle.document["contract"].get("targets", {})
    found: dict[str, list[Any]] = {}
    for name, text in declared.items() if isinstance(declared, Mapping) else ():
        sign, _, limit = str(text).strip().partition(" ")
        if sign in (">=", "<=", ">", "<"):
            try:
                found[name] = [sign, float(limit)]
            except ValueError:
                continue
    return found


def gate(found: dict[str, Any] | None) -> dict[str, Any] | None:
    """The verdict of `gate.json` (`assay/gate/1`) and its checks."""
    if found is None or not isinstance(found.get("checks"), list):
        return None
    checks = [each for each in found["checks"] if isinstance(each, dict)]
    return {
        "verdict": "passed" if found.get("passed") is True else "failed",
        "checks": [
            [str(each.get(key, "")) for key in ("name", "verdict", "reason")] for each in checks
        ],
    }
