"""Average precision: its mean (MAP) and its geometric mean."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import CUT, K_OR_K_EFF, REL, choice
from assay_oracle.core.query_score import Score, at_most, by_convention
from assay_oracle.core.rows import Row
from assay_oracle.ranking.geometric_mean import geometric_mean
from assay_oracle.statistics.tied_orders import chance_of_hits, groups


def _precision_sum(relevance: list[bool]) -> Fraction:
    """Sum over the hits of (hits so far / rank), the numerator of average precision."""
    total, hits = Fraction(0), 0
    for rank, relevant in enumerate(relevance, start=1):
        if relevant:
            hits += 1
            total += Fraction(hits, rank)
    return total


def _averaged(row: Row, definition: Definition) -> Score:
    """The expectation of the numerator over the denominator, by the number of hits at the cut-off."""
    k, rel = definition.k, definition.rel
    whole, before, crossing = Fraction(0), 0, None
    for group in groups(row):
        drawn = group.ranks_within(k)
        if drawn == group.size:
            whole += _group_sum(group.above, drawn, before, group.relevant(rel))
            before += group.relevant(rel)
        elif drawn and crossing is None:
            crossing = group
    if crossing is None:
        return _over(whole, before, row, definition)
    size, relevant, drawn = crossing.size, crossing.relevant(rel), crossing.ranks_within(k)
    total, found = Fraction(0), Score(Fraction(0))
    for hits in range(max(0, relevant + drawn - size), min(relevant, drawn) + 1):
        numerator = whole + _group_sum(crossing.above, drawn, before, hits)
        found = _over(numerator, before + hits, row, definition)
        total += chance_of_hits(size, relevant, drawn, hits) * found.value
    return Score(total, found.convention)


def _group_sum(above: int, ranks: int, before: int, hits: int) -> Fraction:
    """Expected sum of (hits so far / rank) over `hits` items in any places of these ranks.

    A rank has a hit with the chance hits / ranks; each other rank above it then has one of the others
    with the chance (hits − 1) / (ranks − 1).
    """
    total = Fraction(0)
    for place in range(ranks):
        others = Fraction(place * (hits - 1), ranks - 1) if ranks > 1 else Fraction(0)
        total += Fraction(hits, ranks) * (before + 1 + others) / (above + place + 1)
    return total


def _over(numerator: Fraction, hits: int, row: Row, definition: Definition) -> Score:
    gold_count = row.gold_count(definition.rel)
    ideal_length = definition.k if definition.choice("cut") == "k" else at_most(row.n, definition.k)
    denominators = {"R": gold_count, "min_r_k": at_most(gold_count, ideal_length), "hits": hits}
    denominator = denominators[definition.choice("denominator")]
    return Score(numerator / denominator) if denominator else by_convention("no_hits")


@per_query(
    "map",
    {"denominator": choice("R", "min_r_k", "hits"), "cut": K_OR_K_EFF, **REL},
    cut=CUT,
    has_gold=has_relevant,
    averaged=_averaged,
)
def average_precision(row: Row, definition: Definition) -> Score:
    """Sum over hits of (hits so far / rank), over R, min(R, K) or hits; K = k or min(k, n)."""
    relevance = row.relevance(definition.rel, definition.k)
    return _over(_precision_sum(relevance), sum(relevance), row, definition)


@geometric_mean("gm_map")
def uncut_average_precision(row: Row, definition: Definition) -> Fraction:
    """Average precision of the whole list, over R."""
    return _precision_sum(row.relevance(definition.rel)) / row.gold_count(definition.rel)
