"""The expected value of a ranking measure over all orders of a query's candidates, rank by rank."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from assay_oracle.core.definition import Definition
from assay_oracle.core.query_score import at_most, two_to_the
from assay_oracle.core.rows import Row


def expected_value(row: Row, definition: Definition) -> float | None:
    """Return the mean of the measure over all n! orders; None for a measure that has no formula here."""
    formula = FORMULAS.get(definition.name)
    return None if formula is None else formula(row, definition)


def _counts(row: Row, definition: Definition) -> tuple[int, int, int, int]:
    """Return n, how many candidates are relevant, R, and min(k, n)."""
    found = sum(row.relevance(definition.rel))
    return row.n, found, row.gold_count(definition.rel), at_most(row.n, definition.k)


def _over(numerator: float, denominator: int) -> float:
    return numerator / denominator if denominator else 0.0


def _precision(row: Row, definition: Definition) -> float:
    n, found, total, top = _counts(row, definition)
    divisors = {"k": definition.k or n, "k_eff": top, "min_r_k": at_most(total, definition.k)}
    return _over(_hits(n, found, top), divisors[definition.choice("denominator")])


def _recall(row: Row, definition: Definition) -> float:
    n, found, total, top = _counts(row, definition)
    return _over(_hits(n, found, top), total if definition.choice("gold") == "all" else found)


def _r_precision(row: Row, definition: Definition) -> float:
    n, found, total, _ = _counts(row, definition)
    return _over(_hits(n, found, min(total, n)), total)


def _hit(row: Row, definition: Definition) -> float:
    n, found, _, top = _counts(row, definition)
    return 1 - _none(n, found, top)


def _reciprocal_rank(row: Row, definition: Definition) -> float:
    n, found, _, top = _counts(row, definition)
    return math.fsum((_none(n, found, rank - 1) - _none(n, found, rank)) / rank for rank in range(1, top + 1))


def _average_precision(row: Row, definition: Definition) -> float:
    n, found, total, top = _counts(row, definition)
    if definition.choice("denominator") == "hits":
        return math.fsum(
            chance * _precision_sum(top, hits, top) / hits
            for hits, chance in enumerate(_hits_in_top(n, found, top))
            if hits
        )
    limit = top if definition.choice("cut") == "k_eff" else definition.k
    of = total if definition.choice("denominator") == "R" else at_most(total, limit)
    return _over(_precision_sum(n, found, top), of)


def _ndcg(row: Row, definition: Definition) -> float:
    exponential = definition.choice("gain") == "exponential"
    top = at_most(row.n, definition.k)
    gold = list(row.judgements if definition.choice("gold") == "all" else row.gains())
    length = definition.k if definition.choice("cut") == "k" else top
    ideal = sorted((grade for grade in gold if grade > 0), reverse=True)[:length]
    best = math.fsum(_gain(grade, exponential) / math.log2(rank + 1) for rank, grade in enumerate(ideal, 1))
    mean = math.fsum(_gain(grade, exponential) for grade in row.gains() if grade > 0) / max(row.n, 1)
    return mean * _discounts(top) / best if best else 0.0


def _gain(grade: Fraction, exponential: bool) -> float:
    return float(two_to_the(grade) - 1 if exponential else grade)


@lru_cache
def _discounts(top: int) -> float:
    return math.fsum(1 / math.log2(rank + 1) for rank in range(1, top + 1))


def _hits(n: int, found: int, top: int) -> float:
    """Return the expected number of hits in the first ranks: each candidate is there with chance top/n."""
    return found * top / n if n else 0.0


@lru_cache(maxsize=1 << 16)
def _none(n: int, found: int, top: int) -> float:
    """Return the chance that none of the first ranks is a hit: all are among the other n − top."""
    return math.comb(n - top, found) / math.comb(n, found)


@lru_cache(maxsize=1 << 16)
def _precision_sum(n: int, found: int, top: int) -> float:
    """Return the expected sum of (hits so far / rank) over the hits in the first ranks."""
    if not found:
        return 0.0
    both = found * (found - 1) / (n * (n - 1)) if n > 1 else 0.0  # two given ranks are both hits
    return math.fsum((found / n + (rank - 1) * both) / rank for rank in range(1, top + 1))


@lru_cache(maxsize=1 << 12)
def _hits_in_top(n: int, found: int, top: int) -> tuple[float, ...]:
    """Return the hypergeometric chances of 0, 1, … hits in the first ranks."""
    ways = math.comb(n, top)
    return tuple(
        math.comb(found, hits) * math.comb(n - found, top - hits) / ways
        for hits in range(min(found, top) + 1)
    )


FORMULAS: dict[str, Callable[[Row, Definition], float]] = {
    "precision": _precision,
    "recall": _recall,
    "rprec": _r_precision,
    "hit": _hit,
    "mrr": _reciprocal_rank,
    "map": _average_precision,
    "ndcg": _ndcg,
}
