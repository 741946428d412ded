"""How bootstrap intervals are made: the number of resamples, the seed, the unit and the method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import SupportsFloat, SupportsIndex

from assay.errors import InputError, shown

MOST_RESAMPLES = 100_000
"""An interval moves by less than its own noise long before; the values of all must fit memory."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How bootstrap intervals are made. Thresholds chosen on TUNE stay fixed.

    Attributes
    ----------
    resamples
        The number of resamples, at least 2.
    seed
        Seed of the draws.
    unit
        What is drawn: `post` (all queries of a post together) or `query`.
    method
        `percentile` or `bca`.
    level
        Coverage, such as 0.95.

    """

    resamples: int = 10_000
    seed: int = 0
    unit: str = "post"  # or query
    method: str = "percentile"  # or bca
    level: float = 0.95

    def __post_init__(self) -> None:
        for name, number in (("resamples", self.resamples), ("seed", self.seed)):
            if not isinstance(number, SupportsIndex) or isinstance(number, bool):
                problem = f"{name} is {shown(number)} ({type(number).__name__})"
                raise InputError.of("bootstrap", problem, "expected a whole number")
        if not isinstance(self.level, SupportsFloat) or isinstance(self.level, bool):
            raise InputError.of("bootstrap", f"level is {shown(self.level)}", "expected a number in (0, 1)")
        for name, value, choices in (
            ("unit", self.unit, ("post", "query")),
            ("method", self.method, ("percentile", "bca")),
        ):
            if value not in choices:
                expected = f"expected {' or '.join(choices)}"
                raise InputError.of("bootstrap", f"{name} is {value!r}", expected)
        if self.seed < 0:
            problem = f"seed is {self.seed}"
            raise InputError.of("bootstrap", problem, "expected a whole number from 0")
        if not 2 <= self.resamples <= MOST_RESAMPLES or not 0 < self.level < 1:
            problem = f"{shown(self.resamples)} resamples at level {self.level}"
            expected = f"expected 2 to {MOST_RESAMPLES:,}, at a level in (0, 1)"
            raise InputError.of("bootstrap", problem, expected)
