"""A mapping that cannot be edited, so that a cached contract stays what its file says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

V = TypeVar("V")


class Frozen(Mapping[str, V]):
    """Read-only and hashable; unlike `MappingProxyType` it can be pickled and copied."""

    __slots__ = ("_entries",)
    _entries: Mapping[str, V]

    def __init__(self, entries: Mapping[str, V]) -> None:
        object.__setattr__(self, "_entries", MappingProxyType(dict(entries)))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: the entries are set once."""
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __getitem__(self, key: str) -> V:
        """Return the value of a key."""
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the keys in their order."""
        return iter(self._entries)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        """Return whether there is such a key."""
        return key in self._entries

    def __hash__(self) -> int:
        """Hash the entries regardless of their order, as equality compares them."""
        return hash(frozenset(self._entries.items()))

    def __repr__(self) -> str:
        """Return the text of the equal dict."""
        return repr(dict(self._entries))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the equal dict."""
        return type(self), (dict(self._entries),)
