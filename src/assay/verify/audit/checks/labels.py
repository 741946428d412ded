"""Probabilities and scores that follow from the gold."""

from __future__ import annotations

import polars as pl

from assay.verify.audit.facts import WHOLE, Facts
from assay.verify.audit.model import Seen, Settings, clean, found, not_applicable

EQUAL = 10
"""Queries of each class from which hard probabilities that are always right are a leak."""
SEPARATED = 20
"""Queries of each class from which probabilities that never err are a leak."""
LISTS = 30
"""Queries from which rankings that never err are a leak."""


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
    """Every gold candidate above every other one, in every query of a fold or of all."""
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
    if len(both) < LISTS:
        return not_applicable(f"fewer than {LISTS} of them", looked)
    parts = [(WHOLE, both)]
    if "fold" in both.columns:
        parts += [(f"fold {fold}", rows) for (fold,), rows in both.group_by("fold")]
    share = float(both["right"].mean())  # type: ignore[arg-type] # a mean of booleans
    for name, rows in parts:
        if len(rows) >= LISTS and rows["right"].all():
            where = "" if name == WHOLE else f" of {name}"
            why = f"in each of the {len(rows)} lists{where} all gold is above all others"
            return found(looked, why, facts.named(rows), lists=len(rows))
    return clean(looked, share_without_error=share)
