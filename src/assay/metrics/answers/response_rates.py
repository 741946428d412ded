"""How often a system answers without evidence, refuses with evidence, or gives no readable response."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.entry import Edge, Kind, Metric
from assay.metrics.core.family import measure
from assay.metrics.core.reduce import MEAN, Columns
from assay.metrics.core.toy_cases import Toy

Ever = Literal["any", "answerable", "unanswerable", "invalid"]
WORDS = {
    "answerable": "that there is an answer",
    "unanswerable": "that there is none",
    "invalid": "neither that there is an answer nor that there is none",
    "right": "that there is an answer where there is evidence, and that there is none where there is not",
}
YES = (("said_answerable", 1.0), ("said_unanswerable", 0.0))
UNREADABLE = (("said_answerable", 0.0), ("said_unanswerable", 0.0))
NOMIRACL = "Thakur et al. 2024 (NoMIRACL)."


def said(cases: Cases, what: str) -> Floats:
    """Return 1 for responses that say this."""
    yes, no = cases.facts["said_answerable"], cases.facts["said_unanswerable"]
    if what == "right":
        return np.where(cases.has_evidence, yes, no)
    if what == "invalid":
        return np.asarray((yes + no) == 0, dtype=np.float64)
    return yes if what == "answerable" else no


def _rate(what: str, title: str, meaning: str, ever: Ever = "any", better: str = "lower") -> Metric:
    absent = f"Absent where no response says {WORDS.get(ever)}, as in the script of NoMIRACL."
    return Metric(
        title=title,
        formula=f"responses that say {WORDS[what]} / responses",
        latex=r"\frac1n \sum_q [r_q = s]",
        meaning=meaning,
        notes=(
            NOMIRACL,
            "Unreadable responses are in the denominator.",
            *([] if ever == "any" else [absent]),
        ),
        columns=lambda cases: Columns({"value": said(cases, what)}, np.zeros(len(cases), dtype=np.uint8)),
        reduce=MEAN,
        kind=Kind.DECISION,
        better=better,
        needs=(
            "said_answerable",
            "said_unanswerable",
            "population",
            *([] if ever == "any" else [f"ever_{ever}"]),
        ),
        edges=(
            Edge(Toy("0", facts=YES), float(what == "answerable"), "an answer without evidence"),
            Edge(Toy("0", facts=UNREADABLE), float(what == "invalid"), "no readable response"),
        ),
    )


@measure("hallucination_rate", on="no_evidence")
def hallucination_rate_entry(only_if_ever: Ever = "any") -> Metric:
    """Share of responses that give an answer; without evidence, all of these are wrong."""
    meaning = "how often the system answers where it should say that it does not know"
    return _rate("answerable", "Hallucination rate", meaning, only_if_ever)


@measure("false_refusal_rate", on="evidence")
def false_refusal_rate_entry(only_if_ever: Ever = "any") -> Metric:
    """Share of responses that say there is no answer; with evidence, all of these are wrong."""
    meaning = "how often the system says that it does not know where there is evidence"
    return _rate("unanswerable", "False-refusal rate", meaning, only_if_ever)


@measure("invalid_rate", on="all")
def invalid_rate_entry(only_if_ever: Ever = "any") -> Metric:
    """Share of responses that are neither an answer nor a refusal."""
    return _rate("invalid", "Rate of invalid responses", "how often nothing readable is said", only_if_ever)


@measure("response_accuracy", on="all")
def response_accuracy_entry() -> Metric:
    """Share of responses that answer with evidence or refuse without."""
    meaning = "how often the system answers or refuses rightly"
    return _rate("right", "Accuracy of answering or refusing", meaning, better="higher")
