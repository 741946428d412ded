"""Compare the texts of posts: the same words, and nearly identical sets of word shingles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from assay.errors import MissingExtraError
from assay.verification.audit.text.normalise import words_of
from assay.version import pip_install

SHINGLE = 3
SHORTEST = 5
"""Minimum words of a post to compare: two posts may say 'thank you' without being copies."""
PERMUTATIONS = 128
MISSED = 0.001
"""Maximum chance that the index misses a pair at the threshold."""

Words = tuple[str, ...]


def post_words(sentences: pl.DataFrame) -> dict[str, Words]:
    """Return the normalised words of each post in reading order; short posts are left out."""
    joined = sentences.group_by("post_id", maintain_order=True).agg(
        pl.col("text").cast(pl.String).fill_null("").str.join(" ")
    )
    words = {post: words_of(text) for post, text in joined.iter_rows()}
    return {post: each for post, each in words.items() if len(each) >= SHORTEST}


def normalised(text: str) -> str:
    """Return a text in the form that is compared."""
    return " ".join(words_of(text))


def same_words(posts: Mapping[str, Words]) -> list[list[str]]:
    """Return groups of posts with the same words."""
    groups: dict[Words, list[str]] = {}
    for post, words in posts.items():
        groups.setdefault(words, []).append(post)
    return [group for group in groups.values() if len(group) > 1]


def bands(threshold: float) -> tuple[int, int]:
    """Return bands and rows of the index: the longest rows that miss a pair rarely enough.

    A pair of similarity J is missed with chance (1 − J^rows)^bands.
    """
    fitting = [
        rows
        for rows in range(1, PERMUTATIONS // 2 + 1)  # the library needs at least two bands
        if (1 - threshold**rows) ** (PERMUTATIONS // rows) <= MISSED
    ]
    rows = max(fitting, default=1)
    return PERMUTATIONS // rows, rows


def near_pairs(posts: Mapping[str, Words], threshold: float) -> Iterator[tuple[str, str, float]]:
    """Return pairs of posts whose shingles have at least this Jaccard similarity.

    MinHash proposes pairs, the sets themselves decide. The same input gives the same pairs.
    """
    try:
        from datasketch import MinHash, MinHashLSH
    except ImportError:
        raise MissingExtraError(
            f"finding near-duplicate posts needs datasketch, which is not installed; {pip_install('audit')}"
        ) from None
    index = MinHashLSH(num_perm=PERMUTATIONS, params=bands(threshold))
    empty = MinHash(num_perm=PERMUTATIONS, seed=1)  # copied: its permutations are drawn once
    sets: dict[str, frozenset[str]] = {}
    for post, words in posts.items():
        mine = shingles(words)
        sketch = empty.copy()
        sketch.update_batch([each.encode() for each in sorted(mine)])
        for other in sorted(index.query(sketch)):
            alike = _overlap(mine, sets[other])
            if alike >= threshold:
                yield other, post, alike
        index.insert(post, sketch)
        sets[post] = mine


def shingles(words: Sequence[str]) -> frozenset[str]:
    """Return all runs of SHINGLE words."""
    return frozenset(" ".join(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1))


def jaccard(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the Jaccard similarity of the shingles of two texts."""
    return _overlap(shingles(one), shingles(other))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)
