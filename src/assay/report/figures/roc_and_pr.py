"""ROC and precision–recall curves with bands and operating points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.array_types import Bools
from assay.evaluation.intervals.curve_bands import Curve
from assay.evaluation.result import Value
from assay.report.figure_data import FigureData, Source, figure_data
from assay.report.figures.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    band_data,
    ci,
    legend_below,
    listed,
    shade,
    square,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EVERY = 600
"""Most points that a page draws as steps; a longer curve is thinned to a line."""
MARKERS = ("o", "s", "^", "D", "v", "P")


@dataclass(frozen=True, slots=True)
class Point:
    """An operating point: the rates of one decision rule, and the counts behind them."""

    name: str
    tpr: float
    fpr: float
    precision: float | None
    tp: int
    fp: int


def operating_points(data: FigureData) -> tuple[Point, ...]:
    """Return the operating points that the data have: the rule of the contract, 0.5, screening, alerts."""
    label = data.label
    rules: dict[str, Bools] = {}
    chosen = next((each.rule for each in data.result.thresholds if each.deployment), None)
    if chosen is not None and data.has(f"threshold_{chosen}"):
        limits = data.queries[f"threshold_{chosen}"].to_numpy()
        rules[f"threshold of {chosen}, chosen on TUNE"] = np.asarray(data.prob >= limits)
    rules["p ≥ 0.5"] = np.asarray(data.prob >= 0.5)
    if data.has("state"):
        rules["screening: not NEG"] = np.asarray(data.state >= 1)
        rules["alerts: POS"] = np.asarray(data.state == 2)
    return tuple(_point(name, said, label) for name, said in rules.items())


def _point(name: str, said: Bools, label: Bools) -> Point:
    tp, fp = int((said & label).sum()), int((said & ~label).sum())
    precision = tp / (tp + fp) if tp + fp else None
    positives = int(label.sum())
    return Point(name, tp / positives, fp / (len(label) - positives), precision, tp, fp)


def _mark(ax: Axes, x: float, y: float, marker: str, label: str) -> None:
    """Draw an operating point."""
    ax.plot(x, y, marker, ms=5.5, mfc=ORANGE, mec=INK, mew=0.6, ls="none", label=label, clip_on=False)


@dataclass(frozen=True, slots=True, eq=False)
class _Curved:
    """A curve, its area, and operating points on it."""

    curve: Curve
    area: Value | None
    points: tuple[Point, ...]
    positives: int
    negatives: int

    def _line(self) -> dict[str, Any]:
        few = len(self.curve.x) <= EVERY
        kept = [*range(len(self.curve.x))] if few else thin(self.curve.x, self.curve.y)
        return {
            "stepped": few,
            "x": listed(self.curve.x[kept], 5),
            "y": listed(self.curve.y[kept], 5),
            "threshold": listed(self.curve.threshold[kept]),
            "band": band_data(self.curve.band),
            "points": [
                {"name": each.name, "tpr": each.tpr, "fpr": each.fpr, "precision": each.precision}
                for each in self.points
            ],
            "positives": self.positives,
            "negatives": self.negatives,
        }

    def _legend(self, name: str) -> str:
        if self.area is None:
            return "all queries"
        text = f"{name} {self.area.value:.3f}"
        if self.area.interval is not None:
            text += ci(self.area.interval.low, self.area.interval.high)
        mean = self.area.aggregate == "fold_mean"
        return text + (f", mean over folds; pooled {self.area.pooled:.3f}" if mean else "")


@dataclass(frozen=True, slots=True, eq=False)
class RocDisplay(_Curved):
    """True against false positive rate, pooled over all queries."""

    name: ClassVar[str] = "roc"
    title: ClassVar[str] = "ROC curve of the no-evidence gate"

    @classmethod
    def of(cls, source: Source) -> RocDisplay:
        """Compute from a result or a bundle; MeasureError without probabilities or with one class only."""
        data = figure_data(source)
        made = data.curves
        points = operating_points(data)
        return cls(made.roc, data.value("auroc"), points, made.positives, made.negatives)

    def data(self) -> dict[str, Any]:
        """Return the numbers that the page draws."""
        return self._line()

    def draw(self, ax: Axes) -> Axes:
        """Draw on square axes."""
        ax.plot([0, 1], [0, 1], color=GREY, lw=0.8, ls=(0, (4, 3)), label="chance")
        shade(ax, self.curve.band)
        ax.step(self.curve.x, self.curve.y, where="post", color=BLUE, label=self._legend("AUROC"))
        for point, marker in zip(self.points, MARKERS, strict=False):
            label = f"{point.name}: {point.tpr:.3f} at FPR {point.fpr:.3f}"
            _mark(ax, point.fpr, point.tpr, marker, label)
        square(
            ax,
            f"False positive rate (share of {self.negatives:,} without evidence)",
            f"True positive rate (share of {self.positives:,} with evidence)",
        )
        legend_below(ax)
        return ax


@dataclass(frozen=True, slots=True, eq=False)
class PrDisplay(_Curved):
    """Precision against recall, with the positive rate as the chance level."""

    name: ClassVar[str] = "pr"
    title: ClassVar[str] = "Precision–recall curve of the no-evidence gate"

    @classmethod
    def of(cls, source: Source) -> PrDisplay:
        """Compute from a result or a bundle; MeasureError without probabilities or with one class only."""
        data = figure_data(source)
        made = data.curves
        points = operating_points(data)
        return cls(made.pr, data.value("auprc"), points, made.positives, made.negatives)

    @property
    def baseline(self) -> float:
        """Return the positive rate, which is the precision of random flags."""
        return self.positives / (self.positives + self.negatives)

    def data(self) -> dict[str, Any]:
        """Return the numbers that the page draws."""
        return {**self._line(), "baseline": self.baseline}

    def draw(self, ax: Axes) -> Axes:
        """Draw on square axes."""
        chance = f"chance: positive rate {self.baseline:.3f}"
        ax.axhline(self.baseline, color=GREY, lw=0.8, ls=(0, (4, 3)), label=chance)
        shade(ax, self.curve.band)
        x, y = np.append(0.0, self.curve.x), np.append(self.curve.y[0], self.curve.y)
        ax.step(x, y, where="pre", color=BLUE, label=self._legend("AUPRC"))
        for point, marker in zip(self.points, MARKERS, strict=False):
            if point.precision is not None:
                label = f"{point.name}: {point.precision:.3f} at recall {point.tpr:.3f}"
                _mark(ax, point.tpr, point.precision, marker, label)
        square(
            ax, f"Recall (share of {self.positives:,} with evidence)", "Precision (share of flagged queries)"
        )
        legend_below(ax)
        return ax
