"""Measure how often a threshold chosen on TUNE breaks its promise, by rule, and compare with MAPIE.

Scores of positives are normal(1, 1) in the probit, of negatives normal(-1, 1), so that the true
sensitivity of every threshold is known. Posts account for a share of the variance.
"""

from __future__ import annotations

import argparse
import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from mapie.risk_control import BinaryClassificationController
from numpy.typing import NDArray

from assay.statistics import operating_points

NORMAL = NormalDist()
TARGET, CONFIDENCE = 0.95, 0.9
SETTINGS = (
    # posts with positives, positives per post, share of the variance due to the post
    (300, 1, 0.0),
    (200, 10, 0.0),
    (200, 10, 0.3),
    (200, 10, 0.6),
    (100, 10, 0.9),
)
RULES = ("order statistic by post", "order statistic by query", "conformal by post", "plain quantile")


def probit(z: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([NORMAL.cdf(each) for each in z])


def drawn(
    generator: np.random.Generator, posts: int, each: int, shared: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return scores in the probit (only their order matters) and posts of the positives."""
    post = np.repeat(np.arange(posts), each)
    common = math.sqrt(shared) * generator.normal(size=posts)[post]
    return 1 + common + math.sqrt(1 - shared) * generator.normal(size=len(post)), post


def sensitivity(z: float) -> float:
    return 1 - NORMAL.cdf(z - 1)


def simulate(posts: int, each: int, shared: float, simulations: int) -> dict[str, tuple[float, float]]:
    """Return the share of broken promises and the mean true sensitivity of each rule."""
    generator = np.random.default_rng(7)
    reached: dict[str, list[float]] = {rule: [] for rule in RULES}
    for _ in range(simulations):
        z, post = drawn(generator, posts, each, shared)
        label = np.ones(len(z), dtype=bool)
        alone = np.arange(len(z))
        values = (
            operating_points.sensitivity(z, label, post, TARGET, CONFIDENCE).value,
            operating_points.sensitivity(z, label, alone, TARGET, CONFIDENCE).value,
            operating_points.conformal(z, label, post, Fraction("0.95")).value,
            float(np.sort(z)[int((1 - TARGET) * len(z))]),
        )
        for rule, value in zip(RULES, values, strict=True):
            reached[rule].append(sensitivity(value))
    return {
        rule: (float(np.mean(np.array(all_) < TARGET)), float(np.mean(all_)))
        for rule, all_ in reached.items()
    }


def beside_mapie(simulations: int) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return broken promises, mean sensitivity and mean FPR of ours and MAPIE's."""
    generator = np.random.default_rng(11)
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(simulations):
        label = generator.random(800) < 0.5
        prob = probit(generator.normal(size=800) + np.where(label, 1.0, -1.0))
        ours = operating_points.sensitivity(prob, label, np.arange(800), TARGET, CONFIDENCE).value
        control = BinaryClassificationController(
            predict_function=lambda x: np.column_stack((1 - x[:, 0], x[:, 0])),
            risk="recall",
            target_level=TARGET,
            confidence_level=CONFIDENCE,
            best_predict_param_choice="precision",
            list_predict_params=np.linspace(0, 0.99, 100),
        )
        control.calibrate(prob[:, None], label.astype(int))
        found[0].append(NORMAL.inv_cdf(ours))
        found[1].append(NORMAL.inv_cdf(max(float(control.best_predict_param), 1e-12)))

    def summed(values: list[float]) -> tuple[float, float, float]:
        caught = np.array([sensitivity(z) for z in values])
        alarms = np.array([1 - NORMAL.cdf(z + 1) for z in values])
        return float(np.mean(caught < TARGET)), float(caught.mean()), float(alarms.mean())

    return summed(found[0]), summed(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=2000)
    simulations = parser.parse_args().simulations
    promise = f"{TARGET:.0%} sensitivity at {CONFIDENCE:.0%} confidence"
    print(f"Target {promise}, {simulations} simulations.\n")
    print("| posts | positives per post | shared variance | rule | broken | mean sensitivity |")
    print("|---|---|---|---|---|---|")
    for posts, each, shared in SETTINGS:
        for rule, (broken, mean) in simulate(posts, each, shared, simulations).items():
            print(f"| {posts} | {each} | {shared:g} | {rule} | {broken:.1%} | {mean:.4f} |")
    many = max(100, simulations // 10)
    ours, theirs = beside_mapie(many)
    print(f"\n{many} data sets of 800 independent queries, half of them positive:\n")
    print("| | promise broken | mean sensitivity | mean FPR |\n|---|---|---|---|")
    for name, (broken, caught, alarms) in (("assay", ours), ("MAPIE", theirs)):
        print(f"| {name} | {broken:.1%} | {caught:.4f} | {alarms:.4f} |")


if __name__ == "__main__":
    main()
