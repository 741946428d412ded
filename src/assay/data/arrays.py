"""Rankings that are arrays already: scores and grades, query after query, no ids to join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints
from assay.data.alignment.align import Hits, RankingRules, assemble
from assay.data.alignment.ranks import rank_rows, sorted_rows
from assay.data.cases import LARGEST_GRADE, Cases
from assay.data.runs import Judgements
from assay.errors import InputError

BLOCK = 1 << 18
"""Rows that are checked together."""
INFINITE = np.array(np.inf).view(np.uint64)


@dataclass(frozen=True, slots=True)
class Arrays:
    """Lists one after the other: list i is the next `lengths[i]` scores and grades.

    A grade above 0 is gold. `missed` holds (query number, grade) of gold that is not listed.
    """

    scores: Floats
    grades: Floats
    lengths: Ints
    missed: Floats  # rows of (query number, grade)
    name: str = "arrays"

    @classmethod
    def of(cls, scores: Any, grades: Any, lengths: Any, missed: Any = (), name: str = "arrays") -> Arrays:
        """Checked: one grade a score, lengths that add up, everything finite."""
        score, grade = float_array(scores, "scores", name), float_array(grades, "grades", name)
        length = _lengths(float_array(lengths, "lengths", name), name)
        extra = float_array(missed, "missed", name)
        if extra.size % 2 or (extra.size and extra.shape[-1] != 2):
            problem = f"missed has shape {extra.shape}"
            raise InputError.of(name, problem, "expected rows of (query number, grade)")
        extra = extra.reshape(-1, 2)
        if score.ndim != 1 or score.shape != grade.shape:
            problem = f"scores have shape {score.shape}, grades {grade.shape}"
            raise InputError.of(name, problem, "expected one grade a score")
        if length.ndim != 1 or length.sum() != len(score):
            problem = f"lengths add up to {length.sum()}, the scores are {len(score)}"
            raise InputError.of(name, problem, "expected the length of each list")
        largest = _largest(grade)
        checked = (
            ("score", score, _is_finite(score)),
            ("grade", grade, largest < np.inf),
            ("missed", extra, _is_finite(extra)),
        )
        for what, values, finite in checked:
            if finite:
                continue
            wrong = np.flatnonzero(~np.isfinite(values))
            place = f"place {wrong[0]}"
            problem = f"{what} is {values.flat[wrong[0]]}"
            raise InputError.of(name, problem, f"{what}s must be finite", place)
        largest = max(largest, _largest(extra[:, 1]))
        if largest > LARGEST_GRADE:
            problem, expected = f"a grade is {largest:g}", f"grades lie within ±{LARGEST_GRADE}"
            raise InputError.of(name, problem, expected)
        number, grades_missed = extra[:, 0], extra[:, 1]
        if not ((number >= 0) & (number < len(length)) & (number == np.floor(number))).all():
            expected = f"expected whole numbers from 0 to {len(length) - 1}"
            raise InputError.of(name, "missed names an unknown query", expected)
        if not (grades_missed > 0).all():
            raise InputError.of(name, "missed has a grade that is not gold", "grades above 0")
        return cls(score, grade, length, extra, name)

    def cases(self, rules: RankingRules) -> Cases:
        """Rank the gold of each list."""
        queries = np.flatnonzero(self.lengths)
        starts = (np.cumsum(self.lengths) - self.lengths)[queries]
        rows = _positive(self.grades)
        owner = np.searchsorted(starts, rows, side="right") - 1
        ranks = rank_rows(self.scores, starts, rows, owner, None)
        if rules.ties == "docno_desc" and (ranks.first < ranks.last).any():
            raise InputError.of(self.name, "has ties and no ids", "ties by id need ids")
        depth = len(self.scores) if rules.depth is None else rules.depth
        order = sorted_rows(owner, ranks.rank)
        order = order[ranks.rank[order] <= depth]
        hits = Hits(
            codes=queries,
            n=np.minimum(self.lengths[queries], depth),
            query=queries[owner[order]],
            rank=ranks.rank[order],
            first=ranks.first[order],
            last=ranks.last[order],
            grade=self.grades[rows[order]],
            row=rows[order],
            resorted=len(ranks.resorted),
        )
        code = np.concatenate((queries[owner], self.missed[:, 0].astype(np.int64)))
        grade = np.concatenate((self.grades[rows], self.missed[:, 1]))
        items = pl.Series([], dtype=pl.String)  # there is nothing to join
        by_query = np.argsort(code, kind="stable")
        judgements = Judgements(code[by_query], items, grade[by_query])
        keys = pl.int_range(len(self.lengths), eager=True).cast(pl.String).to_frame("query_id")
        return assemble(keys, judgements, [hits], rules)


def _is_finite(values: Floats) -> bool:
    """Return whether all values are finite: their sum is, or (finite values can overflow) each one is.

    7 million values take 1.7 ms of CPU; their minimum and maximum 3.5 ms, np.isfinite 2.8 ms and a copy.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    return bool(np.isfinite(total) or np.isfinite(values).all())


def _largest(values: Floats) -> float:
    """Return the largest absolute value; nan where there is one.

    As whole numbers, the bits of floats have the order of the floats, with -0.0 and all negative ones
    and most NaN above: where the largest is the bits of a finite float, it is the largest float. 7 million
    values take 1.9 ms of CPU, their minimum and maximum 3.5 ms, and np.abs(values).max() 10 ms.
    """
    largest = np.ascontiguousarray(values).view(np.uint64).max(initial=0)
    if largest < INFINITE:
        return float(largest.view(np.float64))
    return float(np.maximum(values.max(initial=0.0), -values.min(initial=0.0)))


def _positive(values: Floats) -> Ints:
    """Return where values are above 0, ascending.

    In blocks, so that the marks stay in the cache.
    """
    room = np.empty(BLOCK, dtype=bool)
    found = [np.zeros(0, dtype=np.int64)]
    for first in range(0, len(values), BLOCK):
        block = values[first : first + BLOCK]
        places = np.flatnonzero(np.greater(block, 0.0, out=room[: len(block)]))
        if len(places):
            found.append(places + first)
    return np.concatenate(found)


def float_array(values: Any, what: str, name: str) -> Floats:
    """Return an array of numbers; what is masked, or no number at all, is a fault."""
    if isinstance(values, np.ndarray) and np.any(getattr(values, "mask", False)):
        problem = f"{what} have masked values"
        raise InputError.of(name, problem, "expected values, or the arrays without them")
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf" and array.size:
            raise TypeError
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError.of(name, f"{what} are not an array of numbers", "expected numbers") from None


def _lengths(values: Floats, name: str) -> Ints:
    """Return whole numbers from 0; a float between two would be cut off in silence."""
    wrong = np.flatnonzero(~((values >= 0) & (values <= 2**53) & (values == np.floor(values))))
    if len(wrong):
        place, value = f"place {wrong[0]}", values.flat[wrong[0]]
        raise InputError.of(name, f"length is {value:g}", "expected whole numbers from 0", place)
    return values.astype(np.int64)
