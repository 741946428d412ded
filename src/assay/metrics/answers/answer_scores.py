"""How well answers match the expected ones; withholding is right where there is no evidence."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.decisions import label
from assay.metrics.core.entry import Edge, Kind, Metric
from assay.metrics.core.family import Real, measure
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Columns, Reduced, Sums, quotient
from assay.metrics.core.toy_cases import ranking

NOTES = (
    "Rajpurkar, Jia and Liang 2018 (SQuAD 2.0).",
    "An answer is withheld where its no-answer probability is greater than `above`; without such "
    "probabilities it is withheld where it is empty.",
)

CERTAIN = ("na_prob", -9.0)  # below any usual threshold


def no_answer(cases: Cases) -> Floats:
    """Return the no-answer probabilities; 0 where the input has none."""
    return cases.facts.get("na_prob", np.zeros(len(cases)))


def after_threshold(cases: Cases, score: str, above: float) -> Floats:
    """Return the score of each answer; where it is withheld, 1 without evidence and 0 with evidence."""
    withheld = no_answer(cases) > above
    return np.where(withheld, 1.0 - label(cases), cases.facts[f"answer_{score}"])


def _percent(n: Floats, total: Floats) -> Reduced:
    return quotient(100.0 * total, n, 0.0, Convention.EMPTY_POPULATION)


def _entry(score: str, above: float, title: str, what: str) -> Metric:
    def columns(cases: Cases) -> Columns:
        found = after_threshold(cases, score, above)
        codes = np.zeros(len(cases), dtype=np.uint8)
        return Columns({"value": 100.0 * found, "score": found}, codes)

    right = (f"answer_{score}", 1.0)
    return Metric(
        title=title,
        formula=f"100 · mean of {what}; of a withheld answer: 1 without evidence, 0 with evidence",
        latex=rf"\frac{{100}}{{n}} \sum_q s_q, \quad s_q = \text{{{what}}}",
        meaning=f"{what} in percent, as the SQuAD 2.0 script prints it",
        notes=NOTES,
        columns=columns,
        reduce=Sums(("score",), _percent, "mean", ordered=True),
        kind=Kind.DECISION,
        range=(0.0, 100.0),
        needs=(right[0], "population"),
        edges=(
            Edge(ranking("1", facts=(right, CERTAIN)), 100.0, "a right answer"),
            Edge(ranking("1", facts=((right[0], 0.0), CERTAIN)), 0.0, "a wrong answer"),
        ),
    )


@measure("answer_exact", on="all")
def answer_exact_entry(above: Real = 1) -> Metric:
    """Share of answers that equal an expected one, in percent."""
    return _entry("exact", above, "Exact match of answers (%)", "exact match")


@measure("answer_f1", on="all")
def answer_f1_entry(above: Real = 1) -> Metric:
    """Mean F1 over the words of an answer and the best expected one, in percent."""
    return _entry("f1", above, "F1 of answer words (%)", "F1 over words")
