"""Probabilities and scores that follow from the gold: they make no error at all.

A good system may make no error on a few queries, so there are two rules. Without any error, it must
be unlikely for a system with 2% wrong queries (10% wrong lists), and for one with a high AUROC.
Without an error in one fold, it must be unlikely for a system that errs as in the other folds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log, prod

import numpy as np
import polars as pl

from assay.verification.audit.audit_report import (
    CHANCE,
    AuditSettings,
    Seen,
    clean,
    flagged,
    found,
    not_applicable,
)
from assay.verification.audit.chance_bounds import perfect_by_chance
from assay.verification.audit.facts import WHOLE, Facts

QUERIES = 0.98
LISTS = 0.9
"""Error-free shares that are plausible for a system that never saw the gold."""
AUROC = 0.995
"""Plausible AUROC of such a system. With few positives, no error at all is less remarkable."""
RANKER = 0.993
"""The same for a ranker, over the candidates of a list. Short lists are easy to order."""


def prob_of_label(facts: Facts, _: AuditSettings) -> Seen:
    """Check for probabilities that are the label, separate the classes, or count the gold."""
    looked = f"{len(facts.queries)} probabilities"
    parts = [(name, rows) for name, rows in facts.parts() if rows["has_evidence"].n_unique() == 2]
    folds = [(name, rows) for name, rows in parts if name != WHOLE] or parts
    if not folds:
        return not_applicable("no fold has queries with and without evidence", looked)
    wrong = {name: _errors(rows) for name, rows in folds}
    seen = [(name, _told(rows)) for name, rows in folds if not wrong[name]]
    right = [(name, len(rows) - wrong[name], len(rows)) for name, rows in folds]
    for name, chance in _perfect(right, QUERIES):
        why = next(how for fold, how in seen if name in (WHOLE, fold))
        rows = next((rows for fold, rows in folds if fold == name), facts.queries)
        rarest = max(chance, _separated(facts, folds)) if name == WHOLE else chance
        if rarest > CHANCE:
            return not_applicable("no error, on too few queries", looked, chance=rarest)
        positive = rows.filter(pl.col("has_evidence"))
        why = why if name == WHOLE else f"{name}: {why}"
        counts = {"positives": len(positive), "negatives": len(rows) - len(positive)}
        return found(looked, why, facts.named(positive), chance=rarest, **counts)
    return clean(looked, errors=sum(wrong.values()))


def _separated(facts: Facts, folds: list[tuple[str, pl.DataFrame]]) -> float:
    """Return the chance that a very good system separates the classes in all folds."""
    together = [(WHOLE, facts.queries)] if not _errors(facts.queries) else folds
    return prod(
        perfect_by_chance(positives, len(rows) - positives, AUROC)
        for _, rows in together
        if (positives := int(rows["has_evidence"].sum()))
    )


def _perfect(parts: list[tuple[str, int, int]], believed: float) -> Iterator[tuple[str, float]]:
    """Return what makes no error (name, right, n) with its chance: all, or one fold."""
    right, total = sum(part[1] for part in parts), sum(part[2] for part in parts)
    if right == total:
        yield WHOLE, believed**total
        return
    for name, good, n in parts:
        if good == n:
            # Chance that n more are right after this many others were, with an unknown rate
            # (a uniform prior): one wrong list elsewhere does not make a right one suspicious.
            logs = [log((right - n + 1 + at) / (total - n + 2 + at)) for at in range(n)]
            chance = min(1.0, len(parts) * exp(sum(logs)))
            if chance <= CHANCE:
                yield name, chance


def _errors(rows: pl.DataFrame) -> int:
    """Return the fewest errors of any threshold; none if the gold count fixes the probability."""
    fixed = rows.group_by("gold").agg(pl.col("prob").n_unique())
    if (fixed["prob"] == 1).all() and rows["prob"].n_unique() > 1:
        return 0
    label = rows["has_evidence"].to_numpy()
    prob = rows["prob"].to_numpy()
    yes, no = np.sort(prob[label]), np.sort(prob[~label])
    values = np.append(np.unique(prob), np.inf)
    missed, alarms = np.searchsorted(yes, values), len(no) - np.searchsorted(no, values)
    return int((missed + alarms).min())


def _told(rows: pl.DataFrame) -> str:
    """Describe how error-free probabilities reveal the labels."""
    prob, label = rows["prob"], rows["has_evidence"]
    if (prob == label.cast(pl.Float64)).all():
        return "every probability is the label"
    gap = prob.filter(label).to_numpy().min() - prob.filter(~label).to_numpy().max()
    if gap > 0:
        return f"every query with evidence is above every other one, by {gap:.3g}"
    return "the number of gold sentences determines the probability"


def scores_of_gold(facts: Facts, _: AuditSettings) -> Seen:
    """Check whether all gold is above all other candidates, in all lists or in one fold."""
    assert facts.candidates is not None, "the check needs candidates"
    gold = pl.col("grade") >= 1
    lists = facts.candidates.group_by(facts.keys).agg(
        pl.col("score").filter(gold).min().alias("low"),
        pl.col("score").filter(~gold).max().alias("high"),
        gold.sum().alias("g"),
        (~gold).sum().alias("m"),
    )
    lists = lists.drop_nulls(["low", "high"])
    both = facts.queries.join(lists, on=facts.keys, how="inner", maintain_order="left")
    both = both.with_columns((pl.col("low") > pl.col("high")).alias("right"))
    looked = f"{len(both)} lists with gold and other candidates"
    if both.is_empty():
        return not_applicable("no list has both", looked)
    by = "fold" if "fold" in both.columns else pl.lit(WHOLE).alias("fold")
    parts = both.group_by(by, maintain_order=True).agg(pl.col("right").sum(), pl.len().alias("n"))
    named = [(str(fold), right, n) for fold, right, n in parts.iter_rows()]
    for fold, chance in _perfect(named, LISTS):
        rows = both if fold == WHOLE else both.filter(pl.col("fold") == fold)
        if chance > CHANCE:
            return not_applicable("no error, on too few lists", looked, chance=chance)
        where = "" if fold == WHOLE else f" of fold {fold}"
        why = f"in each of the {len(rows)} lists{where} all gold is above all other candidates"
        numbers = {"lists": len(rows), "chance": chance}
        if fold == WHOLE:
            numbers["chance_of_a_good_ranker"] = good = _ranked(rows)
            if good > CHANCE:
                why += "; a very good ranker may do that"
                return flagged(looked, why, facts.named(rows), **numbers)
        return found(looked, why, facts.named(rows), **numbers)
    return clean(looked, share_without_error=int(both["right"].sum()) / len(both))


def _ranked(lists: pl.DataFrame) -> float:
    """Return the chance that a very good ranker makes no error in any list, or across lists."""
    alone = prod(perfect_by_chance(g, m, RANKER) for g, m in lists.select("g", "m").iter_rows())
    if lists["low"].to_numpy().min() <= lists["high"].to_numpy().max():
        return alone
    return min(alone, perfect_by_chance(int(lists["g"].sum()), int(lists["m"].sum()), RANKER))
