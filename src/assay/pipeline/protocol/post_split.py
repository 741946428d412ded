"""Which posts are TRAIN, TUNE and EVAL: nested cross-validation, or a single split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from assay.data.post_roles import SPELLINGS, role_of
from assay.data.splits import split
from assay.data.tune_queries import ROLES
from assay.errors import Fault, InputError, shown

NESTED, SPLIT = "nested", "split"
KINDS = (NESTED, SPLIT)
SHARES = (0.8, 0.1, 0.1)
NAMES = ("train", "val", "test")
"""Names of the parts of a split that was drawn."""
ONLY = {NESTED: ("folds", "train"), SPLIT: ("shares",)}
"""Settings that only one kind of protocol has."""


def three_shares(given: Sequence[object]) -> str | None:
    """Return what was expected of `shares`; None if they are valid."""
    numbers = [each for each in given if isinstance(each, int | float) and not isinstance(each, bool)]
    right = len(numbers) == len(given) == len(ROLES) and all(0 < each < 1 for each in numbers)
    if right and sum(Fraction(str(each)) for each in numbers) == 1:
        return None
    return "expected three numbers that add up to 1, such as [0.8, 0.1, 0.1]"


def unused_settings(protocol: Mapping[str, Any], place: str) -> list[Fault]:
    """Return settings of the other kind of protocol, which would have no effect."""
    kind = protocol.get("kind", NESTED)
    return [
        Fault(
            place,
            "",
            f"{name} has no effect with kind = {shown(kind)}",
            f'remove it, or set kind = "{other}"',
        )
        for other, names in ONLY.items()
        for name in names
        if kind in KINDS and other != kind and name in protocol
    ]


def single_split(posts: Sequence[str], shares: Sequence[float], seed: int) -> dict[str, str]:
    """Draw a split: return train, val or test for each post, in this order."""
    parts = split(posts, shares, seed)
    return {post: name for name, part in zip(NAMES, parts, strict=True) for post in sorted(part)}


def own_split(folds: Mapping[str, str], source: str) -> dict[str, str]:
    """Return the split that a corpus brings in its `folds`, by role; other names are an error."""
    names = sorted(set(folds.values()))
    roles = {name: role_of(name) for name in names}
    if sorted(filter(None, roles.values())) != sorted(ROLES) or None in roles.values():
        found = ", ".join(map(shown, names[:12])) + (", …" if len(names) > 12 else "")
        expected = f"a split needs {SPELLINGS}; rename the folds, or remove the table to draw a split"
        raise InputError.of(source, f"has the folds {found}", expected)
    order = {name: ROLES.index(role) for name, role in roles.items() if role is not None}
    return dict(sorted(folds.items(), key=lambda item: (order[item[1]], item[0])))


def refuse_split_names(folds: Mapping[str, str], source: str) -> None:
    """Refuse to treat the parts of a split as the folds of a cross-validation."""
    names = sorted(set(folds.values()))
    roles = [role_of(name) for name in names]
    if None not in roles and len(set(roles)) > 1 and "TRAIN" in roles:
        problem = f"has the folds {', '.join(map(shown, names))}, which name the parts of a split"
        expected = 'set kind = "split" in [protocol], or rename the folds to cross-validate over them'
        raise InputError.of(source, problem, expected)


def roles_of(outer: Mapping[str, str]) -> dict[str, str]:
    """Return TRAIN, TUNE or EVAL for each post of a split."""
    return {post: str(role_of(name)) for post, name in outer.items()}


def subsample(train: Sequence[str], count: int | None, seed: int) -> Sequence[str]:
    """Return some TRAIN posts at random; with the same seed, fewer are a subset of more."""
    if count is None or count >= len(train):
        return train
    ordered = sorted(train)
    drawn = np.random.default_rng(seed).permutation(len(ordered))
    return [ordered[at] for at in drawn[:count]]
