"""Measures that are the geometric mean of a value per query."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import REL, SHARE
from assay_oracle.core.reduction import Resampled, resampled_by
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, sums_of

PerQuery = Callable[[Row, Definition], Fraction]


def geometric_mean(name: str) -> Callable[[PerQuery], PerQuery]:
    """Register exp(mean of log(max(value, floor))), the value being 0 for a query without gold."""

    def decorate(value: PerQuery) -> PerQuery:
        def logarithm(row: Row, definition: Definition) -> tuple[float]:
            found = value(row, definition) if has_relevant(row, definition) else Fraction(0)
            return (math.log(max(found, definition.number("floor"))),)

        def exponential(sums: Sums, definition: Definition) -> Summary:
            return Summary(math.exp(sums[1] / sums[0]))

        logarithms = sums_of(logarithm)(exponential)

        def resample(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Resampled:
            return logarithms.resample(logarithms.contributions(rows, definition), units, definition)

        @pooled(name, {"floor": SHARE, **REL}, via=resampled_by(resample))
        def mean(rows: Sequence[Row], definition: Definition) -> Summary:
            reasons = Counter(
                "no_candidates" if has_relevant(row, definition) else "no_gold"
                for row in rows
                if row.n == 0 or not has_relevant(row, definition)
            )
            return replace(logarithms.value_of(rows, definition), by_convention=dict(reasons))

        return value

    return decorate
