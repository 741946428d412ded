"""Measures of searchers who stop, scaled gain and compatibility, walked rank by rank."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..case import Query
from .definition import Definition, ratio
from .ranking import top

FAR = 4000
"""Ranks to walk where the definition has no last one; the rest is an integral."""


def gains(query: Query, d: Definition, k: float = math.inf) -> list[float]:
    scale = int(d["gmax"])
    return [min(max(grade or 0, 0), scale) / scale for grade in top(query, k)]


def rate(listed: list[float], end: int, goes_on: Callable[[int, float, float], float], rest: float) -> float:
    """Return gain per document; `rest` is the sum of the weights beyond the end, over the weight there."""
    weight, so_far, found, seen = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, end + 1):
        gain = listed[rank - 1] if rank <= len(listed) else 0.0
        found, seen, so_far = found + weight * gain, seen + weight, so_far + gain
        weight *= goes_on(rank, gain, so_far)
    return ratio(found, seen + weight * rest)


def with_target(query: Query, d: Definition, *, adapts: bool, satisfied: bool) -> float:
    if not query.candidates:
        return 0.0
    twice, listed = 2 * float(d["target"]), gains(query, d)

    def goes_on(rank: int, gain: float, so_far: float) -> float:
        b = rank + twice - (so_far if adapts else 0.0)
        return ((b - 1) / b) ** 2 * ((1 - gain) if satisfied else 1.0)

    if d["depth"] == "1000":
        return rate(listed, 1000, goes_on, 0.0)
    a = FAR + twice - (sum(listed) if adapts else 0.0)
    return rate(listed, FAR, goes_on, a + 1 / 2 + 1 / (6 * a))  # Σ (a / (a + m))², m = 0, 1, …


def insq(query: Query, d: Definition) -> float:
    return with_target(query, d, adapts=False, satisfied=False)


def inst(query: Query, d: Definition) -> float:
    return with_target(query, d, adapts=True, satisfied=False)


def nerr11(query: Query, d: Definition) -> float:
    return with_target(query, d, adapts=False, satisfied=True)


def nerr10(query: Query, d: Definition) -> float:
    p, end = float(d["p"]), 1000 if d["depth"] == "1000" else FAR
    return rate(gains(query, d), end, lambda _, gain, __: p * (1 - gain), 0.0)


def nerr8(query: Query, d: Definition) -> float:
    end = len(query.candidates) if d.k == math.inf else int(d.k)
    return rate(gains(query, d, end), end, lambda _, gain, __: 1 - gain, 0.0)


def nerr9(query: Query, d: Definition) -> float:
    end = len(query.candidates) if d.k == math.inf else int(d.k)
    return rate(gains(query, d, end), end, lambda rank, gain, _: rank / (rank + 1) * (1 - gain), 0.0)


def sdcg(query: Query, d: Definition) -> float:
    end = len(query.candidates) if d.k == math.inf else int(d.k)
    discounts = [1 / math.log2(rank + 1) for rank in range(1, end + 1)]
    return ratio(sum(g * w for g, w in zip(gains(query, d, end), discounts, strict=False)), sum(discounts))


def bpm(query: Query, d: Definition) -> float:
    end = len(query.candidates) if d.k == math.inf else int(d.k)
    found = 0
    for rank, grade in enumerate(top(query, end), 1):
        found += min(max(grade or 0, 0), int(d["gmax"]))  # in grades, which add without rounding
        if found >= float(d["target"]) * int(d["gmax"]):
            return found / int(d["gmax"]) / rank
    return ratio(found / int(d["gmax"]), end)


def compatibility(query: Query, d: Definition) -> float:
    p, listed = float(d["p"]), query.ranked
    place = {item: rank for rank, item in enumerate(listed)}
    gold = [item for item, grade in query.judged.items() if grade > 0]
    ideal = sorted(gold, key=lambda item: (-query.judged[item], place.get(item, math.inf)))
    depth = max(len(listed), len(ideal))

    def overlap(one: list[str]) -> float:
        agreed = [len(set(one[:cut]) & set(ideal[:cut])) / cut for cut in range(1, depth + 1)]
        return sum(p**at * share for at, share in enumerate(agreed))

    best = overlap(ideal) if d["normalized"] == "yes" else sum(p**at for at in range(depth))
    return ratio(overlap(listed), best) if listed else 0.0


USER_MODELS: dict[str, Callable[[Query, Definition], float]] = {
    each.__name__: each for each in (insq, inst, nerr8, nerr9, nerr10, nerr11, sdcg, bpm, compatibility)
}
