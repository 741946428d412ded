"""Measures of one query, under the names that the contracts use.

`gold` is a collection of ids (or a mapping of id to grade), `ranked` a list of ids, best first. An
id that stands twice in `ranked` is an error: it would give an nDCG above 1.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence

import numpy as np
import polars as pl

from assay.data.alignment.ranks import rank_candidates
from assay.data.arrays import float_array
from assay.data.cases import LARGEST_GRADE, Cases
from assay.errors import InputError, shown
from assay.metrics.core.rankings import ALL, Values
from assay.metrics.graded.ndcg import ndcg
from assay.metrics.ranking.average_precision import average_precision
from assay.metrics.ranking.hit import hit
from assay.metrics.ranking.precision import precision
from assay.metrics.ranking.recall import recall
from assay.metrics.ranking.reciprocal_rank import reciprocal_rank
from assay.metrics.retrieved.set_measures import set_precision, set_recall

Gold = Collection[Hashable] | Mapping[Hashable, float]
Ranked = Sequence[Hashable]


def recall_at_k(gold: Gold, ranked: Ranked, k: int, *, gold_counts: str = "all") -> float:
    """Hits / R; 0 without gold. `gold_counts="retrieved"` counts only gold among the candidates.

    >>> recall_at_k({"a", "b"}, ["a", "x", "b"], 2)
    0.5
    """
    return _first(recall(one_query(gold, ranked), cut_off(k), gold_counts, 1))


def precision_at_k(gold: Gold, ranked: Ranked, k: int, *, denominator: str = "k") -> float:
    """Hits / k, or hits / min(k, n) with `denominator="k_eff"`.

    >>> precision_at_k({"a"}, ["a"], 10)
    0.1
    """
    return _first(precision(one_query(gold, ranked), cut_off(k), denominator, 1))


def hit_rate_at_k(gold: Gold, ranked: Ranked, k: int) -> float:
    """1 where any gold is in the top k, else 0."""
    return _first(hit(one_query(gold, ranked), cut_off(k), 1))


def mrr_at_k(gold: Gold, ranked: Ranked, k: int) -> float:
    """1 / rank of the first gold in the top k, else 0."""
    return _first(reciprocal_rank(one_query(gold, ranked), cut_off(k), 1))


def mrr_single_query(gold: Gold, ranked: Ranked) -> float:
    """1 / rank of the first gold, however deep, else 0."""
    return _first(reciprocal_rank(one_query(gold, ranked), ALL, 1))


def map_at_k(gold: Gold, ranked: Ranked, k: int, *, denominator: str = "min_r_k", cut: str = "k") -> float:
    """Average precision over min(R, k), as the exact definition of paper/1.0 says.

    >>> round(map_at_k("abcde", "axb", 3), 3)
    0.556
    """
    cases = one_query(gold, ranked)
    return _first(average_precision(cases, cut_off(k), denominator, cut, 1))


def average_precision_at_k(gold: Gold, ranked: Ranked, k: int, *, denominator: str = "R") -> float:
    """Average precision over R, as evidence/1.0.0 computes it.

    >>> round(average_precision_at_k("abcde", "axb", 3), 3)
    0.333
    """
    return map_at_k(gold, ranked, k, denominator=denominator)


def ndcg_at_k(gold: Gold, ranked: Ranked, k: int, *, gain: str = "linear", cut: str = "k") -> float:
    """DCG@k / IDCG@k; grades count where `gold` maps ids to them."""
    return _first(ndcg(one_query(gold, ranked), cut_off(k), gain, "all", cut))


def compute_k_eff(k: int, n_candidates: int) -> int:
    """min(k, n).

    >>> compute_k_eff(10, 4)
    4
    """
    if n_candidates < 0:
        raise InputError.of("n_candidates", f"is {n_candidates}", "expected a whole number from 0")
    return min(cut_off(k), n_candidates)


def compute_ndcg_at_k(y_true: Sequence[float], y_score: Sequence[float], k: int = 10) -> float:
    """NDCG of the candidates' own labels and scores: gold that was not retrieved cannot be seen.

    >>> compute_ndcg_at_k([0, 1, 0], [0.1, 0.9, 0.5])
    1.0
    """
    place = "compute_ndcg_at_k"
    truth, scores = float_array(y_true, "y_true", place), float_array(y_score, "y_score", place)
    if truth.ndim != 1 or truth.shape != scores.shape:
        problem = f"y_true has shape {truth.shape}, y_score {scores.shape}"
        raise InputError.of("compute_ndcg_at_k", problem, "expected two lists of the same length")
    if not (np.isfinite(truth).all() and np.isfinite(scores).all()):
        raise InputError.of("compute_ndcg_at_k", "a value is not finite", "expected finite labels and scores")
    order = np.argsort(rank_candidates(np.zeros(len(scores), dtype=np.int64), scores, None))
    grades = {int(item): float(truth[item]) for item in order if truth[item] > 0}
    cases = one_query(grades, order.tolist())
    return _first(ndcg(cases, cut_off(k), "linear", "retrieved", "k"))


def evidence_recall_at_selected_k(gold: Gold, extracted: Collection[Hashable]) -> float:
    """Returned gold / R; 0 without gold."""
    return _first(set_recall(one_query(gold, sorted(set(extracted), key=repr)), 1))


def evidence_precision_at_selected_k(gold: Gold, extracted: Collection[Hashable]) -> float:
    """Returned gold / returned; 0 where nothing was returned."""
    return _first(set_precision(one_query(gold, sorted(set(extracted), key=repr)), 1))


def assign_state(prob: float, tau_neg: float, tau_pos: float) -> str:
    """NEG below tau_neg, POS from tau_pos on, UNCERTAIN between.

    >>> assign_state(0.2, 0.2, 0.9)
    'UNCERTAIN'
    """
    for name, value in (("prob", prob), ("tau_neg", tau_neg), ("tau_pos", tau_pos)):
        if not 0.0 <= value <= 1.0:
            raise InputError.of("assign_state", f"{name} is {value}", "expected a number in [0, 1]")
    if tau_neg > tau_pos:
        raise InputError.of(
            "assign_state", f"tau_neg {tau_neg} is above tau_pos {tau_pos}", "tau_neg at most tau_pos"
        )
    if prob < tau_neg:
        return "NEG"
    return "UNCERTAIN" if prob < tau_pos else "POS"


def cut_off(k: int) -> int:
    """k, when it is a whole number from 1."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InputError.of("k", f"is {shown(k)}", "expected a whole number from 1")
    return min(k, ALL)


