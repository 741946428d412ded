"""Compare bootstrap intervals with a loop over scikit-learn: `bootstrap.py [--repeats N]`.

10,000 resamples of posts, 52 measures, 14,770 queries of 1,477 posts. assay runs in a new process,
from its imports to the intervals. The loop is measured on 20 resamples, without imports and data,
and extrapolated. Both must give the same values on these 20, or the run fails. Both have one BLAS
thread, as the command line of assay does: the idle threads of NumPy cost 0.1 CPU s on two cores.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import median

from measure import ENVIRONMENT, Sample, spawn

CHILD = Path(__file__).with_name("bootstrap_child.py")
RESAMPLES, MEASURED = 10_000, 20
TOLERANCE = 1e-9
TARGET, MEMORY = 350, 200


def child(mode: str, resamples: int) -> tuple[Sample, dict[str, object]]:
    sample, output = spawn([sys.executable, str(CHILD), mode, str(resamples)])
    return sample, json.loads(output)


def agreed() -> tuple[int, float]:
    """Return the number of measures, and the largest difference on the measured resamples."""
    ours, theirs = child("values", MEASURED)[1], child("sklearn", MEASURED)[1]["values"]
    assert isinstance(theirs, dict)
    if set(ours) != set(theirs):
        raise SystemExit(f"only one side has {sorted(set(ours) ^ set(theirs))}")
    worst = 0.0
    for name, values in ours.items():
        assert isinstance(values, list)
        for mine, other in zip(values, theirs[name], strict=True):
            if not abs(mine - other) <= TOLERANCE:
                raise SystemExit(f"{name}: assay has {mine}, scikit-learn {other}")
            worst = max(worst, abs(mine - other))
    return len(ours), worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    ENVIRONMENT.setdefault("OPENBLAS_NUM_THREADS", "1")
    measures, worst = agreed()
    ours, loops, peaks, ratios = [], [], [], []
    for _ in range(options.repeats):
        sample, _ = child("assay", RESAMPLES)
        loop = child("sklearn", MEASURED)[1]["cpu"]
        assert isinstance(loop, float)
        ours.append(sample.cpu)
        peaks.append(sample.peak or 0.0)
        loops.append(loop / MEASURED * RESAMPLES)
        ratios.append(loops[-1] / ours[-1])
    met = "yes" if median(ratios) >= TARGET and max(peaks) < MEMORY else "NO"
    print(
        f"{RESAMPLES:,} resamples of {measures} measures, 14,770 queries of 1,477 posts; "
        f"median of {options.repeats} (lowest–highest)\n"
    )
    print("| | CPU s | peak MB | ratio |\n|---|---|---|---|")
    print(f"| assay, whole process | {shown(ours, 2)} | {shown(peaks)} | 1 |")
    print(f"| loop with scikit-learn, from {MEASURED} resamples | {shown(loops)} | | {shown(ratios)} |")
    print(f"\nTarget: {TARGET} × and {MEMORY} MB: {met}. Largest difference of a value: {worst:.0e}.")


def shown(values: list[float], digits: int = 0) -> str:
    middle, low, high = (f"{each:.{digits}f}" for each in (median(values), min(values), max(values)))
    return f"{middle} ({low}–{high})"


if __name__ == "__main__":
    main()
