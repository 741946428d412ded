"""Small hand-written rankings for edge cases, witnesses and generated tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from assay.data.cases import STATES, Cases, EvidenceGroups, Grouping, Pairs
from assay.data.score_confidence import NAMES, confidence_of


@dataclass(frozen=True, slots=True)
class Toy:
    """One query: `ranking` has one character per candidate, best first.

    A digit is its grade (0: judged, not relevant), a dot an unjudged candidate. `missed` are the
    grades of gold that is not among the candidates; `missed_nonrel` counts judged non-relevant
    items that are not.
    """

    ranking: str = ""
    missed: tuple[int, ...] = ()
    missed_nonrel: int = 0
    prob: float | None = None
    selected_k: int | None = None
    state: str | None = None
    thresholds: tuple[tuple[str, float], ...] = ()
    post: str | None = None  # None: a separate post
    criterion: str = "c"
    facts: tuple[tuple[str, float], ...] = ()
    groups: int = 0  # gold belongs to so many evidence groups, in turns; 0: it has no groups

    @property
    def grades(self) -> tuple[int, ...]:
        """All positive grades of the query."""
        listed = [int(mark) for mark in self.ranking if mark not in ".0"]
        return tuple(sorted((*listed, *self.missed), reverse=True))

    def written(self) -> str:
        """Describe the toy in words, for messages and docs."""
        parts = [self.ranking or "empty list"]
        if self.missed:
            parts.append(f"missed gold {' '.join(map(str, self.missed))}")
        if self.missed_nonrel:
            parts.append(f"{self.missed_nonrel} judged non-relevant not listed")
        if self.prob is not None:
            parts.append(f"prob {self.prob:g}")
        if self.selected_k is not None:
            parts.append(f"K = {self.selected_k}")
        if self.state is not None:
            parts.append(self.state)
        if self.groups:
            parts.append(f"{self.groups} evidence groups, in turns")
        parts += [f"{name} = {value:g}" for name, value in self.facts]
        return ", ".join(parts)


def ranking(marks: str, R: int | None = None, **more: Any) -> Toy:
    """Return a toy with binary gold: R relevant items, of which those not in `marks` are missed."""
    shown = sum(mark not in ".0" for mark in marks)
    missed = (1,) * ((shown if R is None else R) - shown)
    return Toy(marks, missed, **more)


def decided(marks: str, prob: float, returns: int, state: str, **more: Any) -> Toy:
    """Return a toy with decisions: a probability, the number of returned sentences, a state."""
    thresholds = tuple((rule, 0.5) for rule in ("tune", "f1", "fpr_0.05"))
    return ranking(marks, prob=prob, selected_k=returns, state=state, thresholds=thresholds, **more)


def full_then_miss(k: int, R: int) -> Toy:
    """Return k hits, then one candidate that is not gold."""
    return ranking("1" * k + "0", R=R)


def more_gold(k: int) -> Toy:
    """Return k + 1 hits: one more gold item than the cut-off has ranks."""
    return ranking("1" * (k + 1))


def first_and_late(k: int) -> Toy:
    """Return a hit at rank 1 and one just below the cut-off."""
    return ranking("1" + "0" * (k - 1) + "1")


def toy_cases(toys: Sequence[Toy]) -> Cases:
    """Return the toys as queries, in order, without ties."""
    hits = [
        (query, rank, int(mark))
        for query, toy in enumerate(toys)
        for rank, mark in enumerate(toy.ranking, start=1)
        if mark != "."
    ]
    gold = [(query, grade) for query, toy in enumerate(toys) for grade in toy.grades]
    hit = np.array(hits, dtype=np.int64).reshape(-1, 3)
    golds = np.array(gold, dtype=np.int64).reshape(-1, 2)
    judged = [sum(mark != "." for mark in toy.ranking) + len(toy.missed) + toy.missed_nonrel for toy in toys]
    probs = [toy.prob for toy in toys]
    selected = [toy.selected_k for toy in toys]
    states = [toy.state for toy in toys]
    rules = dict(toys[0].thresholds) if toys else {}
    posts = [toy.post or f"own post {at}" for at, toy in enumerate(toys)]
    return Cases(
        given_keys=_keys(len(toys)),
        answered=np.array([len(toy.ranking) > 0 for toy in toys], dtype=bool),
        n=np.array([len(toy.ranking) for toy in toys], dtype=np.int64),
        judged=np.array(judged, dtype=np.int64),
        hit_query=hit[:, 0],
        hit_rank=hit[:, 1],
        hit_grade=hit[:, 2].astype(np.float64),
        hit_first=hit[:, 1],
        hit_last=hit[:, 1],
        gold_query=golds[:, 0],
        gold_grade=golds[:, 1].astype(np.float64),
        prob=None if None in probs else np.array(probs, dtype=np.float64),
        selected_k=None if None in selected else np.array(selected, dtype=np.int64),
        state=None if None in states else np.array([STATES.index(str(each)) for each in states]),
        thresholds={rule: np.array([dict(toy.thresholds)[rule] for toy in toys]) for rule in rules},
        pairs=_pairs(toys),
        confidence={name: np.array([_confidence(len(toy.ranking))[name] for toy in toys]) for name in NAMES},
        facts={
            name: np.array([dict(toy.facts)[name] for toy in toys])
            for name in (dict(toys[0].facts) if toys else ())
        },
        groups=_groups(toys) if any(toy.groups for toy in toys) else None,
        groupings={"post_id": _grouping(posts), "criterion_id": _grouping([toy.criterion for toy in toys])},
    )


def _groups(toys: Sequence[Toy]) -> EvidenceGroups:
    """Return evidence groups: gold by rank, then missed gold, goes to the groups of its query in turns."""
    query: list[int] = []
    grade: list[int] = []
    member_group: list[int] = []
    member_hit: list[int] = []
    hits = 0
    for number, toy in enumerate(toys):
        marks = [mark for mark in toy.ranking if mark != "."]
        gold = [(int(mark), hits + place) for place, mark in enumerate(marks) if mark != "0"]
        gold += [(missed, -1) for missed in toy.missed]
        for group in range(min(toy.groups or len(gold), len(gold))):
            mine = gold[group :: toy.groups or len(gold)]
            member_group += [len(query)] * len(mine)
            member_hit += [hit for _, hit in mine]
            query.append(number)
            grade.append(min(each for each, _ in mine))
        hits += len(marks)
    return EvidenceGroups(
        np.array(query, dtype=np.int64),
        np.array(grade, dtype=np.float64),
        np.array(member_group, dtype=np.int64),
        np.array(member_hit, dtype=np.int64),
    )


@cache
def _keys(queries: int) -> pl.DataFrame:
    return pl.DataFrame({"query_id": [f"q{query}" for query in range(queries)]})


@cache
def _confidence(candidates: int) -> dict[str, float]:
    """Return the confidence of the scores 100, 99, …"""
    made = confidence_of([[100.0 - at for at in range(candidates)]])
    return {name: float(values[0]) for name, values in made.items()}


def _grouping(labels: list[str]) -> Grouping:
    names = tuple(dict.fromkeys(labels))
    return Grouping(np.array([names.index(label) for label in labels], dtype=np.int64), names)


def _pairs(toys: Sequence[Toy]) -> Pairs:
    """Return every candidate with a score by rank: 100, 99, …"""
    rows = [
        (query, 100.0 - place, 0.0 if mark == "." else float(mark))
        for query, toy in enumerate(toys)
        for place, mark in enumerate(toy.ranking)
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return Pairs(table[:, 0].astype(np.int64), table[:, 1], table[:, 2])
