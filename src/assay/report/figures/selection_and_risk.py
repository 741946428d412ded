"""Selected K by state, the risk–coverage curve, and the decision curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.data.cases import STATES
from assay.evaluation.intervals.curve_bands import Band
from assay.evaluation.intervals.threshold_bands import threshold_band
from assay.evaluation.result import Value
from assay.metrics.core.decimals import distance
from assay.report.figure_data import FigureData, Source, figure_data
from assay.report.figures.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    STATE_COLOURS,
    STATE_HATCHES,
    band_data,
    ci,
    legend_below,
    listed,
    shade,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_K = 20
POINTS = 200
"""Points of a band along the confidences."""


@dataclass(frozen=True, slots=True, eq=False)
class SelectedKDisplay:
    """How many queries return how many sentences, by state."""

    k: Ints
    counts: dict[str, Ints]  # state, or "all" where there are none
    cut: bool  # the last K includes all larger ones

    name: ClassVar[str] = "selected_k"
    title: ClassVar[str] = "Sentences returned per query"

    @classmethod
    def of(cls, source: Source) -> SelectedKDisplay:
        """Compute from a result or a bundle; raises MeasureError where no K was selected."""
        data = figure_data(source)
        chosen = data.selected_k
        largest = min(int(chosen.max(initial=0)), LARGEST_K)
        capped = np.minimum(chosen, largest)
        parts = {"all": np.ones(len(chosen), dtype=bool)}
        if data.has("state"):
            parts = {name: data.state == at for at, name in enumerate(STATES)}
        counts = {name: np.bincount(capped[inside], minlength=largest + 1) for name, inside in parts.items()}
        return cls(np.arange(largest + 1), counts, bool(chosen.max(initial=0) > largest))

    @property
    def labels(self) -> list[str]:
        """Return the tick labels."""
        last = [f"{self.k[-1]}+"] if self.cut else [str(self.k[-1])]
        return [*map(str, self.k[:-1]), *last]

    def data(self) -> dict[str, Any]:
        """Return the numbers that the page draws."""
        counts = {name: each.tolist() for name, each in self.counts.items()}
        return {"labels": self.labels, "counts": counts}

    def draw(self, ax: Axes) -> Axes:
        """Draw one stacked bar per K."""
        below = np.zeros(len(self.k))
        for name, counts in self.counts.items():
            ax.bar(
                self.k,
                counts,
                0.78,
                below,
                color=STATE_COLOURS.get(name, BLUE),
                ec="white",
                lw=0.5,
                hatch=STATE_HATCHES.get(name, ""),
                label=f"{name}, n = {int(counts.sum()):,}",
            )
            below += counts
        top = 1.06 * max(1.0, float(below.max()))
        ax.set(xlabel="Selected K (sentences)", ylabel="Queries (number)", ylim=(0, top))
        ax.set_xticks(self.k, self.labels)
        ax.locator_params(axis="y", integer=True)
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        ax.grid(visible=False, axis="x")
        legend_below(ax, 3)
        return ax


@dataclass(frozen=True, slots=True, eq=False)
class RiskCoverageDisplay:
    """Error rate of the most confident decisions (p ≥ at), against the share decided."""

    coverage: Floats
    risk: Floats
    area: Value | None
    at: float
    band: Band | None = None  # of the error rate at fixed confidence

    name: ClassVar[str] = "risk_coverage"
    title: ClassVar[str] = "Risk–coverage curve"

    @classmethod
    def of(cls, source: Source, at: float = 0.5) -> RiskCoverageDisplay:
        """Compute from a result or a bundle; raises MeasureError where there are no probabilities.

        Queries of equal confidence |p − at|, compared at 12 digits, are decided together.
        """
        data = figure_data(source)
        confidence = distance(data.prob, at)
        wrong = (data.prob >= at) != data.label
        order = np.argsort(-confidence, kind="stable")
        ends = np.flatnonzero(np.diff(confidence[order], append=-1.0))
        decided = ends + 1.0
        risk = np.cumsum(wrong[order])[ends] / decided
        area = data.value("aurc") if at == 0.5 else None
        return cls(decided / len(order), risk, area, at, _risk_band(data, order, ends, wrong))

    def data(self) -> dict[str, Any]:
        """Return the numbers that the page draws."""
        kept = thin(self.coverage, self.risk)
        line = {"x": listed(self.coverage[kept], 5), "y": listed(self.risk[kept], 5)}
        return {**line, "band": band_data(self.band)}

    def draw(self, ax: Axes) -> Axes:
        """Draw a line from the most confident decision to all of them."""
        legend = "error rate"
        if self.area is not None:
            interval = self.area.interval
            legend = f"AURC {self.area.value:.3f}"
            legend += "" if interval is None else ci(interval.low, interval.high)
        shade(ax, self.band, 100)
        ax.plot(100 * self.coverage, 100 * self.risk, color=BLUE, label=legend)
        last = 100 * float(self.risk[-1])
        ax.axhline(last, color=GREY, lw=0.8, ls=(0, (4, 3)), label=f"all decided: {last:.1f}%")
        highest = self.risk if self.band is None else np.append(self.risk, self.band.high)
        top = min(100.0, max(1.0, 110 * float(highest.max())))
        ax.set(
            xlim=(0, 100.5),
            ylim=(0, top),
            xlabel="Coverage: queries decided, most confident first (%)",
            ylabel=f"Wrong decisions at p ≥ {self.at:g} (% of decided)",
        )
        legend_below(ax, 2)
        return ax


def _risk_band(data: FigureData, order: Ints, ends: Ints, wrong: Bools) -> Band | None:
    """Return the band of the error rate beyond up to POINTS of the confidences."""
    if data.bands is None:
        return None
    kept = ends[np.unique(np.linspace(0, len(ends) - 1, POINTS).round().astype(np.int64))]
    step = np.empty(len(order), dtype=np.int64)
    step[order] = np.searchsorted(kept, np.arange(len(order)))
    ones = np.ones(len(order))

    def rate(totals: Sequence[Floats]) -> Floats:
        errors, decided = totals
        found: Floats = np.divide(errors, decided, out=np.full_like(errors, np.nan), where=decided > 0)
        return found

    x = (kept + 1.0) / len(order)
    return threshold_band(data.cases, x, ((step, wrong.astype(np.float64)), (step, ones)), rate, data.bands)


@dataclass(frozen=True, slots=True, eq=False)
class BenefitDisplay:
    """Net benefit TP/n − FP/n · t/(1 − t) over threshold probabilities t (Vickers and Elkin)."""

    threshold: Floats
    system: Floats
    everything: Floats
    prevalence: float
    band: Band | None = None  # of the system

    name: ClassVar[str] = "decision_curve"
    title: ClassVar[str] = "Decision curve"

    @classmethod
    def of(cls, source: Source, points: int = 99) -> BenefitDisplay:
        """Compute from a result or a bundle; raises MeasureError where there are no probabilities."""
        data = figure_data(source)
        t = np.arange(1, points + 1) / (points + 1)
        odds = t / (1 - t)
        label, n = data.label, len(data.label)
        kinds = (np.sort(data.prob[label]), np.sort(data.prob[~label]))
        hits, alarms = (len(each) - np.searchsorted(each, t, side="left") for each in kinds)
        rate = float(label.mean())
        system, band = hits / n - alarms / n * odds, _benefit_band(data, t, odds)
        return cls(t, system, rate - (1 - rate) * odds, rate, band)

    def data(self) -> dict[str, Any]:
        """Return the numbers that the page draws."""
        lines = {"system": listed(self.system), "everything": listed(self.everything)}
        more = {"prevalence": self.prevalence, "band": band_data(self.band)}
        return {"x": listed(self.threshold), **lines, **more}

    def draw(self, ax: Axes) -> Axes:
        """Draw the system between reviewing every query and reviewing none."""
        shade(ax, self.band)
        ax.plot(self.threshold, self.system, color=BLUE, label="the system")
        ax.plot(self.threshold, self.everything, color=ORANGE, lw=1.1, ls="--", label="review every query")
        ax.axhline(0, color=INK, lw=0.9, ls=":", label="review none")
        highest = self.system if self.band is None else self.band.high
        top = max(self.prevalence, float(highest.max()), 0.01)
        ax.set(
            xlim=(0, 1),
            ylim=(-0.35 * top, 1.2 * top),
            xlabel="Threshold probability t (a false alarm costs t / (1 − t) true positives)",
            ylabel="Net benefit (true positives per query)",
        )
        legend_below(ax, 2)
        return ax


def _benefit_band(data: FigureData, t: Floats, odds: Floats) -> Band | None:
    """Return the band of the net benefit at each threshold; the highest threshold comes first."""
    if data.bands is None:
        return None
    step = len(t) - np.searchsorted(t, data.prob, side="right")
    label, ones = data.label.astype(np.float64), np.ones(len(data.label))

    def benefit(totals: Sequence[Floats]) -> Floats:
        hits, flagged, drawn = totals
        found: Floats = hits / drawn - (flagged - hits) / drawn * odds[::-1]
        return found

    sums = ((step, label), (step, ones), (np.zeros_like(step), ones))
    made = threshold_band(data.cases, t[::-1], sums, benefit, data.bands)
    return replace(made, x=t, low=made.low[::-1], high=made.high[::-1])
