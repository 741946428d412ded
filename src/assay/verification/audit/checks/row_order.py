"""Orders that should carry no information but follow the gold: of ties, of rows, of sentences.

An order is harmless if nobody had to choose it: that of the scores, of the text, of the ids. A
rounded score keeps the order of the unrounded one, so gold may come first more often than by
chance, but no more often than the scores themselves separate gold from the others.
"""

from __future__ import annotations

import polars as pl

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
from assay.verification.audit.chance_bounds import at_least, first_by_chance, share_difference
from assay.verification.audit.facts import Facts

GROUPS = 10
"""Minimum number of tie groups, lists or posts to judge their order."""
HONEST_ORDER = 0.1
"""Share of them with some gold later that is plausible for an honest order."""
EXPLAINED = 0.99
"""Share of them that must follow an order for it to explain them."""
MORE = 0.05
"""How many more of the (gold, other) pairs the order must get right than the scores do."""

WITHIN, ALL, AGAINST = "within", "all", "against"


def gold_first(facts: Facts, _: AuditSettings) -> Seen:
    """Check whether gold comes first among tied candidates in the file, and so in the ranking."""
    rows = _rows(facts)
    groups = _groups(rows, [*facts.keys, "score"])
    looked = f"{len(groups)} groups of tied candidates with gold among them"
    if groups.is_empty():
        return clean(looked)
    wrong = int((~groups["first"]).sum())
    told = _explained(groups, ("place", "name"))
    chance = at_least(len(groups) - wrong, first_by_chance(groups["s"], groups["g"]))
    if len(groups) < GROUPS or chance > CHANCE or told:
        if not wrong and not told:
            return not_applicable("gold comes first, in too few groups", looked, chance=chance)
        return clean(looked, told, gold_first=len(groups) - wrong)
    if not wrong:
        return found(looked, "gold comes first in all of them", facts.named(groups), chance=chance)
    return _judged(facts, groups, looked, _pairs(rows, facts, WITHIN), wrong)


def row_order(facts: Facts, _: AuditSettings) -> Seen:
    """Check whether the rows of the candidates list gold first, whatever the scores are."""
    rows = _rows(facts)
    groups = _groups(rows, list(facts.keys))
    looked = f"the rows of {len(groups)} lists with gold and other candidates"
    if len(groups) < GROUPS:
        return not_applicable(f"fewer than {GROUPS} lists", looked)
    told = _explained(groups, ("score", "place", "name"))
    if told:
        return clean(looked, told)
    wrong = int((~groups["first"]).sum())
    return _judged(facts, groups, looked, _pairs(rows, facts, ALL), wrong)


def sentence_order(facts: Facts, _: AuditSettings) -> Seen:
    """Check whether sentences are numbered, listed or named with gold first, or last."""
    if facts.sentences is None or "row" not in facts.sentences.columns:
        return not_applicable("the order of the sentences is not known")
    gold = facts.gold.select("post_id", "item").unique().with_columns(pl.lit(True).alias("gold"))
    rows = facts.sentences.with_row_index("place").join(
        gold, on=["post_id", "item"], how="left", maintain_order="left"
    )
    rows = rows.with_columns(pl.col("gold").fill_null(False), _natural("item").alias("name"))
    looked = "the order of the sentences"
    for order, said in (("row", "rows"), ("name", "ids"), ("place", "positions")):
        for last in (False, True):
            ranked = rows.sort("post_id", order, descending=[False, last], maintain_order=True)
            groups = _groups(ranked, ["post_id"])
            looked = f"the order of the sentences of {len(groups)} posts with gold and others"
            if len(groups) < GROUPS:
                return not_applicable(f"fewer than {GROUPS} posts", looked)
            wrong = int((~groups["first"]).sum())
            chance = at_least(len(groups) - wrong, first_by_chance(groups["s"], groups["g"]))
            likely = binomial_cdf(wrong, len(groups), HONEST_ORDER)
            if max(chance, likely) > CHANCE:
                continue
            side = "last" if last else "first"
            why = f"gold is {side} in {len(groups) - wrong} of {len(groups)} posts, by their {said}"
            make = flagged if _explained(groups, ("place",)) else found
            return make(looked, why, groups["post_id"].to_list(), chance=chance, wrong=wrong)
    return clean(looked)


def _natural(column: str) -> pl.Expr:
    """Return ids in natural order: 2 before 10."""
    text = pl.col(column).cast(pl.String)
    return pl.struct(text.str.len_chars().alias("length"), text).rank("dense").cast(pl.Int64)


