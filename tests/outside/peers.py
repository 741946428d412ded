"""pytrec_eval's names for assay's definitions, and a comparison of every query."""

from __future__ import annotations

from typing import Any

import pytrec_eval

from assay.evaluation.result import Result

KS = (1, 3, 5, 10, 20, 100, 1000)
LEVEL = "rel={level},on=predicted"

PAIRS = {
    "map": "map@all:denominator=R,cut=k," + LEVEL,
    "recip_rank": "mrr:" + LEVEL,
    "Rprec": "rprec:" + LEVEL,
    "bpref": "bpref:" + LEVEL,
    "ndcg": "ndcg@all:gain=linear,gold=all,cut=k,on=predicted",
    "set_P": "set_precision:" + LEVEL,
    "set_recall": "set_recall:" + LEVEL,
    "set_F": "set_f:beta=1," + LEVEL,
    "set_map": "set_map:" + LEVEL,
    "set_relative_P": "set_relative_precision:" + LEVEL,
    "utility": "set_utility:found=1,alarm=1,missed=0," + LEVEL,
    "infAP": "inf_ap:epsilon=0.00001," + LEVEL,
    "G": "normalised_gain:on=predicted",
    "binG": "binary_gain:" + LEVEL,
    "ndcg_rel": "ndcg_rel:on=predicted",
    "Rndcg": "rndcg:" + LEVEL,
    "11pt_avg": "iprec_avg:need=trec9," + LEVEL,
    **{f"P_{k}": f"precision@{k}:denominator=k,{LEVEL}" for k in KS},
    **{f"recall_{k}": f"recall@{k}:gold=all,{LEVEL}" for k in KS},
    **{f"success_{k}": f"hit@{k}:{LEVEL}" for k in KS},
    **{f"map_cut_{k}": f"map@{k}:denominator=R,cut=k,{LEVEL}" for k in KS},
    **{f"ndcg_cut_{k}": f"ndcg@{k}:gain=linear,gold=all,cut=k,on=predicted" for k in KS},
    **{f"relative_P_{k}": f"precision@{k}:denominator=min_r_k,{LEVEL}" for k in KS},
    **{f"Rprec_mult_{x / 5:.2f}": f"rprec_mult:times={x / 5:.2f},{LEVEL}" for x in range(1, 11)},
    **{f"iprec_at_recall_{x / 10:.2f}": f"iprec@{x / 10:.2f}:need=trec9,{LEVEL}" for x in range(11)},
}

Ranked = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]


def requested() -> set[str]:
    cuts = ",".join(map(str, KS))
    cut = {f"{name}.{cuts}" for name in ("P", "recall", "success", "map_cut", "ndcg_cut", "relative_P")}
    plain = {"map", "recip_rank", "Rprec", "bpref", "ndcg", "set_P", "set_recall", "set_F", "11pt_avg"}
    experimental = {"infAP", "G", "binG", "ndcg_rel", "Rndcg", "set_map", "set_relative_P", "utility"}
    return cut | plain | experimental | {"iprec_at_recall", "Rprec_mult"}


def peer(grades: Grades, run: Ranked, level: int = 1) -> dict[str, dict[str, float]]:
    evaluator = pytrec_eval.RelevanceEvaluator(grades, requested(), relevance_level=level)
    values: dict[str, dict[str, float]] = evaluator.evaluate(run)
    return values


def definitions(level: int = 1) -> dict[str, str]:
    return {name: text.format(level=level) for name, text in PAIRS.items()}


def differences(
    result: Result, theirs: dict[str, dict[str, float]], level: int = 1
) -> dict[str, dict[str, tuple[float, float]]]:
    """Per query, the measures that differ by more than 1e-9."""
    names = definitions(level)
    frame: Any = result.per_query()
    found: dict[str, dict[str, tuple[float, float]]] = {}
    mine = {row["query_id"]: row for row in frame.iter_rows(named=True)}
    for query, values in theirs.items():
        for name, definition in names.items():
            a, b = mine[query][definition], values[name]
            if abs(a - b) > 1e-9:
                found.setdefault(query, {})[name] = (a, b)
    return found
