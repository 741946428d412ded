"""A bundle as the plain document that the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.display.digits import decimals
from assay.errors import MeasureError
from assay.evaluation.display.paper_tables import subset
from assay.evaluation.presentation import ARROWS, HEADLINES, TREC_HEADLINES, sections, unanswered
from assay.evaluation.result import GroupValue, Value, bounds
from assay.metrics.core.registry import SECTION as USER_DEFINED
from assay.metrics.core.registry import metric
from assay.report.deployed_thresholds import Taus
from assay.report.figures.figure_files import MAKERS, made_figure
from assay.report.page.concerns import concerns
from assay.report.page.deployed_decisions import certificates, deployment, presets, states_by, untrained
from assay.report.page.packed_columns import packed
from assay.report.page.point_sentence import operating_point
from assay.report.page.post_text import Texts
from assay.report.page.query_lists import query_lists
from assay.report.page.reporting_checklist import checklist
from assay.report.page.small_cells import SmallCells
from assay.report.page.suppressed_counts import suppressed
from assay.report.report_bundle import Bundle

CONTRACT = (
    "id",
    "title",
    "hash",
    "ties",
    "depth",
    "aggregate",
    "deployment",
    "confidence",
    "exclude_criteria",
    "unjudged_queries",
)
COPIED = ("counts", "absent", "unexpected", "thresholds", "versions", "inputs", "bootstrap")
"""Parts of the master document that the page shows as they are."""
CARDS = 8
LARGE = 4
"""Measures on large cards; those that a user defined come next."""
TREC_FIRST = ("map", "ndcg_cut_10", "P_10", "recip_rank")
"""The large cards of a run under trec_eval's names."""
TARGET_MOVES = 2.5
"""Places that a target moves a measure up: past recall@10, not past AUROC."""
IN_GROUPS = 24
"""Largest number of measures that the table of criteria offers."""


def packed_run(bundle: Bundle, texts: Texts | None, suppress_below: int | None = None) -> str:
    """Return the packed data of one run of a page; without queries where small counts are hidden."""
    if suppress_below is not None:
        document = {**view(bundle), "keys": list(bundle.result.query_keys)}
        return packed(suppressed(document, SmallCells(bundle, suppress_below)), {})
    lists = query_lists(bundle, texts)
    return packed(view(bundle) | lists.document, lists.columns)


def view(bundle: Bundle) -> dict[str, Any]:
    """Return everything but the queries."""
    document = bundle.document
    figures, absent_figures = _figures(bundle)
    taus = bundle.taus
    return {
        "name": bundle.name,
        "folder": bundle.folder.resolve().name,
        "contract": {name: document["contract"][name] for name in CONTRACT},
        **{name: document[name] for name in COPIED},
        "unanswered": unanswered(bundle.result.counts) if bundle.result.counts.missing else None,
        "measures": [
            _measure(value, section)
            for section, values in sections(bundle.result.measures).items()
            for value in values
        ],
        "headlines": headlines(bundle),
        "deployment": deployment(bundle),
        "certificates": certificates(bundle),
        "concerns": concerns(bundle),
        "presets": presets(bundle),
        "baselines": list(document.get("baselines", ())),
        "states_by_criterion": states_by(bundle, "criterion_id"),
        "untrained": untrained(bundle),
        "definitions": _definitions(bundle),
        "groups": _groups(bundle),
        "taus": None if taus is None else _taus(taus),
        "figures": figures,
        "absent_figures": absent_figures,
        "targets": targets(bundle),
        "gate": gate(bundle.gate),
        "checklist": checklist(bundle),
        "manifest": bundle.manifest_hash,
    }


def _taus(taus: Taus) -> dict[str, Any]:
    folds = [[fold, taus.neg[fold], taus.pos[fold]] for fold in taus.neg]
    return {"common": taus.common, "start": taus.start, "folds": folds}


def _figures(bundle: Bundle) -> tuple[dict[str, Any], dict[str, str]]:
    made: dict[str, Any] = {}
    absent = {}
    for name, (make, _) in MAKERS.items():
        figure = made_figure(bundle, name, make)
        if isinstance(figure, MeasureError) and name == "interpolated_precision":
            continue  # only contracts of TREC have it
        if isinstance(figure, MeasureError):
            reason = str(figure).rpartition("is absent: ")[2].removeprefix("curves: ")
            absent[name] = reason[:1].upper() + reason[1:]
        else:
            made[name] = figure.data()
    return made, absent


def headlines(bundle: Bundle) -> list[str]:
    """Return the headline measures, the most important first: a declared target moves a measure up."""
    there = {value.name for value in bundle.result.measures}
    usual = [
        name for name in (*HEADLINES, *TREC_FIRST, *TREC_HEADLINES) if name in there and _judged(bundle, name)
    ]
    usual = list(dict.fromkeys(usual))
    declared = targets(bundle)
    places = {name: at - TARGET_MOVES * (name in declared) for at, name in enumerate(usual)}
    found = sorted(places, key=places.__getitem__)
    found += [name for name in declared if name not in places]
    defined = sections(bundle.result.measures).get(USER_DEFINED, [])
    found[LARGE:LARGE] = [each.name for each in defined if each.better in ARROWS and each.name not in found]
    found = found or [value.name for value in bundle.result.measures if value.better in ARROWS]
    return found[: max(CARDS, len(declared) + 4)]


def _judged(bundle: Bundle, name: str) -> bool:
    """Return whether a value is better or worse; a count, such as `num_q`, is neither."""
    return bundle.result[name].better in ARROWS


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
        "arrow": ARROWS.get(value.better, ""),
        "convention": value.convention,
        "conventions": dict(value.by_convention),
        "ties": value.tie_sensitive,
        "digits": decimals(value.value, low, high),
        "hits": None if value.exact is None else value.exact.hits,
        "trials": None if value.exact is None else value.exact.trials,
    }


def _definitions(bundle: Bundle) -> dict[str, Any]:
    found = {}
    rule = next((each.rule for each in bundle.result.thresholds if each.deployment), None)
    for value in bundle.result.measures:
        entry = metric(value.definition)
        found[value.definition] = {
            "title": entry.title,
            "operating": operating_point(entry.params, rule),
            "formula": entry.formula,
            "meaning": entry.meaning,
            "subset": subset(value.population),
            "range": [None if abs(end) == float("inf") else end for end in entry.range],
        }
    return found


def _groups(bundle: Bundle) -> dict[str, Any]:
    """Return the breakdowns row by row: value, interval, count and convention of each measure."""
    names = [*headlines(bundle), *(value.name for value in bundle.result.measures)]
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
    """Return the targets that values are compared with, such as `name = ">= 0.85"`, as [sign, limit]."""
    judged = {each["name"] for each in bundle.document["measures"] if each["target"]}
    every = bundle.document["contract"].get("targets", {})
    declared = {name: text for name, text in every.items() if name in judged}
    found: dict[str, list[Any]] = {}
    for name, text in declared.items() if isinstance(declared, Mapping) else ():
        sign, _, limit = str(text).strip().partition(" ")
        if sign in (">=", "<=", ">", "<"):
            try:
                found[name] = [sign, float(limit)]
            except ValueError:
                continue
    return found


def gate(found: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the verdict of the publication gate (`gate.json`) and its checks."""
    if found is None or not isinstance(found.get("checks"), list):
        return None
    checks = [each for each in found["checks"] if isinstance(each, dict)]
    return {
        "verdict": "passed" if found.get("passed") is True else "failed",
        "checks": [[str(each.get(key, "")) for key in ("name", "verdict", "reason")] for each in checks],
    }
