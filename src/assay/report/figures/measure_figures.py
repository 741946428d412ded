"""Measures as figures: by criterion, by cut-off, and interpolated precision by recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.errors import MeasureError
from assay.evaluation.display.suppressed_groups import hidden_groups
from assay.evaluation.presentation import measure_title, symbols
from assay.evaluation.result import Bounds, Value, bounds
from assay.metrics.core.entry import POPULATION_TITLES, Population
from assay.metrics.core.names.parameter import is_whole
from assay.metrics.core.registry import metric
from assay.report.figure_data import Source, figure_data
from assay.report.figures.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    file_name,
    legend_below,
    listed,
    no_markup,
    short,
    square,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 40
"""Criteria in a figure."""
CUT_FAMILIES = ("ndcg", "recall")


@dataclass(frozen=True, slots=True, eq=False)
class CriteriaDisplay:
    """One measure on each criterion, with the value over all of them and the target of the contract."""

    measure: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    n: tuple[int, ...]
    intervals: tuple[Bounds | None, ...]
    conventions: tuple[str | None, ...]
    overall: Value

    title: ClassVar[str] = "By criterion"

    @classmethod
    def of(
        cls, source: Source, measure: str, column: str = "criterion_id", suppress_below: int | None = None
    ) -> CriteriaDisplay:
        """Take from a result or a bundle; raises MeasureError where it was not broken down by the column.

        Groups of fewer queries than `suppress_below` are left out.
        """
        data = figure_data(source)
        overall = data.result[measure]
        rows = data.result.groups.get(column)
        if not rows:
            raise MeasureError(f"{measure} is not broken down by {column} in this bundle")
        found = {label: values[measure] for label, values in rows.items() if measure in values}
        secret = hidden_groups({label: each.n for label, each in found.items()}, suppress_below)
        found = {label: each for label, each in found.items() if label not in secret}
        if not found:
            raise MeasureError(f"every group of {column} has fewer than {suppress_below} queries")
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
    def rows(self) -> list[int]:
        """Return the criteria from the highest value to the lowest; of many, those at both ends."""
        order = sorted(range(len(self.labels)), key=lambda at: -self.values[at])
        return order if len(order) <= MOST_ROWS else order[: MOST_ROWS // 2] + order[-(MOST_ROWS // 2) :]

    @property
    def height(self) -> float:
        """Return the height of the figure in inches."""
        return 1.4 + 0.19 * len(self.rows)

    def draw(self, ax: Axes) -> Axes:
        """Draw a dot with its interval per criterion, sorted; values set by convention are hollow."""
        rows = self.rows
        places = np.arange(len(rows))[::-1]
        for place, at in zip(places, rows, strict=True):
            value, interval, hollow = self.values[at], self.intervals[at], self.conventions[at] is not None
            if interval is not None and not hollow:
                ax.plot([interval.low, interval.high], [place] * 2, color=BLUE, lw=1.2, solid_capstyle="butt")
            ax.plot(value, place, "o", ms=5, mfc="white" if hollow else BLUE, mec=BLUE, clip_on=False)
        overall, target = self.overall, self.overall.target
        label = f"all {len(self.labels)}, pooled: {overall.pooled:.3f}"
        ax.axvline(overall.pooled, color=INK, lw=1.0, ls="--", label=label)
        limits = [overall.pooled]
        if target is not None:
            limits.append(target.limit)
            ax.axvline(target.limit, color=ORANGE, lw=1.2, label=f"target {symbols(target.text)}")
        cut = "" if len(rows) == len(self.labels) else f"\n{len(rows)} of {len(self.labels):,}: both ends"
        names = [f"{short(self.labels[at], 40)}  (n = {self.n[at]:,})" for at in rows]
        ax.set_yticks(places, names)
        no_markup(ax.get_yticklabels())
        ax.set_ylim(-0.7, len(rows) - 0.3)
        shown = [self.intervals[at] for at in rows]
        ends = [end for each in shown if each is not None for end in (each.low, each.high)]
        ax.set_xlim(*_limits([*limits, *ends, *(self.values[at] for at in rows)]))
        level = next((each.level for each in shown if each is not None), None)
        bars = "" if level is None else f" with {level:.0%} CI"
        of = POPULATION_TITLES[Population(overall.population)]
        ax.set_xlabel(f"{measure_title(overall.definition)}{bars}\n({of}){cut}")
        ax.grid(visible=False, axis="y")
        legend_below(ax, 2, points=46 + 11 * bool(cut))
        return ax


def _limits(values: Sequence[float]) -> tuple[float, float]:
    """Return limits a little beyond the values; a share stays between 0 and 1."""
    low, high = min(values), max(values)
    room = 0.04 * ((high - low) or 1.0)
    if low >= 0 and high <= 1:
        return max(0.0, low - room), min(1.0, high + room)
    return low - room, high + room


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
        kinds: dict[str, tuple[str, ...]] = {}  # parameters of the first measure of each family
        for value in data.result.measures:
            bound = metric(value.definition)
            family, _, cut = bound.name.partition("@")
            parameters = tuple(bound.params.values())
            if is_whole(cut) and family in families and kinds.setdefault(family, parameters) == parameters:
                by_cut.setdefault(family, {}).setdefault(int(cut), value)
        if not by_cut:
            raise MeasureError(f"the bundle has no {' or '.join(families)} at a cut-off")
        cuts = sorted(set.intersection(*(set(each) for each in by_cut.values())))
        lines = {  # in this order, so that a family has the same colour in every bundle
            family: tuple(by_cut[family][cut] for cut in cuts) for family in families if family in by_cut
        }
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
        for values, (colour, marker, shift) in zip(self.lines.values(), looks, strict=False):
            y = np.array([each.value for each in values])
            ends = [bounds(each) for each in values]
            for place, end in zip(places, ends, strict=True):
                if end is not None:
                    ax.vlines(place + shift, end.low, end.high, color=colour, lw=1.1)
            name = f"{measure_title(values[0].definition, cut=False)}@k"
            ax.plot(places + shift, y, marker + "-", ms=4.5, color=colour, mec=INK, mew=0.4, label=name)
        first = next(iter(self.lines.values()))[0]
        level = "" if first.interval is None else f", {first.interval.level:.0%} CI"
        ax.set_xticks(places, [str(k) for k in self.k])
        ax.set(
            ylim=(0, 1.02),
            xlim=(-0.4, len(places) - 0.6),
            xlabel="Cut-off k",
            ylabel=f"Value (0 to 1{level}; n = {first.n:,} queries)",
        )
        legend_below(ax, 2)
        return ax


@dataclass(frozen=True, slots=True, eq=False)
class InterpolatedPrecisionDisplay:
    """Interpolated precision at levels of recall, averaged over queries, as TREC reports it."""

    values: tuple[Value, ...]  # by rising level
    levels: tuple[float, ...]

    name: ClassVar[str] = "interpolated_precision"
    title: ClassVar[str] = "Interpolated precision by recall"

    @classmethod
    def of(cls, source: Source) -> InterpolatedPrecisionDisplay:
        """Take from a result or a bundle; raises MeasureError where it has fewer than two levels."""
        found: dict[float, Value] = {}
        for value in figure_data(source).result.measures:
            family, _, level = metric(value.definition).name.partition("@")
            if family == "iprec":
                found.setdefault(float(level), value)
        if len(found) < 2:
            raise MeasureError("the bundle has no interpolated precision at levels of recall")
        levels = tuple(sorted(found))
        return cls(tuple(found[level] for level in levels), levels)

    def data(self) -> dict[str, Any]:
        """Return the numbers that the page draws."""
        ends = [bounds(each) for each in self.values]
        return {
            "x": listed(self.levels),
            "y": listed([each.value for each in self.values]),
            "low": [None if end is None else end.low for end in ends],
            "high": [None if end is None else end.high for end in ends],
            "n": self.values[0].n,
        }

    def draw(self, ax: Axes) -> Axes:
        """Draw a line, shaded between the ends of the intervals."""
        n = self.values[0].n
        ends = [bounds(each) for each in self.values]
        if all(end is not None for end in ends):
            low, high = [end.low for end in ends if end], [end.high for end in ends if end]
            level = next(end.level for end in ends if end)
            name = f"{level:.0%} intervals, level by level"
            ax.fill_between(self.levels, low, high, color=BLUE, alpha=0.16, lw=0, label=name)
        label = f"mean over {n:,} queries"
        ax.plot(self.levels, [each.value for each in self.values], "o-", ms=4.5, color=BLUE, label=label)
        square(ax, "Recall level", "Interpolated precision")
        legend_below(ax)
        return ax
