"""What should worry a reader of this result, the most important first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import floor
from typing import Any

from assay.evaluation.presentation import counted, queries, unanswered
from assay.metrics.core.registry import metric
from assay.report.page.deployed_decisions import PROMISES, certificates, deployment, states_by
from assay.report.page.query_lists import is_task, shown_by_task
from assay.report.report_bundle import Bundle

REVIEWED, SPREAD = 0.25, 0.2
"""Shares from which reviews, and their range over folds, are worth a warning."""
OFTEN_MISSED, OFTEN_FALSE = 0.05, 0.25
"""Shares of errors of two decisions that are worth a warning."""
FEW = 100
"""Fewer queries with evidence than this leave wide intervals."""
TRIVIAL = ("ece",)
"""Measures that one probability for every query, the positive rate, makes perfect."""
WEAK = 0.75
"""AUROC of a criterion below which its probabilities order its queries poorly."""
SLOPES = (0.8, 1.25)
MOST = 4
"""Most missed targets that are named."""
Concern = dict[str, str]


def concerns(bundle: Bundle) -> list[Concern]:
    """Return sentences, each with the part of the page that shows it."""
    found = [{"text": text, "href": href} for step in STEPS for text, href in step(bundle)]
    return of_decisions(deployment(bundle)) + found


def of_decisions(made: Mapping[str, Any] | None) -> list[Concern]:
    """Return the concerns about how many queries each action takes; counts may be rounded ones."""
    return [{"text": text, "href": href} for step in (_workload, _decisions) for text, href in step(made)]


def _workload(made: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    if made is None or made["kind"] != "states":
        return
    total = sum(made["all"][0])
    share = made["all"][0][1] / max(1, total)
    by_fold = [each[1][1] / max(1, sum(each[1])) for each in made["folds"]]
    wide = len(by_fold) > 1 and max(by_fold) - min(by_fold) >= SPREAD
    if share >= REVIEWED:
        between = f" ({percent(min(by_fold))} to {percent(max(by_fold))} by fold)" if wide else ""
        yield f"People still have to review {percent(share)} of the queries{between}.", "#thresholds"
    elif wide:
        ends = f"{percent(min(by_fold))} to {percent(max(by_fold))}"
        yield f"The share sent to review is {ends} by fold.", "#deployment"


def _decisions(made: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Name frequent errors of a system of two decisions."""
    if made is None or made["kind"] == "states":
        return
    (_, said), (missed, found) = made["all"]
    if missed / max(1, missed + found) >= OFTEN_MISSED:
        share = missed / (missed + found)
        yield f"{percent(share)} of the queries with evidence are missed.", "#failures"
    if said and (said - found) / said >= OFTEN_FALSE:
        yield (
            f"{percent((said - found) / said)} of what is {made['actions'][1]} has no evidence.",
            "#failures",
        )


def _missed_targets(bundle: Bundle) -> Iterator[tuple[str, str]]:
    missed = [
        f"{value.name} {value.value:.3g} (target {_signed(value.target.text)})"
        for value in bundle.result.measures
        if value.target is not None and value.target.met is False
    ]
    if missed:
        promised = bundle.has("state") and {name.partition(" ")[0] for name in missed} <= set(PROMISES)
        href = "#promises" if promised else "#quality"
        yield f"{counted(len(missed), 'target')} missed: {_some(missed, MOST)}.", href


def _signed(target: str) -> str:
    """Return a target with the sign of a text, as the rest of the page has it.

    >>> _signed(">= 0.85"), _signed("< 0.1")
    ('≥ 0.85', '< 0.1')
    """
    return target.replace(">=", "≥").replace("<=", "≤")


def percent(share: float) -> str:
    """Return a share as the scripts of the page round it: a half goes up.

    >>> percent(0.125), percent(0.375), percent(0.0712)
    ('13%', '38%', '7.1%')
    """
    digits = 1 if 0 < share < 0.1 else 0
    return f"{floor(share * 100 * 10**digits + 0.5) / 10**digits:.{digits}f}%"


def _promises(bundle: Bundle) -> Iterator[tuple[str, str]]:
    made = certificates(bundle)
    lacking = [name for name, each in made.items() if each["status"] != "certified"]
    if lacking:
        which = f"{len(lacking)} of {counted(len(made), 'target')}"
        yield f"No guarantee for new data: {which} of the three states not certified.", "#promises"


def _beaten(bundle: Bundle) -> Iterator[tuple[str, str]]:
    for each in bundle.document.get("baselines", ()):
        lost = [
            value.name
            for value in bundle.result.measures
            if each["name"] != "oracle"
            and value.name not in TRIVIAL
            and isinstance(each["values"].get(value.name), (int, float))
            and _worse(value.value, each["values"][value.name], value.better)
        ]
        if lost:
            title = each.get("title") or each["name"]
            yield f"The baseline {title!r} is better on {', '.join(lost[:4])}.", "#quality"


