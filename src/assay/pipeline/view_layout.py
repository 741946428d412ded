"""How posts, sentences, queries and pairs are numbered: only pairs that are asked exist."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.array_types import Bools, Ints


@dataclass(frozen=True, eq=False)
class Layout:
    """Posts with their sentences, and queries with their candidates.

    A query asks one criterion of one post. Its candidates are all sentences of that post, in
    reading order, so its pairs are contiguous. Queries are sorted by post, then by criterion.
    """

    posts: tuple[str, ...]
    criteria: tuple[str, ...]
    offsets: Ints  # the sentences of post i are offsets[i] … offsets[i+1]-1
    query_post: Ints
    query_criterion: Ints

    def __reduce__(self) -> tuple[Any, ...]:
        # What was derived from these is derived again.
        return Layout, (self.posts, self.criteria, self.offsets, self.query_post, self.query_criterion)

    @cached_property
    def sizes(self) -> Ints:
        """Return the number of sentences of each post."""
        return np.diff(self.offsets)

    @cached_property
    def owner(self) -> Ints:
        """Return the post of each sentence."""
        return np.repeat(np.arange(len(self.posts)), self.sizes)

    @cached_property
    def place(self) -> Ints:
        """Return the position of each sentence in its post, from 0."""
        return np.arange(int(self.offsets[-1])) - np.repeat(self.offsets[:-1], self.sizes)

    @cached_property
    def query_sizes(self) -> Ints:
        """Return the number of candidates of each query."""
        return self.sizes[self.query_post]

    @cached_property
    def pair_offsets(self) -> Ints:
        """Return where the pairs of each query start; the pairs of query q end at the next start."""
        return np.concatenate([[0], np.cumsum(self.query_sizes)]).astype(np.int64)

    @cached_property
    def post_pairs(self) -> Ints:
        """Return the number of pairs of each post."""
        return np.bincount(self.query_post, minlength=len(self.posts)) * self.sizes

    @cached_property
    def pair_query(self) -> Ints:
        """Return the query of each pair."""
        return np.repeat(np.arange(len(self.query_post)), self.query_sizes)

    @cached_property
    def pair_sentence(self) -> Ints:
        """Return the sentence of each pair."""
        return runs(self.offsets[:-1][self.query_post], self.query_sizes)

    @cached_property
    def pair_criterion(self) -> Ints:
        """Return the criterion of each pair."""
        return self.query_criterion[self.pair_query]

    def taken(self, posts: Ints) -> Taken:
        """Return the layout of some of the posts, and which sentences, queries and pairs are kept."""
        rows = runs(self.offsets[:-1][posts], self.sizes[posts])
        first = np.searchsorted(self.query_post, posts)
        counts = np.searchsorted(self.query_post, posts, side="right") - first
        queries = runs(first, counts)
        pairs = runs(self.pair_offsets[:-1][queries], self.query_sizes[queries])
        kept = Layout(
            tuple(self.posts[at] for at in posts),
            self.criteria,
            np.concatenate([[0], np.cumsum(self.sizes[posts])]).astype(np.int64),
            np.repeat(np.arange(len(posts)), counts),
            self.query_criterion[queries],
        )
        return Taken(kept, posts, rows, queries, pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Part of a layout, with the positions of its posts, sentences, queries and pairs in the full layout."""

    layout: Layout
    posts: Ints
    sentences: Ints
    queries: Ints
    pairs: Ints


def runs(starts: Ints, lengths: Ints) -> Ints:
    """Return start, start + 1, … of each run, one run after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - ends + lengths, lengths) + np.arange(total)


def asked_everywhere(posts: Iterable[str], criteria: Iterable[str], offsets: Ints) -> Layout:
    """Return the layout in which every criterion is asked of every post."""
    names, ids = tuple(posts), tuple(criteria)
    post = np.repeat(np.arange(len(names)), len(ids))
    return Layout(names, ids, offsets, post, np.tile(np.arange(len(ids)), len(names)))


def layout_of(posts: Iterable[str], criteria: Iterable[str], offsets: Ints, asked: Bools) -> Layout:
    """Return the layout of the queries that are marked in an array of posts × criteria."""
    post, criterion = np.nonzero(asked)
    return Layout(tuple(posts), tuple(criteria), offsets, post, criterion)
