"""Exact bounds of the measures that are a rate of queries."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from assay_oracle.bundle.parts import Members
from assay_oracle.bundle.values import Measure
from assay_oracle.certified import effective_number
from assay_oracle.decision import decided, state
from assay_oracle.definition import Definition
from assay_oracle.exact import bounds
from assay_oracle.rows import Row

NOISE = 1e-12  # what floats leave of a 1
PER_1000 = ("alert_rate_per_1000", "screening_fn_per_1000")
Trial = Callable[[Row, Definition], bool | None]  # None: the query is no trial


def _decision_on(label: bool, hit: bool) -> Trial:
    """Trials are the queries of a label, hits those that are decided so."""
    return lambda row, d: decided(row, d) == hit if row.has_evidence == label else None


def _label_of(decision: bool) -> Trial:
    """Trials are the queries of a decision, hits those whose label is the same."""
    return lambda row, d: row.has_evidence == decision if decided(row, d) == decision else None


TRIALS: dict[str, Trial] = {
    "sensitivity": _decision_on(label=True, hit=True),
    "fnr": _decision_on(label=True, hit=False),
    "specificity": _decision_on(label=False, hit=False),
    "fpr": _decision_on(label=False, hit=True),
    "ppv": _label_of(decision=True),
    "npv": _label_of(decision=False),
    "accuracy": lambda row, d: decided(row, d) == row.has_evidence,
    "rate": lambda row, d: state(row, d) == d.choice("state").upper(),
    "alert_rate_per_1000": lambda row, d: state(row, d) == "POS",
    "screening_fn_per_1000": lambda row, d: state(row, d) == "NEG" and row.has_evidence,
}


def _common_end(measure: Measure, members: Members) -> bool | None:
    """1 or 0 where every query has that value, None where not: then the mean is no rate."""
    if measure.values is None or not members.places:
        return None
    values = [measure.values[place] for place in members.places]
    ends = [end for end in (0.0, 1.0) if all(abs(value - end) <= NOISE for value in values)]
    return bool(ends[0]) if ends else None


def exact_bounds(measure: Measure, members: Members, level: float) -> dict[str, float] | None:
    """All numbers of the file's `exact` but the level; None where the measure is no such rate."""
    rows = members.rows
    definition = measure.definition
    if definition.name in TRIALS:
        trial = TRIALS[definition.name]
        outcomes = [(row, hit) for row in rows if (hit := trial(row, definition)) is not None]
    else:
        end = _common_end(measure, members)
        if end is None:
            return None
        outcomes = [(row, end) for row in members.rows]
    hits, trials = sum(hit for _, hit in outcomes), len(outcomes)
    units = effective_number(row.query.post or f"\u001f{row.query.id}" for row, _ in outcomes)
    scale = 1000 if definition.name in PER_1000 else 1
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
    """Once for all measures of the same counts."""
    return bounds(hits, n, level)
