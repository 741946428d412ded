"""The difference of two systems query by query, as a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.array_types import Floats
from assay.errors import MeasureError
from assay.evaluation.comparison.comparison_result import Comparison, Difference
from assay.evaluation.comparison.paired_tests import SAME
from assay.evaluation.presentation import ARROWS, measure_title
from assay.report.figures.style import (
    BLUE,
    GREY,
    INK,
    LONGEST,
    ORANGE,
    file_name,
    legend_below,
    listed,
    short,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class DifferencesDisplay:
    """System minus baseline on each query, from the largest gain to the largest loss."""

    difference: Difference
    changes: Floats  # sorted, the system's gains first

    title: ClassVar[str] = "Difference by query"

    @classmethod
    def of(
        cls, made: Comparison, measure: str, baseline: str | None = None, system: str | None = None
    ) -> DifferencesDisplay:
        """Take from a comparison; raises MeasureError for a measure that is no mean over queries."""
        pair = made.pairs[0] if baseline is None or system is None else (baseline, system)
        found = made[measure, pair[0], pair[1]]
        changes = made.by_query().get((found.name, *pair))
        if changes is None:
            reason = found.absent.get("outcomes", "the comparison came from another process")
            raise MeasureError(f"{measure} has no differences by query: {reason}")
        ordered = np.sort(changes)
        return cls(found, ordered if found.better == "lower" else ordered[::-1])

    @property
    def name(self) -> str:
        """Return the file name without an ending."""
        each = self.difference
        system, baseline = (file_name(short(name, LONGEST)) for name in (each.system, each.baseline))
        return f"differences_{file_name(each.name)}_{system}_minus_{baseline}"

    def data(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {"y": listed(self.changes)}

    def draw(self, ax: Axes) -> Axes:
        """Draw gains above, losses below, and the mean with its interval if it is over all queries."""
        each, n = self.difference, len(self.changes)
        edges = np.arange(n + 1)
        gain = -1 if each.better == "lower" else 1
        better, worse = gain * self.changes > SAME, gain * self.changes < -SAME
        ties = n - int(better.sum()) - int(worse.sum())
        sides = ((better, BLUE, "better", ""), (worse, ORANGE, "worse", "////"))
        for inside, colour, word, hatch in sides:
            ax.stairs(
                np.where(inside, self.changes, 0.0),
                edges,
                fill=True,
                fc=colour,
                ec="white" if hatch else "none",
                lw=0,
                hatch=hatch,
                label=f"{word} on {int(inside.sum()):,}",
            )
        ax.axhline(0, color=INK, lw=0.7)
        mean = each.difference
        if each.aggregate == "pooled":
            ax.axhspan(each.interval.low, each.interval.high, color=GREY, alpha=0.25, lw=0)
        level = f"{each.interval.level:.0%} CI [{each.interval.low:+.3f}, {each.interval.high:+.3f}]"
        of = "mean" if each.aggregate == "pooled" else "mean over folds"
        label = f"{of} {mean:+.3f}, {level}".replace("-", "−")
        ax.axhline(mean, color=INK, lw=1.0, ls="--", label=label)
        arrow = ARROWS.get(each.better, "")
        names = f"{short(each.system, 22)} minus {short(each.baseline, 22)}"
        ax.set(
            xlim=(0, max(n, 1)),
            xlabel=f"{n:,} queries, sorted by difference; equal on {ties:,}",
            ylabel=f"{measure_title(each.definition)} {arrow}\n{names}",
        )
        ax.yaxis.label.set_parse_math(False)
        ax.grid(visible=False, axis="x")
        legend_below(ax, 2)
        return ax
