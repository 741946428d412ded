"""A2xx, A3xx: equalities at cut-off 1 and orders over cut-offs, of every query and so of means.

None depends on a choice that the contracts leave open (gold all or retrieved, cut k or K_eff, the
denominator of average precision), unless the rule says so and the definition is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations

from assay.verify.lint.model import Figure, Sheet
from assay.verify.lint.names import ALL
from assay.verify.lint.rule import BINARY, SAME, Breach, Rule, at_most, equal

ONE = Fraction(1)


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


def steps(
    figures: Mapping[Fraction, Figure],
) -> Iterator[tuple[Fraction, Figure, Fraction, Figure]]:
    """Pairs of a lower and a higher cut-off with their figures."""
    for (a, x), (b, y) in combinations(figures.items(), 2):
        yield a, x, b, y


def precisions(sheet: Sheet, group: str) -> Mapping[Fraction, Figure]:
    """P@k at real cut-offs: that of the whole list is not divided by a k."""
    return {k: figure for k, figure in sheet.cuts("precision", group).items() if k < ALL}


def never_falls(sheet: Sheet) -> Iterator[Breach]:
    """A longer list keeps what a shorter one has."""
    for group in sheet.groups():
        for key in ("recall", "hit", "mrr", "err"):
            for a, x, b, y in steps(sheet.cuts(key, group)):
                yield from at_most([(1, x), (-1, y)], 0, f"falls from cut-off {a} to {b}")


def map_never_falls(sheet: Sheet) -> Iterator[Breach]:
    """With denominator R only the numerator grows."""
    for group in sheet.groups():
        for a, x, b, y in steps(sheet.cuts("map", group)):
            if x.name.params.get("denominator") == "R":
                yield from at_most([(1, x), (-1, y)], 0, f"falls from cut-off {a} to {b}")


def hits_grow(sheet: Sheet) -> Iterator[Breach]:
    """k·P@k counts hits (or more, with K_eff); from a to b it grows by 0 to b − a."""
    for group in sheet.groups():
        for a, x, b, y in steps(precisions(sheet, group)):
            yield from at_most([(a, x), (-b, y)], 0, f"{a}·P@{a} exceeds {b}·P@{b}")
            if x.name.params.get("denominator") != "min_r_k":
                text = f"{b}·P@{b} exceeds {a}·P@{a} by more than {b - a}"
                yield from at_most([(b, y), (-a, x)], b - a, text)


def tpr_grows(sheet: Sheet) -> Iterator[Breach]:
    """A larger FPR budget never needs a higher threshold."""
    for group in sheet.groups():
        for key in ("tpr_at_fpr", "fpr_reached"):
            for a, x, b, y in steps(sheet.cuts(key, group)):
                text = f"falls from a budget of {float(a):g} to {float(b):g}"
                yield from at_most([(1, x), (-1, y)], 0, text)


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
)