def one_query(gold: Gold, ranked: Ranked) -> Cases:
    """Return one query as cases."""
    if not isinstance(gold, Mapping) and len(set(gold)) < len(gold):
        raise InputError.of("gold", "has an id twice", "expected each id once")
    grades = dict(gold) if isinstance(gold, Mapping) else dict.fromkeys(gold, 1.0)
    if len(set(ranked)) < len(ranked):
        seen: set[Hashable] = set()
        again = next(item for item in ranked if item in seen or seen.add(item))  # type: ignore[func-returns-value] # add() is None
        raise InputError.of("ranked", f"{shown(again)} is listed twice", "expected each id once")
    if not all(abs(grade) <= LARGEST_GRADE for grade in grades.values()):
        raise InputError.of("gold", "has a grade out of range", f"expected ±{LARGEST_GRADE}")
    hits = [(rank, grades[item]) for rank, item in enumerate(ranked, start=1) if item in grades]
    rank = np.array([rank for rank, _ in hits], dtype=np.int64)
    positive = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    return Cases(
        given_keys=pl.DataFrame({"query_id": ["query"]}),
        answered=np.array([len(ranked) > 0]),
        n=np.array([len(ranked)]),
        judged=np.array([len(grades)]),
        hit_query=np.zeros(len(hits), dtype=np.int64),
        hit_rank=rank,
        hit_grade=np.array([grade for _, grade in hits], dtype=np.float64),
        hit_first=rank,
        hit_last=rank,
        gold_query=np.zeros(len(positive), dtype=np.int64),
        gold_grade=np.array(positive, dtype=np.float64),
    )


def _first(values: Values) -> float:
    return float(values[0][0])
