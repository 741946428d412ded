"""Measure how often 95% intervals cover the true value, resampling posts or queries.

`benchmarks/interval_coverage.py [--simulations N] [--resamples N]`. A post has an effect that its
ten queries share, in their labels and in their scores. The true values come from 200,000 posts. A
correct interval covers the true value in 95 of 100 data sets.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass

import numpy as np
import polars as pl

import assay
from assay.data.label_table import LabelTable

QUERIES, LARGE, LEVEL = 10, 200_000, 0.95
MEASURES = {
    "auroc:on=all": "AUROC",
    "sensitivity:at=0.5": "sensitivity at 0.5",
    "brier:on=all": "Brier score",
    "ece:bins=10": "ECE",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """How many posts a data set has, and the strength of the post effect (SD in log-odds)."""

    posts: int
    effect: float

    def data(self, rng: np.random.Generator, posts: int) -> LabelTable:
        """Draw data: label and score of a query both grow with the effect of its post."""
        effect = np.repeat(rng.normal(0, self.effect, posts), QUERIES)
        label = rng.random(len(effect)) < _share(effect - 2.0)
        score = -2.0 + 0.8 * effect + 1.5 * label + rng.normal(0, 1, len(effect))
        post = np.repeat(np.arange(posts), QUERIES)
        frame = pl.DataFrame({"prob": _share(score), "label": label.astype(int), "post": post})
        return assay.read_decisions(frame, group="post")


def _share(odds: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-odds)))


def covered(setting: Setting, simulations: int, resamples: int) -> dict[tuple[str, str], int]:
    """Count the data sets in which the interval of each (measure, unit) covers the true value."""
    rng = np.random.default_rng([20240611, setting.posts, int(setting.effect * 10)])
    large = assay.evaluate(setting.data(rng, LARGE), measures=MEASURES)
    truth = {name: large[name].value for name in MEASURES}
    found = {(name, unit): 0 for name in MEASURES for unit in ("post", "query")}
    for at in range(simulations):
        given = setting.data(rng, setting.posts)
        for unit in ("post", "query"):
            plan = assay.Bootstrap(resamples, seed=at, unit=unit, level=LEVEL)
            result = assay.evaluate(given, measures=MEASURES, bootstrap=plan)
            for name in MEASURES:
                interval = result[name].interval
                assert interval is not None
                found[name, unit] += interval.low <= truth[name] <= interval.high
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=1000)
    options = parser.parse_args()
    start = time.process_time()
    settings = [Setting(150, effect) for effect in (0.0, 1.0, 2.0)] + [Setting(600, 2.0)]
    rows = []
    for setting in settings:
        found = covered(setting, options.simulations, options.resamples)
        for name, title in MEASURES.items():
            shares = (found[name, unit] / options.simulations for unit in ("post", "query"))
            cells = " | ".join(f"{share:.1%}" for share in shares)
            rows.append(f"| {setting.posts} | {setting.effect:g} | {title} | {cells} |")
    error = math.sqrt(LEVEL * (1 - LEVEL) / options.simulations)
    print(
        f"{options.simulations} data sets, {options.resamples:,} resamples each; a correct 95% "
        f"shows as 95 ± {2 * error:.1%}.\n"
    )
    print("| posts | SD of the post effect | measure | posts resampled | queries resampled |")
    print("|---|---|---|---|---|")
    print("\n".join(rows))
    print(f"\n{time.process_time() - start:.0f} CPU s.")


if __name__ == "__main__":
    main()
