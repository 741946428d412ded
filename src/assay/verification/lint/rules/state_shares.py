"""A6xx: three states, selected K, deployment, labels of posts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from assay.verification.lint.printed_values import Sheet
from assay.verification.lint.rule import ONE_SET, SAME, Breach, LintRule, at_most, equal
from assay.verification.lint.rules.whole_counts import sizes


def three_states(sheet: Sheet) -> Iterator[Breach]:
    """Check that every query has one state."""
    for group in sheet.groups():
        found = [sheet.get(f"{state}_rate", None, group) for state in ("neg", "uncertain", "pos")]
        terms = [(1, figure) for figure in found if figure is not None]
        if len(terms) == 3:
            yield from equal(terms, 1, "the three must sum to 1")
        elif len(terms) == 2:
            yield from at_most(terms, 1, "the two sum to more than 1")


def hamming(sheet: Sheet) -> Iterator[Breach]:
    """Check that loss and score are complements; an exact match has a Hamming score of 1."""
    for group in sheet.groups():
        score, loss = (sheet.get("hamming_score", None, group), sheet.get("hamming_loss", None, group))
        match = sheet.get("exact_match", None, group)
        if score is not None and loss is not None:
            yield from equal([(1, score), (1, loss)], 1, "the two must sum to 1")
        if score is not None and match is not None:
            yield from at_most([(1, match), (-1, score)], 0, "exact match exceeds the Hamming score")
        elif loss is not None and match is not None:
            yield from at_most([(1, match), (1, loss)], 1, "exact match exceeds 1 − Hamming loss")


def alerts(sheet: Sheet) -> Iterator[Breach]:
    """Check that alerts per 1000 are 1000 times the POS rate."""
    for group in sheet.groups():
        rate, alert = (sheet.get("pos_rate", None, group), sheet.get("alert_rate_per_1000", None, group))
        if rate is not None and alert is not None:
            yield from equal([(1000, rate), (-1, alert)], 0, "must be 1000 times the POS rate")


def misses(sheet: Sheet) -> Iterator[Breach]:
    """Check misses per 1000 = 1000 · positives/n · miss rate; at most the prevalence."""
    for group in sheet.groups():
        found, known = sheet.get("screening_fn_per_1000", None, group), sizes(sheet, "")
        if found is None or known.p is None or not known.total or sheet.averaged:
            continue
        share = Fraction(1000 * known.p, known.total)
        yield from at_most([(1, found)], share, f"at most {float(share):.2f}, which misses every positive")
        for other in ("screening", "at=not_neg,on=all"):
            rate, kept = sheet.get("fnr", None, other), sheet.get("sensitivity", None, other)
            if rate is not None:
                yield from equal([(1, found), (-share, rate)], 0, "must be 1000·positives/n·miss rate")
            elif kept is not None:
                yield from equal(
                    [(1, found), (share, kept)], share, "must be 1000·positives/n·(1 − sensitivity)"
                )


def deployment(sheet: Sheet) -> Iterator[Breach]:
    """Check that queries are returned only if the gate let them pass."""
    for key in ("fpr", "sensitivity"):
        gate, deployed = sheet.get(key, None, "gate"), sheet.get(key, None, "deployment")
        if gate is not None and deployed is not None:
            yield from at_most([(1, deployed), (-1, gate)], 0, "deployment exceeds the gate")


def mean_k(sheet: Sheet) -> Iterator[Breach]:
    """Check mean K over all = mean K over returned × their share; returned K is at least 1."""
    whole = sheet.get("selected_k_mean") or sheet.get("selected_k_mean", None, "on=all")
    part = sheet.get("selected_k_mean_returned") or sheet.get("selected_k_mean", None, "on=returned")
    if whole is None or part is None:
        return
    yield from at_most([(1, whole), (-1, part)], 0, "the mean over all exceeds that over returned")
    share = sheet.get("returned_rate")
    tp, fp = sheet.get("tp", None, "deployment"), sheet.get("fp", None, "deployment")
    if sheet.averaged:
        return
    low = high = None
    figures = [whole, part]
    if share is not None:
        low, high = share.lo, share.hi
        figures.append(share)
    elif tp is not None and fp is not None and (total := sizes(sheet, "deployment").total):
        low, high = (tp.lo + fp.lo) / total, (tp.hi + fp.hi) / total
        figures += [tp, fp]
    if low is None or high is None:
        return
    if whole.hi < part.lo * low or whole.lo > part.hi * high:
        numbers = f"{whole}: {float(part.value.value * low):.4f} with {', '.join(map(str, figures[1:]))}"
        yield Breach(tuple(figures), numbers)


def quantiles(sheet: Sheet) -> Iterator[Breach]:
    """Check that quantiles never fall and the mean lies between minimum and maximum."""
    for group in sheet.groups():
        found = [
            figure
            for stat in ("min", "p25", "median", "p75", "p90", "max")
            if (figure := sheet.get(f"selected_k_{stat}", None, group)) is not None
        ]
        for x, y in pairwise(found):
            yield from at_most([(1, x), (-1, y)], 0, "a higher quantile is lower")
        least, most = (sheet.get(f"selected_k_{end}", None, group) for end in ("min", "max"))
        mean = sheet.get("selected_k_mean", None, group)
        if mean is not None and most is not None:
            yield from at_most([(1, mean), (-1, most)], 0, "the mean exceeds the greatest K")
        if mean is not None and least is not None:
            yield from at_most([(1, least), (-1, mean)], 0, "the mean is below the least K")


RULES = (
    LintRule("A601", "impossible", "three states", "NEG + UNCERTAIN + POS = 1", SAME, three_states),
    LintRule(
        "A602",
        "impossible",
        "Hamming",
        "Hamming loss = 1 − Hamming score; exact match ≤ Hamming score",
        SAME,
        hamming,
    ),
    LintRule("A603", "impossible", "alerts per 1000", "alerts per 1000 = 1000 · POS rate", SAME, alerts),
    LintRule(
        "A604",
        "impossible",
        "misses per 1000",
        "FN per 1000 = 1000 · positives/n · miss rate",
        ONE_SET,
        misses,
    ),
    LintRule(
        "A605",
        "impossible",
        "deployment and gate",
        "deployment FPR ≤ gate FPR; sensitivity likewise",
        "only queries that passed the gate return anything",
        deployment,
    ),
    LintRule(
        "A606", "impossible", "mean K", "mean K over all = mean K over returned × their share", SAME, mean_k
    ),
    LintRule(
        "A607",
        "impossible",
        "quantiles of K",
        "min ≤ P25 ≤ median ≤ P75 ≤ P90 ≤ max; min ≤ mean ≤ max",
        SAME,
        quantiles,
    ),
)
