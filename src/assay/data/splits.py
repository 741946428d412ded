"""Post-disjoint splits: posts sorted by id, shuffled by a seed, cut in blocks.

Earlier parts take the floor of their share, the last takes the rest: 1,477 posts in 5 folds are
295, 295, 295, 295 and 297.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from assay.errors import InputError


def split(posts: Iterable[str], shares: Sequence[float], seed: int = 0) -> tuple[tuple[str, ...], ...]:
    """Split posts at random into parts, so that no post is in two of them.

    Parameters
    ----------
    posts
        Post ids; repeated ones count once.
    shares
        The share of each part, such as (0.8, 0.1, 0.1). They must add up to 1.
    seed
        Seed of the shuffle.

    Returns
    -------
    tuple of tuples
        The post ids of each part. The last part takes what rounding leaves.

    Raises
    ------
    InputError
        If the shares do not add up to 1, or a part would be empty.

    Examples
    --------
    >>> [len(part) for part in assay.split(map(str, range(1477)), (0.8, 0.1, 0.1))]
    [1181, 147, 149]

    """
    exact = [Fraction(str(share)) for share in shares]
    if not exact or min(exact) <= 0 or sum(exact) != 1:
        shown = ", ".join(map(str, shares))
        raise InputError.of("split", f"shares are {shown}", "expected shares that add up to 1")
    ordered = sorted(set(posts))
    if len(ordered) < len(exact):
        problem = f"{len(ordered)} posts for {len(exact)} parts"
        raise InputError.of("split", problem, "expected at least one post per part")
    order = np.random.default_rng(seed).permutation(len(ordered))
    shuffled = [ordered[at] for at in order]
    sizes = [int(share * len(ordered)) for share in exact[:-1]]
    if 0 in sizes:
        problem = f"a share of {len(ordered)} posts is less than one post"
        raise InputError.of("split", problem, "expected more posts or larger shares")
    ends = np.cumsum([0, *sizes]).tolist()
    return tuple(
        tuple(shuffled[begin:end]) for begin, end in zip(ends, [*ends[1:], len(shuffled)], strict=True)
    )


def folds(posts: Iterable[str], count: int = 5, seed: int = 0) -> dict[str, int]:
    """Assign posts to folds at random.

    Parameters
    ----------
    posts
        Post ids; repeated ones count once.
    count
        The number of folds, at least 2.
    seed
        Seed of the shuffle.

    Returns
    -------
    dict
        The fold of each post, 0 … count-1, in the order of the ids.

    Raises
    ------
    InputError
        If there are fewer posts than folds.

    Examples
    --------
    >>> sorted(assay.folds(["c", "a", "b"], 3).values())
    [0, 1, 2]

    """
    if count < 2:
        raise InputError.of("folds", f"count is {count}", "expected 2 or more")
    unique = sorted(set(posts))
    if len(unique) < count:
        problem = f"{len(unique)} posts for {count} folds"
        raise InputError.of("folds", problem, "expected at least one post per fold")
    order = np.random.default_rng(seed).permutation(len(unique))
    size = len(unique) // count
    fold = np.minimum(np.arange(len(unique)) // size, count - 1)
    of = {unique[place]: int(number) for place, number in zip(order, fold, strict=True)}
    return {post: of[post] for post in unique}
