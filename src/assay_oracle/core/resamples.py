"""All resamples of a verification at once, and what several measures compute from them."""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from operator import mul
from struct import pack, unpack
from typing import Any, TypeVar

Counts = Sequence[int]  # how often each unit was drawn
FIELD = 64  # bits of a packed count: more than any sum of counts
Key = TypeVar("Key", bound=Hashable)


class Resamples:
    """The counts of every resample; results that measures share are computed once."""

    def __init__(self, counts: Sequence[Counts]) -> None:
        self.counts = counts
        self._shared: dict[Hashable, Any] = {}

    def shared(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what `make` gives, computed once per key; the key must hold all that it depends on."""
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]

    def weights(self, units: tuple[int, ...]) -> list[list[int]]:
        """Return the counts of these units in each resample."""
        found: list[list[int]] = self.shared(
            ("weights", units), lambda: [[counts[unit] for unit in units] for counts in self.counts]
        )
        return found

    def totals(self, units: tuple[int, ...], column: tuple[float, ...]) -> list[float]:
        """Return, per resample, the sum of the column's values times the counts of their units."""
        found: list[float] = self.shared(("totals", units, column), lambda: self._totals(units, column))
        return found

    def _totals(self, units: tuple[int, ...], column: tuple[float, ...]) -> list[float]:
        return [math.fsum(map(mul, weights, column)) for weights in self.weights(units)]

    def times(self, units: Sequence[int], keys: Sequence[Key]) -> dict[Key, tuple[int, ...]]:
        """Return, per key and resample, how often the units of that key were drawn in total.

        One addition per unit serves all resamples, because their counts are packed in one long
        integer: 200 resamples of 14,770 queries take 7 ms, and 34 ms with a sum per resample.
        """
        found: dict[Key, int] = dict.fromkeys(keys, 0)
        packed = self._packed
        for unit, key in zip(units, keys, strict=True):
            found[key] += packed[unit]
        return {key: self.unpacked(times) for key, times in found.items()}

    def added(self, units: Iterable[int]) -> int:
        """Return how often these units were drawn in total, packed: in all resamples at once."""
        return sum(map(self._packed.__getitem__, units))

    @cached_property
    def _packed(self) -> list[int]:
        """The counts of each unit in all resamples, as fields of one integer."""
        layout = f"<{len(self.counts)}Q"
        return [int.from_bytes(pack(layout, *unit), "little") for unit in zip(*self.counts, strict=True)]

    def unpacked(self, packed: int) -> tuple[int, ...]:
        """Return the fields of a packed integer, one per resample."""
        size = len(self.counts)
        return unpack(f"<{size}Q", packed.to_bytes(size * FIELD // 8, "little"))
