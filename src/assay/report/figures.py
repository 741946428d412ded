"""Every figure of a bundle as SVG, PDF and PNG, the same bytes from run to run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assay.errors import MeasureError
from assay.evaluation.progress import Progress
from assay.report.bundle import Bundle
from assay.report.displays.calibration import ReliabilityDisplay, ScoresDisplay
from assay.report.displays.curves import PrDisplay, RocDisplay
from assay.report.displays.decisions import BenefitDisplay, RiskCoverageDisplay, SelectedKDisplay
from assay.report.displays.measures import CriteriaDisplay, CutoffDisplay
from assay.report.displays.style import SETTINGS

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
BY_CRITERION = ("ndcg@10", "auroc", "evidence_recall")


class Display(Protocol):
    """What can be drawn."""

    @property
    def name(self) -> str:
        """The file that the figure goes to, without an ending."""

    def draw(self, ax: Axes) -> Axes:
        """Draw on axes."""


class Curve(Display, Protocol):
    """What the page draws too."""

    def data(self) -> dict[str, Any]:
        """Plain numbers."""


MAKERS: dict[str, tuple[Callable[[Bundle], Curve], tuple[float, float]]] = {
    "roc": (RocDisplay.of, SQUARE),
    "pr": (PrDisplay.of, SQUARE),
    "reliability": (ReliabilityDisplay.of, (4.3, 5.2)),
    "scores": (ScoresDisplay.of, WIDE),
    "selected_k": (SelectedKDisplay.of, WIDE),
    "risk_coverage": (RiskCoverageDisplay.of, WIDE),
    "decision_curve": (BenefitDisplay.of, WIDE),
    "cutoffs": (CutoffDisplay.of, WIDE),
}


def displays(bundle: Bundle) -> Iterator[tuple[Display, tuple[float, float]]]:
    """Figures that the data of a bundle allow, with their sizes in inches."""
    for make, size in MAKERS.values():
        try:
            yield make(bundle), size
        except MeasureError:
            continue
    for measure in BY_CRITERION:
        try:
            made = CriteriaDisplay.of(bundle, measure)
        except MeasureError:
            continue
        yield made, (6.2, made.height)


def absent_figures(bundle: Bundle) -> dict[str, str]:
    """Figures that these data cannot have, and why."""
    reasons = {}
    for name, (make, _) in MAKERS.items():
        try:
            make(bundle)
        except MeasureError as error:
            reasons[name] = str(error)
    return reasons


def write_figures(bundle: Bundle, folder: Path, progress: Progress | None = None) -> None:
    """All figures of a bundle into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    total = len(MAKERS) + len(BY_CRITERION)
    for done, (display, size) in enumerate(displays(bundle), 1):
        save_figure(display, folder, size)
        if progress is not None:
            progress("figures", done, total)
    if progress is not None:
        progress("figures", total, total)


def save_figure(display: Display, folder: Path, size: tuple[float, float] = WIDE) -> None:
    """One figure in every format."""
    import matplotlib as mpl  # noqa: PLC0415 # half a second that only figures need
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

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
    """Make a figure as high as its title, axes and legend are; square axes do not give way."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine  # noqa: PLC0415

    engine = ConstrainedLayoutEngine()
    for _ in range(ROUNDS):
        engine.execute(figure)
        width, height = figure.get_size_inches()
        box = figure.get_tightbbox()
        over = max(0.0, -box.y0) + max(0.0, box.y1 - height)
        if over < 0.01:
            return
        figure.set_size_inches(width, height + over + MARGIN)
