"""Entry of MTEB's area under the abstention curve: does confidence tell good rankings from bad?"""

from __future__ import annotations

from typing import Literal

from assay.data.model import Cases
from assay.kernels import abstention as kernel
from assay.kernels.layout import Convention, Floats
from assay.metrics import ranking
from assay.metrics.decision import INFINITE, decision_metric, given
from assay.metrics.entry import Edge, Metric, Witness
from assay.metrics.family import Cut, On
from assay.metrics.properties import Property
from assay.metrics.ranking import Names
from assay.metrics.reduce import Columns, Fitted
from assay.metrics.toy import decided

GAINS = {
    "ndcg": lambda k: ranking.ndcg("", {}, k),
    "map": lambda k: ranking.average_precision("", {}, k, denominator="R"),
    "recall": lambda k: ranking.recall("", {}, k),
    "precision": lambda k: ranking.precision("", {}, k),
    "mrr": lambda k: ranking.reciprocal_rank("", {}, k),
    "hit": lambda k: ranking.hit("", {}, k),
}
GOOD, BAD = decided("1", 0.5, 1, "POS"), decided("0", 0.5, 1, "POS")


def nauc(
    name: str,
    params: Names,
    k: Cut,
    of: Literal["ndcg", "map", "recall", "precision", "mrr", "hit"] = "ndcg",
    by: Literal["max", "std", "diff1", "prob"] = "max",
    on: On = "predicted",
) -> Metric:
    """How far abstaining on the least confident queries raises a ranking measure, 1 at the best."""
    gain = GAINS[of](k)

    def columns(cases: Cases) -> Columns:
        confidence = given(cases.prob) if by == "prob" else cases.confidence[by]
        return Columns({"confidence": confidence, "gain": gain.columns(cases)["value"]})

    def of_resample(columns: Columns, counts: Floats) -> tuple[float, int]:
        area, best = kernel.normalised_area(columns["confidence"], columns["gain"], counts)
        if abs(best) <= 1e-12:
            return 0.0, Convention.ZERO_DENOMINATOR
        return area / best, Convention.NONE

    means = {
        "max": "the highest score",
        "std": "the standard deviation of the scores",
        "diff1": "the lead of the first score over the second",
        "prob": "the probability of evidence",
    }
    return decision_metric(
        name, params, on, columns, Fitted(of_resample),
        title="Normalised area under the abstention curve",
        formula=f"(area − flat) / (best area − flat), confidence is {means[by]}",
        latex=r"\frac{A_\mathrm{conf} - A_\mathrm{flat}}{A_\mathrm{best} - A_\mathrm{flat}}",
        meaning="what leaving out the least confident queries gains, of what it could gain",
        needs=("ranked", "prob" if by == "prob" else "confidence"), range=(-INFINITE, 1.0),
        resamples=1000,
        edges=(Edge(GOOD, 0.0, "one query: nothing to gain", Convention.ZERO_DENOMINATOR),),
        fails={
            Property.QUERY_ORDER: Witness(GOOD, "of equal confidence the first goes first", (BAD,)),
            Property.DUPLICATION: Witness(BAD, "more queries, finer steps", (GOOD, BAD, GOOD)),
        },
    )  # fmt: skip
