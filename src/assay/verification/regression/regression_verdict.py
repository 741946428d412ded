"""What the regression gate gives: a verdict per measure, and the verdict on all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.display.displayed import Checks
from assay.errors import MeasureError
from assay.verification.regression.verdicts import UNDECIDED, WORSE, overall

if TYPE_CHECKING:
    import polars as pl

    from assay.display.summary import Summary


@dataclass(frozen=True, slots=True)
class GuardedMeasure:
    """One measure of both bundles, and the verdict on it."""

    name: str
    definition: str
    better: str
    population: str
    n: int
    aggregate: str  # pooled or fold_mean
    old: float
    new: float
    difference: float  # new − old
    low: float | None  # one-sided bounds of the difference; None: the posts are too few
    high: float | None
    margin: float  # the loss that is allowed, from 0
    p_not_worse: float
    p_better: float  # adjusted over the measures, as is p_worse
    p_worse: float
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class RegressionVerdict(Checks):
    """All guarded measures of two bundles, and the verdict on them together."""

    new: str  # names of the bundles
    old: str
    contract: str
    queries: int
    posts: int
    folds: int  # 0: there are none
    alpha: float
    resamples: int
    seed: int
    measures: tuple[GuardedMeasure, ...]
    absent: Mapping[str, str]  # measures that were asked for and cannot be compared, and why

    @property
    def verdict(self) -> str:
        """The verdict on all measures: better, not worse, worse or undecided."""
        return overall([each.verdict for each in self])

    @property
    def reason(self) -> str:
        """Why, in one sentence: the measures that decided it."""
        deciding = [each for each in self if each.verdict == self.verdict]
        names = ", ".join(each.name for each in deciding)
        if len({each.reason for each in deciding}) == 1:
            return deciding[0].reason if len(deciding) == len(self) else f"{names}: {deciding[0].reason}"
        return names if len(deciding) < len(self) else "every measure"

    @property
    def ok(self) -> bool:
        """Whether the verdict is better or not worse."""
        return self.verdict not in (WORSE, UNDECIDED)

    def __iter__(self) -> Iterator[GuardedMeasure]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def _summary(self) -> Summary:
        from assay.verification.display.check_summaries import regression_summary

        return regression_summary(self)

    def _rows(self) -> pl.DataFrame:
        from assay.verification.display.check_summaries import regression_rows

        return regression_rows(self)

    def __getitem__(self, name: str) -> GuardedMeasure:
        """The verdict on a measure."""
        for each in self:
            if each.name == name:
                return each
        raise MeasureError(f"{name} is not guarded; guarded are {', '.join(each.name for each in self)}")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "schema": "assay/regression-gate/1",
            "new": self.new,
            "old": self.old,
            "contract": self.contract,
            "queries": self.queries,
            "posts": self.posts,
            "folds": self.folds,
            "alpha": self.alpha,
            "resamples": self.resamples,
            "seed": self.seed,
            "verdict": self.verdict,
            "reason": self.reason,
            "measures": [asdict(each) for each in self],
            "absent": dict(self.absent),
        }
