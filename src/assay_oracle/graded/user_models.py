"""Gain per document seen, of searchers who continue with a stated probability (C/W/L)."""

import math
from collections.abc import Callable
from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import CUT, LEVEL, POSITIVE, SHARE, choice
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row

DEPTH = {"depth": choice("endless", "1000")}
FAR = 300
"""So many ranks beyond the list are walked before the rest is summed by Euler and Maclaurin."""
Continue = Callable[[int, float, float], float]  # rank, gain there, gain so far


def scaled_gains(row: Row, definition: Definition, k: int | None) -> list[float]:
    """Return min(grade, gmax) / gmax of each rank up to k."""
    gmax = definition.number("gmax")
    return [float(gain) for gain in row.mean_gains(lambda grade: min(grade, gmax) / gmax, k)]


def _rate(gains: list[float], end: int, continues: Continue, rest: Callable[[int, float], float]) -> Score:
    """Walk the ranks up to `end`: sum of V · gain over sum of V; `rest` is the sum of V beyond, over V."""
    seen, so_far = 1.0, 0.0
    weights, found = [], []
    for rank in range(1, end + 1):
        gain = gains[rank - 1] if rank <= len(gains) else 0.0
        weights.append(seen)
        found.append(seen * gain)
        so_far += gain
        seen *= continues(rank, gain, so_far)
    weights.append(seen * rest(end, so_far) if seen else 0.0)
    return Score(Fraction(math.fsum(found) / math.fsum(weights)))


def _nothing(end: int, so_far: float) -> float:
    return 0.0


def _end(row: Row, definition: Definition) -> int:
    return row.n + FAR if definition.choice("depth") == "endless" else int(definition.choice("depth"))


def _squares(first: float) -> float:
    """Return the sum of (first / x)² for x = first, first + 1, … without end."""
    return first + 1 / 2 + 1 / (6 * first) - 1 / (30 * first**3) + 1 / (42 * first**5)


def _target_rate(row: Row, definition: Definition, adapts: bool, satisfied: bool) -> Score:
    """C(i) = ((i + b − 1) / (i + b))², b = 2T, less the gain so far if it `adapts`."""
    twice, end = 2 * float(definition.number("target")), _end(row, definition)

    def continues(rank: int, gain: float, so_far: float) -> float:
        x = rank + twice - (so_far if adapts else 0.0)
        return float((max(x - 1, 0.0) / x) ** 2 * (1 - gain if satisfied else 1))

    def rest(end: int, so_far: float) -> float:
        return _squares(end + twice - (so_far if adapts else 0.0))

    endless = definition.choice("depth") == "endless"
    gains = scaled_gains(row, definition, end)
    return _rate(gains, end, continues, rest if endless else _nothing)


@per_query("insq", {"target": POSITIVE, "gmax": LEVEL, **DEPTH}, averaged=True)
def insq(row: Row, definition: Definition) -> Score:
    """C(i) = ((i + 2T − 1) / (i + 2T))²."""
    return _target_rate(row, definition, adapts=False, satisfied=False)


@per_query("inst", {"target": POSITIVE, "gmax": LEVEL, **DEPTH})
def inst(row: Row, definition: Definition) -> Score:
    """C(i) = ((i + 2T − G(i) − 1) / (i + 2T − G(i)))², where G(i) is the gain up to rank i."""
    return _target_rate(row, definition, adapts=True, satisfied=False)


@per_query("nerr11", {"target": POSITIVE, "gmax": LEVEL, **DEPTH})
def nerr11(row: Row, definition: Definition) -> Score:
    """C(i) = ((i + 2T − 1) / (i + 2T))² · (1 − gain(i))."""
    return _target_rate(row, definition, adapts=False, satisfied=True)


@per_query("nerr10", {"p": SHARE, "gmax": LEVEL, **DEPTH})
def nerr10(row: Row, definition: Definition) -> Score:
    """C(i) = p · (1 − gain(i))."""
    p, end = float(definition.number("p")), _end(row, definition)
    gains = scaled_gains(row, definition, end)
    endless = definition.choice("depth") == "endless"
    return _rate(
        gains, end, lambda _, gain, __: p * (1 - gain), (lambda _, __: 1 / (1 - p)) if endless else _nothing
    )


@per_query("nerr8", {"gmax": LEVEL}, cut=CUT)
def nerr8(row: Row, definition: Definition) -> Score:
    """C(i) = 1 − gain(i) up to rank k, or to the end of the list for `all`."""
    end, near = _ends(row, definition)
    gains = scaled_gains(row, definition, near)
    return _rate(gains, near, lambda _, gain, __: 1 - gain, lambda _, __: end - near)


@per_query("nerr9", {"gmax": LEVEL}, cut=CUT)
def nerr9(row: Row, definition: Definition) -> Score:
    """C(i) = i / (i + 1) · (1 − gain(i)) up to rank k, or to the end of the list for `all`."""
    end, near = _ends(row, definition)
    return _rate(
        scaled_gains(row, definition, near),
        near,
        lambda rank, gain, _: rank / (rank + 1) * (1 - gain),
        lambda _, __: (near + 1) * _reciprocals(near, end),
    )


def _ends(row: Row, definition: Definition) -> tuple[int, int]:
    """Return the last rank, and the last one that is walked: beyond the list there is no gain."""
    end = definition.k or row.n
    return end, min(end, row.n + FAR)


def _reciprocals(near: int, end: int) -> float:
    """Return the sum of 1 / i for i = near + 1 to end, for `near` from FAR, or equal to `end`."""

    def beyond(x: int) -> float:
        return 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4)

    return 0.0 if near == end else math.log(end / near) + beyond(end) - beyond(near)