def _worse(value: float, other: float, better: str) -> bool:
    return value < other if better == "higher" else value > other if better == "lower" else False


def _criteria(bundle: Bundle) -> Iterator[tuple[str, str]]:
    unsure = [
        name for name, (neg, unc, pos) in (states_by(bundle, "criterion_id") or {}).items() if not neg + pos
    ]
    if unsure:
        yield f"All queries of {_some(unsure)} are UNCERTAIN: nothing is decided there.", "#failures"
    rows = bundle.result.groups.get("criterion_id", {})
    values = {
        name: each["auroc"].value
        for name, each in rows.items()
        if "auroc" in each and each["auroc"].convention is None
    }
    weak = sorted((value, name) for name, value in values.items() if value < WEAK)
    if weak:
        value, name = weak[0]
        more = f", and {len(weak) - 1} more below {WEAK}" if len(weak) > 1 else ""
        yield f"Weakest criterion: {name}, AUROC {value:.2f}{more}.", "#failures"


def _some(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _errors(bundle: Bundle) -> Iterator[tuple[str, str]]:
    if bundle.has("prob"):
        missed = bundle.label & (bundle.prob < 0.1)
        false = ~bundle.label & (bundle.prob >= 0.9)
        parts = []
        if missed.any():
            parts.append(f"{queries(int(missed.sum()))} with evidence at p < 0.1")
        if false.any():
            parts.append(f"{queries(int(false.sum()))} without at p ≥ 0.9")
        if parts:
            yield f"Confident errors: {'; '.join(parts)}.", "#failures"
    value = bundle.value("hit@10")
    if not bundle.has("prob") and value is not None and value.value < 1:
        none = round((1 - value.value) * value.n)
        yield f"{queries(none)} of {value.n:,} have nothing relevant in the first 10.", "#failures"
    recall = bundle.value("recall@10")
    if not bundle.has("prob") and recall is not None and recall.value < 0.5:
        most = _oracle(bundle, recall.name)
        best = "" if most is None or most > 0.995 else f" (at most {percent(most)} fits)"
        yield f"The first 10 hold only {percent(recall.value)} of what is relevant{best}.", "#quality"


def _task(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Name a low first measure of a contract with neither probabilities nor rankings, as of a shared task."""
    if bundle.has("prob") or not is_task(bundle):
        return
    first = bundle.result[shown_by_task(bundle)[0]]
    if first.better == "higher" and metric(first.definition).range == (0, 1) and first.value < 0.5:
        yield f"{first.name} is only {first.value:.3g} of at most 1.", "#quality"


def _oracle(bundle: Bundle, name: str) -> float | None:
    """Return the best possible value, if the bundle has it."""
    for each in bundle.document.get("baselines", ()):
        if each["name"] == "oracle" and isinstance(each["values"].get(name), (int, float)):
            return float(each["values"][name])
    return None


def _calibration(bundle: Bundle) -> Iterator[tuple[str, str]]:
    slope = bundle.value("calibration_slope")
    if slope is not None and slope.convention is None and not SLOPES[0] <= slope.value <= SLOPES[1]:
        how = "too extreme" if slope.value < 1 else "too cautious"
        yield f"Probabilities are {how}: calibration slope {slope.value:.2f} (1 is calibrated).", "#figures"


def _sample(bundle: Bundle) -> Iterator[tuple[str, str]]:
    counts = bundle.result.counts
    if counts.missing:
        yield unanswered(counts), "#notes"
    if not counts.evidence:
        yield "No query has evidence: what the system finds and misses cannot be measured.", "#quality"
    elif counts.evidence < FEW:
        yield f"Only {queries(counts.evidence)} with evidence: intervals are wide.", "#quality"
    tied = [value.name for value in bundle.result.measures if value.tie_sensitive]
    if tied:
        yield f"Tie order affects {counted(len(tied), 'measure')}: {_some(tied)}.", "#notes"
    if bundle.result.bootstrap is None:
        yield "No intervals: the result was computed without resamples.", "#quality"
    if bundle.has("prob") and not bundle.result.thresholds:
        yield (
            "No threshold was chosen on TUNE: any threshold here is chosen on the scored data.",
            "#thresholds",
        )
    for key, wanted in bundle.result.unexpected.items():
        yield f"The contract expects {wanted:,} {key}; these data have {getattr(counts, key):,}.", "#notes"
    conventions = sum(value.convention is not None for value in bundle.result.measures)
    if conventions:
        yield f"{counted(conventions, 'value')} set by convention, not measured.", "#notes"


STEPS = (_missed_targets, _promises, _beaten, _criteria, _errors, _task, _calibration, _sample)
"""In order of importance."""
