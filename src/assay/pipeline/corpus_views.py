"""A corpus as arrays: one view of all its posts, with gold kept separately."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats, Ints
from assay.data.corpus import QUERY, Corpus
from assay.errors import InputError
from assay.pipeline.matching.matched_words import CorpusWords, WordsOnDemand
from assay.pipeline.models.encoding import embedded
from assay.pipeline.models.model_files import STATIC
from assay.pipeline.models.static_embeddings import FILES, embed
from assay.pipeline.models.tokens import LEAST, Counts, Texts, Tokens, count_tokens
from assay.pipeline.models.vector_cache import Vectors
from assay.pipeline.protocol.stage_cache import Cache, digest, digest_array
from assay.pipeline.regressions.own_models import OWN
from assay.pipeline.stages.embedding_scorer import EmbeddingScorer, EmbeddingSettings
from assay.pipeline.view_layout import Layout
from assay.pipeline.views import Unlabelled

SHARED = "ASSAY_VECTORS"
"""Environment variable naming a folder in which all runs cache model outputs."""
CHUNK = 20_000  # texts held as Python strings


@dataclass(frozen=True, slots=True, eq=False)
class Posts:
    """All posts in one view, the ids of their sentences, all gold, a hash of texts and queries."""

    view: Unlabelled
    sentences: pl.Series
    gold: Bools
    texts: str


def posts_of(
    corpus: Corpus,
    cache: Cache,
    *,
    dense: EmbeddingSettings | None = None,
    reads: bool = False,
    words: bool = False,
    least: int = LEAST,
) -> Posts:
    """Return the arrays of a corpus: sentences by post and position, and the queries asked of them.

    `dense` names the embeddings to load, `reads` states that a stage reads the texts themselves,
    `words` that one compares their words, `least` in how many texts a token must occur.
    """
    frame = _ordered(corpus)
    names = frame["post_id"].unique(maintain_order=True).to_list()
    criteria = corpus.criteria.frame
    ids = criteria["criterion_id"].to_list()
    wording = criteria["text" if "text" in criteria.columns else "criterion_id"].fill_null("")
    texts = frame["text"].cast(pl.String).fill_null("")
    mark = _digest([frame["post_id"], frame["sent_uid"], texts, criteria["criterion_id"], wording])
    sizes = frame.group_by("post_id", maintain_order=True).len()["len"].to_numpy()
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    layout = _layout(corpus, names, ids, offsets)
    # Character n-grams take most of the memory, and only a criterion's own model learns from them.
    chars = bool(np.bincount(layout.query_criterion).max(initial=0) >= OWN)
    make = partial(count_tokens, texts, wording, offsets, chars=chars, least=least)
    tokens = Tokens(Counts(cache.shared({"tokens": mark, "chars": chars, "least": least}, make)))
    gold = _gold(corpus, layout, frame)
    if reads or dense is not None:
        written = Texts(np.array(texts.to_list(), dtype=object), tuple(wording), vectors_of(cache))
        if dense is not None and dense.source == STATIC:
            tokens = _with_static(cache, mark, tokens, written)
        elif dense is not None:
            made = embedded(dense, EmbeddingScorer.name, written, offsets)
            tokens = replace(tokens, dense=made[0], query_dense=made[1])
        tokens = replace(tokens, texts=written if reads else None)
    asked = digest([mark, digest_array(layout.query_post), digest_array(layout.query_criterion)])
    matched = WordsOnDemand(CorpusWords(cache, asked, (texts, wording), layout)) if words else None
    view = Unlabelled(layout, tokens, words=matched)
    return Posts(view, frame["sent_uid"].cast(pl.String), gold, asked)


def _layout(corpus: Corpus, posts: list[str], criteria: list[str], offsets: Ints) -> Layout:
    """Return the queries of a corpus by post, then by criterion."""
    post = pl.DataFrame({"post_id": posts}).with_row_index("__post")
    criterion = pl.DataFrame({"criterion_id": criteria}).with_row_index("__criterion")
    joined = corpus.queries.frame.select(QUERY).join(post, on="post_id").join(criterion, on="criterion_id")
    asked = joined.select("__post", "__criterion").unique().sort("__post", "__criterion")
    numbers = [asked[name].to_numpy().astype(np.int64) for name in ("__post", "__criterion")]
    return Layout(tuple(posts), tuple(criteria), offsets, *numbers)


def _gold(corpus: Corpus, layout: Layout, frame: pl.DataFrame) -> Bools:
    """Return whether each pair is evidence."""
    queries = pl.DataFrame(
        {
            "post_id": pl.Series(list(layout.posts)).gather(layout.query_post),
            "criterion_id": pl.Series(list(layout.criteria)).gather(layout.query_criterion),
            "__start": layout.pair_offsets[:-1],
        }
    )
    place = pl.Series("__place", layout.place)
    sentence = frame.select("post_id", "sent_uid").with_columns(place)
    marked = corpus.gold.frame.filter(pl.col("grade") >= 1).select(*QUERY, "sent_uid")
    marked = marked.join(sentence, on=["post_id", "sent_uid"]).join(queries, on=QUERY)
    gold = np.zeros(int(layout.pair_offsets[-1]), dtype=bool)
    gold[(marked["__start"] + marked["__place"]).to_numpy()] = True
    return gold


def _ordered(corpus: Corpus) -> pl.DataFrame:
    """Return the sentences grouped by post, by position if the corpus has positions."""
    frame = corpus.sentences.frame
    if "text" not in frame.columns:
        problem = f"has no column text ({corpus.sentences.columns})"
        raise InputError.of(corpus.sentences.source, problem, "add the sentence texts")
    first = frame.select(pl.col("post_id").unique(maintain_order=True)).with_row_index("__first")
    frame = frame.join(first, on="post_id", maintain_order="left")
    keys = ["__first"]
    if "position" in frame.columns:
        place = frame["position"].cast(pl.Float64, strict=False)
        if place.null_count():
            given, sentences = frame["position"], corpus.sentences
            faults = [
                sentences.fault(row, f"position is {given[row]!r}", "expected a number")
                for row in place.is_null().arg_true().to_list()
            ]
            raise InputError(faults)
        frame, keys = frame.with_columns(place.alias("__place")), ["__first", "__place"]
    return frame.sort(keys, maintain_order=True)


def _with_static(cache: Cache, mark: str, tokens: Tokens, texts: Texts) -> Tokens:
    def make() -> dict[str, Floats]:
        sentences = texts.sentences.tolist()
        return {"dense": embed(sentences), "query_dense": embed(list(texts.criteria))}

    made = cache.get({"static": mark, "files": FILES}, make)
    return replace(tokens, dense=made["dense"], query_dense=made["query_dense"])


def vectors_of(cache: Cache) -> Vectors:
    """Return where model outputs are cached: a folder shared by runs, or the run's own."""
    shared = os.environ.get(SHARED)
    if shared:
        return Vectors(Path(shared), cache.say)
    return Vectors(None if cache.folder is None else cache.folder / "vectors", cache.say)


def _digest(columns: Sequence[pl.Series]) -> str:
    """Return the SHA-256 of texts in order, each with its length, so that lists cannot collide."""
    made = hashlib.sha256()
    for texts in columns:
        for part in texts.cast(pl.String).to_frame().iter_slices(CHUNK):
            data = [text.encode() for text in part.to_series().to_list()]
            made.update(b"".join(b"%d:%b" % (len(each), each) for each in data))
    return made.hexdigest()
