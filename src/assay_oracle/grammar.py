"""The closed list of measures: which cut each takes, and which parameters, in which order."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Value:
    """What a cut or a parameter may be: a pattern, and its description for error messages."""

    expected: str
    pattern: re.Pattern[str]

    def accepts(self, text: str) -> bool:
        """Whether the whole of `text` is such a value."""
        return self.pattern.fullmatch(text) is not None


@dataclass(frozen=True)
class Form:
    """One row of the grammar: `name[@cut][:parameter=value,…]`."""

    parameters: dict[str, Value]
    cut: Value | None = None
    cut_required: bool = True


def _choice(*values: str) -> Value:
    return Value(" or ".join(values), re.compile("|".join(values)))


CUT = Value("a positive integer or all", re.compile(r"[1-9][0-9]*|all"))
LEVEL = Value("a positive integer", re.compile(r"[1-9][0-9]*"))
POSITIVE = Value("a positive decimal", re.compile(r"(?=[0-9.]*[1-9])(0|[1-9][0-9]*)(\.[0-9]+)?"))
WEIGHT = Value("a non-negative decimal", re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?"))
SHARE = Value("a decimal between 0 and 1, both excluded", re.compile(r"0\.(?=[0-9]*[1-9])[0-9]+"))
CLIP = Value(
    "a decimal between 0 and 0.5, both excluded", re.compile(r"0\.(?=[0-9]*[1-9])[0-4][0-9]*")
)
UNIT = Value("a decimal from 0 to 1", re.compile(r"0(\.[0-9]+)?|1(\.0+)?"))
RULE = Value(
    "f1 or one of fpr_X, sensitivity_X, precision_X and conformal_X with a decimal X between 0 and "
    "1, both excluded",
    re.compile(r"f1|(fpr|sensitivity|precision|conformal)_0?\.(?=[0-9]*[1-9])[0-9]+"),
)
DECISION = Value(
    f"{UNIT.expected} or tune or not_neg or pos or returned or tune_RULE, RULE {RULE.expected}",
    re.compile(f"{UNIT.pattern.pattern}|tune|not_neg|pos|returned|tune_({RULE.pattern.pattern})"),
)
GOLD = _choice("all", "retrieved")
K_OR_K_EFF = _choice("k", "k_eff")
NEED = _choice("ceil", "round", "trec9")
THRESHOLD = {"threshold": _choice("same", "tune")}
OVER = {"over": _choice("posts", "criteria")}
STATISTIC = _choice("mean", "median", "p25", "p75", "p90", "min", "max", "std", "total")
RECALL_AVERAGE = _choice("macro", "micro", "micro_conditional", "retrieved")
AT = {"at": DECISION}
BINS = {"bins": LEVEL}
REL = {"rel": LEVEL}
ON = {"on": _choice("evidence", "all", "predicted", "returned")}

FORMS: dict[str, Form] = {
    "recall": Form({"gold": GOLD, **REL, **ON}, CUT),
    "precision": Form({"denominator": _choice("k", "k_eff", "min_r_k"), **REL, **ON}, CUT),
    "hit": Form({**REL, **ON}, CUT),
    "mrr": Form({**REL, **ON}, CUT, cut_required=False),
    "map": Form(
        {"denominator": _choice("R", "min_r_k", "hits"), "cut": K_OR_K_EFF, **REL, **ON}, CUT
    ),
    "ndcg": Form(
        {"gain": _choice("linear", "exponential"), "gold": GOLD, "cut": K_OR_K_EFF, **ON}, CUT
    ),
    "rprec": Form({**REL, **ON}),
    "f": Form({"beta": POSITIVE, **REL, **ON}, CUT),
    "judged": Form({"denominator": K_OR_K_EFF, **ON}, CUT),
    "unjudged": Form({"denominator": K_OR_K_EFF, **ON}, CUT),
    "bpref": Form({**REL, **ON}),
    "rbp": Form({"p": SHARE, **REL, **ON}),
    "err": Form({"gmax": LEVEL, **ON}, CUT),
    "set_precision": Form({**REL, **ON}),
    "set_recall": Form({**REL, **ON}),
    "set_f": Form({"beta": POSITIVE, **REL, **ON}),
    "iprec": Form({"need": NEED, **REL, **ON}, UNIT),
    "iprec_avg": Form({"need": NEED, **REL, **ON}),
    "nauc": Form(
        {
            "of": _choice("ndcg", "map", "recall", "precision", "mrr", "hit"),
            "by": _choice("max", "std", "diff1", "prob"),
            **ON,
        },
        CUT,
    ),
    "gm_map": Form({"floor": POSITIVE, **REL, **ON}),
    "num_q": Form({**ON}),
    "num_ret": Form({**ON}),
    "num_rel": Form({**REL, **ON}),
    "num_rel_ret": Form({**REL, **ON}),
    "num_nonrel_judged_ret": Form({**REL, **ON}),
    "auroc": Form({**ON}),
    "auprc": Form({**ON}),
    "score_auroc": Form({**ON}),
    "score_auprc": Form({**ON}),
    "pair_auroc": Form({**REL, **ON}),
    "pair_auprc": Form({**REL, **ON}),
    "tpr_at_fpr": Form({**THRESHOLD, **ON}, SHARE),
    "fpr_reached": Form({**THRESHOLD, **ON}, SHARE),
    "tp": Form({**AT, **ON}),
    "fp": Form({**AT, **ON}),
    "tn": Form({**AT, **ON}),
    "fn": Form({**AT, **ON}),
    "sensitivity": Form({**AT, **ON}),
    "specificity": Form({**AT, **ON}),
    "fpr": Form({**AT, **ON}),
    "fnr": Form({**AT, **ON}),
    "ppv": Form({**AT, **ON}),
    "npv": Form({**AT, **ON}),
    "f1": Form({**AT, **ON}),
    "accuracy": Form({**AT, **ON}),
    "mcc": Form({**AT, **ON}),
    "balanced_accuracy": Form({**AT, **ON}),
    "expected_cost": Form({"fp": WEIGHT, "fn": WEIGHT, **AT, **ON}),
    "net_benefit": Form({**ON}, SHARE),
    "ece": Form({**BINS, **ON}),
    "ece_floor": Form({**BINS, **ON}),
    "ece_debiased": Form({**BINS, **ON}),
    "brier": Form({**ON}),
    "brier_reliability": Form({**BINS, **ON}),
    "brier_resolution": Form({**BINS, **ON}),
    "brier_uncertainty": Form({**ON}),
    "calibration_slope": Form({"clip": CLIP, **ON}),
    "calibration_intercept": Form({"clip": CLIP, **ON}),
    "aurc": Form({"at": UNIT, **ON}),
    "eaurc": Form({"at": UNIT, **ON}),
    "utility": Form(
        {
            **dict.fromkeys(("abstain", "found", "missed", "alarm"), WEIGHT),
            "at": _choice("returned"),
            **ON,
        }
    ),
    "selected_k": Form({"stat": STATISTIC, **ON}),
    "evidence_recall": Form({"average": RECALL_AVERAGE, **REL, **ON}),
    "evidence_precision": Form({"average": _choice("macro", "micro"), **REL, **ON}),
    "rate": Form({"state": _choice("neg", "uncertain", "pos"), **ON}),
    "alert_rate_per_1000": Form({**ON}),
    "screening_fn_per_1000": Form({**ON}),
    "exact_match": Form({**AT, **ON}),
    "hamming_score": Form({**AT, **ON}),
    "hamming_loss": Form({**AT, **ON}),
    "macro_f1": Form({**OVER, "empty": _choice("0", "1"), **AT, **ON}),
    "weighted_f1": Form({**OVER, **AT, **ON}),
}
