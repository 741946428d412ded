"""Features of whole queries that tell whether any candidate is evidence.

They read the question's words, the coverage of the question by all candidates together, and the
pair scores of a ranker. On TRAIN, those scores must be cross-fitted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats
from assay.pipeline.matching.pair_features import ALSO, PairFeatures
from assay.pipeline.matching.pairs import Pairs, best_two
from assay.pipeline.matching.word_arrays import CAPITAL, FIRST, WITH_DIGIT, Surface
from assay.pipeline.matching.word_coverage import LARGEST, Alignment

AT_BEST = (
    "cover_stem", "cover_gram", "cover_vector", "cover_bigram", "cover_around", "rarest_missing",
    "least_similar", "numbers_missing", "names_missing", "names_covered", "words_covered", "new_numbers",
    "new_names", "new_words", "length", "relative_position",
)  # fmt: skip
LARGEST_OF = ("bm25_stem", "cover_stem", "cover_vector", "cover_bigram", "cover_local", "cosine")

Matrix = NDArray[np.float32]


def question_facts(
    learnt: PairFeatures, criteria: Surface, pairs: Pairs, alignment: Alignment
) -> dict[str, Floats]:
    """Return what is known of each query without a ranker.

    Parameters
    ----------
    learnt
        The rarity of words in TRAIN.
    criteria
        The words of the questions.
    pairs, alignment
        The candidates, and how they cover the questions.

    Returns
    -------
    dict
        One array per feature, with one value per query. A word is missing if no candidate has its
        stem.

    """
    n = len(pairs.criterion)
    asked = criteria.take(pairs.criterion)
    query = np.repeat(np.arange(n), asked.lengths)
    weight = learnt.stem_idf[asked.ids]
    best = _over_candidates(asked, pairs, alignment)
    has = best["stem"] > 0
    numbers = (asked.flags & WITH_DIGIT) > 0
    names = (asked.flags & (CAPITAL | FIRST)) == CAPITAL
    total = np.bincount(query, weight, n).astype(np.float64)
    similar = np.maximum(best["vector"], best["gram"]) / LARGEST

    def largest(values: Any) -> Floats:
        made = np.zeros(n)
        np.maximum.at(made, query, values)
        return made

    def share(values: Any) -> Floats:
        return np.asarray(np.bincount(query, weight * values, n) / np.maximum(total, 1e-9))

    return {
        "words": asked.lengths.astype(np.float64),
        "idf_total": total,
        "idf_mean": total / np.maximum(asked.lengths, 1),
        "rarest": largest(weight),
        "idf_missing": np.bincount(query, weight * ~has, n).astype(np.float64),
        "rarest_missing_everywhere": largest(weight * ~has),
        "least_similar_everywhere": largest(weight * (1 - similar)),
        "cover_together": share(has),
        "cover_gram_together": share(best["gram"] / LARGEST),
        "cover_vector_together": share(best["vector"] / LARGEST),
        "cover_bigram_together": share(best["bigram"] > 0),
        "numbers": np.bincount(query, numbers, n).astype(np.float64),
        "numbers_missing_everywhere": np.bincount(query, numbers & ~has, n).astype(np.float64),
        "names": np.bincount(query, names, n).astype(np.float64),
        "names_missing_everywhere": np.bincount(query, names & ~has, n).astype(np.float64),
        "candidates": np.diff(pairs.offsets).astype(np.float64),
    }


def words_covered(asked: Surface, pairs: Pairs, alignment: Alignment) -> Bools:
    """Return whether any candidate of its query has the stem of each question word."""
    return _over_candidates(asked, pairs, alignment)["stem"] > 0


def _over_candidates(asked: Surface, pairs: Pairs, alignment: Alignment) -> dict[str, NDArray[np.uint8]]:
    """Return the largest value of each question word over all candidates of its query."""
    words = np.diff(alignment.offsets)
    begin = np.repeat(asked.offsets[:-1], np.diff(pairs.offsets)) - alignment.offsets[:-1]
    at = np.repeat(begin, words) + np.arange(len(alignment.stem))
    out = {}
    for name in ("stem", "bigram", "gram", "vector"):
        best = np.zeros(len(asked.ids), dtype=np.uint8)
        np.maximum.at(best, at, getattr(alignment, name))
        out[name] = best
    return out


def query_features(
    facts: dict[str, Floats], pair_features: Matrix, names: tuple[str, ...], pairs: Pairs, match: Floats
) -> tuple[Matrix, tuple[str, ...]]:
    """Return one row of features per query, and their names.

    Parameters
    ----------
    facts
        From `question_facts`, and any other column per query, such as `wording`.
    pair_features, names
        From `PairFeatures.of`, with any further columns.
    pairs
        Queries and candidates.
    match
        The ranker's log-odds of each pair.

    """
    n, query = len(pairs.criterion), pairs.query
    first, second = best_two(match, pairs)
    sizes = np.diff(pairs.offsets)
    out = dict(facts)
    empty = sizes == 0
    first = np.where(empty, np.nan, first)
    out["match_best"] = first
    out["match_gap"] = np.where(sizes > 1, first - second, np.nan)
    out["match_mean"] = np.where(empty, np.nan, np.bincount(query, match, n) / np.maximum(sizes, 1))
    shares = np.bincount(query, np.exp(match - first[query]), n)
    out["match_share"] = np.where(empty, np.nan, 1 / np.maximum(shares, 1e-9))
    top = (
        np.lexsort((-match, query))[np.minimum(pairs.offsets[:-1], max(len(match) - 1, 0))]
        if len(match)
        else 0
    )
    own = [name for name in names if name in AT_BEST or name.startswith((ALSO, "answer"))]
    for name in own:
        values = pair_features[:, names.index(name)]
        out[f"{name}_at_best"] = np.where(empty, np.nan, values[top]) if len(match) else np.full(n, np.nan)
    for name in names:
        if name in LARGEST_OF or (name.startswith((ALSO, "answer")) and not name.endswith("_lead")):
            best, other = best_two(pair_features[:, names.index(name)], pairs)
            out[f"{name}_largest"] = np.where(empty, np.nan, best)
            out[f"{name}_gap"] = np.where(sizes > 1, best - np.where(sizes > 1, other, 0), np.nan)
    out["cover_gained"] = out["cover_together"] - out["cover_stem_largest"]
    return np.column_stack([*out.values()]).astype(np.float32), tuple(out)
