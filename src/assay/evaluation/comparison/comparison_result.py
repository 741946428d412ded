"""What a comparison gives: every difference with its interval, its tests and the family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.array_types import Floats
from assay.data.cases import Counts
from assay.display.displayed import Displayed, MeasuredNumber
from assay.display.frames import flat_numbers
from assay.errors import MissingMeasureError
from assay.evaluation.result import Interval

if TYPE_CHECKING:
    from assay.display.summary import Summary

Key = str | tuple[str, str] | tuple[str, str, str]
"""A measure; with several pairs (measure, system); of all pairs (measure, baseline, system)."""


@dataclass(frozen=True, slots=True)
class Randomisation:
    """Two-sided p when the two systems' answers change hands, post by post, with chance ½."""

    p: float  # (1 + extreme) / (1 + resamples)
    extreme: int  # swaps with a difference at least as large
    resamples: int
    unit: str
    holm: float  # adjusted over the family
    bh: float


@dataclass(frozen=True, slots=True)
class FoldTest:
    """Corrected resampled t over folds (Nadeau and Bengio)."""

    t: float
    df: int
    p: float
    test_to_train: float  # mean number of posts of a fold over that of the others


@dataclass(frozen=True, slots=True)
class DeLong:
    """Clustered DeLong test of two AUROCs; of fold means where those are the headline."""

    z: float
    p: float
    se: float
    low: float
    high: float
    unit: str


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Queries of the population on which the system is better, equal or worse."""

    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Difference(MeasuredNumber):
    """One measure of two systems: the system minus its baseline, as a float that knows its tests."""

    _number = "difference"

    name: str
    definition: str
    title: str
    better: str
    population: str
    n: int  # queries of the population, of the baseline where they differ
    aggregate: str  # pooled or fold_mean
    baseline: str
    system: str
    baseline_value: float
    system_value: float
    difference: float
    interval: Interval
    relative_improvement: float | None  # (system − baseline) / baseline; null at 0
    mean_of_fold_improvements: float | None  # another figure: the mean of the folds' own ratios
    standardised: float | None  # mean of the posts' differences over their std
    randomisation: Randomisation
    folds: FoldTest | None
    delong: DeLong | None
    outcomes: Outcomes | None
    absent: Mapping[str, str]  # which of these parts are null, and why

    def adjusted(self, correction: str) -> float:
        """Return the p-value of the randomisation test, adjusted by `holm` or `bh`."""
        return {"holm": self.randomisation.holm, "bh": self.randomisation.bh}[correction]

    def __repr__(self) -> str:
        return (
            f"Difference({self.name}: {self.system} minus {self.baseline} = {self.difference:+.4f}, "
            f"{self.interval.level:.0%} CI [{self.interval.low:+.4f}, {self.interval.high:+.4f}], "
            f"p = {self.randomisation.p:.4g})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Displayed, Mapping[Key, Difference]):
    """All differences of a family of measures between systems on the same queries.

    A mapping: by measure where two systems are compared, by (measure, system) where several are
    compared with one baseline, and by (measure, baseline, system) where all pairs are.
    """

    systems: tuple[str, ...]
    contracts: Mapping[str, tuple[str, str]]  # system to id and hash
    counts: Mapping[str, Counts]  # of each system's own input
    queries: int  # that are compared
    evidence: int  # of these, under the first system's gold
    posts: int
    folds: int  # 0: there are none
    pairs: tuple[tuple[str, str], ...]  # baseline, system
    family: tuple[str, ...]  # measures; with the pairs, what Holm and BH run over
    correction: str  # holm or bh: which of the two is shown
    seed: int
    allow_different: tuple[str, ...]
    left_out: int  # queries that not all systems have
    absent: Mapping[str, str]  # measures that cannot be compared, and why
    differences: tuple[Difference, ...]
    by_query: Callable[[], Mapping[tuple[str, str, str], Floats]] = dict
    """Gives the difference on each query, by (measure, baseline, system), of means over queries."""

    __hash__ = None  # type: ignore[assignment] # mappings are not hashable

    def __getitem__(self, key: Key) -> Difference:
        """Return a difference; what is not needed to tell it from others can be left out of the key."""
        name, *systems = key if isinstance(key, tuple) and key else (key,)
        found = [
            each
            for each in self.differences
            if each.name == name and (each.baseline, each.system)[2 - len(systems) :] == tuple(systems)
        ]
        if len(found) == 1:
            return found[0]
        if name in self.absent:
            raise MissingMeasureError(f"{name} is absent: {self.absent[name]}")
        if found:
            asked = " or ".join(", ".join(map(repr, each)) for each in self if each[0] == name)
            raise MissingMeasureError(f"{name} was compared {len(found)} times; ask for one of: {asked}")
        raise MissingMeasureError(f"{key!r} is not of the family {', '.join(self.family)}")

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self.differences)

    def __eq__(self, other: object) -> bool:
        """Whether every number is the same, between systems of the same names."""
        return self.to_dict() == other.to_dict() if isinstance(other, Comparison) else NotImplemented

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields with the differences by query: what computes them stays behind."""
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**state, "by_query": partial(dict, self.by_query())}

    @cached_property
    def _keys(self) -> tuple[Key, ...]:
        if len(self.pairs) == 1:
            return tuple(each.name for each in self.differences)
        if len({baseline for baseline, _ in self.pairs}) == 1:
            return tuple((each.name, each.system) for each in self.differences)
        return tuple((each.name, each.baseline, each.system) for each in self.differences)

    def of_pair(self, baseline: str, system: str) -> list[Difference]:
        """Return the differences of one pair, in the order of the family."""
        return [each for each in self.differences if (each.baseline, each.system) == (baseline, system)]

    def _summary(self) -> Summary:
        from assay.evaluation.display.summaries import comparison_summary

        return comparison_summary(self)

    def _rows(self) -> pl.DataFrame:
        """Return one row per measure and pair."""
        from assay.evaluation.display.summaries import comparison_rows

        return comparison_rows(self)

    def to_latex(self) -> str:
        """Return a booktabs table of every difference."""
        from assay.evaluation.display.summaries import comparison_latex

        return comparison_latex(self)

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """Return plain numbers and texts, for JSON.

        With `flat`, return the differences alone, under keys that experiment trackers accept.
        """
        if flat:
            names = ("/".join((key,) if isinstance(key, str) else key) for key in self)
            return flat_numbers(zip(names, (each.difference for each in self.differences), strict=True))
        return {
            "schema": "assay/comparison/1",
            "systems": [
                {
                    "system": name,
                    "contract": self.contracts[name][0],
                    "contract_hash": self.contracts[name][1],
                    "counts": asdict(self.counts[name]),
                }
                for name in self.systems
            ],
            "queries": self.queries,
            "evidence": self.evidence,
            "posts": self.posts,
            "folds": self.folds,
            "pairs": [{"baseline": a, "system": b} for a, b in self.pairs],
            "family": list(self.family),
            "tests": len(self.differences),
            "correction": self.correction,
            "seed": self.seed,
            "allow_different": list(self.allow_different),
            "left_out": self.left_out,
            "absent": dict(self.absent),
            "differences": [asdict(each) for each in self.differences],
        }
