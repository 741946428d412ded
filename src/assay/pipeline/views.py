"""What a stage may see of the posts: an `Unlabelled` view has no gold, a `Labelled` one adds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from assay.array_types import Bools, Floats, Ints
from assay.errors import AssayError
from assay.pipeline.matching.matched_words import WordsOnDemand
from assay.pipeline.models.tokens import Tokens
from assay.pipeline.query_arrays import any_of
from assay.pipeline.view_layout import Layout, Taken

Columns = Mapping[str, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Unlabelled:
    """Posts without gold: what `apply` of a stage gets.

    A column has one value per (query, candidate) pair or one per query, in the order of the
    layout.

    Attributes
    ----------
    layout
        How pairs, queries, sentences and posts are numbered: arrays such as `pair_query`,
        `pair_sentence`, `pair_offsets`, `pair_criterion`, `query_post` and `query_criterion`.
    tokens
        Counts of words and characters of each sentence and criterion.
    columns
        The columns that the stage declared in `needs`.
    ranked_by
        The column that ranks the candidates so far.

    """

    layout: Layout
    tokens: Tokens
    columns: Columns = field(default_factory=dict)
    words: WordsOnDemand | None = None  # if a stage compares words
    ranked_by: str = ""

    @property
    def posts(self) -> tuple[str, ...]:
        """Return the ids of the posts."""
        return self.layout.posts

    @property
    def criteria(self) -> tuple[str, ...]:
        """Return the ids of all criteria of the corpus."""
        return self.layout.criteria

    @property
    def queries(self) -> int:
        """Return the number of queries."""
        return len(self.layout.query_post)

    @property
    def pairs(self) -> int:
        """Return the number of (query, candidate) pairs."""
        return int(self.layout.pair_offsets[-1])

    def column(self, name: str) -> Floats:
        """Return a column that the stage declared; all others are hidden from it."""
        if name not in self.columns:
            has = ", ".join(self.columns) or "none"
            raise AssayError(f"the view has no column {name!r}; the stage declared only: {has}")
        return self.columns[name]

    def texts(self) -> tuple[list[str], list[str]]:
        """Return the criterion text and the sentence text of each pair; needs `reads = True`."""
        texts = self.tokens.texts
        if texts is None:
            raise AssayError("the view has no texts; a stage that reads them declares reads = True")
        criteria = [texts.criteria[at] for at in self.layout.pair_criterion]
        return criteria, texts.sentences[self.layout.pair_sentence].tolist()

    def only(self, names: Iterable[str]) -> Unlabelled:
        """Return the view with these columns and no others."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def with_columns(self, columns: Columns) -> Unlabelled:
        """Return the view with further columns."""
        return replace(self, columns={**self.columns, **columns})

    def take(self, posts: Ints) -> Unlabelled:
        """Return the view of some of the posts, in increasing order."""
        return self._kept(self.layout.taken(posts))

    def _kept(self, taken: Taken) -> Unlabelled:
        # If every query has one candidate, pairs and queries are the same and so are their places.
        columns = {
            name: values[taken.pairs if len(values) == self.pairs else taken.queries]
            for name, values in self.columns.items()
        }
        words = None if self.words is None else self.words.take(taken)
        tokens = self.tokens.take(taken.sentences, taken.posts)
        return Unlabelled(taken.layout, tokens, columns, words, self.ranked_by)


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A view with gold: what `fit` of a stage gets.

    Attributes
    ----------
    view
        The posts, with the columns that the stage declared in `needs`.
    gold
        Whether each pair is evidence.
    known
        Whether a stage may learn from each query: not if its criterion is excluded from training.

    """

    view: Unlabelled
    gold: Bools  # one per pair
    known: Bools  # one per query

    @property
    def evidence(self) -> Bools:
        """Return whether each query has evidence."""
        return any_of(self.gold, self.view.layout.pair_offsets)

    @property
    def known_pairs(self) -> Bools:
        """Return `known` for each pair."""
        return self.known[self.view.layout.pair_query]

    def take(self, posts: Ints) -> Labelled:
        """Return the view of some of the posts, in increasing order."""
        taken = self.view.layout.taken(posts)
        return Labelled(self.view._kept(taken), self.gold[taken.pairs], self.known[taken.queries])

    def only(self, names: Iterable[str]) -> Labelled:
        """Return the view with these columns and no others."""
        return replace(self, view=self.view.only(names))
