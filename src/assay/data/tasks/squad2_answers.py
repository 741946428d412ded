"""Comparison of an answer with the expected ones, as the script of SQuAD 2.0 does it."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Lower the text, remove ASCII punctuation, then articles, and join the words with one space.

    >>> normalised("The  end, of a.n. era")
    'end of era'
    """
    return " ".join(ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split())


def expected_answers(texts: Sequence[str]) -> list[str]:
    """Return the normalised answers; the empty one where none is left, as without evidence."""
    return [answer for answer in map(normalised, texts) if answer] or [""]


def exact_and_f1(given: str, expected: Sequence[str]) -> tuple[float, float]:
    """Return the best exact match and the best F1 over the normalised expected answers."""
    answer = normalised(given)
    words = Counter(answer.split())
    return float(answer in expected), max(_f1(words, Counter(each.split())) for each in expected)


def _f1(given: Counter[str], expected: Counter[str]) -> float:
    if not given or not expected:
        return float(given == expected)
    same = sum((expected & given).values())
    if not same:
        return 0.0
    precision, recall = 1.0 * same / given.total(), 1.0 * same / expected.total()
    return (2 * precision * recall) / (precision + recall)
