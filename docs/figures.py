"""Draw the figures of the pages: simulations and measurements from their tables, and results of the examples.

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


def rows(heading: str, page: str = "statistics.md") -> list[list[str]]:
    """Return the cells of the first table below a line of a page, without its head."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
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


def levels() -> Figure:
    """Draw how often the regression gate and bootstrap bounds overlook a loss at the margin."""
    cells = [row for row in rows("### Level and power") if row[3] == "30"]
    names = [f"{row[0]}: {row[1]}" for row in cells]
    figure = Figure(figsize=(5.8, 3.9), layout="constrained")
    ax = figure.add_subplot()
    ax.plot([percent(row[5]) for row in cells], names, "s", color=ORANGE, label="percentile bootstrap")
    ax.plot([percent(row[4]) for row in cells], names, "o", color=BLUE, markersize=4, label="assay gate")
    ax.axvline(5, color=GREY, linestyle="--", label="promised: at most")
    ax.invert_yaxis()
    ax.set(title="A loss at the margin called “not worse”", xlabel="% of 1,000 data sets of 30 posts")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def quality() -> Figure:
    """Draw the quality of the default pipeline on each corpus, beside BM25."""
    page = (ROOT / "docs" / "pipeline.md").read_text(encoding="utf-8")
    head = next(line for line in page.split("## Quality")[1].splitlines() if line.startswith("| |"))
    corpora = [name.split(",")[0].strip() for name in head.strip("| ").split("|")]
    figure = Figure(figsize=(5.8, 2.9), layout="constrained")
    for ax, part, title in zip(
        figure.subplots(1, 2, sharey=True), (0, 1), ("nDCG@10", "AUROC of the gate"), strict=True
    ):
        # The extras differ by less than a marker from the default.
        for row, colour, marker in zip(
            rows("## Quality", "pipeline.md")[:2], (ORANGE, BLUE), "so", strict=True
        ):
            found = {
                name: float(cell.strip("* ").split("/")[part])
                for name, cell in zip(corpora, row[1:], strict=True)
                if cell
            }
            label = row[0].split(",")[0] if part == 0 else None
            ax.plot(list(found.values()), list(found), marker, color=colour, label=label)
        ax.set(title=title, xlim=(0.45, 1.02), ylim=(len(corpora) - 0.5, -0.5))
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def scale() -> Figure:
    """Draw CPU and memory for a run of 98 million rows."""
    cells = rows("### 98 million rows", "scale.md")
    figure = Figure(figsize=(5.8, 2.2), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    names = [row[0].replace(" for the same values", "").replace(" of the three columns", "") for row in cells]
    colours = [BLUE if name.startswith("assay") else GREY for name in names]
    for ax, column, title in ((left, 1, "CPU s"), (right, 2, "peak MB")):
        values = [float(row[column].replace(",", "")) for row in cells]
        ax.bar_label(ax.barh(names, values, color=colours), [row[column] for row in cells], padding=3)
        ax.margins(x=0.2)
        ax.set(title=title)
    left.invert_yaxis()
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
    for make in (coverage, thresholds, levels, quality, scale, cutoffs, reliability):
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
