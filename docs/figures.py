"""Draw the figures of the pages: simulations from the tables of statistics.md, and results of the examples.

`--check` writes nothing and fails if a figure on disk differs from what would be drawn.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import assay
from assay.report.figures.style import BLUE, GREEN, GREY, ORANGE, SETTINGS

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
DATA = ROOT / "examples" / "data"
COLOURS = (BLUE, ORANGE, GREEN, GREY)


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the first table below a line of statistics.md, without its head."""
    text = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    table = re.search(r"^\|.*\n\|[-|]+\n((?:\|.*\n)+)", text[text.index(heading) :], re.MULTILINE)
    assert table is not None, f"no table below {heading!r}"
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def percent(cell: str) -> float:
    """Return a cell such as 94.2% as a number."""
    return float(cell.removesuffix("%"))


def coverage() -> Figure:
    """Draw which share of 95% intervals covers the truth, by the unit that is resampled."""
    cells = [row for row in rows("## Coverage") if row[1] == "2"]
    names = [f"{row[2]}, {row[0]} posts" for row in cells]
    figure = Figure(figsize=(5.6, 3.1), layout="constrained")
    ax = figure.add_subplot()
    for column, marker, colour, label in (
        (3, "o", BLUE, "posts resampled"),
        (4, "s", ORANGE, "queries resampled"),
    ):
        ax.plot([percent(row[column]) for row in cells], names, marker, color=colour, label=label)
    ax.axvline(95, color=GREY, linestyle="--", label="promised")
    ax.invert_yaxis()
    ax.set(
        title="95% intervals that cover the true value",
        xlabel="% of 500 data sets; posts with correlated queries",
    )
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def thresholds() -> Figure:
    """Draw how often each rule for thresholds breaks its promise."""
    cells = rows("`make bench-thresholds`")
    rules = list(dict.fromkeys(row[3] for row in cells))
    designs = list(dict.fromkeys((row[0], row[1], row[2]) for row in cells))
    figure = Figure(figsize=(5.6, 3.4), layout="constrained")
    ax = figure.add_subplot()
    for rule, colour, marker in zip(rules, COLOURS, "osD^", strict=True):
        found = {(row[0], row[1], row[2]): percent(row[4]) for row in cells if row[3] == rule}
        ax.plot([found[each] for each in designs], marker=marker, color=colour, label=rule, linestyle=":")
    ax.axhline(10, color=GREY, linestyle="--", label="promised: at most")
    labels = [f"{posts} posts\n{each} positives\nshared {shared}" for posts, each, shared in designs]
    ax.set_xticks(range(len(designs)), labels, fontsize=7)
    ax.set(title="Thresholds for 95% sensitivity that miss it", ylabel="% of 2,000 simulations")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def cutoffs() -> Figure:
    """Draw measures of the example run against the cut-off."""
    result = assay.evaluate(DATA / "dense.txt", qrels=DATA / "qrels.txt", bootstrap=1000)
    figure = Figure(figsize=(5.2, 4.2))
    assay.CutoffDisplay.of(result).draw(figure.add_subplot())
    return figure


def reliability() -> Figure:
    """Draw the calibration of the example's risks."""
    table = assay.read_decisions(DATA / "sepsis.csv", prob="risk", label="sepsis", group="patient")
    result = assay.evaluate(table)
    figure = Figure(figsize=(4.3, 5.2))
    assay.ReliabilityDisplay.of(result).draw(figure.add_subplot())
    return figure


def files() -> Iterator[tuple[Path, bytes]]:
    """Yield every figure with its bytes, which are the same on every run."""
    for make in (coverage, thresholds, cutoffs, reliability):
        settings: dict[Any, Any] = {**mpl.rcParamsDefault, **SETTINGS}
        with mpl.rc_context(settings):
            figure = make()
            FigureCanvasAgg(figure)
            out = io.BytesIO()
            figure.savefig(
                out, format="svg", metadata={"Date": None, "Creator": "assay"}, bbox_inches="tight"
            )
        yield PICTURES / f"{make.__name__}.svg", out.getvalue()


def main() -> int:
    """Write the figures, or compare them with --check."""
    drifted = []
    for path, body in files():
        if path.exists() and path.read_bytes() == body:
            continue
        drifted.append(path.relative_to(ROOT))
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(body)
    verb = "is outdated; run `make generated`" if "--check" in sys.argv else "was drawn"
    for each in drifted:
        print(f"{each} {verb}", file=sys.stderr)
    return 1 if drifted and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
