"""Texts of sentences and criteria, which only `--with-text` puts into a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.array_types import Ints
from assay.data.corpus import Corpus, read_corpus
from assay.errors import InputError
from assay.report.report_bundle import Bundle


@dataclass(frozen=True, slots=True)
class Texts:
    """Sentences by post and id, and criteria by id."""

    sentences: dict[tuple[str, str], str]
    criteria: dict[str, str]

    def of_items(self, names: list[str], post: Ints, items: list[list[str]]) -> dict[str, Any]:
        """Return the text of every item, post by post."""
        owner = dict(zip(post.tolist(), names, strict=True))
        texts = [
            [self.sentences.get((owner[at], item), "") for item in each] for at, each in enumerate(items)
        ]
        return {"texts": texts, "criterion_texts": self.criteria}


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
    )


def _refuse_another(corpus: Corpus, bundles: list[Bundle]) -> None:
    """The hash of the sentences must be among the inputs of every bundle that names its files."""
    file = corpus.sentences.file
    found = None if file is None else file.record().sha256
    for bundle in bundles:
        known = {each["sha256"] for each in bundle.document["inputs"]}
        if known and found not in known:
            problem = f"is not the corpus of {bundle.folder.name}: its sentences differ"
            raise InputError.of(corpus.name, problem, "expected the corpus that was evaluated")
