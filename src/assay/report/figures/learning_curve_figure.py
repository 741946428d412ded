"""The figure of a learning curve: a measure against the number of TRAIN posts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from assay.errors import MeasureError
from assay.report.figures.style import BLUE, INK, file_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A number of TRAIN posts, the value of a measure, and the ends of its interval."""

    posts: int
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class LearningCurveDisplay:
    """A measure against the number of TRAIN posts, with 95% intervals by post."""

    measure: str
    points: tuple[CurvePoint, ...]

    title: ClassVar[str] = "Learning curve"

    @property
    def name(self) -> str:
        """Return the file name without an ending."""
        return "learning_curve_" + file_name(self.measure)

    @classmethod
    def of(cls, measure: str, points: Sequence[CurvePoint]) -> LearningCurveDisplay:
        """Take the points of a curve; at least one."""
        if not points:
            raise MeasureError("a learning curve needs at least one number of posts with a value")
        return cls(measure, tuple(sorted(points, key=lambda point: point.posts)))

    def draw(self, ax: Axes) -> Axes:
        """Draw a line through the values, with an error bar for each interval."""
        places = [point.posts for point in self.points]
        values = [point.value for point in self.points]
        for point in self.points:
            if point.low is not None and point.high is not None:
                ax.vlines(point.posts, point.low, point.high, color=BLUE, lw=1.2)
        ax.plot(places, values, "o-", ms=4.5, color=BLUE, mec=INK, mew=0.4)
        for point in self.points:
            top = point.value if point.high is None else point.high
            ax.annotate(
                f"{point.value:.3f}",
                (point.posts, top),
                (0, 3),
                ha="center",
                textcoords="offset points",
                fontsize=7.5,
            )
        ends = [
            end for point in self.points for end in (point.value, point.low, point.high) if end is not None
        ]
        span = (max(ends) - min(ends)) or 0.1
        has_intervals = any(point.low is not None for point in self.points)
        ax.set_xticks(places, [f"{place:,}" for place in places])
        ax.set(
            xlim=(0, max(places) * 1.06),
            ylim=(min(ends) - 0.08 * span, max(ends) + 0.16 * span),
            xlabel="TRAIN posts per outer fold",
            ylabel=f"{self.measure}" + (" (95% CI by post)" if has_intervals else ""),
        )
        return ax
