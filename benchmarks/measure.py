"""Measure CPU and memory: new processes, idle workers, interleaved repeats. Standard library only.

Linux counts the memory of the parent at the time of the fork as the child's own peak, so the
measuring process must stay small: NumPy and the rest are imported in children.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from adapters.definitions import ASSAY, CONTRACT, CUTS, TREC_EVAL, Values

HERE = Path(__file__).parent
BENCH = HERE.parent / ".bench"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
    "PYTHONPYCACHEPREFIX": str(BENCH / "pycache")
}
"""Compiled modules are kept for every tool, including one that runs from its sources."""
BUDGET = 90.0
"""Wall seconds after which a slow tool is no longer repeated."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement."""

    cpu: float
    wall: float
    peak: float | None  # MB
    values: Values


class Samples(list[Sample]):
    """Repeats of one measurement."""

    @property
    def cpu(self) -> float:
        return median(sample.cpu for sample in self)

    @property
    def wall(self) -> float:
        return median(sample.wall for sample in self)

    @property
    def peak(self) -> float | None:
        peaks = [sample.peak for sample in self if sample.peak is not None]
        return median(peaks) if peaks else None


def spawn(command: list[str]) -> tuple[Sample, str]:
    """Run a new process to its end and return its CPU, peak memory and output."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)[:200]} ended with {process.returncode}")
    wall = time.perf_counter() - start
    return Sample(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, {}), output


def plain(code: str) -> Sample:
    """Run `python -c code`."""
    return spawn([sys.executable, "-c", code])[0]


def assay_cli(folder: Path, form: str) -> Sample:
    """Run `assay evaluate` from files to the printed numbers."""
    files = ["--qrels", str(folder / f"qrels.{form}"), "--run", str(folder / f"run.{form}")]
    options = [part for name in ASSAY for part in ("-m", name)]
    command = [sys.executable, "-m", "assay.cli", "evaluate", *files, "--contract", CONTRACT]
    sample, output = spawn([*command, "--json", *options])
    values = {ASSAY[row["name"]]: float(row["value"]) for row in json.loads(output)["measures"]}
    return Sample(sample.cpu, sample.wall, sample.peak, values)


def script(tool: str, folder: Path, form: str) -> Sample:
    """Run a peer's script from files to the printed numbers."""
    command = [sys.executable, str(HERE / "child.py"), "once", tool, str(folder), form]
    sample, output = spawn(command)
    return Sample(sample.cpu, sample.wall, sample.peak, json.loads(output))


def trec_eval(program: str, folder: Path) -> Sample:
    """Run a trec_eval binary on TREC text; its values have four decimals, and MRR has no cut-off."""
    cuts = ",".join(map(str, CUTS))
    measures = [f"{name}.{cuts}" for name in sorted({name.rpartition("_")[0] for name in TREC_EVAL})]
    options = [part for name in (*measures, "recip_rank") for part in ("-m", name)]
    sample, output = spawn([program, *options, str(folder / "qrels.trec"), str(folder / "run.trec")])
    printed = {line.split()[0]: float(line.split()[2]) for line in output.splitlines()}
    values = {ours: printed[theirs] for theirs, ours in TREC_EVAL.items()}
    return Sample(sample.cpu, sample.wall, sample.peak, values)


class Worker:
    """A tool with its data loaded and warm, in a separate process."""

    def __init__(self, tool: str, folder: Path, form: str) -> None:
        command = [sys.executable, str(HERE / "child.py"), "serve", tool, str(folder), form]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
        )
        self.values: Values = json.loads(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"a worker ended with {self.process.wait()}")
        return line

    def __call__(self) -> Sample:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        taken = json.loads(self._line())
        return Sample(taken["cpu"], taken["wall"], None, taken["values"])

    def close(self) -> None:
        self.process.communicate()


def interleaved(tools: Mapping[str, Callable[[], Sample]], repeats: int) -> dict[str, Samples]:
    """Repeat all tools in turn, so that noise of the machine affects all of them."""
    samples = {name: Samples() for name in tools}
    for _ in range(repeats):
        for name, tool in tools.items():
            if sum(sample.wall for sample in samples[name]) < BUDGET:
                samples[name].append(tool())
                print(f"  {name}: {samples[name][-1].cpu:.3f} s", file=sys.stderr, flush=True)
    return samples
