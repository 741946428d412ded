"""`PLANTS`: leaks to plant in a clean folder, each at three strengths.

A plant changes a world in place. Strengths go from the plainest leak to the best disguised one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from audit_leaks.worlds import Draws, World

Change = Callable[[World, Any, Draws], None]


@dataclass(frozen=True)
class Plant:
    """A kind of leak: its name, its three strengths by name, and the function that plants it."""

    group: str
    title: str
    strengths: dict[str, Any]
    change: Change


PLANTS: list[Plant] = []


def plant(group: str, title: str, **strengths: Any) -> Callable[[Change], Change]:
    """Register a plant; strengths are given as s1, s2, s3 = (name, value)."""

    def keep(change: Change) -> Change:
        PLANTS.append(Plant(group, title, dict(strengths.values()), change))
        return change

    return keep
