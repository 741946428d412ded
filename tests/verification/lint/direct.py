"""Measures by their formulas, one query at a time, and drawn data to compute them on."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2, sqrt

from hypothesis import strategies as st


@dataclass(frozen=True)
class Query:
    hits: tuple[int, ...]  # 1 where the candidate of that rank is gold
    missed: int  # gold that was not retrieved

    @property
    def gold(self) -> int:
        return sum(self.hits) + self.missed


@dataclass(frozen=True)
class Variant:
    ap: str  # R, min_r_k, hits
    k_eff: bool
    retrieved: bool  # gold that was retrieved only
    zeros: bool  # queries without gold count, with zeros


queries = st.lists(
    st.builds(
        Query, st.lists(st.integers(0, 1), max_size=12).map(tuple), st.sampled_from((0, 0, 0, 1, 2, 5))
    ),
    min_size=1,
    max_size=9,
).filter(lambda drawn: any(query.gold for query in drawn))
variants = st.builds(
    Variant, st.sampled_from(("R", "min_r_k", "hits")), st.booleans(), st.booleans(), st.booleans()
)


def of_query(query: Query, k: int, variant: Variant) -> dict[str, float]:
    top = query.hits[:k]
    found = sum(top)
    cut = min(k, len(query.hits)) if variant.k_eff else k
    gold = sum(query.hits) if variant.retrieved else query.gold
    first = next((1 / (at + 1) for at, hit in enumerate(top) if hit), 0.0)
    ranked = [sum(top[: at + 1]) / (at + 1) for at, hit in enumerate(top) if hit]
    below = {"R": query.gold, "min_r_k": min(query.gold, cut), "hits": found}[variant.ap]
    ideal = sum(1 / log2(at + 2) for at in range(min(gold, cut)))
    dcg = sum(hit / log2(at + 2) for at, hit in enumerate(top))
    return {
        "P": found / cut if cut else 0.0,
        "Recall": found / gold if gold else 0.0,
        "Hit": float(found > 0),
        "MRR": first,
        "MAP": sum(ranked) / below if below else 0.0,
        "nDCG": dcg / ideal if ideal else 0.0,
    }


def ranking_means(drawn: list[Query], cuts: tuple[int, ...], variant: Variant) -> dict[str, float]:
    kept = drawn if variant.zeros else [query for query in drawn if query.gold]
    means: dict[str, float] = {}
    for k in cuts:
        values = [of_query(query, k, variant) for query in kept]
        for name in values[0]:
            means[f"{name}@{k}"] = sum(value[name] for value in values) / len(values)
    uncut = [of_query(query, 10**6, variant)["MRR"] for query in kept]
    means["MRR"] = sum(uncut) / len(uncut)
    return means


def rates(tp: int, fp: int, tn: int, fn: int) -> dict[str, float]:
    """Rates of a confusion matrix; those with a zero denominator are left out."""

    def over(a: float, b: float) -> float | None:
        return a / b if b else None

    p, n = tp + fn, tn + fp
    sens, spec = over(tp, p), over(tn, n)
    ppv, npv = over(tp, tp + fp), over(tn, tn + fn)
    root = sqrt(p * n * (tp + fp) * (tn + fn))
    chance = (p * (tp + fp) + n * (tn + fn)) / (p + n) ** 2
    seen = (tp + tn) / (p + n)
    made = {
        "accuracy": seen,
        "sensitivity": sens,
        "specificity": spec,
        "PPV": ppv,
        "NPV": npv,
        "FPR": None if spec is None else 1 - spec,
        "FNR": None if sens is None else 1 - sens,
        "F1": over(2 * tp, 2 * tp + fp + fn),
        "F2": over(5 * tp, 5 * tp + 4 * fn + fp),
        "MCC": over(tp * tn - fp * fn, root),
        "balanced accuracy": None if sens is None or spec is None else (sens + spec) / 2,
        "Jaccard": over(tp, tp + fp + fn),
        "kappa": over(seen - chance, 1 - chance),
        "error rate": 1 - seen,
    }
    return {name: value for name, value in made.items() if value is not None}
