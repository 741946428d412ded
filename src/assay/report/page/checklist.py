"""What a result can say to a reporting checklist: answers with a place, and what it leaves open.

Items of TRIPOD+AI go by their numbers (Collins and others, BMJ 2024;385:e078378). Those of STARD-AI
go by topic. The words are ours: the statements themselves are what an author has to follow.
"""

from __future__ import annotations

from assay.evaluation.result import unanswered
from assay.report.bundle import Bundle

ANSWERED, AUTHOR, NOT_APPLICABLE = "answered", "needs the author", "not applicable"
Item = dict[str, str]


def checklist(bundle: Bundle) -> list[Item]:
    """Every item with its status, what the result says, and the place in the page."""
    return [*_tripod(bundle), *_stard(bundle)]


def _item(guide: str, number: str, topic: str, status: str, says: str, place: str = "") -> Item:
    return {"guide": guide, "item": number, "topic": topic, "status": status, "says": says,
            "place": place if status == ANSWERED else ""}  # fmt: skip


def _sizes(bundle: Bundle) -> str:
    counts = bundle.result.counts
    posts = bundle.grouping("post_id")
    units = "" if posts is None else f" of {len(posts.labels):,} posts"
    return f"{counts.queries:,} queries{units}, {counts.evidence:,} with evidence."


def _intervals(bundle: Bundle) -> tuple[str, str]:
    plan = bundle.result.bootstrap
    if plan is None:
        return AUTHOR, "This result has no intervals: evaluate again with --ci."
    units = "posts" if plan.unit == "post" else "queries"
    return ANSWERED, f"{plan.level:.0%} intervals, {plan.resamples:,} resamples of {units}."


def _tripod(bundle: Bundle) -> list[Item]:
    name = "TRIPOD+AI"
    result = bundle.result
    folds = bundle.grouping("fold")
    gate = bundle.has("prob")
    has_ci, ci = _intervals(bundle)
    missing = result.counts.missing
    by = [column for column in result.groups if column != "state"]
    rows = [
        ("5a", "Data", AUTHOR, "Files are named by hash, not by their source.", ""),
        ("8a", "Outcome", AUTHOR, "Gold is counted, not defined, in a result.", ""),
        ("10", "Sample size", ANSWERED, _sizes(bundle), "overview"),
        ("11", "Missing data", ANSWERED,
         unanswered(result.counts) if missing else "Every query was answered.", "provenance"),
        ("12a", "Use of the data", *(
            (ANSWERED, f"{len(folds.labels)} outer folds that share no post.", "provenance")
            if folds is not None else (AUTHOR, "The result has no folds.", ""))),
        ("12d", "Heterogeneity", *(
            (ANSWERED, "Broken down by " + ", ".join(by) + ".", "criteria")
            if by else (AUTHOR, "The result has no breakdown: evaluate with --by.", ""))),
        ("12e", "Measures and plots of performance", ANSWERED,
         "Every measure has a definition id, a formula and a population.", "measures"),
        ("13", "Class imbalance", ANSWERED if gate else NOT_APPLICABLE,
         "The positive rate is the baseline of the precision–recall curve."
         if gate else "There are no decisions.", "figures"),
        ("14", "Fairness", AUTHOR, "A breakdown by people (--by) would answer a part.", ""),
        ("15", "Output of the model", ANSWERED if gate else NOT_APPLICABLE,
         "Probabilities, states and how thresholds were chosen."
         if gate else "The system gives rankings alone.", "thresholds"),
        ("16", "Training against evaluation", AUTHOR, "It knows only what was evaluated.", ""),
        ("18e", "Availability of the data", AUTHOR, "Hashes let others check theirs.", ""),
        ("18f", "Availability of the code", ANSWERED,
         "The versions of the evaluation; the system's own code is the author's.", "provenance"),
        ("20b", "Description of the data", ANSWERED, _sizes(bundle), "overview"),
        ("23a", "Performance with intervals", has_ci, ci, "measures"),
        ("23b", "Performance across groups", *(
            (ANSWERED, "Each criterion, with its number of queries.", "criteria")
            if by else (AUTHOR, "The result has no breakdown: evaluate with --by.", ""))),
        ("26", "Limitations", AUTHOR, "Conventions, ties and gaps are listed to help.", ""),
    ]  # fmt: skip
    return [_item(name, *row) for row in rows]


def _stard(bundle: Bundle) -> list[Item]:
    name = "STARD-AI"
    gate, states = bundle.has("prob"), bundle.has("state")
    has_ci, ci = _intervals(bundle)
    chosen = bundle.result.thresholds
    no_gate = (NOT_APPLICABLE, "There are no decisions.", "")
    rows = [
        ("Index test", AUTHOR, "The system is named, not described.", ""),
        ("Cut-offs of the index test", *(
            (ANSWERED, f"{len({each.rule for each in chosen})} rules chose thresholds on TUNE.",
             "thresholds") if chosen
            else (AUTHOR, "No threshold was chosen on TUNE: say where yours come from.", "")
            if gate else no_gate)),
        ("Reference standard", AUTHOR, "How gold was made, only the author knows.", ""),
        ("Indeterminate results", *(
            (ANSWERED, "The state UNCERTAIN is counted, and never dropped.", "thresholds")
            if states else (NOT_APPLICABLE, "There are no states.", ""))),
        ("Partition of the data", *(
            (ANSWERED, "Outer folds share no post.", "provenance")
            if bundle.has("fold") else (AUTHOR, "The result has no folds.", ""))),
        ("Cross tabulation with the reference", *(
            (ANSWERED, "States against evidence, in numbers.", "thresholds") if states
            else (ANSWERED, "The four counts at 0.5.", "measures") if gate else no_gate)),
        ("Estimates of accuracy with intervals", has_ci, ci, "measures"),
        ("Variation across groups", *(
            (ANSWERED, "Each criterion, with intervals where there are any.", "criteria")
            if "criterion_id" in bundle.result.groups
            else (AUTHOR, "The result has no breakdown: evaluate with --by.", ""))),
        ("Analysis of errors", ANSWERED, "Misses and false alarms, query by query.", "queries"),
        ("Bias of the data or the algorithm", AUTHOR, "Nothing in a result can answer it.", ""),
        ("Clinical use and setting", AUTHOR, "Nothing in a result can answer it.", ""),
    ]  # fmt: skip
    return [_item(name, "", *row) for row in rows]
