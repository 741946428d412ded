"""Texts of sentences and criteria, which only `--with-text` puts into a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assay.array_types import Ints
from assay.data.corpus import QUERY, Corpus, read_corpus
from assay.errors import InputError
from assay.report.report_bundle import Bundle

EXPLANATIONS = "explanations.parquet"
WORDS = (*QUERY, "sent_uid", "feature", "contribution")


@dataclass(frozen=True, slots=True)
class Texts:
    """Sentences by post and id, and criteria by id."""

    sentences: dict[tuple[str, str], str]
    criteria: dict[str, str]
    positions: dict[tuple[str, str], int]  # where each is read; empty if the corpus does not say

    def of_items(self, names: list[str], post: Ints, items: list[list[str]]) -> dict[str, Any]:
        """Return the text of every item, post by post."""
        owner = dict(zip(post.tolist(), names, strict=True))
        texts = [
            [self.sentences.get((owner[at], item), "") for item in each] for at, each in enumerate(items)
        ]
        found: dict[str, Any] = {"texts": texts, "criterion_texts": self.criteria}
        if self.positions:
            found["positions"] = [
                [self.positions.get((owner[at], item), 0) for item in each] for at, each in enumerate(items)
            ]
        return found


def read_texts(folder: Path, bundles: list[Bundle]) -> Texts:
    """Return the texts of a corpus, which must be the one that the bundles are about."""
    corpus = read_corpus(folder)
    _refuse_another(corpus, bundles)
    frame = corpus.sentences.frame
    if "text" not in frame.columns:
        problem = f"has no column text ({corpus.sentences.columns})"
        raise InputError.of(corpus.sentences.source, problem, "expected the texts of the sentences")
    rows = frame.select("post_id", "sent_uid", "text").iter_rows()
    sentences = {(post, uid): text or "" for post, uid, text in rows}
    criteria = corpus.criteria.frame
    named = [name for name in ("name", "text") if name in criteria.columns]
    return Texts(
        sentences,
        {
            row[0]: ": ".join(str(each) for each in row[1:] if each)
            for row in criteria.select("criterion_id", *named).iter_rows()
        },
        _positions(corpus),
    )


def _positions(corpus: Corpus) -> dict[tuple[str, str], int]:
    frame = corpus.sentences.frame
    if "position" not in frame.columns:
        return {}
    rows = frame.select("post_id", "sent_uid", pl.col("position").cast(pl.Int64, strict=False)).iter_rows()
    return {(post, uid): at or 0 for post, uid, at in rows}


def explained_words(bundle: Bundle, post: Ints, items: list[list[str]]) -> dict[str, list[list[Any]]]:
    """Return the words that carried the score of a query, with item and contribution, by query.

    They are in the explanations of a run (`assay run --with-text`), in the folder next to its bundle.
    """
    file = bundle.folder.parent / "predictions" / EXPLANATIONS
    if not file.is_file() or list(bundle.result.query_keys) != [*QUERY]:
        return {}
    try:
        words = pl.read_parquet(file).filter(pl.col("about") == "word").select(WORDS)
    except (pl.exceptions.PolarsError, OSError):
        return {}
    places = bundle.queries.select(QUERY).with_row_index("__query")
    code = {(at, item): n for at, each in enumerate(items) for n, item in enumerate(each)}
    found: dict[str, list[list[Any]]] = {}
    for query, item, word, by in (
        words.join(places, on=QUERY, how="inner", maintain_order="left")
        .select("__query", "sent_uid", "feature", "contribution")
        .iter_rows()
    ):
        at = code.get((int(post[query]), item))
        if at is not None:
            found.setdefault(str(query), []).append([at, word, by])
    return found


def _refuse_another(corpus: Corpus, bundles: list[Bundle]) -> None:
    """The hash of the sentences must be among the inputs of every bundle that names its files."""
    file = corpus.sentences.file
    found = None if file is None else file.record().sha256
    for bundle in bundles:
        known = {each["sha256"] for each in bundle.document["inputs"]}
        if known and found not in known:
            problem = f"is not the corpus of {bundle.folder.name}: its sentences differ"
            raise InputError.of(corpus.name, problem, "expected the corpus that was evaluated")
