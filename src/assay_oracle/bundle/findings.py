"""A number of the bundle beside the one that was recomputed."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay_oracle.bundle.files import mapping, number

ORIGINAL_FILES = "only the original files can tell"


@dataclass(frozen=True, slots=True)
class Finding:
    """`reason` says why a number could not be recomputed; without one, the two should be equal.

    None is a null of the file: no value, and +inf of a threshold.
    """

    what: str
    value: float | None
    recomputed: float | None
    reason: str = ""

    def document(self) -> dict[str, Any]:
        """The finding as JSON has it."""
        return {
            "what": self.what,
            "value": self.value,
            "recomputed": self.recomputed,
            "reason": self.reason,
        }


def pairwise_findings(
    what: str, found: Any, recomputed: Mapping[str, float | None], reason: str = ""
) -> Iterator[Finding]:
    """One finding a key of the object `found` of the file, then of the keys that it lacks.

    A key that only one side has is null on the other; nulls on both sides are no finding.
    """
    numbers = {key: number(value, f"{what}/{key}") for key, value in mapping(found, what).items()}
    for key in [*numbers, *(key for key in recomputed if key not in numbers)]:
        value, again = numbers.get(key), recomputed.get(key)
        if value is not None or again is not None:
            yield Finding(f"{what}/{key}", value, again, reason)


def difference(value: float | None, recomputed: float | None) -> float:
    """|value − recomputed|; infinite where only one of them is there, 0 where neither is."""
    if value is None or recomputed is None:
        return 0.0 if value is recomputed else math.inf
    return 0.0 if value == recomputed else abs(value - recomputed)


def worst(what: str, pairs: Iterable[tuple[float | None, float | None]]) -> Finding:
    """One finding for a column: the row at which the two are furthest apart, the first of equals.

    Rows with a value go before rows without any.
    """
    found: tuple[float | None, float | None] = (None, None)
    largest = -1.0
    for value, recomputed in pairs:
        apart = difference(value, recomputed)
        if apart > largest or (found == (None, None) and apart == largest):
            largest, found = apart, (value, recomputed)
    return Finding(what, *found)