def _rows(facts: Facts) -> pl.DataFrame:
    """Return candidates in file order with gold, position in the text and rank of the id."""
    assert facts.candidates is not None, "the check needs candidates"
    rows = facts.candidates.with_columns((pl.col("grade") >= 1).alias("gold"), _natural("item").alias("name"))
    if facts.sentences is None:
        return rows.with_columns(pl.lit(None, pl.Int64).alias("place"))
    places = facts.sentences.select("post_id", "item").with_row_index("place")
    places = places.unique(["post_id", "item"], keep="first")
    return rows.join(places, on=["post_id", "item"], how="left", maintain_order="left")


def _groups(rows: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Return groups with gold and others: sizes, whether all gold is first, and their orders."""
    orders = [name for name in ("score", "place", "name") if name in rows.columns and name not in by]
    steps = {name: pl.col(name).cast(pl.Float64).diff().drop_nulls() for name in orders}
    groups = rows.group_by(by, maintain_order=True).agg(
        pl.len().alias("s"),
        pl.col("gold").sum().cast(pl.Int64).alias("g"),
        (pl.col("gold").arg_true().max() + 1 == pl.col("gold").sum()).alias("first"),
        *((step >= 0).all().alias(f"{name}_up") for name, step in steps.items()),
        *((step <= 0).all().alias(f"{name}_down") for name, step in steps.items()),
        *(pl.col(name).is_not_null().all().alias(f"{name}_known") for name in orders),
    )
    return groups.filter(pl.col("g") > 0, pl.col("g") < pl.col("s"))


def _explained(groups: pl.DataFrame, orders: tuple[str, ...]) -> str:
    """Return the order that the groups follow, if any."""
    titles = {"score": "scores", "place": "text", "name": "ids"}
    for name in orders:
        if f"{name}_up" not in groups.columns or not groups[f"{name}_known"].all():
            continue
        for way in ("up", "down"):
            if float(groups[f"{name}_{way}"].cast(pl.Float64).sum()) >= EXPLAINED * len(groups):
                return f"it is the order of the {titles[name]}"
    return ""


def _pairs(rows: pl.DataFrame, facts: Facts, which: str) -> dict[str, pl.DataFrame]:
    """Return (gold, other) pairs per post: right by the order of the rows, and by the scores.

    `within`: the order of pairs with the same score is compared with the scores of the others.
    `all`: the order of pairs with different scores is compared with their scores.
    """
    g, s = pl.col("gold").sum(), pl.len()
    by_row = g * s - ((pl.col("gold").arg_true() + 1).sum()) - g * (g - 1) / 2
    by_score = (pl.col("score").rank() * pl.col("gold")).sum() - g * (g + 1) / 2
    keys = list(dict.fromkeys((*facts.keys, "post_id")))
    ties = rows.group_by(*keys, "score").agg(by_row.alias("hits"), (g * (s - g)).alias("trials"))
    tied = ties.group_by("post_id").agg(pl.col("hits", "trials").sum())
    lists = rows.group_by(keys).agg(
        by_row.alias("by_row"), by_score.alias("by_score"), (g * (s - g)).alias("trials")
    )
    whole = lists.group_by("post_id").agg(pl.col("by_row", "by_score", "trials").sum())
    both = whole.join(tied, on="post_id", how="left", suffix="_tied").sort("post_id")
    apart = pl.col("trials") - pl.col("trials_tied")
    scored = pl.col("by_score") - pl.col("trials_tied") / 2
    ordered = (
        (pl.col("hits"), pl.col("trials_tied"))
        if which == WITHIN
        else (pl.col("by_row") - pl.col("hits"), apart)
    )
    return {
        which: both.select(ordered[0].alias("hits"), ordered[1].alias("trials")),
        AGAINST: both.select(scored.alias("hits"), apart.alias("trials")),
    }


def _judged(
    facts: Facts, groups: pl.DataFrame, looked: str, pairs: dict[str, pl.DataFrame], wrong: int
) -> Seen:
    """Return found if the order rarely errs and beats the scores, flagged if it only beats them."""
    one, other = (
        (each["hits"].cast(pl.Float64).to_numpy(), each["trials"].cast(pl.Float64).to_numpy())
        for each in pairs.values()
    )
    rarely = binomial_cdf(wrong, len(groups), HONEST_ORDER) <= CHANCE
    numbers: dict[str, float] = {"groups": len(groups), "wrong": wrong}
    ordered = scored = 0.0
    if one[1].sum() and other[1].sum():
        ordered, scored, p = share_difference(one, other)
        numbers |= {"in_order": ordered, "by_score": scored, "p": p}
        beats = p <= RARE and ordered - scored >= MORE
    else:
        beats = rarely  # nothing to compare with: the rows are the only order
        rarely = False
    if not beats:
        return clean(looked, **numbers)
    why = f"gold comes first in {len(groups) - wrong} of them"
    if scored:
        why += f": the order is right on {ordered:.0%} of the pairs, the scores on {scored:.0%}"
    shown = facts.named(groups.filter(pl.col("first")))
    return (found if rarely else flagged)(looked, why, shown, **numbers)
