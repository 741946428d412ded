"""One row per query: its candidates joined with the judgements and ranked."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

STATES = ("NEG", "UNCERTAIN", "POS")


@dataclass(frozen=True)
class Query:
    """A query with what the corpus and the system say about it.

    Without a `post` it is a post of one query; queries without a `criterion` share an unnamed one.
    `thresholds` maps a rule to the threshold that it set for this query.
    """

    id: str
    post: str | None = None
    criterion: str | None = None
    fold: int | str | None = None
    prob: float | None = None
    selected_k: int | None = None
    state: str | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.prob is not None and not math.isfinite(self.prob):
            raise ValueError(f"query {self.id!r}: prob is {self.prob}; it must be finite")
        if self.selected_k is not None and self.selected_k < 0:
            raise ValueError(f"query {self.id!r}: selected_k is {self.selected_k}; expected >= 0")
        if self.state not in (None, *STATES):
            raise ValueError(f"query {self.id!r}: state is {self.state!r}; expected one of {STATES}")
        for rule, threshold in self.thresholds.items():
            if math.isnan(threshold):
                raise ValueError(f"query {self.id!r}: threshold {rule!r} is nan")


@dataclass(frozen=True)
class Row:
    """A query with the grade and score of each candidate by rank, and the grades of its judgements.

    A grade in `ranked` is None if the item has no judgement. What many measures ask of the same
    list is computed once and cached.
    """

    query: Query
    ranked: tuple[Fraction | None, ...]
    judgements: tuple[Fraction, ...]
    scores: tuple[float, ...]

    @property
    def n(self) -> int:
        """The number of candidates, after the depth cut."""
        return len(self.ranked)

    @property
    def highest_score(self) -> float:
        """The score of the first candidate; -inf without candidates."""
        return max(self.scores, default=-math.inf)

    @cached_property
    def has_evidence(self) -> bool:
        """The label: at least one judgement with a grade of 1 or more."""
        return self.gold_count(1) > 0

    def gold_count(self, rel: int) -> int:
        """Return R: how many judgements have grade >= rel, retrieved or not."""
        if rel not in self._gold_counts:
            self._gold_counts[rel] = sum(grade >= rel for grade in self.judgements)
        return self._gold_counts[rel]

    def relevance(self, rel: int, k: int | None = None) -> list[bool]:
        """Return for each rank up to k (None: all) whether the item has grade >= rel."""
        if rel not in self._relevance:
            flags = [grade is not None and grade >= rel for grade in self.ranked]
            self._relevance[rel] = flags
        return self._relevance[rel][:k]

    def judged(self, k: int | None = None) -> list[bool]:
        """Return for each rank up to k (None: all) whether the item was judged: grade >= 0."""
        return [grade is not None and grade >= 0 for grade in self.ranked[:k]]

    def judged_nonrelevant(self, rel: int) -> list[bool]:
        """Return for each rank whether the item was judged not relevant: 0 <= grade < rel."""
        return [grade is not None and 0 <= grade < rel for grade in self.ranked]

    def returned_hits(self, rel: int) -> int:
        """Count relevant items in the top selected_k; 0 without a selected_k."""
        return sum(self.relevance(rel, self.query.selected_k or 0))

    def gains(self, k: int | None = None) -> list[Fraction]:
        """Return for each rank up to k (None: all) the grade if it is positive, else 0."""
        return self._gains[:k]

    @cached_property
    def _gold_counts(self) -> dict[int, int]:
        return {}

    @cached_property
    def _relevance(self) -> dict[int, list[bool]]:
        return {}

    @cached_property
    def _gains(self) -> list[Fraction]:
        zero = Fraction(0)
        return [zero if grade is None else max(grade, zero) for grade in self.ranked]


def population(rows: Iterable[Row], on: str) -> list[Row]:
    """Return the rows of a population: `evidence`, `all`, `predicted` or `returned`.

    predicted: at least one candidate; returned: selected_k >= 1, and a missing one counts as 0.
    """
    if on == "evidence":
        return [row for row in rows if row.has_evidence]
    if on == "predicted":
        return [row for row in rows if row.n > 0]
    if on == "returned":
        return [row for row in rows if (row.query.selected_k or 0) >= 1]
    return list(rows)


def join(
    queries: Sequence[Query],
    judgements: Iterable[tuple[str, str, float]],
    candidates: Iterable[tuple[str, str, float]],
    ties: str,
    depth: int | None,
) -> list[Row]:
    """Join by id, rank each query's candidates by score descending, cut the list at `depth`.

    Equal scores keep the input order (`stable`) or are sorted by item id, UTF-8 bytes descending
    (`docno_desc`).
    """
    if ties not in ("stable", "docno_desc"):
        raise ValueError(f"ties is {ties!r}; expected stable or docno_desc")
    if depth is not None and depth < 1:
        raise ValueError(f"depth is {depth}; expected a positive integer or None")
    ids = [query.id for query in queries]
    if len(set(ids)) < len(ids):
        raise ValueError(f"queries: {next(i for i in ids if ids.count(i) > 1)!r} appears twice")
    grades = _table(ids, judgements, "judgements", "grade")
    scores = _table(ids, candidates, "candidates", "score")
    return [_row(query, grades[query.id], scores[query.id], ties, depth) for query in queries]


def _row(
    query: Query, grades: dict[str, float], scores: dict[str, float], ties: str, depth: int | None
) -> Row:
    exact = {item: Fraction(grade) for item, grade in grades.items()}
    ranking = _rank(scores, ties)[:depth]
    return Row(
        query,
        ranked=tuple(exact.get(item) for item in ranking),
        judgements=tuple(exact.values()),
        scores=tuple(scores[item] for item in ranking),
    )


def _table(
    ids: Sequence[str], lines: Iterable[tuple[str, str, float]], source: str, column: str
) -> dict[str, dict[str, float]]:
    """Return the value of each item of each query, in input order."""
    table: dict[str, dict[str, float]] = {query: {} for query in ids}
    for number, (query, item, value) in enumerate(lines, start=1):
        place = f"{source} row {number}"
        if query not in table:
            raise ValueError(f"{place}: query {query!r} is not in the queries")
        if item in table[query]:
            raise ValueError(f"{place}: item {item!r} appears twice under query {query!r}")
        if not math.isfinite(value):
            raise ValueError(f"{place}: {column} is {value}; it must be finite")
        table[query][item] = value
    return table


def _rank(scores: dict[str, float], ties: str) -> list[str]:
    items = list(scores)
    if ties == "docno_desc":
        items.sort(key=lambda item: item.encode(), reverse=True)
    return sorted(items, key=lambda item: -scores[item])
