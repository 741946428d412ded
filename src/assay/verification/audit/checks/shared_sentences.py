"""Posts that share sentences with a post of another fold, or of their own fold."""

from __future__ import annotations

import polars as pl

from assay.evaluation.presentation import counted
from assay.verification.audit.audit_report import (
    CHANCE,
    AuditSettings,
    Seen,
    clean,
    flagged,
    found,
    not_applicable,
)
from assay.verification.audit.checks.repeated_posts import NO_PARTS, part_of_posts
from assay.verification.audit.facts import Facts
from assay.verification.audit.text.near_posts import jaccard, post_words
from assay.verification.audit.text.near_sentences import (
    SHORTEST_SENTENCE,
    Pairs,
    Sentences,
    agreeing,
    read_sentences,
    shared_text,
)

COPIED, COPIED_SENTENCES, COPIED_WORDS = 0.5, 2, 20
"""Share of a post's words in sentences that another post also has, from which it is a copy."""
SAME_SENTENCE = 0.75
"""Share of words that two sentences of copies have in common; ALIKE is enough for a flag."""
REUSED, REUSED_SENTENCES, REUSED_WORDS = 0.25, 3, 40
"""Share of a post's words in similar sentences, from which it is flagged."""
NEARLY_EQUAL = 0.8
"""Jaccard similarity of shingles from which a pair of posts is left to L003 and L004."""


def copied_sentences(facts: Facts, _: AuditSettings) -> Seen:
    """Check for posts in two folds (or in TUNE and EVAL) that share sentences, word by word.

    Pairs that L003 and L004 judge are left to them: those with the same words, and those with
    3-word shingles of Jaccard 0.8 or more.
    """
    assert facts.texts is not None, "the check needs texts"
    sentences = read_sentences(facts.texts)
    pairs = agreeing(sentences)
    looked = f"{len(sentences.words)} sentences of {SHORTEST_SENTENCE} words or more"
    copies = _copies(sentences, pairs)
    parts = part_of_posts(facts)
    if not parts:
        why = f"{NO_PARTS}; {counted(len(copies), 'pair')} of posts to keep together"
        return not_applicable(why, looked, pairs=len(copies))
    words = post_words(facts.texts)

    def ours(rows: pl.DataFrame) -> pl.DataFrame:
        kept = [
            parts.get(one) != parts.get(other)
            and (not {one, other} <= words.keys() or jaccard(words[one], words[other]) < NEARLY_EQUAL)
            for one, other in rows.select("one", "other").iter_rows()
        ]
        return rows.filter(pl.Series(kept, dtype=pl.Boolean))

    copies = ours(copies)
    if len(copies):
        why = f"{counted(len(copies), 'pair')} of posts that share half of one of them"
        return found(looked, why, _named(copies), pairs=len(copies))
    alike = ours(_sharing(sentences, pairs, REUSED, REUSED_SENTENCES, REUSED_WORDS))
    if len(alike):
        why = f"{counted(len(alike), 'pair')} of posts that nearly share a quarter of one of them"
        return flagged(looked, why, _named(alike), pairs=len(alike))
    return clean(looked)


def copies_in_fold(facts: Facts, _: AuditSettings) -> Seen:
    """Check for posts of one fold that are copies of each other: the same evidence counts twice."""
    assert facts.texts is not None, "the check needs texts"
    sentences = read_sentences(facts.texts)
    looked = f"{len(sentences.words)} sentences of {SHORTEST_SENTENCE} words or more"
    parts = part_of_posts(facts)
    if not parts:
        return not_applicable(NO_PARTS, looked)
    copies = _copies(sentences, agreeing(sentences))
    together = [parts.get(one) == parts.get(other) for one, other, *_ in copies.iter_rows()]
    copies = copies.filter(pl.Series(together, dtype=pl.Boolean))
    if copies.is_empty():
        return clean(looked)
    why = f"{counted(len(copies), 'pair')} of posts: intervals that resample posts are too narrow"
    return flagged(looked, why, _named(copies), pairs=len(copies))


def _copies(sentences: Sentences, pairs: Pairs) -> pl.DataFrame:
    """Return pairs of posts of which one is a copy of the other, or of a part of it."""
    same = pairs.at_least(SAME_SENTENCE)
    return _sharing(sentences, same, COPIED, COPIED_SENTENCES, COPIED_WORDS)


def _sharing(sentences: Sentences, pairs: Pairs, share: float, number: int, words: int) -> pl.DataFrame:
    """Return pairs of posts with more in common than common phrases would explain."""
    return shared_text(sentences, pairs).filter(
        pl.col("share") >= share,
        pl.col("sentences") >= number,
        pl.col("words") >= words,
        pl.col("chance") <= CHANCE,
    )


def _named(rows: pl.DataFrame) -> list[str]:
    return [
        f"{one} ~ {other} ({share:.0%})"
        for one, other, share in rows.select("one", "other", "share").iter_rows()
    ]
