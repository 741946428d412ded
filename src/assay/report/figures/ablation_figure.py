"""An ablation as a figure: what each stage adds to the previous one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from assay.errors import MeasureError
from assay.report.figures.style import GREY, INK, file_name, no_markup, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
            ylabel=self.measure,
        )
        ax.grid(visible=False, axis="x")
        return ax
