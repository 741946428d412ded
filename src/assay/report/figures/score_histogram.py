"""The distribution of probabilities by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.metrics.core.decimals import UNIT, in_steps
from assay.report.figure_data import Source, figure_data
from assay.report.figures.style import BLUE, INK, ORANGE, legend_below, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PILED = 0.5
"""With more than this share of the probabilities below NEAR or above 1 − NEAR, the axis is a logit one."""
NEAR = 0.05
LEAST = (1e-2, 1e-3, 1e-4)
"""Ends of a logit axis: the largest that leaves at most 5% of the queries beyond, else the smallest."""
TICKS = (1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
LOGIT_BINS = 40


def logit(prob: Floats, least: float) -> Floats:
    """Return ln(p / (1 − p)) of probabilities that are moved to [least, 1 − least]."""
    inside = np.clip(prob, least, 1 - least)
    odds: Floats = np.log(inside / (1 - inside))
    return odds


@dataclass(frozen=True, slots=True, eq=False)
class LogitBins:
    """A histogram of equal width on a logit scale; the outer bins include what lies beyond."""

    edges: Floats  # log odds
    with_evidence: Ints
    without: Ints
    least: float

    @classmethod
    def of(cls, prob: Floats, label: Bools) -> LogitBins | None:
        """Count where most probabilities are near 0 or 1; None elsewhere."""
        if not len(prob) or np.mean((prob < NEAR) | (prob > 1 - NEAR)) <= PILED:
            return None
        beyond = {least: np.mean((prob < least) | (prob > 1 - least)) for least in LEAST}
        least = next((each for each, share in beyond.items() if share <= NEAR), LEAST[-1])
        end = float(logit(np.array([1.0]), least)[0])
        edges = np.linspace(-end, end, LOGIT_BINS + 1)
        codes = np.clip(np.searchsorted(edges, logit(prob, least), side="right") - 1, 0, LOGIT_BINS - 1)
        positive, negative = (np.bincount(codes[inside], minlength=LOGIT_BINS) for inside in (label, ~label))
        return cls(edges, positive, negative, least)

    @property
    def ticks(self) -> list[float]:
        """Return the probabilities that the axis names."""
        return [each for each in TICKS if self.least <= each <= 1 - self.least + 1e-12]

    @property
    def labels(self) -> list[str]:
        """Return their names; the ends include what lies beyond."""
        names = [f"{each:g}" for each in self.ticks]
        return [f"≤ {names[0]}", *names[1:-1], f"≥ {names[-1]}"]


@dataclass(frozen=True, slots=True, eq=False)
class ScoresDisplay:
    """Histogram of the probabilities of each class, as shares of its queries."""

    edges: Floats
    with_evidence: Ints
    without: Ints
    tau_neg: tuple[float, ...]  # one value, or one per fold
    tau_pos: tuple[float, ...]
    logit: LogitBins | None = None  # where most probabilities are near 0 or 1

    name: ClassVar[str] = "scores"
    title: ClassVar[str] = "Predicted probabilities by class"

    @classmethod
    def of(cls, source: Source, bins: int = 40) -> ScoresDisplay:
        """Compute from a result or a bundle; raises MeasureError where there are no probabilities."""
        data = figure_data(source)
        edges = np.linspace(0, 1, bins + 1)
        codes = np.minimum(in_steps(data.prob) * bins // UNIT, bins - 1)
        positive = np.bincount(codes[data.label], minlength=bins)
        negative = np.bincount(codes[~data.label], minlength=bins)
        taus = data.taus
        neg = () if taus is None else tuple(dict.fromkeys(taus.neg.values()))
        pos = () if taus is None else tuple(dict.fromkeys(taus.pos.values()))
        return cls(edges, positive, negative, neg, pos, LogitBins.of(data.prob, data.label))

    def data(self) -> dict[str, Any]:
        """Return the numbers that the page draws."""
        return {
            "edges": listed(self.edges),
            "with": self.with_evidence.tolist(),
            "without": self.without.tolist(),
        }

    def draw(self, ax: Axes) -> Axes:
        """Draw queries with evidence upwards and those without downwards."""
        bins = self.logit
        edges = self.edges if bins is None else bins.edges
        positive, negative = (
            (self.with_evidence, self.without) if bins is None else (bins.with_evidence, bins.without)
        )
        sides = (
            (positive, 1, BLUE, "with evidence", ""),
            (negative, -1, "#B9C2CC", "without evidence", "////"),
        )
        reach = []
        for counts, sign, colour, name, hatch in sides:
            total = int(counts.sum())
            share = 100 * counts / max(1, total)
            reach.append(1.12 * max(1.0, float(share.max())))
            ax.bar(
                edges[:-1],
                sign * share,
                np.diff(edges),
                align="edge",
                color=colour,
                ec="white",
                lw=0.3,
                hatch=hatch,
                label=f"{name}, n = {total:,}",
            )
        self._thresholds(ax)
        ax.axhline(0, color=INK, lw=0.7)
        ax.set(
            xlim=(edges[0], edges[-1]),
            ylim=(-reach[1], reach[0]),
            xlabel="Predicted probability of evidence" + ("" if bins is None else " (logit scale)"),
            ylabel="Share of each class (%)",
        )
        if bins is not None:
            ax.set_xticks(logit(np.array(bins.ticks), bins.least), bins.labels)
        ax.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        legend_below(ax, 2)
        return ax

    def _thresholds(self, ax: Axes) -> None:
        for taus, symbol, style in ((self.tau_neg, "τ_neg", "--"), (self.tau_pos, "τ_pos", "-")):
            for at, tau in enumerate(taus):
                several = f" of {len(taus)} folds" if len(taus) > 1 else f" = {tau:.3g}"
                place = tau if self.logit is None else float(logit(np.array([tau]), self.logit.least)[0])
                ax.axvline(
                    place,
                    color=ORANGE,
                    ls=style,
                    lw=1.2 if len(taus) == 1 else 0.8,
                    label=f"{symbol}{several}" if at == 0 else None,
                )
