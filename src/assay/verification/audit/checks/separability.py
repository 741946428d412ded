"""Predictions that are implausibly good.

A system that saw the labels and then added a few errors makes fewer of them than an honest one.
The plausible minimum is stated: `HONEST` for queries, the AUROC `RANKER` for lists.
"""

from __future__ import annotations

from math import comb, log
from statistics import mean

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats
from assay.statistics.exact_binomial import binomial_cdf
from assay.verification.audit.audit_report import (
    CHANCE,
    RARE,
    AuditSettings,
    Seen,
    clean,
    flagged,
    found,
    not_applicable,
)
from assay.verification.audit.chance_bounds import at_least, perfect_by_chance
from assay.verification.audit.checks.label_copies import RANKER
from assay.verification.audit.facts import WHOLE, Facts
from assay.verification.audit.system.auroc_by_post import area_of, difference, mean_area

HONEST = 0.03
"""Lowest plausible miss rate + false alarm rate at the best threshold of an honest system. It
corresponds to an AUROC of 0.9989 if the scores of both classes are normal.
"""
CONTRAST = 5.0
"""Few errors are a leak if the highest candidate score makes this many times as many."""
EASY = 0.25
"""1 − AUROC of a fold is at most this fraction of that of the others."""
SHORTEST_LIST = 5
"""Minimum candidates of a list that counts: shorter ones are easy to order."""
MOSTLY_RIGHT = 0.85


def few_errors(facts: Facts, _: AuditSettings) -> Seen:
    """Check for probabilities that separate the classes with too few errors.

    With m of P positives and a of N negatives wrong at the threshold with the least m/P + a/N, the
    chance of so few errors is the largest over all pairs of rates that sum to 3%.
    """
    rows = facts.queries
    looked = f"{len(rows)} probabilities"
    label = rows["has_evidence"].to_numpy()
    if not label.any() or label.all():
        return not_applicable("all queries have evidence, or none has", looked)
    missed, alarms = least_errors(rows["prob"].to_numpy(), label)
    positives, negatives = int(label.sum()), int((~label).sum())
    rate = missed / positives + alarms / negatives
    chance = errors_by_chance(missed, positives, alarms, negatives)
    numbers = {
        "missed": missed,
        "positives": positives,
        "false_alarms": alarms,
        "negatives": negatives,
        "chance": chance,
    }
    if missed + alarms == 0:
        return not_applicable("no error at all: see L010", looked, **numbers)
    if chance > CHANCE:
        return clean(looked, **numbers)
    why = f"{missed} of {positives} queries with evidence and {alarms} of the others are wrong"
    base = _baseline(facts)
    if base is None:
        return flagged(looked, f"{why}: fewer errors than expected of any honest system", **numbers)
    numbers["baseline_error"] = base
    if base >= CONTRAST * rate:
        why += f"; the highest candidate score makes {base / rate:.0f} times as many errors"
        return found(looked, why, facts.named(rows.filter(pl.col("has_evidence"))), **numbers)
    return flagged(looked, f"{why}; the highest candidate score is nearly as good", **numbers)


def easy_folds(facts: Facts, _: AuditSettings) -> Seen:
    """Check for a fold whose AUROC exceeds that of the others by more than posts explain."""
    parts = [(name, rows) for name, rows in facts.parts() if name != WHOLE]
    looked = f"{len(parts)} folds"
    areas = {
        name: area_of(rows["prob"].to_numpy(), rows["has_evidence"].to_numpy(), rows["post_id"].to_list())
        for name, rows in parts
    }
    known = {name: area for name, area in areas.items() if area is not None}
    if len(known) < 2:
        return not_applicable("fewer than two folds have both classes", looked)
    made = []
    for name, area in known.items():
        rest = mean_area([other for each, other in known.items() if each != name])
        gap, p = difference(area, rest)
        if gap > 0 and p * len(known) <= RARE and 1 - area.value <= EASY * (1 - rest.value):
            made.append(f"{name}: AUROC {area.value:.3f}, {rest.value:.3f} in the others")
    if not made:
        return clean(looked)
    why = f"errors are {1 / EASY:.0f} times as rare as in the other folds, or rarer"
    return flagged(looked, why, made)


