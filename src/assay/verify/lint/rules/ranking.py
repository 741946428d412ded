"""A2xx, A3xx, A4xx: rankings. Each holds for every query, so for means over queries and over folds.

None depends on a choice that the contracts leave open (gold all or retrieved, cut k or K_eff, the
denominator of average precision), unless the rule says so and the definition is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from math import log2

from assay.verify.lint.model import Figure, Sheet
from assay.verify.lint.names import ALL
from assay.verify.lint.rule import BINARY, SAME, Breach, Rule, at_most, equal

ONE = Fraction(1)
TINY = Fraction(1, 10**12)  # above the error of a logarithm in double precision


def at_one(sheet: Sheet) -> Iterator[Breach]:
    """At cut-off 1 each of them is 1 if the first item is gold, else 0."""
    keys = (
        ("precision", "hit", "mrr") if sheet.given.graded else ("ndcg", "precision", "hit", "mrr")
    )
    for group in sheet.groups():
        figures = [found for key in keys if (found := sheet.get(key, ONE, group)) is not None]
        if len(figures) > 1 and max(f.lo for f in figures) > min(f.hi for f in figures):
            listed = ", ".join(map(str, figures))
            yield Breach(tuple(figures), f"{listed}: must be equal")


def map_at_one(sheet: Sheet) -> Iterator[Breach]:
    """AP@1 is P@1 (denominator min(R, k) or hits), or gold-first / R, which is at most Recall@1."""
    for group in sheet.groups():
        average, first = sheet.get("map", ONE, group), sheet.get("precision", ONE, group)
        first = first or sheet.get("hit", ONE, group)
        if average is None or first is None:
            continue
        known = average.name.params.get("denominator")
        recall = sheet.get("recall", ONE, group)
        pair = [(1, average), (-1, first)]
        if known in ("min_r_k", "hits"):
            yield from equal(pair, 0, "must be equal")
        elif average.lo > first.hi:
            yield from at_most(pair, 0, "MAP@1 cannot exceed P@1")
        elif average.hi < first.lo and recall is not None and average.lo > recall.hi:
            yield Breach(
                (average, first, recall),
                f"{average}, {first}, {recall}: neither equal to P@1, nor at most Recall@1",
            )


def _steps(
    figures: Mapping[Fraction, Figure],
) -> Iterator[tuple[Fraction, Figure, Fraction, Figure]]:
    for (a, x), (b, y) in combinations(figures.items(), 2):
        yield a, x, b, y


def _precisions(sheet: Sheet, group: str) -> Mapping[Fraction, Figure]:
    """P@k at real cut-offs: that of the whole list is not divided by a k."""
    return {k: figure for k, figure in sheet.cuts("precision", group).items() if k < ALL}


def never_falls(sheet: Sheet) -> Iterator[Breach]:
    """A longer list keeps what a shorter one has."""
    for group in sheet.groups():
        for key in ("recall", "hit", "mrr", "err"):
            for a, x, b, y in _steps(sheet.cuts(key, group)):
                yield from at_most([(1, x), (-1, y)], 0, f"falls from cut-off {a} to {b}")


def map_never_falls(sheet: Sheet) -> Iterator[Breach]:
    """With denominator R only the numerator grows."""
    for group in sheet.groups():
        for a, x, b, y in _steps(sheet.cuts("map", group)):
            if x.name.params.get("denominator") == "R":
                yield from at_most([(1, x), (-1, y)], 0, f"falls from cut-off {a} to {b}")


def hits_grow(sheet: Sheet) -> Iterator[Breach]:
    """k·P@k counts hits (or more, with K_eff); from a to b it grows by 0 to b − a."""
    for group in sheet.groups():
        for a, x, b, y in _steps(_precisions(sheet, group)):
            yield from at_most([(a, x), (-b, y)], 0, f"{a}·P@{a} exceeds {b}·P@{b}")
            if x.name.params.get("denominator") != "min_r_k":
                text = f"{b}·P@{b} exceeds {a}·P@{a} by more than {b - a}"
                yield from at_most([(b, y), (-a, x)], b - a, text)


def tpr_grows(sheet: Sheet) -> Iterator[Breach]:
    """A larger FPR budget never needs a higher threshold."""
    for group in sheet.groups():
        for key in ("tpr_at_fpr", "fpr_reached"):
            for a, x, b, y in _steps(sheet.cuts(key, group)):
                text = f"falls from a budget of {float(a):g} to {float(b):g}"
                yield from at_most([(1, x), (-1, y)], 0, text)


def below_hit(sheet: Sheet) -> Iterator[Breach]:
    """Without a hit they are 0, with one at most 1."""
    for group in sheet.groups():
        for cut, hit in sheet.cuts("hit", group).items():
            for key in ("recall", "mrr", "map", "precision", "ndcg"):
                if key == "ndcg" and sheet.given.graded:
                    continue
                found = sheet.get(key, cut, group)
                if found is not None and not (cut == 1 and key in ("mrr", "precision", "ndcg")):
                    yield from at_most([(1, found), (-1, hit)], 0, "exceeds the hit rate")


def below_hits(sheet: Sheet) -> Iterator[Breach]:
    """One hit gives each of them at most 1, and k·P@k counts at least the hits."""
    for group in sheet.groups():
        for cut, precision in _precisions(sheet, group).items():
            for key in ("hit", "recall", "mrr", "map", "ndcg"):
                if cut == 1 and key in ("hit", "mrr", "ndcg", "map"):
                    continue  # rules A201 and A202 say more
                if key == "ndcg" and sheet.given.graded:
                    continue
                found = sheet.get(key, cut, group)
                if found is not None:
                    text = f"exceeds {cut}·P@{cut}, the hits"
                    yield from at_most([(1, found), (-cut, precision)], 0, text)


def _levels(sheet: Sheet, group: str) -> dict[Fraction, Figure]:
    """Hit rates by cut-off; at 1, precision (and nDCG, with binary gold) will do."""
    found = dict(sheet.cuts("hit", group))
    for key in ("precision",) if sheet.given.graded else ("precision", "ndcg"):
        first = sheet.get(key, ONE, group)
        if first is not None:
            found.setdefault(ONE, first)
    return dict(sorted(found.items()))


def mrr_and_hits(sheet: Sheet) -> Iterator[Breach]:
    """Hit@1 ≤ MRR; from a to b MRR gains at most (Hit@b − Hit@a)/(a+1) and at least (…)/b."""
    for group in sheet.groups():
        levels = _levels(sheet, group)
        uncut, cuts = sheet.get("mrr", None, group), sheet.cuts("mrr", group)
        for k, hit in levels.items():
            if uncut is not None:
                rest = 1 / (k + 1)
                if k == 1:
                    yield from at_most([(1, hit), (-1, uncut)], 0, "the rate at 1 exceeds MRR")
                text = f"MRR exceeds Hit@{k} + (1 − Hit@{k})/{k + 1}"
                yield from at_most([(1, uncut), (rest - 1, hit)], rest, text)
            for cut, mrr in cuts.items():
                if k == 1 < cut:
                    yield from at_most([(1, hit), (-1, mrr)], 0, f"the rate at 1 exceeds MRR@{cut}")
        for (a, x), (b, y) in combinations(levels.items(), 2):
            p, q = cuts.get(a), cuts.get(b)
            p = x if p is None and a == 1 else p  # MRR@1 is Hit@1
            if p is None or q is None:
                continue
            gain = 1 / (a + 1)
            terms = [(ONE, q), (-ONE, p), (-gain, y), (gain, x)]
            yield from at_most(terms, 0, f"MRR gains too much from {a} to {b} for the hit rates")
            terms = [(1 / b, y), (-1 / b, x), (-ONE, q), (ONE, p)]
            yield from at_most(terms, 0, f"MRR gains too little from {a} to {b} for the hit rates")


def mrr_too_low(sheet: Sheet) -> Iterator[Breach]:
    """An uncut MRR is at least Hit@1 + Σ (Hit@b − Hit@a)/b; one cut in silence may be lower."""
    for group in sheet.groups():
        uncut = sheet.get("mrr", None, group)
        levels = list(_levels(sheet, group).items())
        if uncut is None or len(levels) < 2:
            continue
        terms: list[tuple[Fraction, Figure]] = [(-ONE, uncut)]
        for at, (k, hit) in enumerate(levels):
            after = 1 / levels[at + 1][0] if at + 1 < len(levels) else Fraction(0)
            terms.append((1 / k - after, hit))
        yield from at_most(
            terms, 0, "MRR is below what the hit rates give: is it cut at some rank?"
        )


def ndcg_gain(sheet: Sheet) -> Iterator[Breach]:
    """nDCG@b − nDCG@a ≤ (b·P@b − a·P@a)/log2(a+2).

    DCG gains at most 1/log2(a+2) for each hit behind rank a, and IDCG@b ≥ IDCG@a ≥ 1, so that
    dividing by it can only make the gain smaller.
    """
    if sheet.given.graded:
        return
    for group in sheet.groups():
        precision = _precisions(sheet, group)
        for a, x, b, y in _steps(sheet.cuts("ndcg", group)):
            if a not in precision or b not in precision:
                continue
            weight = Fraction(1 / log2(int(a) + 2)) + TINY
            p, q = precision[a], precision[b]
            low = y.lo - x.hi - weight * (b * q.hi - a * p.lo)
            if low > 0:
                bound = x.hi + weight * (b * q.hi - a * p.lo)
                yield Breach(
                    (y, x, p, q),
                    f"{y}: at most {float(bound):.4f} beside {x}, {p} and {q}",
                )


def below_gold(sheet: Sheet) -> Iterator[Breach]:
    """Hits are at most the gold there is; the denominator of P@k is k."""
    for group in sheet.groups():
        gold = sheet.get("mean_gold", None, group) or sheet.get("mean_gold")
        low = gold.hi if gold is not None else sheet.given.mean_gold
        if low is None:
            continue
        for cut, precision in _precisions(sheet, group).items():
            if precision.name.params.get("denominator", "k") == "k" and precision.lo * cut > low:
                figures = (precision,) if gold is None else (precision, gold)
                yield Breach(
                    figures,
                    f"{precision}: at most {float(low / cut):.4f} with {float(low):g} gold a query",
                )


RULES = (
    Rule(
        "A201", "impossible", "equal at cut-off 1", "nDCG@1 = P@1 = Hit@1 = MRR@1", BINARY, at_one
    ),
    Rule(
        "A202",
        "impossible",
        "MAP at cut-off 1",
        "MAP@1 = P@1, or MAP@1 ≤ Recall@1 where AP is divided by R",
        SAME,
        map_at_one,
    ),
    Rule(
        "A301",
        "impossible",
        "order over k",
        "Recall@a ≤ Recall@b for a < b; Hit, MRR and ERR likewise",
        SAME,
        never_falls,
    ),
    Rule(
        "A302",
        "impossible",
        "hits over k",
        "0 ≤ b·P@b − a·P@a ≤ b − a for a < b",
        SAME + "; P@k is divided by k or by K_eff",
        hits_grow,
    ),
    Rule(
        "A303",
        "impossible",
        "MAP over k",
        "MAP@a ≤ MAP@b for a < b where AP is divided by R",
        SAME + "; only where the contract says R",
        map_never_falls,
    ),
    Rule(
        "A304",
        "impossible",
        "TPR over FPR budgets",
        "TPR at a larger FPR budget is no lower",
        "thresholds of all budgets were chosen on the same set",
        tpr_grows,
    ),
    Rule(
        "A401",
        "impossible",
        "at most the hit rate",
        "nDCG@k, MRR@k, Recall@k, MAP@k, P@k ≤ Hit@k",
        BINARY,
        below_hit,
    ),
    Rule(
        "A402",
        "impossible",
        "at most the hits",
        "Hit@k, nDCG@k, MRR@k, Recall@k, MAP@k ≤ k·P@k",
        BINARY,
        below_hits,
    ),
    Rule(
        "A403",
        "impossible",
        "MRR and hit rates",
        "Hit@1 ≤ MRR ≤ Hit@k + (1 − Hit@k)/(k+1); (Hit@b − Hit@a)/b ≤ MRR@b − MRR@a ≤ (Hit@b − Hit@a)/(a+1)",
        SAME,
        mrr_and_hits,
    ),
    Rule(
        "A404",
        "impossible",
        "gain of nDCG",
        "nDCG@b − nDCG@a ≤ (b·P@b − a·P@a)/log2(a+2) for a < b",
        BINARY,
        ndcg_gain,
    ),
    Rule(
        "A405",
        "impossible",
        "at most the gold",
        "P@k ≤ mean(R)/k",
        SAME + "; P@k is divided by k",
        below_gold,
    ),
    Rule(
        "A406",
        "unusual",
        "MRR below the hit rates",
        "uncut MRR ≥ Hit@1 + Σ (Hit@b − Hit@a)/b",
        SAME + "; MRR is not cut at a rank",
        mrr_too_low,
    ),
)
