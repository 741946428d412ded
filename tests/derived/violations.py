"""Each property as a search for a violation among all changes of a small case.

A property holds where no drawn case has one; a witness of a failing property must have one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from assay.metrics.core.entry import Metric, Property
from assay.metrics.core.registry import FAMILIES
from assay.metrics.core.toy_cases import Toy, toy_cases

CLOSE = 1e-12


as_cases = lru_cache(maxsize=64)(toy_cases)
"""Kept for the next property of the same queries."""


def value(metric: Metric, *toys: Toy) -> float:
    """The measure on these queries, population or not."""
    reduced = metric.reduce(metric.columns(as_cases(toys)), np.ones((1, len(toys))))
    return float(reduced.values[0])


def worse(metric: Metric, before: float, after: float) -> bool:
    sign = {"higher": 1.0, "lower": -1.0}.get(metric.better, 0.0)
    return sign * (after - before) < -CLOSE


def differs(a: float, b: float) -> bool:
    return abs(a - b) > CLOSE * max(1.0, abs(a), abs(b))  # a slope may be large


def appended(toy: Toy) -> Iterator[Toy]:
    yield replace(toy, ranking=toy.ranking + ".")


def level(metric: Metric) -> int:
    return int(metric.params.get("rel", 1))


def swapped_up(metric: Metric, toy: Toy) -> Iterator[Toy]:
    for at in range(len(toy.ranking) - 1):
        above, below = toy.ranking[at], toy.ranking[at + 1]
        if above in ".0" and below != "." and int(below) >= level(metric):
            yield replace(toy, ranking=toy.ranking[:at] + below + above + toy.ranking[at + 2 :])


def newly_hit(metric: Metric, toy: Toy) -> Iterator[Toy]:
    for at, mark in enumerate(toy.ranking):
        if mark == ".":
            for which, grade in enumerate(toy.missed):
                if grade < level(metric):
                    continue
                yield replace(
                    toy,
                    ranking=toy.ranking[:at] + str(grade) + toy.ranking[at + 1 :],
                    missed=toy.missed[:which] + toy.missed[which + 1 :],
                )


def with_missed(metric: Metric, toy: Toy) -> Iterator[Toy]:
    for grade in range(level(metric), int(metric.params.get("gmax", 3)) + 1):
        yield replace(toy, missed=(*toy.missed, grade))


def judged_nonrelevant(toy: Toy) -> Iterator[Toy]:
    for at, mark in enumerate(toy.ranking):
        if mark == ".":
            yield replace(toy, ranking=toy.ranking[:at] + "0" + toy.ranking[at + 1 :])


def ideal(toy: Toy) -> Toy:
    gold = "".join(map(str, toy.grades))
    rest = [mark for mark in toy.ranking if mark in ".0"]
    return replace(toy, ranking=gold + "".join(rest), missed=())


def _ideal_is_best(metric: Metric, toy: Toy) -> bool:
    if not any(grade >= level(metric) for grade in toy.grades):
        return False
    low, high = metric.range
    best = low if metric.better == "lower" else high
    return math.isinf(best) or differs(value(metric, ideal(toy)), best)


def _grows(metric: Metric, toy: Toy) -> bool:
    name, _, cut = metric.name.partition("@")
    if cut == "all":
        return False
    larger = FAMILIES[name].bind(str(int(cut) + 1), metric.params)
    return value(larger, toy) < value(metric, toy) - CLOSE


def _flip(metric: Metric, toys: Sequence[Toy]) -> bool:
    def flipped(toy: Toy) -> Toy:
        return replace(toy, ranking="", missed=() if toy.grades else (1,))

    plain = [replace(toy, ranking="", missed=(1,) if toy.grades else ()) for toy in toys]
    return differs(value(metric, *map(flipped, plain)), 1.0 - value(metric, *plain))


def _monotone(metric: Metric, toys: Sequence[Toy]) -> bool:
    moved = [replace(toy, prob=float(np.expm1(3.0 * (toy.prob or 0.0)))) for toy in toys]
    return differs(value(metric, *toys), value(metric, *moved))


def _counts_are_rows(metric: Metric, toys: Sequence[Toy]) -> bool:
    """The queries of a post are drawn together, and a copy of a post is another post."""
    posts = list(dict.fromkeys(toy.post or at for at, toy in enumerate(toys)))
    counts = np.array([posts.index(toy.post or at) % 4 for at, toy in enumerate(toys)])
    if not counts.any():
        return False
    copies = [
        replace(toy, post=None if toy.post is None else f"{toy.post} {copy}")
        for toy, count in zip(toys, counts, strict=True)
        for copy in range(count)
    ]
    columns = metric.columns(as_cases(tuple(toys)))
    both = np.stack([counts.astype(float), np.ones(len(toys))])
    reduced = metric.reduce(columns, both).values
    return differs(float(reduced[0]), value(metric, *copies)) or differs(
        float(reduced[1]), value(metric, *toys)
    )


def _any(
    metric: Metric, toy: Toy, changed: Iterator[Toy], bad: Callable[[Metric, float, float], bool]
) -> bool:
    before = value(metric, toy)
    return any(bad(metric, before, value(metric, other)) for other in changed)


def violated(prop: Property, metric: Metric, toys: Sequence[Toy]) -> bool:
    """Whether some change of the queries breaks the property."""
    first = toys[0]

    def changes(_: Metric, before: float, after: float) -> bool:
        return differs(before, after)

    def better(metric: Metric, before: float, after: float) -> bool:
        return worse(metric, after, before)

    match prop:
        case Property.APPEND_UNJUDGED:
            return _any(metric, first, appended(first), changes)
        case Property.SWAP_UP_NEVER_HURTS:
            return _any(metric, first, swapped_up(metric, first), worse)
        case Property.NEW_HIT_NEVER_HURTS:
            return _any(metric, first, newly_hit(metric, first), worse)
        case Property.MISSED_GOLD_NEVER_HELPS:
            return _any(metric, first, with_missed(metric, first), better)
        case Property.UNJUDGED_IS_NONRELEVANT:
            return _any(metric, first, judged_nonrelevant(first), changes)
        case Property.IDEAL_IS_BEST:
            return _ideal_is_best(metric, first)
        case Property.GROWS_WITH_K:
            return _grows(metric, first)
        case Property.DUPLICATION:
            again = [replace(toy, post=toy.post and f"{toy.post} again") for toy in toys]
            return differs(value(metric, *toys), value(metric, *toys, *again))
        case Property.QUERY_ORDER:
            return differs(value(metric, *toys), value(metric, *reversed(toys)))
        case Property.COUNTS_ARE_ROWS:
            return _counts_are_rows(metric, toys)
        case Property.MONOTONE_SCORES:
            return _monotone(metric, toys)
        case Property.LABEL_FLIP:
            return _flip(metric, toys)
