"""Exact bounds of measures that are a rate of queries."""

from fractions import Fraction
from functools import lru_cache
from itertools import compress

from assay_oracle.bundle.parts import Members
from assay_oracle.bundle.scored import Scored
from assay_oracle.core.exact_bounds import bounds
from assay_oracle.core.measure import measure_of
from assay_oracle.statistics.certified import effective_number

NOISE = 1e-12  # the rounding error that a 1 may have


def _common_end(measure: Scored, members: Members) -> bool | None:
    """Return 1 or 0 if every query has that value, else None: such a mean is not a rate."""
    if measure.values is None or not members.places:
        return None
    values = [measure.values[place] for place in members.places]
    ends = [end for end in (0.0, 1.0) if all(abs(value - end) <= NOISE for value in values)]
    return bool(ends[0]) if ends else None


def exact_bounds(measure: Scored, members: Members, level: float) -> dict[str, float] | None:
    """Return the numbers of the file's `exact` except the level; None if this is not a rate."""
    definition = measure.definition
    entry = measure_of(definition)
    if entry.trial is not None:
        found = [measure.contributions[place] for place in members.places]
        hits = sum(hit for hit, tried in found if tried)
        rows = list(compress(members.rows, [tried for _, tried in found]))
    else:
        end = _common_end(measure, members)
        if end is None:
            return None
        rows = members.rows
        hits = end * len(rows)
    trials = len(rows)
    units = effective_number([row.post for row in rows])
    scale = entry.scale
    low, high = _bounds(Fraction(hits), Fraction(trials), level)
    post_hits = hits * units / trials if trials else Fraction(0)
    post_low, post_high = _bounds(post_hits, units, level)
    return {
        "low": scale * low,
        "high": scale * high,
        "post_low": scale * post_low,
        "post_high": scale * post_high,
        "hits": hits,
        "trials": trials,
        "units": float(units),
    }


@lru_cache
def _bounds(hits: Fraction, n: Fraction, level: float) -> tuple[float, float]:
    """Compute the bounds once for all measures with the same counts."""
    return bounds(hits, n, level)
