"""How results are presented everywhere: sections, arrows, headline measures and plural forms."""

from __future__ import annotations

from collections.abc import Iterable

from assay.data.cases import Counts
from assay.evaluation.result import Value
from assay.metrics.core import registry

ARROWS = {"higher": "↑", "lower": "↓"}
"""Which way is better; a count is neither."""

GATE = "No-evidence gate"
STATES = "Three states"
TUNED = "No-evidence gate at thresholds chosen on TUNE"
DEPLOYMENT = "Something is returned (selected K of 1 or more)"
ZEROS = "Ranking with zeros for queries without gold"
OPEN_SECTIONS = ("Ranking", GATE)
"""Sections that the page unfolds at first."""
PREFIXES = {
    "tune": TUNED,
    "deployment": DEPLOYMENT,
    "all_queries": ZEROS,
    "empty_0": "Claims without predicted evidence count 0",
    "no_spurious": "Claims with other sentences than gold count 0",
    "pipeline": "Scorer of the research pipeline",
    "relevant": "Relevant subset",
    "non_relevant": "Non-relevant subset",
    "answered": "Answered queries only",
}
"""Sections of names such as `tune/f1`, which a contract sets apart from the plain name."""
DECISIONS = {"not_neg": STATES, "pos": STATES, "returned": DEPLOYMENT}
"""Sections of confusion measures by the decision they count, where it is not the probability."""
FILES = {
    GATE: "gate",
    TUNED: "gate_at_thresholds_chosen_on_tune",
    DEPLOYMENT: "deployment",
    ZEROS: "ranking_over_all_queries",
}

HEADLINES = (
    "auroc",
    "auprc",
    "ndcg@10",
    "recall@10",
    "evidence_recall",
    "evidence_precision",
    "screening_sensitivity",
    "screening_fn_per_1000",
    "alert_precision",
    "ece",
    "brier",
    "mrr",
    "map@10",
)
"""What a reader of one result looks for first."""
TREC_HEADLINES = (
    "num_q",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    "P_5",
    "P_10",
    "recall_100",
    "recall_1000",
    "ndcg",
    "ndcg_cut_10",
)
"""The same under trec_eval's names."""
GROUP_HEADLINES = (
    "ndcg@10",
    "recall@10",
    "auroc",
    "auprc",
    "sensitivity",
    "specificity",
    "ece",
    "brier",
    "evidence_recall",
    "evidence_precision",
    "screening_sensitivity",
    "alert_precision",
)
"""What a reader of a breakdown looks for first."""
FIGURE_HEADLINES = ("ndcg@10", "auroc", "evidence_recall")
"""Measures with a figure by criterion."""


DECISION_WORDS = {
    "not_neg": "UNCERTAIN or POS",
    "pos": "POS",
    "returned": "something returned",
    "tune": "at the TUNE threshold",
}
"""How the decision of a measure is called next to its title."""


BUDGETS = {"tpr_at_fpr": "TPR at FPR ≤ {}", "fpr_reached": "FPR for a budget of {}"}
THRESHOLDS = {"same": " (in-sample threshold)", "tune": " (TUNE threshold)"}
"""Where a threshold within a budget comes from: a title must not hide that it fits the scored queries."""


def measure_title(definition: str, *, cut: bool = True) -> str:
    """Return a measure as a paper names it, with its cut-off and decision.

    >>> measure_title("ndcg@10:gain=linear,gold=all,cut=k,on=evidence")
    'nDCG@10'
    >>> measure_title("sensitivity:at=not_neg,on=all")
    'Sensitivity (UNCERTAIN or POS)'
    """
    bound = registry.metric(definition)
    at = bound.params.get("at")
    _, _, k = bound.name.partition("@")
    if bound.name.partition("@")[0] in BUDGETS:
        return BUDGETS[bound.name.partition("@")[0]].format(k) + THRESHOLDS[bound.params["threshold"]]
    words = [] if at is None else [DECISION_WORDS.get(at, _decision_words(at))]
    words += [bound.params["average"]] if bound.params.get("average", "macro") != "macro" else []
    title = (bound.abbreviation or bound.title) + (f"@{k}" if cut and k not in ("", "all") else "")
    return f"{title} ({', '.join(words)})" if words else title


def _decision_words(at: str) -> str:
    """Return the words of a decision by a probability, or by a rule such as `tune(fpr_0.05)`."""
    return f"p ≥ {at}" if at[0].isdigit() else f"TUNE threshold, {at.partition('(')[2].rstrip(')')}"


def section_of(name: str, definition: str) -> str:
    """Return the section of a measure: by its name's prefix, its decision, else its family."""
    prefix, slash, _ = name.partition("/")
    if slash:
        return PREFIXES.get(prefix, prefix)
    section = registry.section_of(definition)
    if section != GATE:
        return section
    return DECISIONS.get(registry.metric(definition).params.get("at", ""), section)


def sections(values: Iterable[Value]) -> dict[str, list[Value]]:
    """Return the values by section, both in the order in which they first appear."""
    found: dict[str, list[Value]] = {}
    for value in values:
        found.setdefault(section_of(value.name, value.definition), []).append(value)
    return found


def section_file(section: str) -> str:
    """Return the name of a section's table on disk, without an ending."""
    return FILES.get(section) or section.lower().replace(" ", "_").replace("-", "_")


def unanswered(counts: Counts) -> str:
    """Say how queries without candidates count: only those with evidence are misses."""
    were = "query was" if counts.missing == 1 else "queries were"
    with_evidence, without = counts.missing_evidence, counts.missing - counts.missing_evidence
    if not without:
        return f"{counts.missing:,} {were} not answered: counted as missed."
    if not with_evidence:
        return f"{counts.missing:,} {were} not answered: no evidence there, so nothing was missed."
    return (
        f"{counts.missing:,} {were} not answered: {with_evidence:,} with evidence, counted as "
        f"missed; {without:,} without evidence."
    )


def symbols(comparison: str) -> str:
    """Return `>= 0.85` as `≥ 0.85`."""
    return comparison.replace(">=", "≥").replace("<=", "≤")


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "query", "queries"), counted(2000, "measure")
    ('1 query', '2,000 measures')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def queries(n: int) -> str:
    """Return `1 query`, `2 queries`."""
    return counted(n, "query", "queries")
