"""The table of names: every measure that lint knows, its range, and what people call it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Kind(StrEnum):
    """What values a measure can have."""

    SHARE = "share"  # 0 to 1
    SIGNED = "signed"  # −1 to 1
    RATIO = "ratio"  # 0 and above
    COUNT = "count"  # whole numbers from 0
    PER_1000 = "per 1000"  # 0 to 1000
    NUMBER = "number"  # any


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a measure before any value is seen."""

    kind: Kind = Kind.SHARE
    ranked: bool = False  # has a cut-off
    lower: bool = False  # lower is better
    context: bool = False  # describes the data: does not make a table one of measures


_SHARE, _RANKED, _LOWER = Known(), Known(ranked=True), Known(lower=True)
_SIGNED, _RATIO, _NUMBER = Known(Kind.SIGNED), Known(Kind.RATIO), Known(Kind.NUMBER)
_COUNT, _CONTEXT = Known(Kind.COUNT), Known(Kind.COUNT, context=True)

# key: (what is known, what people call it)
_TABLE: Mapping[str, tuple[Known, str]] = {
    # rankings
    "ndcg": (_RANKED, "ndcg|normalised dcg|normalized dcg|mean ndcg"),
    "precision": (_RANKED, ""),
    "recall": (_RANKED, "evidence recall at k|r at k"),
    "hit": (_RANKED, "hit|hits|hit rate|hitrate|hr|success|success rate|hit ratio"),
    "mrr": (_RANKED, "mrr|rr|reciprocal rank|recip rank|mean reciprocal rank"),
    "map": (_RANKED, "map|mean average precision|mean ap"),
    "f": (_RANKED, ""),
    "rprec": (_SHARE, "rprec|r-precision|r precision|r prec"),
    "bpref": (_SHARE, "bpref"),
    "rbp": (_SHARE, "rbp"),
    "err": (_RANKED, "err|expected reciprocal rank"),
    "judged": (_RANKED, "judged"),
    "unjudged": (_RANKED, "unjudged"),
    "set_precision": (_SHARE, "set precision|set p"),
    "set_recall": (_SHARE, "set recall"),
    "set_f": (_SHARE, "set f"),
    "iprec": (_RANKED, ""),
    "iprec_avg": (_SHARE, "11pt avg|iprec avg"),
    "gm_map": (_SHARE, "gm map|gmap"),
    "num_q": (_CONTEXT, "num q"),
    "num_ret": (_CONTEXT, "num ret"),
    "num_rel": (_CONTEXT, "num rel"),
    "num_rel_ret": (_CONTEXT, "num rel ret"),
    "num_nonrel_judged_ret": (_CONTEXT, "num nonrel judged ret"),
    "mean_gold": (Known(Kind.RATIO, context=True), "mean r|mean gold|gold per query|mean relevant"),
    # gate
    "auroc": (_SHARE, "auroc|roc auc|auc roc|auc|rocauc|area under roc"),
    "auprc": (_SHARE, "auprc|pr auc|auc pr|average precision|ap|aupr|prauc"),
    "pair_auroc": (_SHARE, "pair auroc"),
    "pair_auprc": (_SHARE, "pair auprc"),
    "score_auroc": (_SHARE, "score auroc"),
    "score_auprc": (_SHARE, "score auprc"),
    "tpr_at_fpr": (_SHARE, ""),
    "fpr_reached": (_LOWER, ""),
    # four counts and what follows from them
    "tp": (_COUNT, "tp|true positives|true pos"),
    "fp": (_COUNT, "fp|false positives|false pos|false alarms"),
    "tn": (_COUNT, "tn|true negatives|true neg"),
    "fn": (_COUNT, "fn|false negatives|false neg|misses"),
    "n": (_CONTEXT, "n|queries|n queries|n test|support total"),
    "positives": (_CONTEXT, "positives|n positives|n pos|positive queries"),
    "negatives": (_CONTEXT, "negatives|n negatives|n neg"),
    "support": (_CONTEXT, "support|sup"),  # of one class, of an average, or of a whole data set
    "prevalence": (Known(context=True), "prevalence|positive rate|base rate"),
    "accuracy": (_SHARE, "accuracy|acc"),
    "error_rate": (_LOWER, "error rate|error"),
    "sensitivity": (_SHARE, "sensitivity|sens|tpr|true positive rate|hit rate of positives"),
    "specificity": (_SHARE, "specificity|spec|tnr|true negative rate|selectivity"),
    "fpr": (_LOWER, "fpr|false positive rate|fall out|fallout"),
    "fnr": (_LOWER, "fnr|false negative rate|miss rate"),
    "ppv": (_SHARE, "ppv|positive predictive value"),
    "fdr": (_LOWER, "fdr|false discovery rate"),
    "npv": (_SHARE, "npv|negative predictive value"),
    "for": (_LOWER, "for|false omission rate"),
    "f1": (_SHARE, "f1|f1 score|f score|f measure|dice|f1p"),
    "f1n": (_SHARE, "f1n|f1 negative|f1 of negatives"),
    "fbeta": (_SHARE, ""),
    "mcc": (_SIGNED, "mcc|matthews|matthews correlation|matthews correlation coefficient|phi"),
    "balanced_accuracy": (_SHARE, "balanced accuracy|bacc|balanced acc|bal acc"),
    "fm": (_SHARE, "fm|fowlkes mallows|fowlkes mallows index"),
    "gm": (_SHARE, "gm|g mean|gmean|geometric mean"),
    "bm": (_SIGNED, "bm|informedness|bookmaker informedness|youden|youden j|youdens j"),
    "mk": (_SIGNED, "mk|markedness"),
    "ji": (_SHARE, "ji|jaccard|jaccard index|iou|csi|critical success index"),
    "kappa": (_SIGNED, "kappa|cohens kappa|cohen kappa"),
    "lrp": (_RATIO, "lrp|lr+|positive likelihood ratio"),
    "lrn": (Known(Kind.RATIO, lower=True), "lrn|negative likelihood ratio"),
    "dor": (_RATIO, "dor|diagnostic odds ratio"),
    "pt": (_SHARE, "pt|prevalence threshold"),
    "upm": (_SHARE, "upm|p4|unified performance measure"),
    "expected_cost": (Known(Kind.RATIO, lower=True), "expected cost"),
    "net_benefit": (Known(Kind.NUMBER, ranked=True), "net benefit"),
    # averages over classes, posts or criteria
    "macro_f1": (_SHARE, "macro f1|f1 macro|macro f1 score|macro f1 posts|macro f1 criteria"),
    "weighted_f1": (_SHARE, "weighted f1|f1 weighted|weighted f1 posts|weighted f1 criteria"),
    "exact_match": (_SHARE, "exact match|subset accuracy|em"),
    "hamming_score": (_SHARE, "hamming score"),
    "hamming_loss": (_LOWER, "hamming loss"),
    # calibration
    "ece": (_LOWER, "ece|expected calibration error"),
    "ece_floor": (_LOWER, "ece floor"),
    "ece_debiased": (_LOWER, "ece debiased"),
    "mce": (_LOWER, "mce|maximum calibration error"),
    "brier": (_LOWER, "brier|brier score"),
    "brier_reliability": (_LOWER, "brier reliability"),
    "brier_resolution": (_SHARE, "brier resolution"),
    "brier_uncertainty": (_SHARE, "brier uncertainty"),
    "calibration_slope": (_NUMBER, "calibration slope"),
    "calibration_intercept": (_NUMBER, "calibration intercept|calibration in the large"),
    "log_loss": (Known(Kind.RATIO, lower=True), "log loss|nll|cross entropy"),
    "aurc": (_LOWER, "aurc"),
    "eaurc": (_LOWER, "eaurc|e aurc"),
    "nauc": (_NUMBER, "nauc"),
    # selection, states
    **{
        f"selected_k_{stat}": (_RATIO, f"selected k {stat}|{stat} k|k {stat}|{stat} selected k")
        for stat in ("median", "p25", "p75", "p90", "min", "max", "std", "total")
    },
    "selected_k_mean": (_RATIO, "selected k mean|mean k|avg k|average k|k mean|avg k all"),
    "selected_k_mean_returned": (_RATIO, "selected k mean returned|avg k pred pos|mean k returned"),
    "returned_rate": (_SHARE, "returned rate|predicted positive rate|share returned|coverage"),
    "evidence_recall": (_SHARE, "evidence recall"),
    "evidence_precision": (_SHARE, "evidence precision"),
    "utility": (_NUMBER, "utility"),
    "neg_rate": (_SHARE, "neg rate|neg|share neg|rate neg"),
    "uncertain_rate": (_SHARE, "uncertain rate|uncertain|share uncertain|rate uncertain"),
    "pos_rate": (_SHARE, "pos rate|pos|share pos|rate pos|alert rate"),
    "alert_rate_per_1000": (Known(Kind.PER_1000), "alert rate per 1000|alerts per 1000"),
    "screening_fn_per_1000": (
        Known(Kind.PER_1000, lower=True),
        "screening fn per 1000|fn per 1000|fn/1000|misses per 1000|false negatives per 1000",
    ),
    # names whose meaning the other names of the table decide
    "bare_recall": (_SHARE, "recall|rec"),
    "bare_precision": (_SHARE, "precision|prec"),
}  # fmt: skip

