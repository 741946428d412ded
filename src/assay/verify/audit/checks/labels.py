"""Probabilities and scores that follow from the gold."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from assay.verify.audit.facts import WHOLE, Facts
from assay.verify.audit.model import CHANCE, Seen, Settings, clean, found, not_applicable

EQUAL = 10
"""Queries of each class from which hard probabilities that are always right are a leak."""
SEPARATED = 20
"""Queries of each class from which probabilities that never err are a leak."""
LISTS = 50
"""Lists from which rankings that never err are a leak."""
FOLD_LISTS = 30
"""The same in one fold, where those of the others do err."""


def prob_of_label(facts: Facts, _: Settings) -> Seen:
    """Probabilities that are the label, that separate the classes, or that count the gold."""
    looked = f"{len(facts.queries)} probabilities"
    few = False
    for name, part in facts.parts():
        seen = _told(part)
        if seen is None:
            continue
        why, enough = seen
        positive = part.filter(pl.col("has_evidence"))
        if enough:
            why = why if name == WHOLE else f"{name}: {why}"
            counts = {"positives": len(positive), "negatives": len(part) - len(positive)}
            return found(looked, why, facts.named(positive), **counts)
        few = few or name == WHOLE
    return not_applicable("no error, on too few queries", looked) if few else clean(looked)


def _told(part: pl.DataFrame) -> tuple[str, bool] | None:
    """How the probabilities tell the labels, and whether there are enough queries to say so."""
    prob, label = part["prob"], part["has_evidence"]
    yes, no = prob.filter(label), prob.filter(~label)
    least = min(len(yes), len(no))
    if not least:
        return None
    if (prob == label.cast(pl.Float64)).all():
        return "every probability is the label", least >= EQUAL
    low, high = float(yes.min()), float(no.max())  # type: ignore[arg-type] # floats, not null
    if low > high:
        why = f"every query with evidence is above every other one, by {low - high:.3g}"
        return why, least >= SEPARATED
    values = part.group_by("gold").agg(pl.col("prob").n_unique())
    if (values["prob"] == 1).all() and prob.n_unique() > 1:
        return "the number of gold sentences fixes the probability", least >= SEPARATED
    return None


def scores_of_gold(facts: Facts, _: Settings) -> Seen:
    """Every gold candidate above every other one, in all lists or in those of a fold.

    In a fold of n lists that counts only where the share s of lists without error in the other
    folds makes it rare: s^n ≤ 0.001.
    """
    assert facts.candidates is not None, "the check needs candidates"
    gold = pl.col("grade") >= 1
    lists = facts.candidates.group_by(facts.keys).agg(
        pl.col("score").filter(gold).min().alias("low"),
        pl.col("score").filter(~gold).max().alias("high"),
    )
    lists = lists.drop_nulls(["low", "high"])
    both = facts.queries.join(lists, on=facts.keys, how="inner", maintain_order="left")
    both = both.with_columns((pl.col("low") > pl.col("high")).alias("right"))
    looked = f"{len(both)} lists with gold and other candidates"
    right, lists_in_all = int(both["right"].sum()), len(both)
    if right == lists_in_all:
        if right < LISTS:
            why = "no error, on too few lists" if right else "no list has both"
            return not_applicable(why, looked)
        why = f"in each of the {right} lists all gold is above all others"
        return found(looked, why, facts.named(both), lists=right)
    names: Iterable[str] = both["fold"].unique() if "fold" in both.columns else ()
    for fold in sorted(names):
        rows = both.filter(pl.col("fold") == fold)
        n = len(rows)
        if n >= FOLD_LISTS and rows["right"].all():
            chance = ((right - n) / (lists_in_all - n)) ** n
            if chance <= CHANCE:
                why = f"in each of the {n} lists of fold {fold} all gold is above all others"
                return found(looked, why, facts.named(rows), lists=n, chance=chance)
    return clean(looked, share_without_error=right / lists_in_all)
