"""What every tool computes: six measures at five cut-offs, and their names in each tool."""

from __future__ import annotations

CUTS = (1, 3, 5, 10, 20)
FAMILIES = ("recall", "precision", "hit", "mrr", "map", "ndcg")
NAMES = tuple(f"{family}@{k}" for family in FAMILIES for k in CUTS)

CONTRACT = "trec_eval/10"
_ASSAY = {
    "recall": "gold=all,rel=1,on=predicted",
    "precision": "denominator=k,rel=1,on=predicted",
    "hit": "rel=1,on=predicted",
    "mrr": "rel=1,on=predicted",
    "map": "denominator=R,cut=k,rel=1,on=predicted",
    "ndcg": "gain=linear,gold=all,cut=k,on=predicted",
}
_TREC_EVAL = {"recall": "recall", "precision": "P", "hit": "success", "map": "map_cut", "ndcg": "ndcg_cut"}
_IR_MEASURES = {"recall": "R", "precision": "P", "hit": "Success", "map": "AP", "ndcg": "nDCG"}
_RANX = {"hit": "hit_rate"}

Values = dict[str, float]


def _per_family(spelled: dict[str, str], pattern: str) -> dict[str, str]:
    """Map a tool's measure names to ours, for the families it has."""
    return {
        pattern.format(spelled[family], k): f"{family}@{k}"
        for family in FAMILIES
        if family in spelled
        for k in CUTS
    }


ASSAY = {f"{name}:{_ASSAY[name.partition('@')[0]]}": name for name in NAMES}
RANX = _per_family({family: _RANX.get(family, family) for family in FAMILIES}, "{}@{}")
TREC_EVAL = _per_family(_TREC_EVAL, "{}_{}")  # has no reciprocal rank with a cut-off: see `cut_rr`
IR_MEASURES = _per_family(_IR_MEASURES, "{}@{}")  # nor has its provider


def cut_rr(reciprocal_ranks: list[float]) -> Values:
    """Return MRR@k from uncut reciprocal ranks: those of rank k or better count."""
    total = len(reciprocal_ranks)
    return {
        f"mrr@{k}": sum(value for value in reciprocal_ranks if value > 1 / (k + 0.5)) / total for k in CUTS
    }
