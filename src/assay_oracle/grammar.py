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
RECALL_LEVEL = Value("a decimal from 0 to 1", re.compile(r"0(\.[0-9]+)?|1(\.0+)?"))
LEVEL = Value("a positive integer", re.compile(r"[1-9][0-9]*"))
POSITIVE = Value("a positive decimal", re.compile(r"(?=[0-9.]*[1-9])(0|[1-9][0-9]*)(\.[0-9]+)?"))
PERSISTENCE = Value(
    "a decimal between 0 and 1, both excluded", re.compile(r"0\.(?=[0-9]*[1-9])[0-9]+")
)
GOLD = _choice("all", "retrieved")
K_OR_K_EFF = _choice("k", "k_eff")
NEED = _choice("ceil", "round", "trec9")
REL = {"rel": LEVEL}
ON = {"on": _choice("evidence", "all", "predicted")}

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
    "rbp": Form({"p": PERSISTENCE, **REL, **ON}),
    "err": Form({"gmax": LEVEL, **ON}, CUT),
    "set_precision": Form({**REL, **ON}),
    "set_recall": Form({**REL, **ON}),
    "set_f": Form({"beta": POSITIVE, **REL, **ON}),
    "iprec": Form({"need": NEED, **REL, **ON}, RECALL_LEVEL),
    "iprec_avg": Form({"need": NEED, **REL, **ON}),
    "gm_map": Form({"floor": POSITIVE, **REL, **ON}),
    "num_q": Form({**ON}),
    "num_ret": Form({**ON}),
    "num_rel": Form({**REL, **ON}),
    "num_rel_ret": Form({**REL, **ON}),
    "num_nonrel_judged_ret": Form({**REL, **ON}),
    "auroc": Form({**ON}),
    "evidence_recall": Form({"average": _choice("micro"), **REL, **ON}),
    "selected_k": Form({"stat": _choice("median"), **ON}),
}
