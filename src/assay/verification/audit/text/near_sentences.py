"""Find near-identical sentences with an index of word pairs, and posts that share many.

Each sentence is represented by its pairs of words: neighbours, and words with one word between
them. Changing one word keeps most of them. Sentences that share enough pairs are compared word by
word. The index is deterministic, and its cost grows with the number of words: if a pair of words
occurs in many sentences, only neighbours in its list are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints
from assay.verification.audit.text.normalise import words_of

SHORTEST_SENTENCE = 5
"""Minimum words of a sentence to compare: short ones recur without being copied."""
ALIKE = 0.6
"""Share of words in common, 2·|A ∩ B| / (|A| + |B|) as multisets, from which sentences match."""
FULL_LIST = 16
"""Number of sentences with the same word pair up to which all are compared with each other."""
SHARED_PAIRS = 0.25
"""Share of the word pairs of the shorter sentence that two sentences must have in common."""

UNSEEN = 1e-4
"""Chance that a post has a sentence that occurs only in it and in the other post of the pair."""


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences to compare: their posts, their items and their words."""

    post: tuple[str, ...]
    item: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    length: Mapping[str, int]  # words of each post, including those of short sentences


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of matching sentences of different posts, by index, with their share of words."""

    one: Ints
    other: Ints
    alike: Floats

    def at_least(self, share: float) -> Pairs:
        """Return those with at least this share of their words in common."""
        kept = self.alike >= share
        return Pairs(self.one[kept], self.other[kept], self.alike[kept])


def read_sentences(table: pl.DataFrame) -> Sentences:
    """Return the sentences of a table (post_id, item, text) that are long enough to compare."""
    post, item, kept = [], [], []
    length: Counter[str] = Counter()
    for owner, name, text in table.select("post_id", "item", "text").iter_rows():
        words = words_of(str(text or ""))
        length[owner] += len(words)
        if len(words) >= SHORTEST_SENTENCE:
            post.append(owner)
            item.append(name)
            kept.append(words)
    return Sentences(tuple(post), tuple(item), tuple(kept), length)


def agreeing(sentences: Sentences) -> Pairs:
    """Return pairs of sentences of different posts with at least ALIKE of their words in common."""
    none = np.array([], dtype=np.int64)
    if len(sentences.words) < 2:
        return Pairs(none, none, none.astype(float))
    one, other = _proposed(sentences)
    counts = [Counter(words) for words in sentences.words]
    sizes = np.array([len(words) for words in sentences.words])
    common = np.array(
        [
            sum(min(times, counts[right][word]) for word, times in counts[left].items())
            for left, right in zip(one.tolist(), other.tolist(), strict=True)
        ],
        dtype=np.int64,
    )
    alike = 2 * common / (sizes[one] + sizes[other])
    return Pairs(one, other, alike).at_least(ALIKE)


def _proposed(sentences: Sentences) -> tuple[Ints, Ints]:
    """Return pairs of sentences of different posts with enough word pairs in common."""
    sizes = np.array([len(words) for words in sentences.words])
    codes: dict[str, int] = {}
    flat = np.array([codes.setdefault(w, len(codes)) for words in sentences.words for w in words])
    owner = np.repeat(np.arange(len(sizes)), sizes)
    features, owners = [], []
    for gap in (1, 2):
        inside = owner[:-gap] == owner[gap:]
        pair = flat[:-gap] * len(codes) + flat[gap:]
        features.append(2 * pair[inside] + gap - 1)
        owners.append(owner[:-gap][inside])
    rows = pl.DataFrame({"pair": np.concatenate(features), "at": np.concatenate(owners)})
    rows = rows.unique().sort("pair", "at")
    many = rows.group_by("at").len().sort("at")["len"].to_numpy()  # every sentence has some
    rows = rows.with_columns(pl.len().over("pair").alias("df"))
    few = rows.filter(pl.col("df").is_between(2, FULL_LIST)).select("pair", "at")
    short = few.join(few, on="pair", suffix="_other").filter(pl.col("at") < pl.col("at_other"))
    long = rows.filter(pl.col("df") > FULL_LIST).with_columns(
        pl.col("at").shift(-1).over("pair").alias("at_other")
    )
    both = pl.concat([each.select("at", "at_other") for each in (short, long.drop_nulls())])
    shared = both.group_by("at", "at_other").len().sort("at", "at_other")
    one, other = shared["at"].to_numpy(), shared["at_other"].to_numpy()
    enough = shared["len"].to_numpy() >= SHARED_PAIRS * np.minimum(many[one], many[other])
    post = np.unique(np.array(sentences.post, dtype=object).astype(str), return_inverse=True)[1]
    kept = enough & (post[one] != post[other])
    return one[kept], other[kept]


def shared_text(sentences: Sentences, pairs: Pairs) -> pl.DataFrame:
    """Return pairs of posts with matching sentences: one, other, sentences, words, share, chance.

    `sentences` and `words` count the matches in the post of which more is in the other one, `share`
    is that part of its words. `chance` bounds how often any pair of posts would have this much in
    common by using the same phrases: a phrase that d of n other posts have is in a post with chance
    d / n, or with UNSEEN if no other post has it.
    """
    size = [len(words) for words in sentences.words]
    phrase, users = _phrases(sentences, pairs)
    posts = len(sentences.length)
    found: dict[tuple[str, str], tuple[set[int], set[int]]] = {}
    for left, right in zip(pairs.one.tolist(), pairs.other.tolist(), strict=True):
        names = sentences.post[left], sentences.post[right]
        order = names if names[0] <= names[1] else names[::-1]
        mine = found.setdefault(order, (set(), set()))
        mine[order.index(names[0])].add(left)
        mine[order.index(names[1])].add(right)
    rows = []
    for names, both in found.items():
        sides = [
            (sum(size[at] for at in mine) / sentences.length[name], len(mine), mine)
            for name, mine in zip(names, both, strict=True)
        ]
        share, number, copied = max(sides, key=lambda side: side[:2])
        logs = [
            log(max((users[each] - 2) / max(posts - 2, 1), UNSEEN)) for each in {phrase[at] for at in copied}
        ]
        chance = exp(min(0.0, sum(logs) + log(posts * (posts - 1) / 2)))
        rows.append((*names, number, sum(size[at] for at in copied), share, chance))
    schema = {
        "one": pl.String,
        "other": pl.String,
        "sentences": pl.Int64,
        "words": pl.Int64,
        "share": pl.Float64,
        "chance": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort(
        "share", "one", "other", descending=[True, False, False]
    )


def _phrases(sentences: Sentences, pairs: Pairs) -> tuple[dict[int, int], dict[int, int]]:
    """Return the phrase of each sentence that matches another, and how many posts have it.

    Sentences that match, directly or through others, are one phrase.
    """
    parent: dict[int, int] = {}

    def root(at: int) -> int:
        while parent.setdefault(at, at) != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for left, right in zip(pairs.one.tolist(), pairs.other.tolist(), strict=True):
        parent[root(left)] = root(right)
    phrase = {at: root(at) for at in list(parent)}
    users: dict[int, set[str]] = {}
    for at, each in phrase.items():
        users.setdefault(each, set()).add(sentences.post[at])
    return phrase, {each: len(names) for each, names in users.items()}
