"""A third, independent computation of every documented measure.

Written from docs/metrics.md, docs/contracts.md and the cited papers and tools alone, so that a
misreading shared by assay and its oracle shows. Imports neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .case import Case, Query
from .reference import abstention, calibration, decisions, groups, selection
from .reference.areas import AREAS
from .reference.definition import POPULATIONS, Definition, mean, parse
from .reference.ranking import MEANS, TOTALS, gm_map
from .reference.user_models import USER_MODELS

Whole = Callable[[Sequence[Query], Definition, Case], float]
WHOLE: Mapping[str, Whole] = {
    **dict.fromkeys(decisions.RATES, decisions.rate),
    **dict.fromkeys(("prevalence_ppv", "prevalence_npv"), decisions.at_prevalence),
    "sentence_micro": selection.sentence_micro,
    "expected_cost": decisions.expected_cost,
    "net_benefit": decisions.net_benefit,
    "tpr_at_fpr": decisions.at_budget,
    "fpr_reached": decisions.at_budget,
    "ece": calibration.ece,
    "ece_floor": calibration.ece_floor,
    "ece_debiased": calibration.ece_debiased,
    "brier": calibration.brier,
    "brier_reliability": calibration.brier_reliability,
    "brier_resolution": calibration.brier_resolution,
    "brier_uncertainty": calibration.brier_uncertainty,
    "calibration_slope": calibration.calibration_slope,
    "calibration_intercept": calibration.calibration_intercept,
    "aurc": abstention.aurc,
    "eaurc": abstention.eaurc,
    "nauc": abstention.nauc,
    "selected_k": selection.selected_k,
    "evidence_recall": selection.evidence_recall,
    "evidence_precision": selection.evidence_precision,
    "utility": selection.utility,
    "rate": groups.state_rate,
    "alert_rate_per_1000": groups.alert_rate_per_1000,
    "screening_fn_per_1000": groups.screening_fn_per_1000,
    "exact_match": groups.exact_match,
    "hamming_score": groups.hamming_score,
    "hamming_loss": groups.hamming_loss,
    "macro_f1": groups.macro_f1,
    "weighted_f1": groups.weighted_f1,
}


def reference(definition: str, case: Case) -> float:
    """Return the value of a definition id, such as `recall@10:rel=2`, on the queries of a case.

    Parameters left out take their documented defaults. A value that is not defined is the
    documented convention; `selected_k:stat=std` of a single query is not a number.
    """
    d = parse(definition)
    queries = [query for query in case.queries if POPULATIONS[d["on"]](query)]
    if not queries:
        return 0.0
    if d.name in AREAS:
        rows, area = AREAS[d.name]
        return area(rows(queries, d))
    if d.name in MEANS:
        return mean(MEANS[d.name](query, d) for query in queries)
    if d.name in USER_MODELS:
        return mean(USER_MODELS[d.name](query, d) for query in queries)
    if d.name in TOTALS:
        return float(sum(TOTALS[d.name](query, d) for query in queries))
    if d.name == "gm_map":
        return gm_map(queries, d)
    return float(WHOLE[d.name](queries, d, case))
