"""Measures over posts, where a post drawn c times counts c times, and over criteria, each once."""

import math
from collections.abc import Callable, Hashable, Sequence

from assay_oracle.confusion import Counts as Cells
from assay_oracle.definition import Definition
from assay_oracle.draws.cells import counts_of, decision_cell
from assay_oracle.draws.sums import Reduce, grouped, of_sums, unit_sums
from assay_oracle.rows import Row

QUERIES_DRAWN = "queries were drawn, and a post of several queries is no unit then"


def _f1(c: Cells, undefined: float) -> float:
    denominator = 2 * c.tp + c.fp + c.fn
    return 2 * c.tp / denominator if denominator else undefined


def _value(definition: Definition) -> Callable[[Cells], tuple[float, float]]:
    """The value of a group and its weight."""
    name = definition.name
    if name == "exact_match":
        return lambda c: (float(c.fp + c.fn == 0), 1.0)
    if name == "hamming_score":
        return lambda c: ((c.tp + c.tn) / (c.tp + c.fp + c.tn + c.fn), 1.0)
    if name == "hamming_loss":
        return lambda c: ((c.fp + c.fn) / (c.tp + c.fp + c.tn + c.fn), 1.0)
    if name == "macro_f1":
        empty = float(definition.choice("empty"))
        return lambda c: (_f1(c, empty), 1.0)
    return lambda c: (_f1(c, 0.0), c.tp + c.fn)


GROUPED = ("exact_match", "hamming_score", "hamming_loss", "macro_f1", "weighted_f1")


def of_groups(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Reduce:
    """Sum of weight·value / sum of weights over the groups; 0 where that is 0."""
    cells = [decision_cell(row, definition) for row in rows]
    value = _value(definition)
    if definition.parameters.get("over") == "criteria":
        by_criterion = grouped(units, cells, [row.query.criterion for row in rows])
        return lambda counts: _average([value(counts_of(s)) for s in by_criterion(counts)])
    groups: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        own = ("alone", row.query.id)
        groups.setdefault((row.query.post,) if row.query.post else own, []).append(place)
    post_units: list[int] = []
    vectors: list[tuple[float, float]] = []
    for places in groups.values():
        drawn = {units[place] for place in places}
        if len(drawn) > 1:
            raise ValueError(QUERIES_DRAWN)
        once = unit_sums([0] * len(places), [cells[place] for place in places])
        found, weight = value(counts_of(once([1])))
        post_units.append(drawn.pop())
        vectors.append((found * weight, weight))
    return of_sums(post_units, vectors, lambda sums: sums[1] / sums[2] if sums[2] else 0.0)


def _average(groups: Sequence[tuple[float, float]]) -> float:
    weight = math.fsum(weight for _, weight in groups)
    return math.fsum(value * weight for value, weight in groups) / weight if weight else 0.0
