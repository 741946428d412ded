"""Hide small counts, from which a reader could identify people in clinical data."""

from __future__ import annotations

from collections.abc import Mapping

HIDDEN = "–"
"""Shown instead of a value on few queries."""


def hidden(n: float, below: int | None) -> bool:
    """Return whether a count is above 0 and below the limit; without a limit nothing is hidden.

    >>> hidden(3, 10), hidden(0, 10), hidden(10, 10), hidden(3, None)
    (True, False, False, False)
    """
    return below is not None and 0 < n < below


def count_text(n: int, below: int | None, *, secondary: bool = False) -> str:
    """Return a count, or that it is below the limit; a `secondary` one is hidden without a bound.

    >>> count_text(3, 10), count_text(1852, 10), count_text(1852, None), count_text(40, 10, secondary=True)
    ('<10', '1,852', '1,852', '–')
    """
    if hidden(n, below):
        return f"<{below}"
    return HIDDEN if secondary and below is not None else f"{n:,}"


def hidden_groups(sizes: Mapping[str, int], below: int | None) -> frozenset[str]:
    """Return the groups to hide: the small ones, and if that is one, the next smallest with it.

    Otherwise the total minus the other groups would give the size of the only hidden one.

    >>> sorted(hidden_groups({"a": 3, "b": 40, "c": 70}, 10))
    ['a', 'b']
    """
    small = {label for label, n in sizes.items() if hidden(n, below)}
    others = {label: n for label, n in sizes.items() if label not in small and n > 0}
    if len(small) == 1 and others:
        small.add(min(others, key=lambda label: others[label]))
    return frozenset(small)


def suppression_note(below: int) -> str:
    """Return the sentence that a table with hidden cells has below it."""
    return f"Groups of fewer than {below} queries are hidden, and one more where only one would be."
