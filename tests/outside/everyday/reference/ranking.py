"""Measures of rankings, per query; and totals over queries."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from ..case import Query
from .definition import Definition, mean, ratio


def top(query: Query, k: float) -> list[int | None]:
    """Return the grades of the first k candidates; None where a candidate is not judged."""
    return [query.judged.get(item) for rank, item in enumerate(query.ranked, 1) if rank <= k]


def hits(query: Query, k: float, rel: int) -> int:
    """Count the gold items in the top k."""
    return sum(1 for grade in top(query, k) if grade is not None and grade >= rel)


def gold(query: Query, rel: int) -> int:
    """Count all gold items, ranked or not: R."""
    return sum(1 for grade in query.judged.values() if grade >= rel)


def divisor(query: Query, d: Definition) -> float:
    """Return k, min(k, n) or min(R, k). `@all` has no k; the length of the list takes its place."""
    n = len(query.candidates)
    if d["denominator"] == "min_r_k":
        return min(gold(query, d.rel), d.k)
    return min(d.k, n) if d["denominator"] == "k_eff" or d.k == math.inf else d.k


def recall(query: Query, d: Definition) -> float:
    every = gold(query, d.rel) if d["gold"] == "all" else hits(query, math.inf, d.rel)
    return ratio(hits(query, d.k, d.rel), every)


def precision(query: Query, d: Definition) -> float:
    return ratio(hits(query, d.k, d.rel), divisor(query, d))


def hit(query: Query, d: Definition) -> float:
    return float(hits(query, d.k, d.rel) >= 1)


def mrr(query: Query, d: Definition) -> float:
    for rank, grade in enumerate(top(query, d.k), 1):
        if grade is not None and grade >= d.rel:
            return 1 / rank
    return 0.0


def average_precision(query: Query, k: float, rel: int, divide_by: float) -> float:
    """Sum the precision at the rank of each hit in the top k, then divide."""
    total = 0.0
    for rank, grade in enumerate(top(query, k), 1):
        if grade is not None and grade >= rel:
            total += hits(query, rank, rel) / rank
    return ratio(total, divide_by)


def average_precision_at(query: Query, d: Definition) -> float:
    k = min(d.k, len(query.candidates)) if d["cut"] == "k_eff" else d.k
    every = gold(query, d.rel)
    divide_by = {"R": every, "min_r_k": min(every, k), "hits": hits(query, k, d.rel)}
    return average_precision(query, k, d.rel, divide_by[d["denominator"]])


def ndcg(query: Query, d: Definition) -> float:
    def dcg(grades: Sequence[int | None], k: float) -> float:
        gains = [(grade or 0) if d["gain"] == "linear" else 2 ** (grade or 0) - 1 for grade in grades]
        return sum(gain / math.log2(at + 1) for at, gain in enumerate(gains, 1) if at <= k)

    k = min(d.k, len(query.candidates)) if d["cut"] == "k_eff" else d.k
    known = list(query.judged.values()) if d["gold"] == "all" else top(query, math.inf)
    ideal = sorted((grade or 0 for grade in known), reverse=True)
    return ratio(dcg(top(query, math.inf), k), dcg(ideal, k))


def f_measure(p: float, r: float, beta: float) -> float:
    return ratio((1 + beta**2) * p * r, beta**2 * p + r)


def f(query: Query, d: Definition) -> float:
    found, n = hits(query, d.k, d.rel), len(query.candidates)
    p = ratio(found, n if d.k == math.inf else d.k)
    return f_measure(p, ratio(found, gold(query, d.rel)), float(d["beta"]))


def judged(query: Query, d: Definition) -> float:
    return ratio(sum(grade is not None for grade in top(query, d.k)), divisor(query, d))


def unjudged(query: Query, d: Definition) -> float:
    return ratio(sum(grade is None for grade in top(query, d.k)), divisor(query, d))


def rprec(query: Query, d: Definition) -> float:
    every = gold(query, d.rel)
    return ratio(hits(query, every, d.rel), every)


def bpref(query: Query, d: Definition) -> float:
    every = gold(query, d.rel)
    bound = min(len(query.judged) - every, every)
    total, above = 0.0, 0
    for grade in top(query, math.inf):
        if grade is None:
            continue
        if grade < d.rel:
            above += 1
        else:
            total += 1 - ratio(min(above, every), bound)
    return ratio(total, every)


def rbp(query: Query, d: Definition) -> float:
    p = float(d["p"])
    ranks = [at for at, grade in enumerate(top(query, math.inf), 1) if (grade or 0) >= d.rel]
    return (1 - p) * sum(p ** (rank - 1) for rank in ranks)


def rbp_resid(query: Query, d: Definition) -> float:
    p, listed = float(d["p"]), top(query, math.inf)
    below = p ** len(listed)
    return below + (1 - p) * sum(p ** (rank - 1) for rank, grade in enumerate(listed, 1) if grade is None)


def err(query: Query, d: Definition) -> float:
    # A grade above gmax counts as gmax: a chance of stopping cannot exceed 1.
    gmax, value, still_reading = int(d["gmax"]), 0.0, 1.0
    for rank, grade in enumerate(top(query, d.k), 1):
        stops = (2 ** min(grade or 0, gmax) - 1) / 2**gmax
        value += still_reading * stops / rank
        still_reading *= 1 - stops
    return value


def set_precision(query: Query, d: Definition) -> float:
    return ratio(hits(query, math.inf, d.rel), len(query.candidates))


def set_recall(query: Query, d: Definition) -> float:
    return ratio(hits(query, math.inf, d.rel), gold(query, d.rel))


def set_f(query: Query, d: Definition) -> float:
    return f_measure(set_precision(query, d), set_recall(query, d), float(d["beta"]))


def interpolated(query: Query, d: Definition, level: str) -> float:
    """Return the highest precision at a rank where the recall is reached."""
    every = gold(query, d.rel)
    need = {
        "ceil": math.ceil(Fraction(level) * every),
        "round": math.floor(Fraction(level) * every + Fraction(1, 2)),
        "trec9": int(float(level) * every + 0.9),  # in doubles, as trec_eval 9 does
    }[d["need"]]
    found = [hits(query, rank, d.rel) for rank in range(1, len(query.candidates) + 1)]
    return max((got / rank for rank, got in enumerate(found, 1) if got >= need), default=0.0)


def iprec_avg(query: Query, d: Definition) -> float:
    return sum(interpolated(query, d, f"{tenths / 10:.1f}") for tenths in range(11)) / 11


def gm_map(queries: Sequence[Query], d: Definition) -> float:
    ap = [average_precision(q, math.inf, d.rel, gold(q, d.rel)) for q in queries]
    return math.exp(mean(math.log(max(value, float(d["floor"]))) for value in ap))


PerQuery = Callable[[Query, Definition], float]
MEANS: Mapping[str, PerQuery] = {
    "recall": recall,
    "precision": precision,
    "hit": hit,
    "mrr": mrr,
    "map": average_precision_at,
    "ndcg": ndcg,
    "f": f,
    "judged": judged,
    "unjudged": unjudged,
    "rprec": rprec,
    "bpref": bpref,
    "rbp": rbp,
    "rbp_resid": rbp_resid,
    "err": err,
    "set_precision": set_precision,
    "set_recall": set_recall,
    "set_f": set_f,
    "iprec": lambda query, d: interpolated(query, d, str(d.cut)),
    "iprec_avg": iprec_avg,
}
TOTALS: Mapping[str, PerQuery] = {
    "num_q": lambda query, d: 1,
    "num_ret": lambda query, d: len(query.candidates),
    "num_rel": lambda query, d: gold(query, d.rel),
    "num_rel_ret": lambda query, d: hits(query, math.inf, d.rel),
    "num_nonrel_judged_ret": lambda query, d: sum(
        grade is not None and grade < d.rel for grade in top(query, math.inf)
    ),
}
