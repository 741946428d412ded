"""The systems that a caller of `compare` gives: one after another, in a list, or in a dict by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.data.input_types import described, is_rows
from assay.data.readers.rankings_by_query import holds_runs
from assay.errors import InputError

EXPECTED = "expected two or more: compare(first, second, …), a list of systems, or a dict of them by name"


def given_systems(
    first: Any, second: Any, more: Sequence[Any], names: Sequence[str] | None
) -> tuple[tuple[Any, ...], Sequence[str] | None]:
    """Return the systems and what to call them, where `second` may be missing."""
    if second is not None:
        return (first, second, *more), names
    if isinstance(first, Mapping) and len(first) > 1 and (holds_runs(first) or not _is_run(first)):
        return tuple(first.values()), [str(name) for name in first] if names is None else names
    alone = isinstance(first, list | tuple) and (
        is_rows(first) or any(isinstance(each, tuple) for each in first)
    )
    if isinstance(first, list | tuple) and len(first) > 1 and (holds_runs(first) or not alone):
        return tuple(first), names
    raise InputError.of("compare", f"has one system, {described(first)}", EXPECTED)


def _is_run(given: Mapping[Any, Any]) -> bool:
    """Return whether this is one system: rankings by query, or columns by name."""
    return all(isinstance(each, Mapping | list | tuple | set) for each in given.values())
