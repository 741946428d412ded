"""Measures as figures: by criterion, by cut-off, and step by step through an ablation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.errors import MeasureError
from assay.evaluation.result import Bounds, Value, bounds
from assay.metrics.core.family import is_whole
from assay.report.figure_data import Source, figure_data
from assay.report.figures.style import BLUE, GREEN, GREY, INK, ORANGE, legend_below, listed, no_markup, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CUT_FAMILIES = ("ndcg", "recall")


def file_name(measure: str) -> str:
    """Return a measure as part of a file name: letters, digits and underscores."""
    plain = measure.replace("@", "_at_")
    return "".join(mark if mark.isascii() and mark.isalnum() else "_" for mark in plain)


@dataclass(frozen=True, slots=True, eq=False)
class CriteriaDisplay:
    """One measure on each criterion, with the value over all of them."""

    measure: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    n: tuple[int, ...]
    intervals: tuple[Bounds | None, ...]
    conventions: tuple[str | None, ...]
    overall: Value

    title: ClassVar[str] = "By criterion"

    @classmethod
    def of(cls, source: Source, measure: str, column: str = "criterion_id") -> CriteriaDisplay:
        """Take from a result or a bundle; raises MeasureError where it was not broken down by the column."""
        data = figure_data(source)
        overall = data.result[measure]
        rows = data.result.groups.get(column)
        if not rows:
            raise MeasureError(f"{measure} is not broken down by {column} in this bundle")
        found = {label: values[measure] for label, values in rows.items() if measure in values}
        return cls(
            measure,
            tuple(found),
            tuple(each.value for each in found.values()),
            tuple(each.n for each in found.values()),
            tuple(map(bounds, found.values())),
            tuple(each.convention for each in found.values()),
            overall,
        )

    @property
    def name(self) -> str:
        """Return the file name without an ending."""
        return "criteria_" + file_name(self.measure)

    @property
    def height(self) -> float:
        """Return the height of the figure in inches."""
        return 1.5 + 0.2 * len(self.labels)

    def draw(self, ax: Axes) -> Axes:
        """Draw horizontal bars in the order of the bundle; values set by convention are hollow."""
        places = np.arange(len(self.labels))[::-1]
        for place, value, interval, convention in zip(
            places, self.values, self.intervals, self.conventions, strict=True
        ):
            hollow = convention is not None
            ax.barh(place, value, 0.66, color="white" if hollow else "#9CC3DE", ec=BLUE, lw=0.7)
            if interval is not None and not hollow:
                ax.plot(
                    [interval.low, interval.high], [place, place], color=INK, lw=1.1, solid_capstyle="butt"
                )
                ax.plot(value, place, "o", ms=3, color=INK)
        overall = self.overall
        ax.axvline(
            overall.pooled, color=ORANGE, lw=1.1, ls="--", label=f"all criteria, pooled: {overall.pooled:.3f}"
        )
        names = [f"{short(name, 30)}  (n = {n:,})" for name, n in zip(self.labels, self.n, strict=True)]
        ax.set_yticks(places, names)
        no_markup(ax.get_yticklabels())
        ax.set_ylim(-0.7, len(places) - 0.3)
        ends = [each.high for each in self.intervals if each is not None]
        top = max([*self.values, overall.pooled, *ends, 1e-9])
        ax.set_xlim(0, 1.0 if 0.3 < top <= 1 else top * 1.05)
        level = next((each.level for each in self.intervals if each is not None), None)
        bars = "" if level is None else f" with {level:.0%} CI"
        ax.set_xlabel(f"{overall.title}{bars}\n({overall.population} queries)")
        ax.grid(visible=False, axis="y")
        ax.set_title(f"{self.title}: {self.measure}")
        legend_below(ax, points=46)
        return ax


@dataclass(frozen=True, slots=True, eq=False)
class CutoffDisplay:
    """nDCG and recall at each cut-off k."""

    k: tuple[int, ...]
    lines: dict[str, tuple[Value, ...]]

    name: ClassVar[str] = "cutoffs"
    title: ClassVar[str] = "Ranking by cut-off"

    @classmethod
    def of(cls, source: Source, families: Sequence[str] = CUT_FAMILIES) -> CutoffDisplay:
        """Take from a result or a bundle; raises MeasureError where it has none of the families."""
        data = figure_data(source)
        by_cut: dict[str, dict[int, Value]] = {}
        for value in data.result.measures:
            family, at, cut = value.name.partition("@")
            if at and is_whole(cut) and family in families:
                by_cut.setdefault(family, {})[int(cut)] = value
        if not by_cut:
            raise MeasureError(f"the bundle has no {' or '.join(families)} at a cut-off")
        cuts = sorted(set.intersection(*(set(each) for each in by_cut.values())))
        lines = {family: tuple(each[cut] for cut in cuts) for family, each in by_cut.items()}
        return cls(tuple(cuts), lines)

    def data(self) -> dict[str, Any]:
        """Return the numbers that the page draws."""
        lines = {}
        for family, values in self.lines.items():
            ends = [bounds(each) for each in values]
            lines[family] = {
                "y": listed([each.value for each in values]),
                "low": [None if end is None else end.low for end in ends],
                "high": [None if end is None else end.high for end in ends],
            }
        n = next(iter(self.lines.values()))[0].n if self.k else 0
        return {"k": list(self.k), "lines": lines, "n": n}

    def draw(self, ax: Axes) -> Axes:
        """Draw one line per measure, with evenly spaced cut-offs."""
        places = np.arange(len(self.k))
        looks = ((BLUE, "o", -0.06), (ORANGE, "s", 0.06), (GREEN, "^", 0.12), (GREY, "D", -0.12))
        for (family, values), (colour, marker, shift) in zip(self.lines.items(), looks, strict=False):
            y = np.array([each.value for each in values])
            ends = [bounds(each) for each in values]
            for place, end in zip(places, ends, strict=True):
                if end is not None:
                    ax.vlines(place + shift, end.low, end.high, color=colour, lw=1.1)
            ax.plot(
                places + shift, y, marker + "-", ms=4.5, color=colour, mec=INK, mew=0.4, label=f"{family}@k"
            )
        first = next(iter(self.lines.values()))[0]
        level = "" if first.interval is None else f", {first.interval.level:.0%} CI"
        ax.set_xticks(places, [str(k) for k in self.k])
        ax.set(
            ylim=(0, 1.02),
            xlim=(-0.4, len(places) - 0.6),
            xlabel="Cut-off k (sentences)",
            ylabel=f"Value (0 to 1{level}; n = {first.n:,} queries)",
        )
        ax.set_title(self.title)
        legend_below(ax, 2)
        return ax


@dataclass(frozen=True, slots=True)
class Step:
    """A row of an ablation: the value with this stage added."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class WaterfallDisplay:
    """Cumulative rows of an ablation: each bar goes from the previous value to its own."""

    measure: str
    steps: tuple[Step, ...]

    title: ClassVar[str] = "Ablation"

    @property
    def name(self) -> str:
        """Return the file name without an ending."""
        return "ablation_" + file_name(self.measure)

    @classmethod
    def of(cls, measure: str, rows: Sequence[Step | tuple[str, float]]) -> WaterfallDisplay:
        """Take rows of (stage, value), or steps with intervals; at least one."""
        steps = tuple(row if isinstance(row, Step) else Step(*row) for row in rows)
        if not steps:
            raise MeasureError("an ablation needs at least one row with a name and a value")
        return cls(measure, steps)

    def draw(self, ax: Axes) -> Axes:
        """Draw the first bar from the axis, and each other from the previous value."""
        values = [step.value for step in self.steps]
        edges = [*values, *(end for step in self.steps for end in (step.low, step.high) if end)]
        span = (max(edges) - min(edges)) or 0.1 * abs(values[0]) or 0.1
        floor = max(0.0, min(edges) - 0.45 * span) if min(edges) >= 0 else min(edges) - 0.45 * span
        before = floor
        for place, step in enumerate(self.steps):
            rises = step.value >= before
            colour = "#B9C2CC" if place == 0 else ("#7FB8A4" if rises else "#E0A080")
            ax.bar(
                place,
                step.value - before,
                0.62,
                before,
                color=colour,
                ec=INK,
                lw=0.6,
                hatch="" if rises else "////",
            )
            if step.low is not None and step.high is not None:
                ax.vlines(place, step.low, step.high, color=INK, lw=1.0)
            change = "" if place == 0 else f"\n{step.value - values[place - 1]:+.3f}".replace("-", "−")
            over = max(step.value, before, step.high or step.value)
            ax.annotate(
                f"{step.value:.3f}{change}",
                (place, over),
                (0, 3),
                ha="center",
                textcoords="offset points",
                fontsize=7.5,
            )
            if place + 1 < len(self.steps):
                ax.plot([place + 0.31, place + 0.69], [step.value] * 2, color=GREY, lw=0.8)
            before = step.value
        slanted = len(self.steps) > 4 or max(len(step.name) for step in self.steps) > 12
        names = [short(step.name, 24) for step in self.steps]
        ax.set_xticks(
            range(len(names)), names, rotation=25 if slanted else 0, ha="right" if slanted else "center"
        )
        no_markup(ax.get_xticklabels())
        ax.set(
            ylim=(floor, max(edges) + 0.35 * span),
            xlim=(-0.6, len(self.steps) - 0.4),
            xlabel="Stage added (cumulative)",
            ylabel=f"{self.measure} (value)",
        )
        ax.grid(visible=False, axis="x")
        ax.set_title(f"{self.title}: {self.measure}")
        return ax
