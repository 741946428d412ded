"""A4xx: bounds between ranking measures. Each holds for every query, and so for means."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import log2

from assay.verification.lint.printed_values import Figure, Sheet
from assay.verification.lint.rule import BINARY, SAME, Breach, LintRule, at_most
from assay.verification.lint.rules.cutoff_order import ONE, precisions, steps

TINY = Fraction(1, 10**12)  # larger than the error of a logarithm in double precision


def below_hit(sheet: Sheet) -> Iterator[Breach]:
    """Check against the hit rate: without a hit they are 0, with one at most 1."""
    for group in sheet.groups():
        for cut, hit in sheet.cuts("hit", group).items():
            for key in ("recall", "mrr", "map", "precision", "ndcg"):
                if key == "ndcg" and sheet.given.graded:
                    continue
                found = sheet.get(key, cut, group)
                if found is not None and not (cut == 1 and key in ("mrr", "precision", "ndcg")):
                    yield from at_most([(1, found), (-1, hit)], 0, "exceeds the hit rate")


def below_hits(sheet: Sheet) -> Iterator[Breach]:
    """Check against the hits: one hit gives each at most 1, and k·P@k counts at least the hits."""
    for group in sheet.groups():
        for cut, precision in precisions(sheet, group).items():
            for key in ("hit", "recall", "mrr", "map", "ndcg"):
                if cut == 1 and key in ("hit", "mrr", "ndcg", "map"):
                    continue  # rules A201 and A202 are stricter
                if key == "ndcg" and sheet.given.graded:
                    continue
                found = sheet.get(key, cut, group)
                if found is not None:
                    text = f"exceeds {cut}·P@{cut}, the hits"
                    yield from at_most([(1, found), (-cut, precision)], 0, text)


def _levels(sheet: Sheet, group: str) -> dict[Fraction, Figure]:
    """Return hit rates by cut-off; at 1, precision (and nDCG, with binary gold) also works."""
    found = dict(sheet.cuts("hit", group))
    for key in ("precision",) if sheet.given.graded else ("precision", "ndcg"):
        first = sheet.get(key, ONE, group)
        if first is not None:
            found.setdefault(ONE, first)
    return dict(sorted(found.items()))


def mrr_and_hits(sheet: Sheet) -> Iterator[Breach]:
    """Check Hit@1 ≤ MRR; from a to b MRR gains (Hit@b − Hit@a)/b to (Hit@b − Hit@a)/(a+1)."""
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
    """Check that uncut MRR is at least Hit@1 + Σ (Hit@b − Hit@a)/b; it may be cut silently."""
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
            terms, 0, "MRR is below the minimum that the hit rates imply: is it cut at some rank?"
        )


def ndcg_gain(sheet: Sheet) -> Iterator[Breach]:
    """Check nDCG@b − nDCG@a ≤ (b·P@b − a·P@a)/log2(a+2).

    DCG gains at most 1/log2(a+2) for each hit after rank a, and IDCG@b ≥ IDCG@a ≥ 1, so dividing
    by it can only reduce the gain.
    """
    if sheet.given.graded:
        return
    for group in sheet.groups():
        precision = precisions(sheet, group)
        for a, x, b, y in steps(sheet.cuts("ndcg", group)):
            if a not in precision or b not in precision:
                continue
            weight = Fraction(1 / log2(int(a) + 2)) + TINY
            p, q = precision[a], precision[b]
            low = y.lo - x.hi - weight * (b * q.hi - a * p.lo)
            if low > 0:
                bound = x.hi + weight * (b * q.hi - a * p.lo)
                yield Breach((y, x, p, q), f"{y}: at most {float(bound):.4f} with {x}, {p} and {q}")


def _below_gold(sheet: Sheet, *, known: bool) -> Iterator[Breach]:
    for group in sheet.groups():
        gold = sheet.get("mean_gold", None, group) or sheet.get("mean_gold")
        most = gold.hi if gold is not None else sheet.given.mean_gold
        if most is None:
            continue
        for cut, precision in precisions(sheet, group).items():
            spelled = precision.name.params.get("denominator")
            if (spelled == "k" if known else spelled is None) and precision.lo * cut > most:
                figures = (precision,) if gold is None else (precision, gold)
                yield Breach(
                    figures, f"{precision}: at most {float(most / cut):.4f} with {float(most):g} gold each"
                )


def below_gold(sheet: Sheet) -> Iterator[Breach]:
    """Check that hits do not exceed the gold; with denominator k that bounds P@k."""
    yield from _below_gold(sheet, known=True)


def perhaps_below_gold(sheet: Sheet) -> Iterator[Breach]:
    """Check the same if the denominator is unknown: with K_eff, short lists may exceed it."""
    yield from _below_gold(sheet, known=False)


RULES = (
    LintRule(
        "A401",
        "impossible",
        "at most the hit rate",
        "nDCG@k, MRR@k, Recall@k, MAP@k, P@k ≤ Hit@k",
        BINARY,
        below_hit,
    ),
    LintRule(
        "A402",
        "impossible",
        "at most the hits",
        "Hit@k, nDCG@k, MRR@k, Recall@k, MAP@k ≤ k·P@k",
        BINARY,
        below_hits,
    ),
    LintRule(
        "A403",
        "impossible",
        "MRR and hit rates",
        "Hit@1 ≤ MRR ≤ Hit@k + (1 − Hit@k)/(k+1); MRR@b − MRR@a is from (Hit@b − Hit@a)/b to "
        "(Hit@b − Hit@a)/(a+1)",
        SAME,
        mrr_and_hits,
    ),
    LintRule(
        "A404",
        "impossible",
        "gain of nDCG",
        "nDCG@b − nDCG@a ≤ (b·P@b − a·P@a)/log2(a+2) for a < b",
        BINARY,
        ndcg_gain,
    ),
    LintRule(
        "A405",
        "impossible",
        "at most the gold",
        "P@k ≤ mean(R)/k",
        SAME + "; the contract says that P@k is divided by k",
        below_gold,
    ),
    LintRule(
        "A406",
        "unusual",
        "MRR below the hit rates",
        "uncut MRR ≥ Hit@1 + Σ (Hit@b − Hit@a)/b",
        SAME + "; MRR is not cut at a rank",
        mrr_too_low,
    ),
    LintRule(
        "A407",
        "unusual",
        "perhaps more than the gold",
        "P@k ≤ mean(R)/k",
        SAME + "; P@k is divided by k, which the table does not state",
        perhaps_below_gold,
    ),
)
