"""Colours that are distinct for colour-blind readers and in grey, and shared drawing code."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.array_types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

    from assay.evaluation.intervals.curve_bands import Band

BLUE, ORANGE, GREEN, GREY, INK = "#0072B2", "#D55E00", "#009E73", "#8A8F98", "#22262B"
STATE_COLOURS = {"NEG": "#8DA0B3", "UNCERTAIN": "#E69F00", "POS": "#0072B2"}
STATE_HATCHES = {"NEG": "", "UNCERTAIN": "///", "POS": ".."}
SETTINGS = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#5B626B",
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E3E6EA",
    "grid.linewidth": 0.6,
    "xtick.color": "#3A4048",
    "ytick.color": "#3A4048",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 7.5,
    "legend.frameon": True,
    "legend.framealpha": 0.9,
    "legend.edgecolor": "none",
    "hatch.linewidth": 0.5,
    "lines.linewidth": 1.5,
    "figure.dpi": 100,
    "savefig.dpi": 300,
    "svg.fonttype": "path",
    "svg.hashsalt": "assay",
    "pdf.compression": 9,
    "pdf.fonttype": 42,  # TrueType: submission systems refuse Type 3 fonts
    "ps.fonttype": 42,
    "text.parse_math": False,
    "text.usetex": False,
}
LONGEST = 42
"""Largest number of characters of a label in a figure."""
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def short(text: str, longest: int = LONGEST) -> str:
    """Return a label on one line: invisible characters become dots, a long one is cut inside."""
    seen = "".join("·" if unicodedata.category(mark) in HIDDEN else mark for mark in text)
    if len(seen) <= longest:
        return seen
    return f"{seen[: longest // 2]}…{seen[-(longest - longest // 2 - 1) :]}"


def file_name(measure: str) -> str:
    """Return a measure as part of a file name: letters, digits and underscores."""
    plain = measure.replace("@", "_at_")
    return "".join(mark if mark.isascii() and mark.isalnum() else "_" for mark in plain)


def square(ax: Axes, x: str, y: str) -> None:
    """Let both axes run from 0 to 1."""
    ax.set(xlim=(-0.015, 1.015), ylim=(-0.015, 1.015), xlabel=x, ylabel=y)
    ax.set_aspect("equal", adjustable="box")


def legend_below(ax: Axes, ncols: int = 1, points: float = 34) -> None:
    """Put the legend below the name of the x axis, where it hides no data."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure(root=True)
    assert figure is not None, "axes that are drawn on belong to a figure"
    place = ax.transAxes + ScaledTranslation(0, -points / 72, figure.dpi_scale_trans)
    ax.legend(
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=place,
        ncols=ncols,
        borderaxespad=0,
        frameon=False,
        handlelength=2.2,
    )


def no_markup(labels: Sequence[Text]) -> None:
    """Show names as text: a dollar sign starts no formula, whatever the user's settings."""
    for label in labels:
        label.set_parse_math(False)


def thin(x: Floats, y: Floats, tolerance: float = 0.0005) -> list[int]:
    """Return the points that a line needs, including its ends (Ramer, Douglas, Peucker)."""
    kept = {0, len(x) - 1} if len(x) else set()
    spans = [(0, len(x) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        dx, dy = x[last] - x[first], y[last] - y[first]
        inner = slice(first + 1, last)
        ax, ay = x[inner] - x[first], y[inner] - y[first]
        length = float(np.hypot(dx, dy))
        apart = np.abs(dx * ay - dy * ax) / length if length else np.hypot(ax, ay)
        at = int(np.argmax(apart))
        if apart[at] > tolerance:
            middle = first + 1 + at
            kept.add(middle)
            spans += [(first, middle), (middle, last)]
    return sorted(kept)


def listed(values: Floats | Sequence[float], digits: int = 6) -> list[float | None]:
    """Return rounded numbers for the page; None for those that are not finite."""
    return [
        round(float(value), digits) + 0.0 if np.isfinite(value) else None
        for value in np.asarray(values, dtype=np.float64)
    ]


def shade(ax: Axes, band: Band | None, scale: float = 1.0) -> None:
    """Fill between the ends of a band."""
    if band is not None:
        name = f"{band.level:.0%} bootstrap band ({band.unit}s resampled)"
        ends = (scale * band.low, scale * band.high)
        ax.fill_between(scale * band.x, *ends, color=BLUE, alpha=0.16, lw=0, label=name)


def band_data(band: Band | None) -> dict[str, Any] | None:
    """Return the numbers of a band that the page draws."""
    if band is None:
        return None
    kept = sorted({*thin(band.x, band.low, 0.001), *thin(band.x, band.high, 0.001)})
    low, high = listed(band.low[kept], 4), listed(band.high[kept], 4)
    return {"x": listed(band.x[kept], 4), "low": low, "high": high, "level": band.level}


def ci(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return ` [0.812, 0.902]`, or nothing."""
    return "" if low is None or high is None else f" [{low:.{digits}f}, {high:.{digits}f}]"
