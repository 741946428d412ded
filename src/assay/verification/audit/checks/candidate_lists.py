"""Candidate lists that were built with knowledge of the gold."""

from __future__ import annotations

from math import comb, log

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats, Ints
from assay.verification.audit.audit_report import CHANCE, AuditSettings, Seen, clean, found, not_applicable
from assay.verification.audit.facts import Facts

TELLING = 0.98
"""Share of (evidence, no evidence) pairs of queries that the number of candidates must order."""
POSITIVES = 30
"""Minimum queries with evidence for a leak: a good gate may be right on a few."""
SWAPS = 1999
TAIL = 4
"""The tail of a list is its last quarter."""
KEPT = 0.8
"""Share of the gold in the tail or beyond that a cut may keep without knowing the labels."""


def telling_counts(facts: Facts, settings: AuditSettings) -> Seen:
    """Check whether the number of candidates reveals which queries have evidence.

    T is the share of (with, without evidence) pairs of a post whose first has more candidates, ties
    counting half; over all pairs if no post has both. Found if max(T, 1 − T) ≥ 0.98 and
    permutations of the labels within posts rarely reach it, by (1 + b) / (1 + B).
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
    """Return ranks from 1 within each group, their mean for ties."""
    frame = pl.DataFrame({"value": values, "group": group})
    return frame.select(pl.col("value").rank("average").over("group"))["value"].to_numpy()


def _pairs(label: Bools, group: Ints) -> tuple[int, float]:
    """Return pairs of the two classes within groups, and the lowest rank sum of evidence."""
    yes = np.bincount(group, weights=label).astype(np.int64)
    no = np.bincount(group).astype(np.int64) - yes
    return int((yes * no).sum()), float((yes * (yes + 1) / 2).sum())


def _swapped(ranks: Floats, label: Bools, group: Ints, seed: int) -> Floats:
    """Return rank sums of evidence with the labels of each group permuted."""
    draws = np.random.default_rng(seed)
    ordered = label[np.lexsort((label, group))]
    sums = np.empty(SWAPS)
    for at in range(SWAPS):
        order = np.lexsort((draws.random(len(ranks)), group))
        sums[at] = ranks[order][ordered].sum()
    return sums


def odd_lists(facts: Facts, _: AuditSettings) -> Seen:
    """Check for lists with a length unlike the others of their post, only on queries with evidence.

    This detects gold that was added to lists of a fixed length. The chance that all odd lists of
    all posts have evidence, if the labels of a post were in random order, is Π C(e, o) / C(m, o)
    with m queries, e of them with evidence and o odd ones.
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
    chances = [log(comb(e, o)) - log(comb(m, o)) for m, e, o in each.select("m", "e", "odd").iter_rows()]
    chance = float(np.exp(sum(chances)))
    if chance > CHANCE:
        return clean(looked, chance=chance, **numbers)
    why = f"{len(odd)} lists differ in length from the others of their post; all have evidence"
    return found(looked, why, facts.named(odd), chance=chance, **numbers)


def nothing_lost(facts: Facts, _: AuditSettings) -> Seen:
    """Check whether no gold was cut off although much gold is at the end of lists.

    If a ranking is cut, some gold near the end of the lists should fall behind the cut. Even a cut
    that keeps 80% of the gold from there on keeps t of them with chance 0.8^t.
    """
    assert facts.sentences is not None, "the check needs sentences"
    assert facts.candidates is not None, "the check needs candidates"
    if facts.shared:
        return not_applicable("the corpus has the retrieved and the gold chunks only")
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
        pl.col("grade") >= 1, pl.col("rank") > pl.col("n") - pl.max_horizontal(pl.col("n") // TAIL, 1)
    )
    chance = KEPT ** len(tail)
    numbers = {"gold": len(asked), "lost": 0, "gold_in_tails": len(tail), "chance": chance}
    if chance > CHANCE:
        return clean(looked, **numbers)
    why = f"no gold was cut off, although {len(tail)} gold sentences are at the end of lists"
    return found(looked, why, facts.named(tail), **numbers)
