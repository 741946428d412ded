"""Average precision of answers by rising no-answer probability."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.decisions import label
from assay.metrics.core.entry import Edge, Kind, Metric
from assay.metrics.core.family import measure
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Columns, Reduced, Rows, quotient
from assay.metrics.core.toy_cases import ranking


def area(columns: Columns, counts: Floats) -> Reduced:
    """Return 100 · Σ P · (R − R before), with P and R after each distinct no-answer probability.

    P = score of the answers given / answers given, R = their score / queries with evidence.
    """
    order = np.lexsort((columns["place"], columns["na_prob"]))
    counted, na_prob = counts[:, order], columns["na_prob"][order]
    last = np.flatnonzero(np.append(na_prob[1:] != na_prob[:-1], True)) if len(order) else order
    score = np.add.accumulate(counted * columns["score"][order], axis=1)[:, last]
    given = np.add.accumulate(counted, axis=1)[:, last]
    total = counts @ columns["label"]
    precision = score / np.maximum(given, 1.0)
    recall = score / np.maximum(total, 1.0)[:, None]
    before = np.concatenate([np.zeros((len(counts), 1)), recall[:, :-1]], axis=1)
    sums = np.add.accumulate(precision * (recall - before), axis=1)[:, -1:].sum(axis=1)
    return quotient(
        np.where(total > 0, 100.0 * sums, 0.0), (total > 0).astype(float), 0.0, Convention.NO_GOLD
    )


def _columns(cases: Cases, score: str) -> Columns:
    evidence = label(cases)
    found = evidence if score == "oracle" else evidence * cases.facts[f"answer_{score}"]
    names = ("na_prob", "na_place")
    na_prob, place = (cases.facts[name] for name in names)
    return Columns({"na_prob": na_prob, "place": place, "score": found, "label": evidence})


@measure("answer_ap", on="all")
def answer_ap_entry(score: Literal["exact", "f1", "oracle"] = "exact") -> Metric:
    """Area under the precision–recall curve of answers, in percent."""
    facts = (("answer_exact", 1.0), ("answer_f1", 1.0), ("na_prob", 0.2), ("na_place", 0.0))
    needs = () if score == "oracle" else (f"answer_{score}",)
    return Metric(
        title=f"Average precision of answers by no-answer probability ({score}, %)",
        formula="100 · Σ over distinct no-answer probabilities of P · (R − R before)",
        latex=r"100 \sum_t P_t\,(R_t - R_{t-1})",
        meaning="whether the answers that the system is surest of are right",
        notes=(
            "Rajpurkar, Jia and Liang 2018 (SQuAD 2.0).",
            "Answers count by their score, and only on queries with evidence; `oracle` takes each of "
            "those as right, so that it judges the no-answer probability alone. Equal probabilities "
            "are one step of the curve.",
        ),
        columns=lambda cases: _columns(cases, score),
        reduce=Rows(area),
        kind=Kind.DECISION,
        range=(0.0, 100.0),
        needs=(*needs, "na_prob", "na_place", "has_evidence"),
        edges=(
            Edge(ranking("1", facts=facts), 100.0, "one right answer"),
            Edge(ranking("0", facts=facts), 0.0, "nothing to answer", Convention.NO_GOLD),
        ),
    )
