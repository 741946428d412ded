"""How many of the labels of a post are decided correctly."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from assay_oracle.core.decision import Cells, decision_cell
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import AT
from assay_oracle.core.reduction import NOTHING_DRAWN, Reduction, Resampled
from assay_oracle.core.resamples import Resamples
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import exact_sums, ratio, resampled_sums, sums_by_key

QUERIES_DRAWN = "queries were drawn, and a post of several queries is not a unit then"
Formula = Callable[[Cells, Definition], tuple[Fraction, int]]  # the value of a group, its weight
Keyed = tuple[Hashable, Cells]  # the post or criterion of a query, and its cells


def over_groups(formula: Formula) -> Reduction:
    """Return the weighted mean of a formula over posts or, with `over=criteria`, over criteria.

    Under resampling, a post that was drawn c times counts c times, but a criterion counts once,
    with those of its queries that were drawn. 0 by convention if no group has a weight.
    """

    def value(keyed: Sequence[Keyed], definition: Definition) -> Summary:
        groups: dict[Hashable, list[Cells]] = {}
        for key, each in keyed:
            groups.setdefault(key, []).append(each)
        found = [formula(_added(cells), definition) for cells in groups.values()]
        _, total, weight = exact_sums([(value * weight, weight) for value, weight in found])
        return ratio(total, weight)

    def resample(keyed: Sequence[Keyed], units: Sequence[int], definition: Definition) -> Resampled:
        def weighed(cells: Cells) -> tuple[float, int]:
            value, weight = formula(cells, definition)
            return float(value) * weight, weight

        if definition.parameters.get("over") == "criteria":
            by_criterion = sums_by_key(units, [each for _, each in keyed], [key for key, _ in keyed])

            def averaged(criteria: Sequence[Sequence[float]]) -> Summary:
                found = [weighed(Cells(*map(int, sums[1:]))) for sums in criteria]
                return ratio(*exact_sums(found)[1:]) if found else NOTHING_DRAWN

            def resampled(resamples: Resamples) -> list[Summary]:
                return [averaged(criteria) for criteria in by_criterion(resamples)]

            return resampled
        posts: dict[Hashable, list[tuple[int, Cells]]] = {}
        for (key, each), unit in zip(keyed, units, strict=True):
            posts.setdefault(key, []).append((unit, each))
        if any(len({unit for unit, _ in found}) > 1 for found in posts.values()):
            raise ValueError(QUERIES_DRAWN)
        vectors = [weighed(_added([each for _, each in found])) for found in posts.values()]
        post_units = [found[0][0] for found in posts.values()]
        return resampled_sums(post_units, vectors, lambda sums: ratio(sums[1], sums[2]))

    return Reduction(value, resample, _keyed)


def _keyed(row: Row, definition: Definition) -> Keyed:
    return _key(row, definition), decision_cell(row, definition)


def _key(row: Row, definition: Definition) -> Hashable:
    """Return the post or the criterion (None is one criterion); a query without a post is its own post."""
    if definition.parameters.get("over") == "criteria":
        return row.query.criterion
    return (row.query.post,) if row.query.post is not None else ("alone", row.query.id)


def _added(cells: Sequence[Cells]) -> Cells:
    return Cells(*map(sum, zip(*cells, strict=True)))


@pooled("exact_match", AT, via=over_groups)
def exact_match(c: Cells, definition: Definition) -> tuple[Fraction, int]:
    """Posts all of whose queries are decided as labelled / posts."""
    return Fraction(c.fp + c.fn == 0), 1


@pooled("hamming_score", AT, via=over_groups)
def hamming_score(c: Cells, definition: Definition) -> tuple[Fraction, int]:
    """Mean over posts of (right decisions / queries)."""
    return Fraction(c.tp + c.tn, sum(c)), 1


@pooled("hamming_loss", AT, via=over_groups)
def hamming_loss(c: Cells, definition: Definition) -> tuple[Fraction, int]:
    """Mean over posts of (wrong decisions / queries): 1 − Hamming score."""
    return Fraction(c.fp + c.fn, sum(c)), 1
