"""Lists of candidates that were made with the gold in hand."""

from __future__ import annotations

from math import comb, log

import numpy as np
import polars as pl

from assay.data.model import Bools, Floats, Ints
from assay.verify.audit.facts import Facts
from assay.verify.audit.model import CHANCE, Seen, Settings, clean, found, not_applicable

TELLING = 0.98
"""Share of (evidence, none) pairs of queries that the number of candidates puts in order."""
POSITIVES = 30
"""Queries with evidence from which that is a leak: a good gate may be right on a few."""
SWAPS = 1999
TAIL = 4
"""The tail of a list is its last quarter."""
KEPT = 0.8
"""Share of the gold at or below the tail that a cut is trusted to keep without the labels."""


def telling_counts(facts: Facts, settings: Settings) -> Seen:
    """The number of candidates tells which queries have evidence.

    T is the share of pairs (with, without evidence) of a post whose first has more candidates, ties
    counting half; over all pairs where no post has both. Found where max(T, 1 − T) ≥ 0.98 and
    labels that are swapped inside posts rarely give it, by (1 + b) / (1 + B).
    """
    rows = facts.listed()
    mixed = rows.filter(pl.col("has_evidence").n_unique().over("post_id") > 1)
    inside = not mixed.is_empty()
    rows = mixed if inside else rows
    label = rows["has_evidence"].to_numpy()
    looked = f"{len(rows)} queries" + (" of posts with and without evidence" * inside)
    if not label.any() or label.all():
        return not_applicable("all queries have evidence, or none has", looked)
    group = _codes(rows["post_id"]) if inside else np.zeros(len(rows), dtype=np.int64)
    ranks = _ranks(rows["n"].to_numpy(), group)
    pairs, base = _pairs(label, group)
    told = float((ranks[label].sum() - base) / pairs)
    numbers = {"share_in_order": told, "positives": int(label.sum())}
    if max(told, 1 - told) < TELLING:
        return clean(looked, **numbers)
    if label.sum() < POSITIVES:
        return not_applicable(f"fewer than {POSITIVES} queries with evidence", looked, **numbers)
    far = abs(told - 0.5) - 1e-12
    drawn = (_swapped(ranks, label, group, settings.seed) - base) / pairs
    p = (1 + int((np.abs(drawn - 0.5) >= far).sum())) / (1 + SWAPS)
    if p > CHANCE:
        return clean(looked, p=p, **numbers)
    less = "more" if told > 0.5 else "fewer"
    why = f"queries with evidence have {less} candidates in {max(told, 1 - told):.1%} of the pairs"
    return found(looked, why, facts.named(rows.filter(pl.col("has_evidence"))), p=p, **numbers)


def _codes(values: pl.Series) -> Ints:
    return values.rank("dense").to_numpy().astype(np.int64) - 1


def _ranks(values: Ints, group: Ints) -> Floats:
    """Ranks from 1 inside each group, the mean of them where values are tied."""
    frame = pl.DataFrame({"value": values, "group": group})
    return frame.select(pl.col("value").rank("average").over("group"))["value"].to_numpy()


def _pairs(label: Bools, group: Ints) -> tuple[int, float]:
    """Pairs of the two classes inside groups, and the rank sum of evidence that loses them all."""
    yes = np.bincount(group, weights=label).astype(np.int64)
    no = np.bincount(group).astype(np.int64) - yes
    return int((yes * no).sum()), float((yes * (yes + 1) / 2).sum())


def _swapped(ranks: Floats, label: Bools, group: Ints, seed: int) -> Floats:
    """Rank sums of evidence when the labels of each group are drawn anew."""
    draws = np.random.default_rng(seed)
    ordered = label[np.lexsort((label, group))]
    sums = np.empty(SWAPS)
    for at in range(SWAPS):
        order = np.lexsort((draws.random(len(ranks)), group))
        sums[at] = ranks[order][ordered].sum()
    return sums


def odd_lists(facts: Facts, _: Settings) -> Seen:
    """Lists of another length than the others of their post, and only where there is evidence.

    So it looks where gold was put into lists of a fixed length. The chance that all odd lists of
    all posts are on evidence, were the labels of a post in any order, is Π C(e, o) / C(m, o) with m
    queries, e of them with evidence and o odd ones.
    """
    rows = facts.listed()
    usual = rows.group_by("post_id").agg(
        pl.col("n").mode().first().alias("usual"), pl.col("n").mode().len().alias("modes")
    )
    rows = rows.join(usual, on="post_id", how="left", maintain_order="left")
    rows = rows.filter(pl.col("modes") == 1, pl.col("usual") > 0)
    rows = rows.with_columns((pl.col("n") != pl.col("usual")).alias("odd"))
    odd = rows.filter(pl.col("odd"))
    looked = f"{len(rows)} lists of posts that have a usual length"
    if rows.is_empty():
        return not_applicable("no post has a usual number of candidates", looked)
    on_evidence = int(odd["has_evidence"].sum())
    numbers = {"odd": len(odd), "odd_with_evidence": on_evidence}
    if odd.is_empty() or on_evidence < len(odd):
        return clean(looked, **numbers)
    each = rows.group_by("post_id").agg(
        pl.len().alias("m"), pl.col("has_evidence").sum().alias("e"), pl.col("odd").sum()
    )
    chances = [
        log(comb(e, o)) - log(comb(m, o)) for m, e, o in each.select("m", "e", "odd").iter_rows()
    ]
    chance = float(np.exp(sum(chances)))
    if chance > CHANCE:
        return clean(looked, chance=chance, **numbers)
    why = f"{len(odd)} lists have another length than those beside them, all on evidence"
    return found(looked, why, facts.named(odd), chance=chance, **numbers)


def nothing_lost(facts: Facts, _: Settings) -> Seen:
    """No gold was cut off although gold stands at the end of many lists.

    Where a ranking is cut, gold that stands in the last quarter of the lists has neighbours behind
    the cut. Even a cut that keeps 80 % of the gold from there on keeps t of them with chance 0.8^t.
    """
    assert facts.sentences is not None, "the check needs sentences"
    assert facts.candidates is not None, "the check needs candidates"
    sizes = facts.sentences.group_by("post_id").agg(pl.len().alias("sentences"))
    rows = facts.listed().join(sizes, on="post_id", how="left", maintain_order="left")
    cut = rows.filter(pl.col("n") < pl.col("sentences"))
    left_out = int((cut["sentences"] - cut["n"]).sum())
    looked = f"{len(cut)} lists that leave out {left_out} sentences of their posts"
    if cut.is_empty():
        return clean("lists of all sentences", "nothing was left out")
    on = [*facts.keys, "item"]
    asked = facts.gold.join(cut.select(facts.keys), on=facts.keys, how="semi")
    lost = len(asked.join(facts.candidates.select(on), on=on, how="anti"))
    if lost:
        return clean(looked, gold=len(asked), lost=lost)
    place = pl.col("score").rank("ordinal", descending=True).over(facts.keys)
    ranked = facts.candidates.with_columns(place.alias("rank")).join(cut, on=facts.keys)
    tail = ranked.filter(
        pl.col("grade") >= 1,
        pl.col("rank") > pl.col("n") - pl.max_horizontal(pl.col("n") // TAIL, 1),
    )
    chance = KEPT ** len(tail)
    numbers = {"gold": len(asked), "lost": 0, "gold_in_tails": len(tail), "chance": chance}
    if chance > CHANCE:
        return clean(looked, **numbers)
    why = f"no gold was cut off, although {len(tail)} gold sentences stand at the end of lists"
    return found(looked, why, facts.named(tail), **numbers)
