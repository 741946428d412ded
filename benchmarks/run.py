"""Compare assay's CPU and memory with its peers: `benchmarks/run.py [--quick] [--only NAME]`.

Ratios of CPU seconds (user and system, all threads) of interleaved repeats, medians. Data and
results go to `.bench/`. Targets are reported and never gate: only disagreement between the tools'
numbers is an error.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from adapters.agreement import before_timing
from measure import BENCH, HERE
from parts import PARTS, Setting
from table import Row, markdown, source

FULL = {"large": (7_000, 1_000), "tenth": (700, 1_000), "small": (14_770, 20), "tiny": (200, 50)}
QUICK = {"large": (500, 200), "tenth": (50, 200), "small": (1_000, 20), "tiny": (200, 50)}


def data_set(queries: int, candidates: int) -> Path:
    """Return the folder of a data set, written on first use."""
    folder = BENCH / f"{queries}x{candidates}"
    if not (folder / "complete").exists():
        command = [sys.executable, str(HERE / "generated_data" / "generate.py"), str(folder)]
        subprocess.run([*command, str(queries), str(candidates)], check=True)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small data, one repeat")
    parser.add_argument("--only", choices=PARTS, action="append", help="repeatable")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    folders = {name: data_set(*size) for name, size in (QUICK if options.quick else FULL).items()}
    setting = Setting(**folders, repeats=1 if options.quick else options.repeats)
    measured = source()
    agreed = before_timing(setting.tiny)
    print(f"largest difference from pytrec_eval, {agreed}", file=sys.stderr)
    rows: list[Row] = []
    notes = [agreed]
    for name in options.only or PARTS:
        print(f"{name} …", file=sys.stderr, flush=True)
        found, more = PARTS[name](setting)
        rows += found
        notes += more
    notes = ["Largest difference of the tools' values from pytrec_eval (or the first tool):", *notes]
    notes.insert(0, f"Measured: {measured}.")
    if source() != measured:
        notes.insert(1, "INVALID: assay's files changed during the run; repeats mix versions.")
    if options.quick:
        notes.insert(0, "A quick run: sizes are small and targets say little.")
    report = markdown(rows, notes)
    (BENCH / "results.md").write_text(report, encoding="utf-8")
    print(report)


if __name__ == "__main__":
    main()
