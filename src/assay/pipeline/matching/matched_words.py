"""The words of a corpus, and how the words of each question occur in its candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints
from assay.pipeline.matching.matching_model import Candidates
from assay.pipeline.matching.pairs import Pairs
from assay.pipeline.matching.word_arrays import Surface, Vocabulary, ragged, surfaces_of
from assay.pipeline.matching.word_coverage import Alignment, align
from assay.pipeline.models.static_embeddings import FILES
from assay.pipeline.protocol.array_files import Arrays
from assay.pipeline.protocol.stage_cache import Cache
from assay.pipeline.view_layout import Layout, Taken

PARTS = {"sentences": Surface, "criteria": Surface, "vocabulary": Vocabulary, "alignment": Alignment}


@dataclass(frozen=True, slots=True, eq=False)
class MatchedWords:
    """Words of sentences and criteria, and their alignment for every pair; nothing is fitted."""

    sentences: Surface
    criteria: Surface
    vocabulary: Vocabulary
    alignment: Alignment


class CorpusWords:
    """The matched words of a whole corpus, computed when a stage first asks for them.

    If every criterion has enough evidence, no stage does. Once they are there, the texts are
    forgotten; another process gets the arrays, or the texts to compute them from.
    """

    def __init__(self, cache: Cache, mark: str, texts: tuple[pl.Series, pl.Series], layout: Layout) -> None:
        """`texts` are those of the sentences and of the criteria."""
        self._cache, self._mark = cache, mark
        self._source: tuple[tuple[pl.Series, pl.Series], Layout] | None = (texts, layout)
        self._arrays: Arrays = {}

    def found(self) -> MatchedWords:
        """Return the words, from the cache if they were compared before."""
        if self._source is not None:
            facts = {"words": self._mark, "files": FILES}
            self._arrays, self._source = self._cache.shared(facts, self._made), None
        parts = {
            name: kind(
                **{each.name: np.asarray(self._arrays[f"{name}.{each.name}"]) for each in fields(kind)}
            )
            for name, kind in PARTS.items()
        }
        return MatchedWords(**parts)

    def _made(self) -> dict[str, Any]:
        if self._source is None:
            return {}
        texts, layout = self._source
        said, asked, vocabulary = surfaces_of(*texts)
        pairs = Pairs(layout.query_criterion, layout.pair_sentence, layout.pair_offsets)
        made: list[Any] = [said, asked, vocabulary, align(said, asked, vocabulary, pairs)]
        return {
            f"{name}.{each.name}": getattr(part, each.name)
            for name, part in zip(PARTS, made, strict=True)
            for each in fields(part)
        }


@dataclass(frozen=True, slots=True, eq=False)
class WordsOnDemand:
    """The matched words of a view: which sentences and pairs of the corpus it has; None: all."""

    corpus: CorpusWords
    sentences: Ints | None = None
    pairs: Ints | None = None

    def take(self, taken: Taken) -> WordsOnDemand:
        """Return the words of some posts."""
        return replace(
            self,
            sentences=_composed(self.sentences, taken.sentences),
            pairs=_composed(self.pairs, taken.pairs),
        )

    def candidates(self, layout: Layout, queries: Ints, also: Mapping[str, Floats]) -> Candidates:
        """Return some queries of the view's layout with their words, and further scores of their pairs."""
        whole = self.corpus.found()
        at, offsets = ragged(layout.pair_offsets, queries)
        sentences, sentence = np.unique(layout.pair_sentence[at], return_inverse=True)
        criteria, criterion = np.unique(layout.query_criterion[queries], return_inverse=True)
        return Candidates(
            whole.sentences.take(_composed(self.sentences, sentences)),
            whole.criteria.take(criteria),
            whole.vocabulary,
            Pairs(criterion, sentence, offsets),
            whole.alignment.take(_composed(self.pairs, at)),
            {name: values[at] for name, values in also.items()},
        )

    def longest(self) -> int:
        """Return the number of words of the longest criterion of the corpus."""
        return int(self.corpus.found().criteria.lengths.max(initial=0))


def _composed(first: Ints | None, then: Ints) -> Ints:
    return then if first is None else first[then]
