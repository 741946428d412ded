"""One row per query: its candidates joined with the judgements and ranked."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby

Grade = Fraction | None
STATES = ("NEG", "UNCERTAIN", "POS")


@dataclass(frozen=True)
class Query:
    """A query with what the corpus and the system say about it.

    Without a `post` it is a post of one query; queries without a `criterion` share an unnamed one.
    `thresholds` maps a rule to the threshold that it set for this query, and `facts` the name of a
    number that a shared task gives per query to that number.
    """

    id: str
    post: str | None = None
    criterion: str | None = None
    fold: int | str | None = None
    prob: float | None = None
    selected_k: int | None = None
    state: str | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict, hash=False)
    facts: Mapping[str, float] = field(default_factory=dict, hash=False)

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
class EvidenceGroup:
    """Gold items that are evidence only together, and the lowest of their grades."""

    items: frozenset[str]
    grade: Fraction


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
    averaged: bool = False  # whether measures are means over the orders of equal scores
    items: tuple[str, ...] = ()  # the candidates by rank, if there are evidence groups
    groups: tuple[EvidenceGroup, ...] | None = None  # None: gold has no groups

    @property
    def n(self) -> int:
        """The number of candidates, after the depth cut."""
        return len(self.ranked)

    @property
    def highest_score(self) -> float:
        """The score of the first candidate; -inf without candidates."""
        return max(self.scores, default=-math.inf)

    @cached_property
    def post(self) -> str:
        """The post of the query; a query without one is a post by itself."""
        return self.query.post or f"\u001f{self.query.id}"

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

    def chances(self, rel: int, k: int | None = None) -> Sequence[Fraction | bool]:
        """Return for each rank up to k the chance that the item there has grade >= rel."""
        flags = self.relevance(rel)
        return (self._means(tuple(map(Fraction, flags))) if self.averaged else flags)[:k]

    def chances_judged(self, k: int | None = None) -> Sequence[Fraction | bool]:
        """Return for each rank up to k the chance that the item there was judged."""
        flags = self.judged()
        return (self._means(tuple(map(Fraction, flags))) if self.averaged else flags)[:k]

    def mean_gains(self, value: Callable[[Fraction], Fraction], k: int | None = None) -> list[Fraction]:
        """Return for each rank up to k the value of the positive grade there, on average; else 0."""
        found = [value(grade) if grade > 0 else grade for grade in self._gains]
        return (self._means(tuple(found)) if self.averaged else found)[:k]

    def _means(self, values: tuple[Fraction, ...]) -> list[Fraction]:
        """Replace each value by the mean over the items with its score."""
        means: list[Fraction] = []
        for _, pairs in groupby(zip(self.scores, values, strict=True), key=lambda pair: pair[0]):
            tied = [value for _, value in pairs]
            means += [sum(tied, Fraction(0)) / len(tied)] * len(tied)
        return means

    def judged(self, k: int | None = None) -> list[bool]:
        """Return for each rank up to k (None: all) whether the item was judged: grade >= 0."""
        return [grade is not None and grade >= 0 for grade in self.ranked[:k]]

    def judged_nonrelevant(self, rel: int) -> list[bool]:
        """Return for each rank whether the item was judged not relevant: 0 <= grade < rel."""
        return [grade is not None and 0 <= grade < rel for grade in self.ranked]

    def returned_hits(self, rel: int) -> Fraction | int:
        """Count relevant items in the top selected_k, on average over ties; 0 without a selected_k."""
        return sum(self.chances(rel, self.query.selected_k or 0))

    def gains(self, k: int | None = None) -> list[Fraction]:
        """Return for each rank up to k (None: all) the grade if it is positive, else 0."""
        return self._gains[:k]

    def condensed(self) -> "Row":
        """Return the list of the items that were judged: those with a grade of 0 or more."""
        kept = [place for place, judged in enumerate(self.judged()) if judged]
        return replace(
            self,
            ranked=tuple(self.ranked[place] for place in kept),
            scores=tuple(self.scores[place] for place in kept),
        )

    def with_gains(self, gains: Mapping[Fraction, Fraction]) -> "Row":
        """Return the row with each grade replaced by its gain; grades without one stay."""
        ranked = tuple(None if grade is None else gains.get(grade, grade) for grade in self.ranked)
        judgements = tuple(gains.get(grade, grade) for grade in self.judgements)
        return replace(self, ranked=ranked, judgements=judgements)

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
    """Return the rows of a population: `evidence`, `no_evidence`, `all`, `predicted` or `returned`.

    predicted: at least one candidate; returned: selected_k >= 1, and a missing one counts as 0.
    """
    if on == "evidence":
        return [row for row in rows if row.has_evidence]
    if on == "no_evidence":
        return [row for row in rows if not row.has_evidence]
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
    members: Iterable[tuple[str, str, str]] | None = None,
) -> list[Row]:
    """Join by id, rank each query's candidates by score descending, cut the list at `depth`.

    Equal scores keep the input order (`stable`) or are sorted by item id, UTF-8 bytes descending
    (`docno_desc`). Under `expected` they are in the input order, and measures are averaged over all.
    `members` are the items of evidence groups: (query, item, group).
    """
    if ties not in ("stable", "docno_desc", "expected"):
        raise ValueError(f"ties is {ties!r}; expected stable, docno_desc or expected")
    if ties == "expected" and depth is not None:
        raise ValueError("ties=expected takes no depth: which tied items it keeps would be open")
    if depth is not None and depth < 1:
        raise ValueError(f"depth is {depth}; expected a positive integer or None")
    ids = [query.id for query in queries]
    if len(set(ids)) < len(ids):
        raise ValueError(f"queries: {Counter(ids).most_common(1)[0][0]!r} appears twice")
    grades = _table(ids, judgements, "judgements", "grade")
    scores = _table(ids, candidates, "candidates", "score")
    grouped: dict[str, list[tuple[str, str]]] | None = None if members is None else {name: [] for name in ids}
    for query_id, item, group in members or ():
        if grouped is not None and query_id in grouped:
            grouped[query_id].append((item, group))
    return [
        _row(
            query,
            grades[query.id],
            scores[query.id],
            ties,
            depth,
            None if grouped is None else grouped[query.id],
        )
        for query in queries
    ]


def evidence_groups(
    members: Iterable[tuple[str, str]], grades: Mapping[str, Fraction]
) -> tuple[EvidenceGroup, ...]:
    """Return the groups of (item, group); an item whose group is empty is a group by itself."""
    found: dict[tuple[str, str], set[str]] = {}
    for item, group in members:
        found.setdefault(("group", group) if group else ("item", item), set()).add(item)
    return tuple(
        EvidenceGroup(frozenset(items), min(grades[item] for item in items)) for items in found.values()
    )


def _row(
    query: Query,
    grades: dict[str, float],
    scores: dict[str, float],
    ties: str,
    depth: int | None,
    members: Sequence[tuple[str, str]] | None,
) -> Row:
    exact = {item: Fraction(grade) for item, grade in grades.items()}
    ranking = _rank(scores, ties)[:depth]
    return Row(
        query,
        ranked=tuple(exact.get(item) for item in ranking),
        judgements=tuple(exact.values()),
        scores=tuple(scores[item] for item in ranking),
        averaged=ties == "expected",
        items=tuple(ranking),
        groups=None if members is None else evidence_groups(members, exact),
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
