"""CPU and memory of `assay run` as a corpus grows: `pipeline_growth.py [--queries N …] [--posts N …]`.

Runs the default pipeline on generated open corpora (each question asked once, of a post with 20
sentences) and on synthetic closed ones (10 criteria asked of every post), each four times as large
as the one before, and writes benchmarks/scale/pipeline_growth.md. `make bench-growth` does that, and
`make bench-growth LARGE=1` adds 100,000 questions. CPU seconds are the sum over all processes of a
run with its evaluation, memory is the highest total. `--folds` measures only some folds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from generated_data.generate_open import write
from quality import memory_of

HERE = Path(__file__).parent
CANDIDATES = 20
OPEN, CLOSED, LARGE = (1_500, 6_000), (370, 1_480), 100_000


@dataclass(frozen=True, slots=True)
class Measured:
    """The cost of one run."""

    kind: str
    size: int
    queries: int
    cpu: float
    memory: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--queries", nargs="*", type=int, default=OPEN, help="of open corpora")
    parser.add_argument("--posts", nargs="*", type=int, default=CLOSED, help="of closed corpora")
    parser.add_argument("--large", action="store_true", help=f"add {LARGE:,} queries")
    parser.add_argument("--folds", help="as in `assay run`; no evaluation")
    parser.add_argument("--processes", type=int)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "pipeline_growth.md")
    options = parser.parse_args()
    more = [f"--folds={options.folds}"] if options.folds else ["--no-report"]
    if options.processes:
        more.append(f"--processes={options.processes}")
    found: list[Measured] = []
    sizes = [("open", n) for n in (*options.queries, *([LARGE] if options.large else []))]
    for kind, size in [*sizes, *(("closed", n) for n in options.posts)]:
        with tempfile.TemporaryDirectory() as scratch:
            queries = _written(kind, size, Path(scratch) / "corpus")
            cpu, memory = _run(Path(scratch), more)
        found.append(Measured(kind, size, queries, cpu, memory))
        print(found[-1], file=sys.stderr)
        options.output.write_text(page(found, " ".join(more)))


def _written(kind: str, size: int, folder: Path) -> int:
    """Write a corpus; return its number of queries."""
    if kind == "open":
        write(folder, size, CANDIDATES)
        return size
    subprocess.run([sys.executable, "-m", "assay", "synth", "-o", folder, "--posts", str(size)], check=True)
    return size * 10


def _run(folder: Path, more: list[str]) -> tuple[float, float]:
    """Return the CPU seconds of a run and its children, and the highest memory in MB."""
    (folder / "plan.toml").write_text('corpus = "corpus"\n')
    command = [
        sys.executable,
        "-m",
        "assay",
        "run",
        str(folder / "plan.toml"),
        "-o",
        str(folder / "out"),
        *more,
    ]
    before = os.times()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    memory = 0.0
    while child.poll() is None:
        memory = max(memory, memory_of(child.pid))
        time.sleep(0.2)
    if child.returncode:
        sys.exit(f"failed: {' '.join(command[1:])}")
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, memory


def page(found: list[Measured], options: str) -> str:
    """Return the table, with the growth from one size to the next of the same kind."""
    lines = [
        "# Growth of the reference pipeline",
        "",
        f"Written by `benchmarks/scale/pipeline_growth.py` (`assay run` with `{options}`): open corpora have",
        f"{CANDIDATES} candidates per question, closed ones are those of `assay synth`. CPU seconds of all",
        "processes, highest total memory.",
        "",
        "| corpus | posts | queries | CPU s | memory | growth of posts | growth of CPU |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    last: dict[str, Measured] = {}
    for each in found:
        grown = last.get(each.kind)
        cells = ["", ""]
        if grown:
            cells = [f"× {each.size / grown.size:.1f}", f"× {each.cpu / grown.cpu:.2f}"]
        row = [
            each.kind,
            f"{each.size:,}",
            f"{each.queries:,}",
            f"{each.cpu:.0f}",
            f"{each.memory:.0f} MB",
            *cells,
        ]
        lines.append("| " + " | ".join(row) + " |")
        last[each.kind] = each
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
