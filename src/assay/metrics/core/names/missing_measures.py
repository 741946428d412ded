"""Measures of other tools that assay does not have, each with the nearest one and the difference.

Whoever adds one of them removes its row: a test compares the rows with the spellings of entries.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Missing:
    """A measure that assay does not have."""

    names: tuple[str, ...]  # without cut-off
    tool: str
    what: str  # what it is
    nearest: str  # the nearest measure, and how it differs


def _row(names: str, tool: str, what: str, nearest: str) -> Missing:
    return Missing(tuple(names.split()), tool, what, f"Nearest: {nearest}.")


IR, TREC, RANX, SKLEARN = "ir_measures", "trec_eval", "ranx", "scikit-learn"

MISSING: tuple[Missing, ...] = (
    _row("relstring runid", TREC, "text, not a measure", "the per-query table, which has ranks and grades"),
    _row(
        "alpha_nDCG alpha_DCG α_nDCG α_DCG ERR_IA nERR_IA AP_IA MAP_IA P_IA NRBP nNRBP StRecall",
        IR,
        "a diversity measure over subtopics",
        "nDCG@10, which knows no subtopics",
    ),
    _row(
        "hits",
        RANX,
        "the number of relevant documents in the top k",
        "precision@5, that number divided by k; hit_rate@5, whether there is any",
    ),
    _row(
        "dcg dcg_burges",
        RANX,
        "DCG without normalisation",
        "ndcg@10 or ndcg_burges@10, divided by the DCG of the ideal order",
    ),
    _row(
        "dcg_score",
        SKLEARN,
        "DCG without normalisation, ties averaged",
        "ndcg@10, divided by the DCG of the ideal order",
    ),
    _row(
        "ndcg_score",
        SKLEARN,
        "nDCG of the given labels alone, averaged over the orders of tied scores",
        "ndcg@10:gold=retrieved, with the tie order of the contract",
    ),
    _row(
        "log_loss neg_log_loss d2_log_loss_score logloss cross_entropy",
        SKLEARN,
        "mean negative log-likelihood of the labels, or a function of it",
        "brier_score_loss, the squared error of the probabilities",
    ),
    _row(
        "neg_brier_score",
        SKLEARN,
        "the Brier score with a negative sign, so that higher is better",
        "brier_score_loss, the same number without the sign",
    ),
    _row(
        "cohen_kappa_score cohen_kappa kappa",
        SKLEARN,
        "agreement of labels and decisions beyond chance (kappa)",
        "matthews_corrcoef, their correlation, equal to it where both have the same rate",
    ),
    _row(
        "jaccard jaccard_score",
        SKLEARN,
        "TP / (TP + FP + FN)",
        "f1_score, with the same order of systems: F1 = 2J / (1 + J)",
    ),
    _row("zero_one_loss", SKLEARN, "share of wrong decisions", "accuracy_score, which is 1 minus it"),
    _row("fbeta_score", SKLEARN, "F measure with a weight for recall", "f1_score, with equal weights"),
    _row(
        "label_ranking_average_precision_score coverage_error label_ranking_loss top_k_accuracy "
        "top_k_accuracy_score",
        SKLEARN,
        "a measure of rankings of labels",
        "AP or hit_rate@5, of rankings of candidates",
    ),
    _row(
        "f1_micro precision_micro recall_micro recall_weighted",
        SKLEARN,
        "an average over classes",
        "accuracy_score, equal to it where there are two",
    ),
    _row(
        "recall_macro",
        SKLEARN,
        "mean recall of both classes",
        "balanced_accuracy, equal to it where both classes occur",
    ),
    _row(
        "f1_macro f1_weighted f1_samples precision_macro precision_weighted precision_samples recall_samples "
        "jaccard_micro jaccard_macro jaccard_weighted jaccard_samples",
        SKLEARN,
        "an average over classes",
        "f1_score, precision_score and recall_score, of the positive class",
    ),
    _row(
        "roc_auc_ovr roc_auc_ovo roc_auc_ovr_weighted roc_auc_ovo_weighted",
        SKLEARN,
        "an average over several classes",
        "roc_auc, for two classes",
    ),
    _row(
        "positive_likelihood_ratio neg_negative_likelihood_ratio class_likelihood_ratios",
        SKLEARN,
        "ratio of the rates of a decision in both classes",
        "sensitivity:at=0.5 and fpr:at=0.5, whose ratio is the positive one",
    ),
    _row(
        "d2_brier_score",
        SKLEARN,
        "share of the Brier score of a constant prediction that the model removes",
        "brier_score_loss and brier_uncertainty, whose ratio gives it: 1 − brier / brier_uncertainty",
    ),
)
