"""Measures per post and per criterion, and of the three states."""

from __future__ import annotations

from collections.abc import Sequence

from ..case import Case, Query
from .decisions import RATES, Counts, count, decide
from .definition import Definition, mean, ratio


def grouped(queries: Sequence[Query], d: Definition, case: Case, over: str) -> list[Counts]:
    """Count decisions within each post or criterion of the population."""
    made = decide(queries, d["at"], case.tune)
    pairs: dict[str, list[tuple[bool, bool]]] = {}
    for decision, query in zip(made, queries, strict=True):
        name = query.post if over == "posts" else query.criterion
        pairs.setdefault(name, []).append((decision, query.has_evidence))
    return [count(group) for group in pairs.values()]


def exact_match(queries: Sequence[Query], d: Definition, case: Case) -> float:
    return mean(c.fp + c.fn == 0 for c in grouped(queries, d, case, "posts"))


def hamming_score(queries: Sequence[Query], d: Definition, case: Case) -> float:
    return mean(RATES["accuracy"](c) for c in grouped(queries, d, case, "posts"))


def hamming_loss(queries: Sequence[Query], d: Definition, case: Case) -> float:
    groups = grouped(queries, d, case, "posts")
    return mean((c.fp + c.fn) / (c.tp + c.fp + c.tn + c.fn) for c in groups)


def macro_f1(queries: Sequence[Query], d: Definition, case: Case) -> float:
    groups = grouped(queries, d, case, d["over"])
    return mean(RATES["f1"](c) if c.tp + c.fp + c.fn else float(d["empty"]) for c in groups)


def weighted_f1(queries: Sequence[Query], d: Definition, case: Case) -> float:
    groups = grouped(queries, d, case, d["over"])
    return ratio(sum((c.tp + c.fn) * RATES["f1"](c) for c in groups), sum(c.tp + c.fn for c in groups))


def state_rate(queries: Sequence[Query], d: Definition, case: Case) -> float:
    return mean(query.state == d["state"].upper() for query in queries)


def alert_rate_per_1000(queries: Sequence[Query], d: Definition, case: Case) -> float:
    return 1000 * mean(query.state == "POS" for query in queries)


def screening_fn_per_1000(queries: Sequence[Query], d: Definition, case: Case) -> float:
    return 1000 * mean(query.has_evidence and query.state == "NEG" for query in queries)
