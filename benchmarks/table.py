"""Rows of the result, the machine, and both as Markdown."""

from __future__ import annotations

import hashlib
import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from measure import Samples

PACKAGES = ("polars", "numpy", "pytrec_eval-terrier", "ranx", "numba", "ir_measures", "pandas")
HEAD = ("what", "tool", "CPU s", "n", "wall s", "ratio to assay", "peak MB", "target", "met")


@dataclass(frozen=True, slots=True)
class Row:
    """One tool in one part; `ratio` is its CPU over assay's."""

    what: str
    tool: str
    samples: Samples
    ratio: str = ""
    target: str = ""
    met: str = ""

    def cells(self) -> tuple[str, ...]:
        cpus = [sample.cpu for sample in self.samples]
        times = f"{self.samples.cpu:.3f} ({min(cpus):.3f}–{max(cpus):.3f})"
        peak = "" if self.samples.peak is None else f"{self.samples.peak:.0f}"
        wall, count = f"{self.samples.wall:.3f}", str(len(self.samples))
        return (self.what, self.tool, times, count, wall, self.ratio, peak, self.target, self.met)


def verdict(fulfilled: bool, value: str) -> str:
    return f"{'yes' if fulfilled else 'NO'} ({value})"


def times(value: float) -> str:
    """A ratio: 3 significant digits."""
    return f"{value:.3g}×" if value < 100 else f"{value:.0f}×"


def markdown(rows: list[Row], notes: list[str]) -> str:
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    return "\n".join([*machine(), "", *lines, "", *(f"- {note}" for note in notes), ""])


def source() -> str:
    """Which assay is measured: where it lies and a hash of its files."""
    found = find_spec("assay")
    if found is None or found.origin is None:
        raise SystemExit("assay is not installed, nor on PYTHONPATH")
    folder = Path(found.origin).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.read_bytes())
    return f"assay in {folder} (sha256 {digest.hexdigest()[:10]})"


def machine() -> list[str]:
    """When, where and with what."""
    cpu = Path("/proc/cpuinfo")
    models = [line for line in cpu.read_text().splitlines() if line.startswith("model name")]
    model = models[0].partition(":")[2].strip() if models else platform.processor()
    cores = len(os.sched_getaffinity(0))
    versions = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    python = platform.python_version()
    return [f"{now}; {cores} cores of {model}; Python {python}.", "", f"{versions}."]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
