"""The words of a corpus, and how the words of each question occur in its candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from assay.pipeline.matching.alignment import Alignment, align
from assay.pipeline.matching.matching_model import Candidates
from assay.pipeline.matching.pairs import Pairs
from assay.pipeline.matching.surface import Surface, Vocabulary, surfaces_of
from assay.pipeline.models.static_embeddings import FILES
from assay.pipeline.models.tokens import Texts
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

    def take(self, taken: Taken) -> MatchedWords:
        """Return the words of some posts; the criteria stay."""
        kept = self.alignment.take(taken.pairs)
        return replace(self, sentences=self.sentences.take(taken.sentences), alignment=kept)

    def candidates(self, layout: Layout) -> Candidates:
        """Return the queries of a layout with their words."""
        pairs = Pairs(layout.query_criterion, layout.pair_sentence, layout.pair_offsets)
        return Candidates(self.sentences, self.criteria, self.vocabulary, pairs, self.alignment)


def matched_words(cache: Cache, mark: str, texts: Texts, layout: Layout) -> MatchedWords:
    """Return the words of a corpus, from the cache if they were compared before."""

    def make() -> dict[str, Any]:
        said, asked, vocabulary = surfaces_of(texts.sentences.tolist(), list(texts.criteria))
        pairs = Pairs(layout.query_criterion, layout.pair_sentence, layout.pair_offsets)
        made: list[Any] = [said, asked, vocabulary, align(said, asked, vocabulary, pairs)]
        return {
            f"{name}.{each.name}": getattr(part, each.name)
            for name, part in zip(PARTS, made, strict=True)
            for each in fields(part)
        }

    return _from(cache.get({"words": mark, "files": FILES}, make))


def _from(arrays: Mapping[str, Any]) -> MatchedWords:
    parts = {
        name: kind(**{each.name: np.asarray(arrays[f"{name}.{each.name}"]) for each in fields(kind)})
        for name, kind in PARTS.items()
    }
    return MatchedWords(**parts)
