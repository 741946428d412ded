"""What a stage may see of the posts: an `Unlabelled` view has no gold, a `Labelled` one adds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from assay.data.model import Bools, Floats, Ints
from assay.errors import AssayError
from assay.pipeline.tokens import Tokens

Columns = Mapping[str, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Unlabelled:
    """Posts with their sentences, every criterion, and the columns that stages gave so far.

    A column has one value a (sentence, criterion) pair or one a (post, criterion) query; rows are
    sentences or posts, columns are criteria. There is no gold in it to look at.
    """

    posts: tuple[str, ...]
    criteria: tuple[str, ...]
    offsets: Ints  # the sentences of post i are offsets[i] … offsets[i+1]-1
    tokens: Tokens
    asked: Bools  # posts × criteria: which pairs are queries
    columns: Columns = field(default_factory=dict)

    @property
    def sizes(self) -> Ints:
        """Sentences of each post."""
        return np.diff(self.offsets)

    @property
    def owner(self) -> Ints:
        """The post of each sentence."""
        return np.repeat(np.arange(len(self.posts)), self.sizes)

    @property
    def place(self) -> Ints:
        """The place of each sentence in its post, from 0."""
        return np.arange(int(self.offsets[-1])) - np.repeat(self.offsets[:-1], self.sizes)

    def column(self, name: str) -> Floats:
        """A column that the stage declared; any other is hidden from it."""
        if name not in self.columns:
            has = ", ".join(self.columns) or "none"
            raise AssayError(f"the view has no column {name!r}; a stage sees what it needs: {has}")
        return self.columns[name]

    def only(self, names: Iterable[str]) -> Unlabelled:
        """The view with these columns and no others."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def with_columns(self, columns: Columns) -> Unlabelled:
        """The view with further columns."""
        return replace(self, columns={**self.columns, **columns})

    def rows(self, posts: Ints) -> Ints:
        """The sentences of these posts, post after post."""
        sizes = self.sizes[posts]
        ends = np.cumsum(sizes)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        return np.repeat(self.offsets[:-1][posts], sizes) + within

    def take(self, posts: Ints) -> Unlabelled:
        """The view of some of the posts."""
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
    """A view with gold, for `fit` alone.

    `known` says which (post, criterion) pairs a stage may learn from: queries of criteria that are
    not excluded from training.
    """

    view: Unlabelled
    gold: Bools  # sentences × criteria
    known: Bools  # posts × criteria

    @property
    def evidence(self) -> Bools:
        """Whether each query has evidence."""
        return any_of(self.gold, self.view.offsets)

    @property
    def known_pairs(self) -> Bools:
        """`known` for each (sentence, criterion) pair."""
        return self.known[self.view.owner]

    def take(self, posts: Ints) -> Labelled:
        """Some of the posts."""
        rows = self.view.rows(posts)
        return Labelled(self.view.take(posts), self.gold[rows], self.known[posts])

    def only(self, names: Iterable[str]) -> Labelled:
        """With these columns and no others."""
        return replace(self, view=self.view.only(names))


def any_of(pairs: Bools, offsets: Ints) -> Bools:
    """Whether any sentence of each post is marked."""
    return np.asarray(np.maximum.reduceat(pairs, offsets[:-1], axis=0))


def shifted(values: Floats, offsets: Ints, by: int) -> Floats:
    """The value of the sentence `by` places further in the same post; NaN where there is none."""
    out = np.full_like(values, np.nan)
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    source = np.arange(len(values)) + by
    inside = (source >= 0) & (source < len(values))
    inside[inside] &= owner[source[inside]] == owner[inside]
    out[inside] = values[source[inside]]
    return out


def ranks(values: Floats, offsets: Ints) -> Ints:
    """The rank of each sentence in its post, from 0, by value; ties in the order of the post."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    out = np.empty(values.shape, dtype=np.int64)
    place = np.arange(len(values)) - offsets[:-1][owner]
    for criterion in range(values.shape[1]):
        order = np.lexsort((-values[:, criterion], owner))  # lexsort is stable
        out[order, criterion] = place
    return out