def least_errors(prob: Floats, label: Bools) -> tuple[int, int]:
    """Return missed positives and false alarms at the threshold with the least sum of rates."""
    yes, no = np.sort(prob[label]), np.sort(prob[~label])
    values = np.append(np.unique(prob), np.inf)
    missed, alarms = np.searchsorted(yes, values), len(no) - np.searchsorted(no, values)
    best = int(np.argmin(missed / len(yes) + alarms / len(no)))
    return int(missed[best]), int(alarms[best])


def errors_by_chance(missed: int, positives: int, alarms: int, negatives: int) -> float:
    """Return the chance of so few errors, the largest over the splits of the honest rate."""
    return max(
        binomial_cdf(missed, positives, share) * binomial_cdf(alarms, negatives, HONEST - share)
        for share in np.linspace(0, HONEST, 31).tolist()
    )


def _baseline(facts: Facts) -> float | None:
    """Return miss rate + false alarm rate of the highest candidate score, or None."""
    if facts.candidates is None:
        return None
    label = facts.queries["has_evidence"].to_numpy()
    missed, alarms = least_errors(highest_scores(facts), label)
    return float(missed / label.sum() + alarms / (~label).sum())


def highest_scores(facts: Facts) -> Floats:
    """Return the highest candidate score of each query; one below all others if it has no candidate."""
    assert facts.candidates is not None, "the caller has looked"
    top = facts.candidates.group_by(facts.keys).agg(pl.col("score").max().alias("top"))
    rows = facts.queries.join(top, on=facts.keys, how="left", maintain_order="left")
    least = facts.candidates["score"].to_numpy().min()
    found: Floats = rows["top"].fill_null(float(least) - 1.0).to_numpy()
    return found


def few_wrong_lists(facts: Facts, _: AuditSettings) -> Seen:
    """Check for lists with all gold at the top, except a few, or a few with all gold at the bottom.

    An honest ranker that errs so rarely errs by a place or two. Even if the few wrong lists are due
    to wrong labels, gold is at the bottom of a list of s with chance 1 / (C(s, g) − 1).
    """
    assert facts.candidates is not None, "the check needs candidates"
    gold = pl.col("grade") >= 1
    score = pl.col("score")
    lists = (
        facts.candidates.group_by(facts.keys, maintain_order=True)
        .agg(
            pl.len().alias("s"),
            gold.sum().alias("g"),
            (score.filter(gold).min() > score.filter(~gold).max()).alias("right"),
            (score.filter(gold).max() < score.filter(~gold).min()).alias("last"),
        )
        .filter(pl.col("g") > 0, pl.col("g") < pl.col("s"), pl.col("s") >= SHORTEST_LIST)
    )
    looked = f"{len(lists)} lists of {SHORTEST_LIST} candidates or more, with gold among them"
    wrong = lists.filter(~pl.col("right"))
    if lists.is_empty() or wrong.is_empty():
        return not_applicable("no list is wrong: see L011" if len(lists) else "no list", looked)
    errors = [1 - perfect_by_chance(g, s - g, RANKER) for s, g in lists.select("s", "g").rows()]
    chance = binomial_cdf(len(wrong), len(lists), mean(errors))
    last = int(wrong["last"].sum())
    # A wrong list is any order except the right one.
    logs = [-log(max(comb(s, g) - 1, 1)) for s, g in wrong.select("s", "g").iter_rows()]
    reversed_chance = at_least(last, logs)
    numbers = {
        "lists": len(lists),
        "wrong": len(wrong),
        "reversed": last,
        "chance": chance,
        "reversed_chance": reversed_chance,
    }
    why = f"{len(wrong)} of {len(lists)} lists are wrong"
    if 1 - len(wrong) / len(lists) >= MOSTLY_RIGHT and reversed_chance <= CHANCE:
        why += f", and {last} of these have all gold at the bottom"
        return found(looked, why, facts.named(wrong.filter(pl.col("last"))), **numbers)
    if chance <= CHANCE:
        why += ": fewer than expected of any honest ranker"
        return flagged(looked, why, facts.named(wrong), **numbers)
    return clean(looked, **numbers)
