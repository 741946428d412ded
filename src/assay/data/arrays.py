"""Rankings that are arrays already: scores and grades, query after query, no ids to join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints
from assay.data.alignment.align import Hits, RankingRules, assemble
from assay.data.alignment.ranks import rank_rows
from assay.data.cases import LARGEST_GRADE, Cases
from assay.data.runs import Judgements
from assay.errors import InputError


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
        for what, values in (("score", score), ("grade", grade), ("missed", extra)):
            wrong = np.flatnonzero(~np.isfinite(values))
            if len(wrong):
                place = f"place {wrong[0]}"
                problem = f"{what} is {values.flat[wrong[0]]}"
                raise InputError.of(name, problem, f"{what}s must be finite", place)
        largest = np.abs(np.concatenate((grade, extra[:, 1]))).max(initial=0)
        if largest > LARGEST_GRADE:
            problem, expected = f"a grade is {largest:g}", f"grades lie within ±{LARGEST_GRADE}"
            raise InputError.of(name, problem, expected)
        number, grades_missed = extra[:, 0], extra[:, 1]
        if not ((number >= 0) & (number < len(length)) & (number == np.floor(number))).all():
            expected = f"expected whole numbers from 0 to {len(length) - 1}"
            raise InputError.of(name, "missed names a query that is not there", expected)
        if not (grades_missed > 0).all():
            raise InputError.of(name, "missed has a grade that is not gold", "grades above 0")
        return cls(score, grade, length, extra, name)

    def cases(self, rules: RankingRules) -> Cases:
        """Rank the gold of each list."""
        queries = np.flatnonzero(self.lengths)
        starts = (np.cumsum(self.lengths) - self.lengths)[queries]
        rows = np.flatnonzero(self.grades > 0)
        owner = np.searchsorted(starts, rows, side="right") - 1
        ranks = rank_rows(self.scores, starts, rows, owner, None)
        if rules.ties == "docno_desc" and (ranks.first < ranks.last).any():
            raise InputError.of(self.name, "has ties and no ids", "ties by id need ids")
        depth = len(self.scores) if rules.depth is None else rules.depth
        order = np.lexsort((ranks.rank, owner))
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
        judgements = Judgements(np.sort(code), items, grade[np.argsort(code, kind="stable")])
        keys = pl.DataFrame({"query_id": [str(number) for number in range(len(self.lengths))]})
        return assemble(keys, judgements, [hits])


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
