"""Rankings as some measures see them: without unjudged candidates, or with other gains for grades."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.data.cases import Cases, reordered
from assay.metrics.core.rankings import ordinals
from assay.plain_number import spelled_number

Change = Callable[[Cases], Cases]


def condensed(cases: Cases) -> Cases:
    """Return the lists without their unjudged candidates (Sakai 2007).

    As under trec_eval's -J, a candidate that was pooled and not judged (a grade below 0) goes too.
    """
    query, none = cases.hit_query, np.array([], dtype=np.int64)
    rank = ordinals(query, len(cases))
    fresh = _starts(query, cases.hit_first)
    first = rank[fresh]
    tied = np.cumsum(fresh) - 1
    last = first + np.bincount(tied, minlength=len(first)) - 1
    return replace(
        cases,
        n=np.bincount(query, minlength=len(cases)),
        hit_rank=rank,
        hit_first=first[tied],
        hit_last=last[tied],
        pool_query=none,
        pool_rank=none,
        pool_first=none,
        pool_last=none,
    )


def _starts(query: Ints, tied: Ints) -> Bools:
    fresh = np.ones(len(query), dtype=bool)
    fresh[1:] = (query[1:] != query[:-1]) | (tied[1:] != tied[:-1])
    return fresh


def with_gains(cases: Cases, gains: Mapping[float, float]) -> Cases:
    """Return the cases with each grade replaced by its gain; grades that are not listed stay.

    An extreme order of ties becomes that of the gains, which may rank other grades first.
    """
    grade = _mapped(cases.gold_grade, gains)
    order = np.lexsort((-grade, cases.gold_query))
    order = order[grade[order] > 0]
    made = replace(
        cases,
        hit_grade=_mapped(cases.hit_grade, gains),
        gold_query=cases.gold_query[order],
        gold_grade=grade[order],
    )
    return made if made.gold_first is None else reordered(made, best=made.gold_first)


def _mapped(grades: Floats, gains: Mapping[float, float]) -> Floats:
    listed = np.array(sorted(gains.items()))
    place = np.minimum(np.searchsorted(listed[:, 0], grades), len(listed) - 1)
    return np.where(listed[place, 0] == grades, listed[place, 1], grades)


@lru_cache(maxsize=1024)
def gains_of(text: str) -> Mapping[float, float]:
    """Return the gains that `0:0/1:1/2:3` spells; raise `ValueError` for anything else."""
    pairs = [each.split(":") for each in text.split("/")]
    gains = {spelled_number(grade): spelled_number(gain) for grade, gain in pairs}
    finite = all(0.0 <= number <= 1e300 for pair in gains.items() for number in pair)
    if len(gains) < len(pairs) or not finite or gains.get(0.0, 0.0) != 0.0:
        raise ValueError(text)
    return gains


def change(judged_only: str, gains: str) -> Change | None:
    """Return what two parameters of a definition do to the rankings; None where they do nothing."""
    changes: list[Change] = []
    if gains != "none":
        changes.append(lambda cases: with_gains(cases, gains_of(gains)))
    if judged_only == "yes":
        changes.append(condensed)
    if not changes:
        return None

    def both(cases: Cases) -> Cases:
        """Change once for all measures with these parameters."""
        key = ("changed", judged_only, gains)
        if key not in cases.derived:
            made = cases
            for each in changes:
                made = each(made)
            cases.derived[key] = made
        changed: Cases = cases.derived[key]
        return changed

    return both
