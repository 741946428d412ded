"""Write every figure of a bundle as SVG, PDF and PNG, with the same bytes on every run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assay.errors import MeasureError
from assay.evaluation.presentation import FIGURE_HEADLINES
from assay.evaluation.progress import Progress
from assay.report.figure_data import FigureData
from assay.report.figures.measure_figures import CriteriaDisplay, CutoffDisplay
from assay.report.figures.reliability import ReliabilityDisplay, ScoresDisplay
from assay.report.figures.roc_and_pr import PrDisplay, RocDisplay
from assay.report.figures.selection_and_risk import BenefitDisplay, RiskCoverageDisplay, SelectedKDisplay
from assay.report.figures.style import SETTINGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("svg", "pdf", "png")
METADATA: dict[str, dict[str, str | None]] = {  # neither dates nor versions
    "svg": {"Date": None, "Creator": "assay"},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": "assay", "Producer": None},
    "png": {"Software": None},
}
SQUARE, WIDE = (4.3, 5.3), (5.2, 3.7)
ROUNDS, MARGIN = 4, 0.06  # inches


class Display(Protocol):
    """A figure that can be drawn."""

    @property
    def name(self) -> str:
        """The file name without an ending."""

    def draw(self, ax: Axes) -> Axes:
        """Draw on axes."""


class Curve(Display, Protocol):
    """A figure that the page draws, too."""

    def data(self) -> dict[str, Any]:
        """Return plain numbers."""


MAKERS: dict[str, tuple[Callable[[FigureData], Curve], tuple[float, float]]] = {
    "roc": (RocDisplay.of, SQUARE),
    "pr": (PrDisplay.of, SQUARE),
    "reliability": (ReliabilityDisplay.of, (4.3, 5.2)),
    "scores": (ScoresDisplay.of, WIDE),
    "selected_k": (SelectedKDisplay.of, WIDE),
    "risk_coverage": (RiskCoverageDisplay.of, WIDE),
    "decision_curve": (BenefitDisplay.of, WIDE),
    "cutoffs": (CutoffDisplay.of, WIDE),
}


def displays(data: FigureData) -> Iterator[tuple[Display, tuple[float, float]]]:
    """Yield the figures that the data support, with their sizes in inches."""
    for make, size in MAKERS.values():
        try:
            yield make(data), size
        except MeasureError:
            continue
    for measure in FIGURE_HEADLINES:
        try:
            made = CriteriaDisplay.of(data, measure)
        except MeasureError:
            continue
        yield made, (6.2, made.height)


def absent_figures(data: FigureData) -> dict[str, str]:
    """Return the figures that the data do not support, with the reason."""
    reasons = {}
    for name, (make, _) in MAKERS.items():
        try:
            make(data)
        except MeasureError as error:
            reasons[name] = str(error)
    return reasons


def write_figures(data: FigureData, folder: Path, progress: Progress | None = None) -> None:
    """Write all figures of a result into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    total = len(MAKERS) + len(FIGURE_HEADLINES)
    for done, (display, size) in enumerate(displays(data), 1):
        save_figure(display, folder, size)
        if progress is not None:
            progress("figures", done, total)
    if progress is not None:
        progress("figures", total, total)


def save_figure(display: Display, folder: Path, size: tuple[float, float] = WIDE) -> None:
    """Write one figure in every format."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **SETTINGS}
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name in a script that the font lacks
        # a figure with a layout engine, even one that is off, is drawn twice for every format
        figure = Figure(figsize=size)
        FigureCanvasAgg(figure)
        display.draw(figure.add_subplot())
        lay_out(figure)
        for ending in FORMATS:
            path = folder / f"{display.name}.{ending}"
            figure.savefig(path, format=ending, metadata=METADATA[ending])


def lay_out(figure: Figure) -> None:
    """Make a figure as high as its title, axes and legend need."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    engine = ConstrainedLayoutEngine()
    for _ in range(ROUNDS):
        engine.execute(figure)
        width, height = figure.get_size_inches()
        box = figure.get_tightbbox()
        over = max(0.0, -box.y0) + max(0.0, box.y1 - height)
        if over < 0.01:
            return
        figure.set_size_inches(width, height + over + MARGIN)
