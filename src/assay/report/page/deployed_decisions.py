"""What happens if the system is deployed: how many queries each action takes, in all and per fold."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.array_types import Ints
from assay.data.cases import IN_TRAINING, STATES
from assay.evaluation.thresholds.tune_thresholds import CONFIDENCE, Threshold
from assay.report.page.point_sentence import rule_words
from assay.report.report_bundle import Bundle
from assay.statistics.exact_binomial import units_needed

PROMISES = {
    "screening_sensitivity": "sensitivity",
    "screening_fn_per_1000": "sensitivity",
    "alert_precision": "precision",
}
"""The kind of rule on TUNE that could certify a target."""
THREE = ("skipped", "sent to review", "alerted")
RETURNED = ("left unanswered", "answered")
FLAGGED = ("not flagged", "flagged")


def deployment(bundle: Bundle) -> dict[str, Any] | None:
    """Return the actions with their queries and those with evidence; None if the system decides nothing."""
    found = decided(bundle)
    if found is None:
        return None
    kind, names, code, point = found
    folds = bundle.grouping("fold")
    parts = [] if folds is None else [(name, folds.codes == at) for at, name in enumerate(folds.labels)]
    everything = np.ones(len(code), dtype=bool)
    return {
        "kind": kind,
        "actions": list(names),
        "point": point,
        "all": _counted(code, bundle.label, everything, len(names)),
        "folds": [
            [name, *_counted(code, bundle.label, inside, len(names))]
            for name, inside in sorted(parts, key=lambda part: part[0])
        ],
    }


def decided(bundle: Bundle) -> tuple[str, tuple[str, ...], Ints, str] | None:
    """Return the kind of decision, its actions, the action of each query, and the operating point."""
    if bundle.has("state"):
        return "states", THREE, bundle.state, _taus(bundle)
    if bundle.has("selected_k"):
        return (
            "returned",
            RETURNED,
            (bundle.selected_k >= 1).astype(np.int64),
            "K ≥ 1, at least one sentence returned",
        )
    if not bundle.has("prob"):
        return None
    rule = next((each.rule for each in bundle.result.thresholds if each.deployment), None)
    if rule is not None and bundle.has(f"threshold_{rule}"):
        limits = bundle.queries[f"threshold_{rule}"].to_numpy().astype(np.float64)
        words = rule_words(rule)
        point = f"the threshold that {rule} chose on TUNE" + (f" ({words})" if words else "")
        return "flagged", FLAGGED, (bundle.prob >= limits).astype(np.int64), point
    said = (bundle.prob >= 0.5).astype(np.int64)
    return "flagged", FLAGGED, said, "p ≥ 0.5, because no threshold was chosen on TUNE"


def _taus(bundle: Bundle) -> str:
    taus = bundle.taus
    if taus is None:
        return "the recorded states"
    if taus.common is not None:
        return f"τ_neg = {taus.common[0]:.4g}, τ_pos = {taus.common[1]:.4g}"
    ends = (
        f"{sign} {min(each.values()):.3g} to {max(each.values()):.3g}"
        for sign, each in (("τ_neg", taus.neg), ("τ_pos", taus.pos))
    )
    return f"thresholds per fold: {', '.join(ends)}"


def _counted(code: Ints, label: Any, inside: Any, actions: int) -> list[list[int]]:
    """Return the queries of each action, and how many of them have evidence."""
    return [
        np.bincount(code[chosen], minlength=actions)[:actions].tolist() for chosen in (inside, inside & label)
    ]


def certificates(bundle: Bundle) -> dict[str, dict[str, Any]]:
    """Return what TUNE certifies about the targets of the three states: a verdict and its reason."""
    found: dict[str, dict[str, Any]] = {}
    if not bundle.has("state"):
        return found
    for measure, kind in PROMISES.items():
        if measure not in bundle.document["contract"].get("targets", {}):
            continue
        rules = [each for each in bundle.result.thresholds if each.rule.startswith(kind)]
        if bundle.result.get(measure) is not None:
            found[measure] = _certificate(bundle, rules, kind)
    return found


def _certificate(bundle: Bundle, rules: list[Threshold], kind: str) -> dict[str, Any]:
    used = [each for each in rules if _deployed(bundle, each, kind)]
    confidence = bundle.document["contract"].get("confidence") or CONFIDENCE
    kept = sum(bool(each.certified) for each in used)
    if not rules:
        status, text = "none", f"not certified: no {kind} threshold was chosen on TUNE"
    elif not used:
        chosen = f"the one that {rules[0].rule} chose on TUNE"
        status, text = "none", f"not certified: the deployed threshold is not {chosen}"
    elif bundle.result.tune_reused:
        status, text = "none", "not certified: TUNE was used for more than thresholds"
    elif kept == len(rules):
        status, text = "certified", f"certified on TUNE at {confidence:.0%} confidence"
    elif kept:
        only = f"in {kept} of {len(rules)} folds only, at {confidence:.0%} confidence"
        status, text = "not certifiable", f"certified on TUNE {only}"
    else:
        status, text = "not certifiable", f"not certifiable: {_lacking(rules, kind, confidence)}"
    return {"status": status, "text": text}


def _lacking(rules: list[Threshold], kind: str, confidence: float) -> str:
    """Return what the fold with the fewest independent posts lacks for a certificate."""
    weakest = min(rules, key=lambda each: each.units)
    among = f" (fold {weakest.fold}, the weakest of {len(rules)})" if len(rules) > 1 else ""
    if kind == "sensitivity":
        needed = units_needed(float(weakest.rule.partition("_")[2]), confidence)
        return f"{weakest.positives:,} positives, worth {weakest.units:.0f} of the {needed:,} needed{among}"
    best = "no confidence" if weakest.confidence is None else f"confidence {weakest.confidence:.0%}"
    return f"{best} of the {confidence:.0%} needed{among}"


def _deployed(bundle: Bundle, rule: Threshold, kind: str) -> bool:
    """Return whether the threshold behind the states of a fold is the one that a rule chose."""
    taus = bundle.taus
    if taus is None:
        return False
    used = taus.neg if kind == "sensitivity" else taus.pos
    found = used.get(rule.fold, used.get(None, np.nan))
    return bool(np.isclose(found, rule.value, rtol=1e-6, atol=1e-9))


def presets(bundle: Bundle) -> list[dict[str, Any]]:
    """Return each rule that chose thresholds on TUNE, with the value per fold and their median.

    `sets` is the slider that the rule moves: `low` for a sensitivity, `high` for a precision, and
    `both` for a rule of one threshold, which leaves nothing to review.
    """
    found = []
    for rule in dict.fromkeys(each.rule for each in bundle.result.thresholds):
        rows = [each for each in bundle.result.thresholds if each.rule == rule]
        kind = rule.partition("_")[0]
        values = [each.value for each in rows]
        middle = float(np.median(values))
        found.append(
            {
                "rule": rule,
                "words": rule_words(rule),
                "sets": {"sensitivity": "low", "conformal": "low", "precision": "high"}.get(kind, "both"),
                "value": None if np.isinf(middle) else middle,
                "range": [None if np.isinf(end) else float(end) for end in (min(values), max(values))],
                "folds": len(rows),
                "deployment": any(each.deployment for each in rows),
                "certified": sum(bool(each.certified) for each in rows),
                "claims": any(each.certified is not None for each in rows),
                "note": _note(rows),
            }
        )
    return found


def _note(rows: list[Threshold]) -> str:
    """Return what a rule without a confidence says of its thresholds, such as a conformal one."""
    notes = {each.note for each in rows if each.certified is None}
    return notes.pop() if len(notes) == 1 else "differs by fold" if notes else ""


def untrained(bundle: Bundle) -> list[str]:
    """Return the criteria whose labels the system did not learn from, as its decisions say."""
    marks, criteria = bundle.grouping(IN_TRAINING), bundle.grouping("criterion_id")
    if marks is None or criteria is None or "no" not in marks.labels:
        return []
    outside = np.unique(criteria.codes[marks.codes == marks.labels.index("no")])
    return [criteria.labels[code] for code in outside]


def states_by(bundle: Bundle, column: str) -> dict[str, list[int]] | None:
    """Return the queries in each state by group, such as criterion; None if there are no states."""
    groups = bundle.grouping(column)
    if groups is None or not bundle.has("state"):
        return None
    return {
        name: np.bincount(bundle.state[groups.codes == at], minlength=len(STATES)).tolist()
        for at, name in enumerate(groups.labels)
    }
