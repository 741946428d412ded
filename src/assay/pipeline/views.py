"""What a stage may see of the posts: an `Unlabelled` view has no gold, a `Labelled` one adds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.errors import AssayError
from assay.pipeline.models.tokens import Tokens

Columns = Mapping[str, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Unlabelled:
    """Posts with their sentences, every criterion, and the columns that stages have produced.

    A column has one value per (sentence, criterion) pair or per (post, criterion) query; rows are
    sentences or posts, columns are criteria. It contains no gold.
    """

    posts: tuple[str, ...]
    criteria: tuple[str, ...]
    offsets: Ints  # the sentences of post i are offsets[i] … offsets[i+1]-1
    tokens: Tokens
    asked: Bools  # posts × criteria: which pairs are queries
    columns: Columns = field(default_factory=dict)

    @property
    def sizes(self) -> Ints:
        """Return the number of sentences of each post."""
        return np.diff(self.offsets)

    @property
    def owner(self) -> Ints:
        """Return the post of each sentence."""
        return np.repeat(np.arange(len(self.posts)), self.sizes)

    @property
    def place(self) -> Ints:
        """Return the position of each sentence in its post, from 0."""
        return np.arange(int(self.offsets[-1])) - np.repeat(self.offsets[:-1], self.sizes)

    def column(self, name: str) -> Floats:
        """Return a column that the stage declared; all others are hidden from it."""
        if name not in self.columns:
            has = ", ".join(self.columns) or "none"
            raise AssayError(f"the view has no column {name!r}; the stage declared only: {has}")
        return self.columns[name]

    def only(self, names: Iterable[str]) -> Unlabelled:
        """Return the view with these columns and no others."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def with_columns(self, columns: Columns) -> Unlabelled:
        """Return the view with further columns."""
        return replace(self, columns={**self.columns, **columns})

    def rows(self, posts: Ints) -> Ints:
        """Return the sentences of these posts, post by post."""
        sizes = self.sizes[posts]
        ends = np.cumsum(sizes)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        return np.repeat(self.offsets[:-1][posts], sizes) + within

    def take(self, posts: Ints) -> Unlabelled:
        """Return the view of some of the posts."""
        rows = self.rows(posts)
        sentences = int(self.offsets[-1])
        columns = {
            name: values[rows if len(values) == sentences else posts]
            if sentences != len(self.posts)
            else values[posts]
            for name, values in self.columns.items()
        }
        return Unlabelled(
            tuple(self.posts[at] for at in posts),
            self.criteria,
            np.concatenate([[0], np.cumsum(self.sizes[posts])]),
            self.tokens.take(rows),
            self.asked[posts],
            columns,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A view with gold, only for `fit`.

    `known` marks the (post, criterion) pairs a stage may learn from: queries of criteria that are
    not excluded from training.
    """

    view: Unlabelled
    gold: Bools  # sentences × criteria
    known: Bools  # posts × criteria

    @property
    def evidence(self) -> Bools:
        """Return whether each query has evidence."""
        return any_of(self.gold, self.view.offsets)

    @property
    def known_pairs(self) -> Bools:
        """Return `known` for each (sentence, criterion) pair."""
        return self.known[self.view.owner]

    def take(self, posts: Ints) -> Labelled:
        """Return the view of some of the posts."""
        rows = self.view.rows(posts)
        return Labelled(self.view.take(posts), self.gold[rows], self.known[posts])

    def only(self, names: Iterable[str]) -> Labelled:
        """Return the view with these columns and no others."""
        return replace(self, view=self.view.only(names))


def any_of(pairs: Bools, offsets: Ints) -> Bools:
    """Return whether any sentence of each post is marked."""
    return np.asarray(np.maximum.reduceat(pairs, offsets[:-1], axis=0))


def shifted(values: Floats, offsets: Ints, by: int) -> Floats:
    """Return the value of the sentence `by` positions later in the same post, or NaN."""
    out = np.full_like(values, np.nan)
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    source = np.arange(len(values)) + by
    inside = (source >= 0) & (source < len(values))
    inside[inside] &= owner[source[inside]] == owner[inside]
    out[inside] = values[source[inside]]
    return out


def ranks(values: Floats, offsets: Ints) -> Ints:
    """Return the rank of each sentence in its post, from 0, by value; ties keep the order."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    out = np.empty(values.shape, dtype=np.int64)
    place = np.arange(len(values)) - offsets[:-1][owner]
    for criterion in range(values.shape[1]):
        order = np.lexsort((-values[:, criterion], owner))  # lexsort is stable
        out[order, criterion] = place
    return out
