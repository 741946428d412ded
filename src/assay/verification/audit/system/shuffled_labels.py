"""Whether AUROC falls to chance: its mean over shuffles of the labels, with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from statistics import mean, stdev

import polars as pl

from assay.data.corpus import Corpus
from assay.data.label_table import read_decisions
from assay.evaluation.evaluate import evaluate
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.statistics.student_t import two_sided_p
from assay.verification.audit.audit_report import Seen, clean, found, not_applicable
from assay.verification.audit.facts import Facts
from assay.verification.audit.gather_facts import Answers, facts_of_corpus

AREA = "auroc:on=all"
TITLES = {"query": "AUROC of queries", "candidate": "AUROC of candidates"}


Joined = tuple[Answers, pl.DataFrame]  # predictions of all folds, and their queries


def at_chance(corpus: Corpus, true: Joined, shuffled: Sequence[Joined], resamples: int, seed: int) -> Seen:
    """Check that the mean AUROC over the shuffles, of queries and candidates, is not above 0.5.

    Its interval adds two uncertainties in squares: the mean distance to the ends of the bootstrap
    intervals (posts are resampled), and that of a t interval over the shuffles, because a system
    that learned noise may err in either direction. Below 0.5 is no leak. Shuffled labels still tell
    that a candidate among few is evidence more often than one among many, so chance for candidates is
    the AUROC of a score that knows nothing else, if that is higher.
    """
    plan = Bootstrap(resamples, seed)
    numbers: dict[str, float] = {}
    above = []
    looked = f"{len(shuffled)} shuffles"
    given, *others = (facts_of_corpus(corpus, *each) for each in (true, *shuffled))
    for unit, title in TITLES.items():
        before = _area(given, unit, plan)
        after = [_area(each, unit, plan) for each in others]
        areas = [each for each in after if each is not None]
        if before is None or len(areas) < len(after):
            continue
        low, middle, high = _interval(areas)
        numbers |= {
            f"{unit}_auroc": before[1],
            f"{unit}_shuffled": middle,
            f"{unit}_low": low,
            f"{unit}_high": high,
        }
        looked += f"; {title} {before[1]:.3f}, shuffled {middle:.3f} [{low:.3f}, {high:.3f}]"
        chance = 0.5
        if low > chance and unit == "candidate":
            chance = max(chance, _by_number(given, plan))
            looked += f"; chance {chance:.3f}, by the number of candidates alone"
        if low > chance:
            above.append(title)
    if not numbers:
        return not_applicable("no fold has predictions for both classes", looked)
    if not above:
        return clean(looked, **numbers)
    why = f"{' and '.join(above)} stay above chance: gold leaks, or the system has prior knowledge"
    return found(looked, why, **numbers)


def _by_number(given: Facts, plan: Bootstrap) -> float:
    """Return the AUROC of candidates if those of a query with fewer of them have higher scores."""
    assert given.candidates is not None, "they have an AUROC"
    score = -pl.len().over(given.keys).cast(pl.Float64)
    area = _area(replace(given, candidates=given.candidates.with_columns(score=score)), "candidate", plan)
    assert area is not None, "both classes are there"
    return area[1]


def _interval(areas: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    lows, values, highs = zip(*areas, strict=True)
    middle = mean(values)
    spread = 0.0
    if len(values) > 1:
        spread = t_quantile(len(values) - 1) * stdev(values) / sqrt(len(values))
    low = sqrt((middle - mean(lows)) ** 2 + spread**2)
    high = sqrt((mean(highs) - middle) ** 2 + spread**2)
    return max(0.0, middle - low), middle, min(1.0, middle + high)


def t_quantile(df: int, doubt: float = 0.05) -> float:
    """Return the t that |T| exceeds with this chance, by bisection."""
    low, high = 0.0, 1000.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided_p(middle, df) > doubt else (low, middle)
    return high


def _area(facts: Facts, unit: str, plan: Bootstrap) -> tuple[float, float, float] | None:
    """Return AUROC with its interval, averaged over folds; None if a class is missing."""
    if unit == "query":
        if facts.prob is None:
            return None
        rows = facts.queries.select("post_id", "fold", value="prob", label="has_evidence")
    elif facts.candidates is None:
        return None
    else:
        folds = facts.queries.select(*facts.keys, "fold")
        rows = facts.candidates.join(folds, on=facts.keys, how="left", maintain_order="left")
        rows = rows.select("post_id", "fold", value="score", label=pl.col("grade") >= 1)
    if rows["label"].n_unique() < 2:
        return None
    # AUROC depends only on the order: ranks turn any score into a probability.
    value = pl.col("value").rank("average") / pl.len()
    table = rows.with_columns(value.alias("prob"), pl.col("label").cast(pl.Int8))
    given = read_decisions(table, group="post_id", fold="fold")
    made = evaluate(given, measures=[AREA], bootstrap=plan)[AREA]
    assert made.interval is not None, "a bootstrap was asked for"
    return made.interval.low, made.value, made.interval.high
