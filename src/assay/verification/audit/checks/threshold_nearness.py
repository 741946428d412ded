"""Thresholds that are closer to EVAL's own choice than an honest one would be.

A threshold that was chosen on EVAL and then moved a little is not an exact match, and a fabricated
TUNE may choose what EVAL would. But two sets of posts choose different values; how different they
usually are is estimated by splitting EVAL in random halves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, factorial, log

import numpy as np
import polars as pl

from assay.array_types import Floats
from assay.verification.audit.audit_report import (
    CHANCE,
    AuditSettings,
    Seen,
    clean,
    flagged,
    found,
    not_applicable,
)
from assay.verification.audit.checks.threshold_origin import NONE, Part, eval_rule, given, values_of
from assay.verification.audit.facts import Facts

HALVED = (39, 199)
"""How often EVAL is halved: a few times, and more if that leaves the question open."""
OPEN = 0.01
NEAREST = 10
"""The distance between halves, by rank, that scales those that are closer."""
CLOSE = 0.02
"""Maximum share of the EVAL probabilities between a threshold and EVAL's choice."""
BESIDE = 1e-4
"""Chance up to which closeness is a leak; up to CHANCE it is flagged."""
POSTS = 10


def near_eval(facts: Facts, settings: AuditSettings) -> Seen:
    """Check for a threshold that is close to what a rule chooses on EVAL, in every fold.

    For each rule and fold, p is how often two sets of posts choose values that are as close.
    Fisher's method combines the folds; the number of rules and columns multiplies.
    """
    if not facts.thresholds:
        return not_applicable(NONE)
    looked = f"columns {', '.join(facts.thresholds)} on {len(facts.queries)} queries"
    least, told, compared = 1.0, "", 0
    for column in facts.thresholds:
        parts = values_of(facts, column)
        if parts is None or min(part.queries["post_id"].n_unique() for part in parts) < POSTS:
            continue
        compared += 1
        if eval_rule(facts, column, parts) is not None:
            continue  # exactly EVAL's choice: L017
        chance, rule = _nearest(facts, column, parts, settings.seed)
        chance = min(1.0, chance * len(facts.thresholds))
        if chance < least:
            least, told = chance, f"{column} is close to what '{rule}' chooses on EVAL"
    if not compared:
        return not_applicable(f"no threshold is fixed in folds of {POSTS} posts or more", looked)
    if least > CHANCE:
        return clean(looked, chance=least)
    why = f"{told} in every fold"
    return (found if least <= BESIDE else flagged)(looked, why, facts.thresholds, chance=least)


def _nearest(facts: Facts, column: str, parts: list[Part], seed: int) -> tuple[float, str]:
    """Return the least chance over the rules, times their number, and the rule."""
    own = [given(facts, column, part, "has_evidence") for part in parts]
    rules = set.intersection(*map(set, own))
    near = [
        rule
        for rule in sorted(rules)
        if all(_beside(part, made[rule]) for part, made in zip(parts, own, strict=True))
    ]
    best = 1.0, ""
    for times in HALVED:
        if not near:
            break
        spreads = [_halved(facts, column, part, seed, times) for part in parts]
        chances = {
            rule: len(rules)
            * _combined(
                [
                    spread.chance(rule, abs(part.value - made[rule]))
                    for spread, part, made in zip(spreads, parts, own, strict=True)
                ]
            )
            for rule in near
        }
        best = min((chance, rule) for rule, chance in chances.items())
        near = [rule for rule in near if chances[rule] <= OPEN]
    return best


def _combined(chances: list[float]) -> float:
    """Return, by Fisher's method, the chance that a product of p values is as small."""
    total = -sum(log(each) for each in chances)
    terms = (total**at / factorial(at) for at in range(len(chances)))
    return min(1.0, exp(-total) * sum(terms))


def _beside(part: Part, choice: float) -> bool:
    """Return whether few EVAL probabilities lie between a threshold and a choice."""
    low, high = sorted((part.value, choice))
    between = part.queries.filter(pl.col("prob") > low, pl.col("prob") < high)
    return len(between) <= CLOSE * len(part.queries)


@dataclass(frozen=True, slots=True)
class _Spread:
    """How far apart two sets of posts choose, by rule, and the resolution of that distance."""

    distances: dict[str, Floats]
    grain: float
    floor: float

    def chance(self, rule: str, distance: float) -> float:
        """Return the chance of a distance as small: counted, and scaled from the tenth closest."""
        seen = self.distances.get(rule)
        if seen is None or len(seen) < 2 * NEAREST:
            return 1.0
        distance = max(distance, self.grain)
        counted = (1 + int((seen <= distance).sum())) / (1 + len(seen))
        tenth = float(np.partition(seen, NEAREST - 1)[NEAREST - 1])
        if distance >= tenth or (seen <= distance).any():
            return counted
        return max(self.floor, NEAREST / len(seen) * distance / tenth)


def _halved(facts: Facts, column: str, part: Part, seed: int, times: int) -> _Spread:
    """Return the distances between the choices of two halves of the EVAL posts.

    TUNE is not used, because it may be fabricated. Halves choose twice as far apart as EVAL and a
    very large TUNE would, so distances are halved: an honest threshold is no closer.
    """
    posts = part.queries["post_id"].unique(maintain_order=True).to_list()
    code = {post: at for at, post in enumerate(posts)}
    owner = np.array([code[post] for post in part.queries["post_id"]])
    draws = np.random.default_rng(seed)
    distances: dict[str, list[float]] = {}
    for _ in range(times):
        first = np.zeros(len(posts), dtype=bool)
        first[draws.permutation(len(posts))[: len(posts) // 2]] = True
        one, other = (
            given(facts, column, replace(part, queries=part.queries.filter(side)), "has_evidence")
            for side in (first[owner], ~first[owner])
        )
        for rule in one.keys() & other.keys():
            distances.setdefault(rule, []).append(abs(one[rule] - other[rule]) / 2)
    values = part.queries["prob"].to_numpy()
    # If probabilities repeat, two sets may choose the same value although no halves did.
    floor = 1e-6 if len(np.unique(values)) >= 0.9 * len(values) else 1 / (1 + times)
    seen = {rule: np.array(made) for rule, made in distances.items()}
    return _Spread(seen, _grain(values), floor)


def _grain(values: Floats) -> float:
    """Return the step of rounded probabilities: 0.001 if none has more than three decimals."""
    for digits in range(1, 8):
        if np.allclose(values, np.round(values, digits), rtol=0, atol=1e-12):
            return 10.0**-digits
    return 0.0
