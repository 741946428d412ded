"""Measure the errors of the regression gate: `assay gate NEW --against OLD`.

`benchmarks/guard.py [--simulations N] [--resamples N] [--write]`. Data sets with strong post effects are
generated with a known true difference, and judged by the functions that the command uses. At a true loss
equal to the margin, neither "not worse" nor "worse" may be claimed in more than 5% of the data sets; with
no true loss, the share of "not worse" is the power. `--write` puts the table into docs/statistics.md. The
exit code is 1 if "not worse" is above its level by more than two Monte Carlo standard errors.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

import assay
from assay.array_types import Floats, Ints
from assay.data.alignment.align import RankingRules
from assay.evaluation.comparison.one_sided_differences import one_sided_differences
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.intervals.resample import Strata
from assay.metrics.core.entry import Scored
from assay.metrics.core.reduce import Columns
from assay.metrics.core.registry import metric
from assay.verification.regression.verdicts import BETTER, NOT_WORSE, WORSE, Guarded, judge

ALPHA, MARGIN = 0.05, 0.03
POSTS = (30, 100, 300)
LARGE = 400_000
DOCS = Path(__file__).parents[1] / "docs" / "statistics.md"
BEGIN, END = "<!-- make bench-guard -->", "<!-- end of make bench-guard -->"

Values = tuple[Ints, dict[str, Floats], dict[str, Floats]]  # post of each query; columns of old and new
Draw = Callable[[np.random.Generator, int, float], Values]
"""Draw posts with a true loss of this size."""


@dataclass(frozen=True, slots=True)
class Design:
    """One way in which data come about, and the measure that is guarded."""

    title: str
    measure: str
    draw: Draw
    exact: bool = True  # whether the loss that was asked for is the true one; else it is measured
    folds: int = 1


def graded(rng: np.random.Generator, posts: int, loss: float) -> Values:
    """Per-query values such as nDCG; a post favours one system by up to 0.25."""
    post = np.repeat(np.arange(posts), 5)
    return _graded(rng, post, posts, 0.5 * (rng.beta(2, 2, posts) - 0.5), loss)


def unequal(rng: np.random.Generator, posts: int, loss: float) -> Values:
    """The same with 1 to 60 queries per post, a few posts with most of them."""
    sizes = np.minimum(60, 1 + np.floor(rng.lognormal(1.0, 1.2, posts)).astype(np.int64))
    post = np.repeat(np.arange(posts), sizes)
    return _graded(rng, post, posts, 0.5 * (rng.beta(2, 2, posts) - 0.5), loss)


def skewed(rng: np.random.Generator, posts: int, loss: float) -> Values:
    """Most posts gain up to 0.1, some lose up to 0.5."""
    post = np.repeat(np.arange(posts), 5)
    return _graded(rng, post, posts, 0.6 * (1 / 6 - rng.beta(0.5, 2.5, posts)), loss)


def _graded(rng: np.random.Generator, post: Ints, posts: int, favour: Floats, loss: float) -> Values:
    base = 0.3 + 0.4 * rng.random(posts)
    old = base[post] + 0.05 * (rng.random(len(post)) - 0.5)
    new = base[post] + favour[post] + 0.05 * (rng.random(len(post)) - 0.5) - loss
    return post, {"value": old + 0.05}, {"value": new + 0.05}


def hits(rng: np.random.Generator, posts: int, loss: float) -> Values:
    """Hit or miss; the chance of a hit is 0.3 higher or lower for the new system, by post."""
    post = np.repeat(np.arange(posts), 5)
    chance = 0.55 + 0.2 * (rng.random(posts) - 0.5)
    favour = rng.choice([-0.3, 0.3], posts)
    old = rng.random(len(post)) < chance[post]
    new = rng.random(len(post)) < (chance + favour - loss)[post]
    return post, {"value": old.astype(float)}, {"value": new.astype(float)}


def unchanged_or_broken(rng: np.random.Generator, posts: int, loss: float) -> Values:
    """Nothing changes, except that some posts lose 0.5 on every query."""
    post = np.repeat(np.arange(posts), 5)
    old = 0.5 + 0.4 * rng.random(len(post))
    broken = rng.random(posts) < loss / 0.5
    return post, {"value": old}, {"value": old - 0.5 * broken[post]}


def noisy_or_broken(rng: np.random.Generator, posts: int, loss: float) -> Values:
    """Every query changes a little, and some posts lose 0.5 on every query."""
    post, old, new = unchanged_or_broken(rng, posts, loss)
    return post, old, {"value": new["value"] + 0.02 * (rng.random(len(post)) - 0.5)}


def probabilities(rng: np.random.Generator, posts: int, loss: float) -> Values:
    """Ten queries per post; a post moves the labels, the scores of both systems and of each."""
    post = np.repeat(np.arange(posts), 10)
    effect = rng.normal(0, 1.5, posts)
    label = rng.random(len(post)) < _share(effect[post] - 1.5)
    made = []
    for signal in (1.8, 1.8 - 8 * loss):
        own = rng.normal(0, 0.7, posts)
        score = -2.0 + 0.8 * effect[post] + own[post] + signal * label + rng.normal(0, 1, len(post))
        made.append({"prob": _share(score), "label": label.astype(float)})
    return post, made[0], made[1]


def overconfident(rng: np.random.Generator, posts: int, loss: float) -> Values:
    """The old system is calibrated on average over posts; the new one is too sure of itself."""
    post = np.repeat(np.arange(posts), 10)
    odds = -1.0 + rng.normal(0, 1.0, posts)[post] + rng.normal(0, 1.0, len(post))
    label = (rng.random(len(post)) < _share(odds)).astype(float)
    made = []
    for sure in (1.0, 1.0 + 20 * loss):
        own = rng.normal(0, 0.3, posts)
        made.append({"prob": _share(sure * odds + own[post]), "label": label})
    return post, made[0], made[1]


def _share(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-odds)))


DESIGNS = (
    Design("graded values", "mean", graded),
    Design("graded values, five folds", "mean", graded, folds=5),
    Design("graded values, unequal posts", "mean", unequal),
    Design("graded values, skewed losses", "mean", skewed),
    Design("hit or miss", "mean", hits),
    Design("unchanged, or broken by 0.5", "mean", unchanged_or_broken),
    Design("probabilities", "auroc:on=all", probabilities, exact=False),
    Design("probabilities", "brier:on=all", probabilities, exact=False),
    Design("probabilities", "sensitivity:at=0.5", probabilities, exact=False),
    Design("probabilities", "ece:bins=10", overconfident, exact=False),
    Design("slightly changed, or broken by 0.5", "mean", noisy_or_broken),
)


def scored(name: str, columns: dict[str, Floats]) -> Scored:
    """Return generated values as a measure that is ready to be resampled."""
    if "value" in columns:
        mean = metric("ndcg@10:on=evidence")
        rows = len(columns["value"])
        return Scored(mean, Columns(columns, queries=rows), np.ones(rows, dtype=bool))
    frame = pl.DataFrame({"prob": columns["prob"], "label": columns["label"]})
    return Scored.of(metric(name), assay.read_decisions(frame).cases(RankingRules()))


@cache
def true_loss(design: Design, loss: float) -> float:
    """Return the loss that was asked for, or that of a very large data set."""
    if design.exact or not loss:
        return loss
    _, old, new = design.draw(np.random.default_rng(1), LARGE, loss)
    a, b = (scored(design.measure, each) for each in (old, new))
    ones = np.ones((1, len(a.inside)))
    change = float(b.reduce(ones).values[0] - a.reduce(ones).values[0])
    return change if a.metric.better == "lower" else -change


def shares(
    design: Design, posts: int, loss: float, margin: float, options: argparse.Namespace
) -> Counter[str]:
    """Count the verdicts over data sets with a true loss, of which `margin` is allowed."""
    found: Counter[str] = Counter()
    rng = np.random.default_rng([20261118, posts, round(loss * 1000)])
    for at in range(options.simulations):
        post, old, new = design.draw(rng, posts, loss)
        members = np.array_split(np.arange(posts), design.folds)
        pair = (scored(design.measure, old), scored(design.measure, new), design.folds > 1)
        plan = Bootstrap(options.resamples, seed=at)
        difference = one_sided_differences([pair], Strata(post, tuple(members)), plan)[0]
        assert difference is not None
        gain = difference.flipped() if pair[0].metric.better == "lower" else difference
        found[judge([Guarded(gain, margin)], ALPHA)[0].verdict] += 1
        tail = np.floor(ALPHA * (options.resamples + 1)).astype(int)
        found["percentile"] += int(gain.drawn[tail - 1] > -margin)
    return found


def row(design: Design, posts: int, options: argparse.Namespace) -> tuple[str, bool]:
    """Return a row of the table, and whether the level holds."""
    margin = true_loss(design, MARGIN)
    at_margin = shares(design, posts, MARGIN, margin, options)
    without_loss = shares(design, posts, 0.0, margin, options)
    passed = at_margin[NOT_WORSE] + at_margin[BETTER]
    counts = (
        passed,
        at_margin["percentile"],
        at_margin[WORSE],
        without_loss[NOT_WORSE] + without_loss[BETTER],
    )
    cells = " | ".join(f"{count / options.simulations:.1%}" for count in counts)
    name = design.measure.partition(":")[0]
    limit = ALPHA + 2 * math.sqrt(ALPHA * (1 - ALPHA) / options.simulations)
    text = f"| {design.title} | {name} | {margin:.4f} | {posts} | {cells} |"
    return text, passed / options.simulations <= limit


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help="put the table into docs/statistics.md")
    options = parser.parse_args()
    start = time.process_time()
    lines = [
        "| data | measure | margin | posts | true loss = margin: “not worse” | percentile bootstrap alone "
        "| “worse” | no true loss: “not worse” |",
        "|---|---|---|---|---|---|---|---|",
    ]
    failed = []
    for design in DESIGNS:
        for posts in POSTS:
            text, holds = row(design, posts, options)
            print(text, flush=True)
            lines.append(text)
            if not holds and design is not DESIGNS[-1]:  # the last shows what no test can see
                failed.append(text)
    error = math.sqrt(ALPHA * (1 - ALPHA) / options.simulations)
    head = (
        f"{options.simulations:,} data sets per row, {options.resamples:,} resamples each; a level of 5% "
        f"shows as at most {ALPHA + 2 * error:.1%}."
    )
    print(f"\n{head} {time.process_time() - start:.0f} CPU s.")
    if options.write:
        text = DOCS.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        body = "\n".join([BEGIN, head, "", *lines, END])
        DOCS.write_text(before + body + after, encoding="utf-8")
    for each in failed:
        print(f"above its level: {each}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
