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

    def sentence(self) -> str:
        """Return why it is refused and what to take in its place."""
        return f"{self.what} ({self.tool}); assay does not have it. {self.nearest}"


def _row(names: str, tool: str, what: str, nearest: str) -> Missing:
    return Missing(tuple(names.split()), tool, what, f"Nearest: {nearest}.")


IR, TREC, RANX, SKLEARN = "ir_measures", "trec_eval", "ranx", "scikit-learn"

MISSING: tuple[Missing, ...] = (
    _row(
        "infAP",
        f"{IR}, {TREC}",
        "inferred AP estimates precision from pooled but unjudged documents",
        "AP, which counts them as not relevant",
    ),
    _row(
        "SetAP set_map",
        f"{IR}, {TREC}",
        "set AP is set precision × set recall",
        "SetP and SetR, reported separately",
    ),
    _row(
        "SetRelP set_relative_P",
        f"{IR}, {TREC}",
        "relative set precision divides by the most documents that could be relevant",
        "SetP, which divides by all candidates",
    ),
    _row(
        "Rndcg",
        TREC,
        "nDCG averaged over the ranks at which the ideal order changes its grade",
        "ndcg, over the whole list",
    ),
    _row("ndcg_rel", TREC, "nDCG averaged over the ranks of relevant documents", "ndcg, over the whole list"),
    _row(
        "G binG",
        TREC,
        "gain discounted by what an ideal list would have gained more",
        "ndcg, discounted by rank",
    ),
    _row("Rprec_mult", TREC, "precision at multiples of R", "Rprec, at R itself"),
    _row("gm_bpref", TREC, "geometric mean of bpref", "bpref, the arithmetic mean, or gm_map"),
    _row(
        "utility",
        TREC,
        "a weighted sum of the four counts of retrieved and relevant documents",
        "expected_cost of the decision; assay's own `utility` rewards abstaining and is another measure",
    ),
    _row("relstring runid", TREC, "text, not a measure", "the per-query table, which has ranks and grades"),
    _row(
        "SDCG",
        IR,
        "DCG scaled by an ideal list of k documents of the highest grade",
        "nDCG, scaled by the ideal order of the judged documents",
    ),
    _row("BPM", IR, "bejeweled player model", "RBP(rel=1), with a fixed probability of stopping"),
    _row(
        "INST INSQ", IR, "precision weighted by the searcher's target", "RBP(rel=1), whose weights are fixed"
    ),
    _row("NERR8 NERR9 NERR10 NERR11", IR, "variants of ERR with other stopping rules", "ERR@20"),
    _row("Compat", IR, "rank-biased overlap with an ideal ranking", "RBP(rel=1)"),
    _row(
        "alpha_nDCG alpha_DCG α_nDCG α_DCG ERR_IA nERR_IA AP_IA MAP_IA P_IA NRBP nNRBP StRecall",
        IR,
        "a diversity measure over subtopics",
        "nDCG@10, which knows no subtopics",
    ),
    _row(
        "Accuracy",
        IR,
        "probability that a relevant document is ranked above a non-relevant one, per query",
        "pair_auroc, over all (query, candidate) pairs at once",
    ),
    _row(
        "RBP", IR, "RBP without `rel` takes grades as gains", "RBP(p=0.8,rel=1), with relevance from grade 1"
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
        "log_loss neg_log_loss d2_log_loss_score",
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
        "cohen_kappa_score",
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
        "d2_brier_score",
        SKLEARN,
        "share of the Brier score of a constant prediction that the model removes",
        "brier_score_loss and brier_uncertainty, whose ratio gives it: 1 − brier / brier_uncertainty",
    ),
)
