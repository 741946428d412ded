"""The best score that a threshold on the no-answer probability gives on the scored data themselves."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.decisions import label
from assay.metrics.core.entry import INFINITE, Edge, Kind, Metric
from assay.metrics.core.family import measure
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Columns, Reduced, Rows, computed, quotient
from assay.metrics.core.toy_cases import Toy, ranking

Score = Literal["exact", "f1"]
NOTES = (
    "Rajpurkar, Jia and Liang 2018 (SQuAD 2.0).",
    "The threshold is chosen on the scored data, so the value is an upper estimate of what a threshold "
    "that was chosen elsewhere gives.",
    "The search walks the queries one by one in order of their no-answer probability and may stop "
    "inside a group of equal ones, whose order is that of the file: then no threshold yields the value, "
    "and another order of the file gives another value.",
    "Without evidence, any text counts as an answer in the search, even one that is empty after "
    "normalisation: the value may be below what a threshold gives.",
)


def _columns(cases: Cases, score: str) -> Columns:
    facts, evidence = cases.facts, label(cases)
    gained = np.where(evidence == 1.0, facts[f"answer_{score}"], -facts["answer_given"])
    return Columns(
        {
            "na_prob": facts["na_prob"],
            "place": facts["na_place"],
            "gained": gained,
            "unanswerable": 1.0 - evidence,
        }
    )


def _walk(columns: Columns, counts: Floats) -> tuple[Floats, Floats]:
    """Return the best sum of scores of each row of counts, and the threshold that gives it.

    The walk starts with every answer withheld, which is right on all queries without evidence, and
    gives one answer more at each step. The first of several best steps counts.
    """
    order = np.lexsort((columns["place"], columns["na_prob"]))
    start = counts @ columns["unanswerable"]
    steps = counts[:, order] * columns["gained"][order]
    sums = np.add.accumulate(np.concatenate([start[:, None], steps], axis=1), axis=1)
    at = sums.argmax(axis=1)
    limits = np.concatenate([[0.0], columns["na_prob"][order]])
    return sums[np.arange(len(at)), at], limits[at]


def _best(columns: Columns, counts: Floats) -> Reduced:
    total, _ = _walk(columns, counts)
    return quotient(100.0 * total, counts.sum(axis=1), 0.0, Convention.EMPTY_POPULATION)


def _threshold(columns: Columns, counts: Floats) -> Reduced:
    return computed(_walk(columns, counts)[1])


def _case(marks: str, na_prob: float, place: float, **given: float) -> Toy:
    facts = {"answer_exact": 1.0, "answer_f1": 1.0, "answer_given": 1.0, **given}
    return ranking(marks, facts=(*facts.items(), ("na_prob", na_prob), ("na_place", place)))


def _needs(score: str) -> tuple[str, ...]:
    return (f"answer_{score}", "answer_given", "na_prob", "na_place")


@measure("best_answers", on="all")
def best_answers_entry(score: Score = "exact") -> Metric:
    """Best score over all thresholds on the no-answer probability, in percent."""
    return Metric(
        title=f"Best answer {score} over thresholds, tuned on the scored data (%)",
        formula="100/n · max over i of (queries without evidence + Σ over the first i: score, or −1 for text "
        "without evidence), by rising no-answer probability",
        latex=r"\frac{100}{n} \max_i \Big( n_0 + \sum_{j \le i} g_j \Big)",
        meaning="what the best threshold gives on the very data that chose it",
        notes=NOTES,
        columns=lambda cases: _columns(cases, score),
        reduce=Rows(_best),
        kind=Kind.DECISION,
        range=(0.0, 100.0),
        needs=_needs(score),
        edges=(
            Edge(_case("1", 0.2, 0), 100.0, "one right answer"),
            Edge(_case("0", 0.2, 0), 100.0, "nothing to answer: all withheld is right"),
        ),
    )


@measure("best_answers_threshold", on="all")
def best_answers_threshold_entry(score: Score = "exact") -> Metric:
    """The no-answer probability up to which answers are given for the best score."""
    return Metric(
        title=f"Threshold of the best answer {score}, tuned on the scored data",
        formula="no-answer probability of the first query at which the best sum is reached; 0 if all "
        "answers are withheld",
        latex=r"t_{i^*}, \quad i^* = \min \operatorname{arg\,max}_i \Big( n_0 + \sum_{j \le i} g_j \Big)",
        meaning="answers above it are withheld",
        notes=NOTES,
        columns=lambda cases: _columns(cases, score),
        reduce=Rows(_threshold),
        kind=Kind.DECISION,
        range=(-INFINITE, INFINITE),
        better="neither",
        needs=_needs(score),
        edges=(
            Edge(_case("1", 0.2, 0), 0.2, "one right answer"),
            Edge(_case("0", 0.2, 0), 0.0, "nothing to answer: no threshold is better than withholding all"),
        ),
    )
