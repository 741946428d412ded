"""What a result can answer of two reporting guidelines, and what it leaves to the author.

Items of TRIPOD+AI are cited by number (Collins and others, BMJ 2024;385:e078378), those of STARD-AI
by topic. Items are paraphrased: authors have to follow the guidelines themselves.
"""

from __future__ import annotations

from assay.evaluation.presentation import counted, queries, unanswered
from assay.report.report_bundle import Bundle

ANSWERED, AUTHOR, NOT_APPLICABLE = "answered", "needs the author", "not applicable"
NO_DECISIONS = "The system gave no probabilities."
NO_FOLDS = "The result has no folds."
NO_BREAKDOWN = "The result has no breakdown: evaluate with --by."
Item = dict[str, str]
Answer = tuple[str, str, str]


def checklist(bundle: Bundle) -> list[Item]:
    """Return every item with its status, what the result says, and the section of the page."""
    rows = [("TRIPOD+AI", *row) for row in _tripod(bundle)]
    rows += [("STARD-AI", "", *row) for row in _stard(bundle)]
    names = ("guide", "item", "topic", "status", "says", "place")
    return [dict(zip(names, (*row[:3], *row[3]), strict=True)) for row in rows]


def _author(says: str) -> Answer:
    return AUTHOR, says, ""


def _if(holds: object, says: str, place: str, otherwise: str, status: str = AUTHOR) -> Answer:
    return (ANSWERED, says, place) if holds else (status, otherwise, "")


def _sizes(bundle: Bundle) -> Answer:
    counts = bundle.result.counts
    posts = bundle.grouping("post_id")
    units = "" if posts is None else f" of {counted(len(posts.labels), 'post')}"
    says = f"{queries(counts.queries)}{units}, {counts.evidence:,} with evidence."
    return ANSWERED, says, "deployment"


def _intervals(bundle: Bundle) -> Answer:
    plan = bundle.result.bootstrap
    if plan is None:
        return _author("The result has no intervals: evaluate with --ci.")
    units = "posts" if plan.unit == "post" else "queries"
    says = f"{plan.level:.0%} intervals, {plan.resamples:,} resamples of {units}."
    return ANSWERED, says, "measures"


def _tripod(bundle: Bundle) -> list[tuple[str, str, Answer]]:
    result, folds, probs = bundle.result, bundle.grouping("fold"), bundle.has("prob")
    missing = unanswered(result.counts) if result.counts.missing else "Every query was answered."
    parts = 0 if folds is None else len(folds.labels)
    by = [column for column in result.groups if column != "state"]
    split = f"{parts} outer folds without shared posts."
    listed = f"Broken down by {', '.join(by)}."
    each = "Each criterion, with its number of queries."
    rate = "The positive rate is the baseline of the precision–recall curve."
    outputs = "Probabilities, states and how thresholds were chosen."
    defined = "Every measure has a definition id, a formula and a population."
    versions = "The versions of the evaluation; the system's own code is the author's."
    return [
        ("5a", "Data", _author("Files are identified by hash, not by source.")),
        ("8a", "Outcome", _author("A result counts gold evidence but does not define it.")),
        ("10", "Sample size", _sizes(bundle)),
        ("11", "Missing data", (ANSWERED, missing, "provenance")),
        ("12a", "Use of the data", _if(parts, split, "provenance", NO_FOLDS)),
        ("12d", "Heterogeneity", _if(by, listed, "criteria", NO_BREAKDOWN)),
        ("12e", "Measures and plots of performance", (ANSWERED, defined, "measures")),
        ("13", "Class imbalance", _if(probs, rate, "figures", NO_DECISIONS, NOT_APPLICABLE)),
        ("14", "Fairness", _author("A breakdown by groups of people (--by) answers part of it.")),
        ("15", "Model output", _if(probs, outputs, "thresholds", NO_DECISIONS, NOT_APPLICABLE)),
        ("16", "Training versus evaluation", _author("The result only knows what was evaluated.")),
        ("18e", "Availability of the data", _author("Hashes let others check their copies.")),
        ("18f", "Availability of the code", (ANSWERED, versions, "provenance")),
        ("20b", "Description of the data", _sizes(bundle)),
        ("23a", "Performance with intervals", _intervals(bundle)),
        ("23b", "Performance across groups", _if(by, each, "criteria", NO_BREAKDOWN)),
        ("26", "Limitations", _author("Conventions, ties and missing answers are listed to help.")),
    ]


def _stard(bundle: Bundle) -> list[tuple[str, Answer]]:
    probs, states = bundle.has("prob"), bundle.has("state")
    rules = len({each.rule for each in bundle.result.thresholds})
    chosen = f"{counted(rules, 'rule')} chose thresholds on TUNE."
    origin = "No threshold was chosen on TUNE: say where yours come from."
    cut_offs = _if(rules, chosen, "thresholds", origin)
    crossed = (ANSWERED, "Counts of states by evidence.", "thresholds")
    table = _if(probs, "The four counts at 0.5.", "measures", NO_DECISIONS, NOT_APPLICABLE)
    uncertain = "UNCERTAIN queries are counted and never dropped."
    criteria = "criterion_id" in bundle.result.groups
    by_criterion = "Each criterion, with intervals if there are any."
    return [
        ("Index test", _author("The system is named, not described.")),
        ("Cut-offs of the index test", cut_offs if probs else (NOT_APPLICABLE, NO_DECISIONS, "")),
        ("Reference standard", _author("Only the author knows how the gold labels were made.")),
        (
            "Indeterminate results",
            _if(states, uncertain, "thresholds", "There are no states.", NOT_APPLICABLE),
        ),
        (
            "Partition of the data",
            _if(bundle.has("fold"), "Outer folds share no posts.", "provenance", NO_FOLDS),
        ),
        ("Cross tabulation with the reference", crossed if states else table),
        ("Estimates of accuracy with intervals", _intervals(bundle)),
        ("Variation across groups", _if(criteria, by_criterion, "criteria", NO_BREAKDOWN)),
        ("Error analysis", (ANSWERED, "Misses and false alarms, query by query.", "queries")),
        ("Bias of the data or the algorithm", _author("A result cannot answer this.")),
        ("Clinical use and setting", _author("A result cannot answer this.")),
    ]
