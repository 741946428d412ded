"""Decisions that follow from the gold although the probabilities and scores do not.

A selected K or a state is made from the probability and the scores, so it cannot be right much more
often than they are.
"""

from __future__ import annotations

import polars as pl

from assay.array_types import Bools
from assay.statistics.exact_binomial import binomial_cdf
from assay.verification.audit.audit_report import (
    CHANCE,
    AuditSettings,
    Seen,
    clean,
    flagged,
    found,
    not_applicable,
)
from assay.verification.audit.checks.separability import (
    CONTRAST,
    HONEST,
    errors_by_chance,
    highest_scores,
    least_errors,
)
from assay.verification.audit.facts import Facts

SHARED = 10
"""Queries per criterion from which the usual gold count is that of the criterion."""
COUNTED, LUCKY = 0.1, 0.5
"""Lowest plausible share of lists where K is not the number of gold sentences, where that number is
not the usual one; and the same where the scores put other sentences above gold."""


def decisions_of_gold(facts: Facts, _: AuditSettings) -> Seen:
    """Check for a selected K or a state with fewer errors than the probabilities permit."""
    rows = facts.queries
    looked = f"{len(rows)} decisions"
    label = rows["has_evidence"].to_numpy()
    if not label.any() or label.all():
        return not_applicable("all queries have evidence, or none has", looked)
    counts = (int(label.sum()), int((~label).sum()))
    numbers: dict[str, float | int | str] = {"positives": counts[0], "negatives": counts[1]}
    for name, said in _decisions(rows).items():
        missed, alarms = int((label & ~said).sum()), int((said & ~label).sum())
        chance = errors_by_chance(missed, counts[0], alarms, counts[1])
        if chance > CHANCE:
            continue
        rate = missed / counts[0] + alarms / counts[1]
        base = _permitted(facts, label)
        numbers |= {"missed": missed, "false_alarms": alarms, "chance": chance, "permitted": base or 0.0}
        why = f"{name}: {missed} of {counts[0]} queries with evidence and {alarms} of the others are wrong"
        if base is None:
            return flagged(looked, f"{why}: fewer errors than expected of any honest system", **numbers)
        if base >= max(CONTRAST * rate, HONEST):
            why += "; the probabilities and scores have no threshold with so few errors"
            return found(looked, why, facts.named(rows.filter(pl.col("has_evidence"))), **numbers)
    return _counted_gold(facts, looked)


def _decisions(rows: pl.DataFrame) -> dict[str, Bools]:
    """Return what the system decided of each query; a query without a decision counts as no."""
    made: dict[str, pl.Series] = {}
    if "selected_k" in rows.columns:
        made["K of at least 1"] = rows["selected_k"].fill_null(0) >= 1
    if "state" in rows.columns:
        made["state POS"] = rows["state"].fill_null("NEG") == "POS"
        made["state other than NEG"] = rows["state"].fill_null("NEG") != "NEG"
    return {name: each.to_numpy() for name, each in made.items()}


def _permitted(facts: Facts, label: Bools) -> float | None:
    """Return the least miss rate + false alarm rate of probabilities and highest scores, or None."""
    known = [] if facts.prob is None else [facts.prob["prob"].to_numpy()]
    known += [] if facts.candidates is None else [highest_scores(facts)]
    rates = []
    for values in known:
        missed, alarms = least_errors(values, label)
        rates.append(missed / label.sum() + alarms / (~label).sum())
    return float(min(rates)) if rates else None


def _counted_gold(facts: Facts, looked: str) -> Seen:
    """Check for a K that is the number of gold sentences."""
    rows = facts.queries
    if "selected_k" not in rows.columns:
        return clean(looked)
    unusual = _unusual(rows).with_columns(same=pl.col("selected_k") == pl.col("gold"))
    wrong = int((~unusual["same"]).sum())
    chance = binomial_cdf(wrong, len(unusual), COUNTED)
    numbers = {"lists": len(unusual), "other_k": wrong, "chance": chance}
    if chance > CHANCE:
        return clean(looked, **numbers)
    why = f"K is the number of gold sentences in {len(unusual) - wrong} of {len(unusual)} lists"
    if facts.candidates is not None:
        odd = unusual.join(_misordered(facts), on=facts.keys, how="semi")
        numbers["chance_if_misordered"] = binomial_cdf(int((~odd["same"]).sum()), len(odd), LUCKY)
        if numbers["chance_if_misordered"] <= CHANCE:
            why += f", and in {int(odd['same'].sum())} of {len(odd)} whose scores are wrong"
            return found(looked, why, facts.named(odd), **numbers)
    return flagged(looked, why, facts.named(unusual), **numbers)


def _unusual(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the lists with evidence that are returned and have a gold count of their own.

    It is neither the most common gold count nor the most common K, of their criterion if many
    queries share it: a K that is constant, or constant per criterion, is often right.
    """
    returned = rows.filter(pl.col("has_evidence") & (pl.col("selected_k") >= 1))
    shared = "criterion_id" in rows.columns and rows["criterion_id"].n_unique() * SHARED <= len(rows)
    group = pl.col("criterion_id") if shared else pl.lit(0)
    usual = (pl.col(name).mode().sort().first().over(group) for name in ("gold", "selected_k"))
    return returned.filter(*(pl.col("gold") != each for each in usual))


def _misordered(facts: Facts) -> pl.DataFrame:
    """Return the queries whose lists have another candidate above gold."""
    assert facts.candidates is not None, "the caller has looked"
    gold, score = pl.col("grade") >= 1, pl.col("score")
    wrong = score.filter(gold).min() < score.filter(~gold).max()
    return facts.candidates.group_by(facts.keys).agg(wrong.alias("wrong")).filter(pl.col("wrong"))
