"""A2xx, A3xx: equalities at cut-off 1 and orders over cut-offs, per query and so for means.

None depends on a choice that the contracts leave open (gold all or retrieved, cut k or K_eff, the
denominator of average precision), unless the rule states it and the definition is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations

from assay.verification.lint.names.known_measures import KINDS
from assay.verification.lint.names.measure_names import ALL
from assay.verification.lint.printed_values import Figure, Sheet
from assay.verification.lint.rule import BINARY, SAME, Breach, LintRule, at_most, equal

ONE = Fraction(1)
GROWING = tuple(key for key, known in KINDS.items() if known.grows)


def at_one(sheet: Sheet) -> Iterator[Breach]:
    """Check that at cut-off 1 each of them is 1 if the first item is gold, else 0."""
    keys = ("precision", "hit", "mrr") if sheet.given.graded else ("ndcg", "precision", "hit", "mrr")
    for group in sheet.groups():
        figures = [found for key in keys if (found := sheet.get(key, ONE, group)) is not None]
        if len(figures) > 1 and max(f.lo for f in figures) > min(f.hi for f in figures):
            listed = ", ".join(map(str, figures))
            yield Breach(tuple(figures), f"{listed}: must be equal")


def map_at_one(sheet: Sheet) -> Iterator[Breach]:
    """Check AP@1: it is P@1 (denominator min(R, k) or hits), or gold-first / R ≤ Recall@1."""
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


def steps(figures: Mapping[Fraction, Figure]) -> Iterator[tuple[Fraction, Figure, Fraction, Figure]]:
    """Yield pairs of a lower and a higher cut-off with their values."""
    for (a, x), (b, y) in combinations(figures.items(), 2):
        yield a, x, b, y


def precisions(sheet: Sheet, group: str) -> Mapping[Fraction, Figure]:
    """Return P@k at real cut-offs: that of the full list is not divided by a k."""
    return {k: figure for k, figure in sheet.cuts("precision", group).items() if k < ALL}


def never_falls(sheet: Sheet) -> Iterator[Breach]:
    """Check that a longer list keeps what a shorter one has."""
    for group in sheet.groups():
        for key in GROWING:
            for a, x, b, y in steps(sheet.cuts(key, group)):
                yield from at_most([(1, x), (-1, y)], 0, f"falls from cut-off {a} to {b}")


def map_never_falls(sheet: Sheet) -> Iterator[Breach]:
    """Check MAP with denominator R: only the numerator grows."""
    for group in sheet.groups():
        for a, x, b, y in steps(sheet.cuts("map", group)):
            if x.name.params.get("denominator") == "R":
                yield from at_most([(1, x), (-1, y)], 0, f"falls from cut-off {a} to {b}")


def hits_grow(sheet: Sheet) -> Iterator[Breach]:
    """Check k·P@k, the hits (or more, with K_eff): from a to b it grows by 0 to b − a."""
    for group in sheet.groups():
        for a, x, b, y in steps(precisions(sheet, group)):
            yield from at_most([(a, x), (-b, y)], 0, f"{a}·P@{a} exceeds {b}·P@{b}")
            if x.name.params.get("denominator") != "min_r_k":
                text = f"{b}·P@{b} exceeds {a}·P@{a} by more than {b - a}"
                yield from at_most([(b, y), (-a, x)], b - a, text)


def tpr_grows(sheet: Sheet) -> Iterator[Breach]:
    """Check that a larger FPR budget does not lower the TPR."""
    for group in sheet.groups():
        for key in ("tpr_at_fpr", "fpr_reached"):
            for a, x, b, y in steps(sheet.cuts(key, group)):
                text = f"falls from a budget of {float(a):g} to {float(b):g}"
                yield from at_most([(1, x), (-1, y)], 0, text)


RULES = (
    LintRule("A201", "impossible", "equal at cut-off 1", "nDCG@1 = P@1 = Hit@1 = MRR@1", BINARY, at_one),
    LintRule(
        "A202",
        "impossible",
        "MAP at cut-off 1",
        "MAP@1 = P@1, or MAP@1 ≤ Recall@1 if AP is divided by R",
        SAME,
        map_at_one,
    ),
    LintRule(
        "A301",
        "impossible",
        "order over k",
        "Recall@a ≤ Recall@b for a < b; likewise every measure that never falls as k grows",
        SAME,
        never_falls,
    ),
    LintRule(
        "A302",
        "impossible",
        "hits over k",
        "0 ≤ b·P@b − a·P@a ≤ b − a for a < b",
        SAME + "; P@k is divided by k or by K_eff",
        hits_grow,
    ),
    LintRule(
        "A303",
        "impossible",
        "MAP over k",
        "MAP@a ≤ MAP@b for a < b if AP is divided by R",
        SAME + "; only if the contract says R",
        map_never_falls,
    ),
    LintRule(
        "A304",
        "impossible",
        "TPR over FPR budgets",
        "TPR at a larger FPR budget is not lower",
        "thresholds of all budgets were chosen on the same set",
        tpr_grows,
    ),
)