KINDS: Mapping[str, Known] = MappingProxyType({key: known for key, (known, _) in _TABLE.items()})
FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {key: tuple(filter(None, (key.replace("_", " "), *names.split("|"))))
     for key, (_, names) in _TABLE.items() if key not in ("precision", "recall", "f", "iprec")}
)  # fmt: skip

# Names that a prefix rule would read otherwise.
EXACT_NAMES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "selected_k_mean_returned": ("selected_k_mean_returned", ""),
        "evidence_recall_micro": ("evidence_recall", "micro"),
        "evidence_precision_micro": ("evidence_precision", "micro"),
        "evidence_recall_unconditional": ("evidence_recall", "micro"),
        "evidence_recall_conditional": ("evidence_recall", "conditional"),
        "evidence_recall_retrieved": ("evidence_recall", "retrieved"),
        "screening_miss_rate": ("fnr", "screening"),
        "screening miss rate": ("fnr", "screening"),
        "alert_precision": ("ppv", "alert"),
        "alert precision": ("ppv", "alert"),
        "alert_rate_per_1000": ("alert_rate_per_1000", ""),
        "alert rate": ("pos_rate", ""),
        "alert_rate": ("pos_rate", ""),
        "lr-": ("lrn", ""),
        "lr−": ("lrn", ""),
    }
)

# Words before a name that say which decision, average or population it is of.
GROUPS: Mapping[str, str] = MappingProxyType(
    {word: word for word in (
        "deployment", "gate", "screening", "alert", "tune", "micro", "macro", "weighted",
        "samples", "all_queries", "pooled")}
)  # fmt: skip

# Averages over classes, labels or samples: none is the rate of one confusion matrix.
AVERAGES: Mapping[str, str] = MappingProxyType(
    {word: word for word in ("micro", "macro", "weighted", "samples")}
)
