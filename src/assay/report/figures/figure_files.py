"""Write every figure of a bundle as SVG, PDF and PNG, with the same bytes on every run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assay.errors import MeasureError, MissingExtraError
from assay.evaluation.presentation import FIGURE_HEADLINES
from assay.evaluation.progress import Progress
from assay.report.figure_data import FigureData
from assay.report.figures.measure_figures import CriteriaDisplay, CutoffDisplay, InterpolatedPrecisionDisplay
from assay.report.figures.reliability import ReliabilityDisplay
from assay.report.figures.roc_and_pr import PrDisplay, RocDisplay
from assay.report.figures.score_histogram import ScoresDisplay
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
    "interpolated_precision": (InterpolatedPrecisionDisplay.of, (4.3, 4.7)),
}


def displays(
    data: FigureData, suppress_below: int | None = None
) -> Iterator[tuple[Display, tuple[float, float]]]:
    """Yield the figures that the data support, with their sizes in inches; small groups are left out."""
    for name, (make, size) in MAKERS.items():
        figure = made_figure(data, name, make)
        if not isinstance(figure, MeasureError):
            yield figure, size
    for measure in FIGURE_HEADLINES:
        try:
            made = CriteriaDisplay.of(data, measure, suppress_below=suppress_below)
        except MeasureError:
            continue
        yield made, (6.2, made.height)


def absent_figures(data: FigureData) -> dict[str, str]:
    """Return the figures that the data do not support, with the reason."""
    made = {name: made_figure(data, name, make) for name, (make, _) in MAKERS.items()}
    return {name: str(each) for name, each in made.items() if isinstance(each, MeasureError)}


def made_figure(data: FigureData, name: str, make: Callable[[FigureData], Curve]) -> Curve | MeasureError:
    """Compute a figure once for its files, the page and the list of absent ones.

    The draws of the reliability diagram alone take 0.4 CPU seconds at 100,000 queries.
    """
    if name not in data.figures:
        try:
            data.figures[name] = make(data)
        except MeasureError as error:
            data.figures[name] = error
    found: Curve | MeasureError = data.figures[name]
    return found


def no_figures() -> str:
    """Return why no figure can be drawn, or nothing; the page draws its own."""
    return "" if find_spec("matplotlib") else str(MissingExtraError.of("matplotlib", "figures"))


def write_figures(
    data: FigureData, folder: Path, progress: Progress | None = None, suppress_below: int | None = None
) -> None:
    """Write all figures of a result into a folder; groups of fewer queries than the limit are left out.

    Nothing is written where matplotlib is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if no_figures():
        return
    total = len(MAKERS) + len(FIGURE_HEADLINES)
    for done, (display, size) in enumerate(displays(data, suppress_below), 1):
        save_figure(display, folder, size)
        if progress is not None:
            progress("figures", done, total)
    if progress is not None:
        progress("figures", total, total)


def save_figure(
    display: Display, folder: Path, size: tuple[float, float] = WIDE, stem: str | None = None
) -> None:
    """Write one figure in every format, under its own name or another one."""
    if no_figures():
        return
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
            body = BytesIO()  # on a full disk, matplotlib's PDF writer would fail in its clearing up
            figure.savefig(body, format=ending, metadata=METADATA[ending])
            (folder / f"{stem or display.name}.{ending}").write_bytes(body.getvalue())


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
