"""Which function each measure over the whole population has."""

from collections.abc import Callable, Sequence

from assay_oracle import (
    abstention,
    budget,
    calibration,
    confusion,
    extraction,
    gate,
    labels,
    logistic,
    selective,
    totals,
)
from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary
from assay_oracle.rows import Row

POOLED: dict[str, Callable[[Sequence[Row], Definition], Summary]] = {
    "nauc": abstention.normalised_area,
    "gm_map": totals.geometric_mean_ap,
    "num_q": totals.query_count,
    "num_ret": totals.retrieved_count,
    "num_rel": totals.relevant_count,
    "num_rel_ret": totals.relevant_retrieved_count,
    "num_nonrel_judged_ret": totals.nonrelevant_retrieved_count,
    "auroc": gate.auroc,
    "auprc": gate.auprc,
    "score_auroc": gate.score_auroc,
    "score_auprc": gate.score_auprc,
    "pair_auroc": gate.pair_auroc,
    "pair_auprc": gate.pair_auprc,
    "tpr_at_fpr": budget.true_positive_rate,
    "fpr_reached": budget.false_positive_rate,
    **dict.fromkeys(confusion.FROM_COUNTS, confusion.from_counts),
    "expected_cost": confusion.expected_cost,
    "net_benefit": confusion.net_benefit,
    "ece": calibration.ece,
    "ece_floor": calibration.ece_floor,
    "ece_debiased": calibration.ece_debiased,
    "brier_reliability": calibration.reliability,
    "brier_resolution": calibration.resolution,
    "brier_uncertainty": calibration.uncertainty,
    "calibration_slope": logistic.slope,
    "calibration_intercept": logistic.intercept,
    "aurc": selective.aurc,
    "eaurc": selective.eaurc,
    "selected_k": extraction.selected_k,
    "evidence_recall": extraction.pooled_recall,
    "evidence_precision": extraction.pooled_precision,
    "rate": gate.state_rate,
    "alert_rate_per_1000": gate.alert_rate,
    "screening_fn_per_1000": gate.screening_misses,
    "exact_match": labels.exact_match,
    "hamming_score": labels.hamming_score,
    "hamming_loss": labels.hamming_loss,
    "macro_f1": labels.macro_f1,
    "weighted_f1": labels.weighted_f1,
}
