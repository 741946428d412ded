"""Findings: a number of the bundle together with the recomputed one."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay_oracle.bundle.files import mapping, number

ORIGINAL_FILES = "only the original files can tell"


@dataclass(frozen=True, slots=True)
class Finding:
    """A number and its recomputed value, which should be equal unless there is a `reason`.

    `reason` explains why a number could not be recomputed. None is a null of the file: no value, or
    a threshold of +inf.
    """

    what: str
    value: float | None
    recomputed: float | None
    reason: str = ""

    def document(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return {"what": self.what, "value": self.value, "recomputed": self.recomputed, "reason": self.reason}


def pairwise_findings(
    what: str, found: Any, recomputed: Mapping[str, float | None], reason: str = ""
) -> Iterator[Finding]:
    """Yield a finding per key of the object `found` of the file, then per key that it lacks.

    A key that only one side has is null on the other; nulls on both sides are not reported.
    """
    numbers = {key: number(value, f"{what}/{key}") for key, value in mapping(found, what).items()}
    for key in [*numbers, *(key for key in recomputed if key not in numbers)]:
        value, again = numbers.get(key), recomputed.get(key)
        if value is not None or again is not None:
            yield Finding(f"{what}/{key}", value, again, reason)


def difference(value: float | None, recomputed: float | None) -> float:
    """Return |value − recomputed|; infinity if one of them is missing, 0 if both are."""
    if value is None or recomputed is None:
        return 0.0 if value is recomputed else math.inf
    return 0.0 if value == recomputed else abs(value - recomputed)


def worst(what: str, pairs: Iterable[tuple[float | None, float | None]]) -> Finding:
    """Return one finding for a column: the first row with the largest difference.

    Rows with a value take precedence over rows without any.
    """
    found: tuple[float | None, float | None] = (None, None)
    largest = -1.0
    for value, recomputed in pairs:
        apart = difference(value, recomputed)
        if apart > largest or (found == (None, None) and apart == largest):
            largest, found = apart, (value, recomputed)
    return Finding(what, *found)
