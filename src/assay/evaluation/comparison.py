"""What a comparison gives: every difference with its interval, its tests and the family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from assay.data.model import Counts
from assay.errors import MeasureError
from assay.evaluation.result import Interval


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


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two systems: the system minus its baseline."""

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


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences of a family of measures between systems on the same queries."""

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
    despite: tuple[str, ...]
    left_out: int  # queries that not all systems have
    absent: Mapping[str, str]  # measures that cannot be compared, and why
    differences: tuple[Difference, ...]

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __getitem__(self, key: str | tuple[str, str]) -> Difference:
        """By measure, or by (measure, system) where there are several pairs."""
        name, system = (key, None) if isinstance(key, str) else key
        found = [
            each for each in self if each.name == name and (system is None or each.system == system)
        ]
        if len(found) == 1:
            return found[0]
        if name in self.absent:
            raise MeasureError(f"{name} is absent: {self.absent[name]}")
        if found:
            raise MeasureError(f"{name} was compared {len(found)} times: ask for (measure, system)")
        raise MeasureError(f"{name} is not of the family {', '.join(self.family)}")

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
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
            "despite": list(self.despite),
            "left_out": self.left_out,
            "absent": dict(self.absent),
            "differences": [asdict(each) for each in self.differences],
        }
