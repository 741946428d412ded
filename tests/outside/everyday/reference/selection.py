"""What a system returns: selected K, evidence recall and precision, utility."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from ..case import Case, Query
from .definition import Definition, mean, ratio
from .ranking import gold, hits


def quantile(values: Sequence[int], share: float) -> float:
    """Interpolate linearly between the two nearest values."""
    ordered, place = sorted(values), share * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def selected_k(queries: Sequence[Query], d: Definition, case: Case) -> float:
    values = [query.selected_k for query in queries]
    match d["stat"]:
        case "mean":
            return mean(values)
        case "median":
            return statistics.median(values)
        case "p25" | "p75" | "p90":
            return quantile(values, int(d["stat"][1:]) / 100)
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "std":
            return statistics.stdev(values) if len(values) > 1 else math.nan
        case "total":
            return sum(values)
    raise ValueError(d["stat"])


def returned(query: Query, d: Definition) -> int:
    """Count the gold items among the first K candidates."""
    return hits(query, query.selected_k, d.rel)


def evidence_recall(queries: Sequence[Query], d: Definition, case: Case) -> float:
    match d["average"]:
        case "macro":
            return mean(ratio(returned(query, d), gold(query, d.rel)) for query in queries)
        case "micro":
            counted, every = queries, [gold(query, d.rel) for query in queries]
        case "micro_conditional":
            counted = [query for query in queries if query.selected_k >= 1]
            every = [gold(query, d.rel) for query in counted]
        case "retrieved":
            counted, every = queries, [hits(query, math.inf, d.rel) for query in queries]
        case other:
            raise ValueError(other)
    return ratio(sum(returned(query, d) for query in counted), sum(every))


def evidence_precision(queries: Sequence[Query], d: Definition, case: Case) -> float:
    if d["average"] == "macro":
        return mean(ratio(returned(query, d), query.selected_k) for query in queries)
    return ratio(sum(returned(q, d) for q in queries), sum(q.selected_k for q in queries))


def sentence_micro(queries: Sequence[Query], d: Definition, case: Case) -> float:
    found = sum(returned(query, d) for query in queries)
    precision = ratio(found, sum(query.selected_k for query in queries))
    recall = ratio(found, sum(gold(query, d.rel) for query in queries))
    values = {"precision": precision, "recall": recall}
    return values.get(d["of"], ratio(2 * precision * recall, precision + recall))


def utility(queries: Sequence[Query], d: Definition, case: Case) -> float:
    def of(query: Query) -> float:
        if query.selected_k == 0:
            return -float(d["missed"]) if query.has_evidence else float(d["abstain"])
        if not query.has_evidence:
            return -float(d["alarm"])
        return float(d["found"]) * returned(query, d) / gold(query, d.rel)

    return mean(of(query) for query in queries)
