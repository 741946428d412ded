"""Write bundles of many queries, criteria and folds, with report: CPU and peak memory of each.

`make bench-bundles`, or `bundles.py [--only NAME] [--repeats N]`. Files go to a temporary folder.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measure import HERE, Samples, spawn
from table import Row, markdown, source, verdict

GENERATED = HERE / "generated_data"


@dataclass(frozen=True, slots=True)
class Case:
    """An input, and what its bundle may cost."""

    what: str
    script: str
    sizes: tuple[int, ...]
    memory: int  # MB
    cpu: int | None = None
    tune: bool = False


CASES = {
    "report": Case(
        "100,000 queries × 10, with TUNE", "report_data.py", (10_000, 10, 10, 0), 600, cpu=20, tune=True
    ),
    "queries": Case("1 million queries × 2", "bundle_data.py", (1_000_000, 2, 10, 5), 2000),
    "criteria": Case("100,000 criteria, each asked twice", "bundle_data.py", (200_000, 10, 100_000, 5), 2000),
    "folds": Case("3,000 folds, 120,000 queries", "bundle_data.py", (120_000, 10, 10, 3_000), 2000),
}


def measured(case: Case, folder: Path, repeats: int) -> Row:
    """Write the input, and evaluate it some times."""
    spawn([sys.executable, str(GENERATED / case.script), str(folder), *map(str, case.sizes)])
    command = [sys.executable, "-m", "assay.cli", "evaluate", str(folder / "predictions")]
    command += ["--corpus", str(folder / "corpus"), "-o", str(folder / "bundle"), "--overwrite"]
    command += ["--tune", str(folder / "tune.csv")] if case.tune else []
    samples = Samples()
    for _ in range(repeats):
        samples.append(spawn(command)[0])
        print(f"  {case.what}: {samples[-1].cpu:.1f} s", file=sys.stderr, flush=True)
    peak = samples.peak or 0.0
    target, met = f"< {case.memory:,} MB", verdict(peak < case.memory, f"{peak:,.0f} MB")
    if case.cpu is not None:
        target = f"≤ {case.cpu} CPU s, {target}"
        met = f"CPU {verdict(samples.cpu <= case.cpu, f'{samples.cpu:.1f} s')}, memory {met}"
    return Row(case.what, "assay evaluate -o", samples, target=target, met=met)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=CASES, action="append", help="repeatable")
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    rows = []
    for name in options.only or CASES:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measured(CASES[name], Path(folder), options.repeats))
    print(markdown(rows, [f"Measured: {source()}."]))


if __name__ == "__main__":
    main()
