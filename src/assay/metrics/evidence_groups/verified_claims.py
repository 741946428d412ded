"""Claims that are verified with evidence, as the FEVER scorer counts them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.entry import Edge, Kind, Metric
from assay.metrics.core.family import Cut, measure
from assay.metrics.core.rankings import Convention, relevant
from assay.metrics.core.reduce import MEAN, Columns, Reduced, Sums, quotient
from assay.metrics.core.toy_cases import Toy
from assay.metrics.evidence_groups.group_recall import complete

Empty = Literal["1", "0"]
FACTS = (("label_correct", 1.0), ("verifiable", 1.0), ("vacuous_evidence", 0.0))
WRONG = (("label_correct", 0.0), ("verifiable", 1.0), ("vacuous_evidence", 0.0))
NEEDS = ("verifiable", "vacuous_evidence", "groups")
NO_GROUP, EMPTY_GROUP = 1.0, 2.0
"""What `vacuous_evidence` is where gold has no group at all, and where it has a group without an item."""
FEVER = "Thorne, Vlachos, Christodoulopoulos and Mittal 2018 (FEVER)."
CLAIMS = (
    FEVER,
    "A claim is verifiable if its gold label is not NOT ENOUGH INFO; on the others evidence is not judged.",
    "The evidence is that of the first k predicted sentences; one that is predicted twice takes two places.",
)


def found_evidence(cases: Cases, k: int) -> Floats:
    """Return 1 where a whole group is found, or where gold has nothing to find."""
    return (complete(cases, 1, k) | (cases.facts["vacuous_evidence"] > 0)).astype(np.float64)


def precision(cases: Cases, k: int, empty: float) -> Floats:
    """Return the share of the first k predicted sentences that are in any group; `empty` without any."""
    places = np.minimum(cases.n, k)
    hits = relevant(cases, 1).hits(k)
    return np.where(places > 0, hits / np.maximum(places, 1), empty)


def strict(cases: Cases, k: int, spurious: str) -> Floats:
    """Return 1 for claims with the right label and, where they are verifiable, a whole group."""
    facts = cases.facts
    found = complete(cases, 1, k)
    if spurious == "refused":
        found = found & (relevant(cases, 1).hits(k) == np.minimum(cases.n, k))
    found = found | (facts["vacuous_evidence"] == EMPTY_GROUP) | (facts["verifiable"] == 0)
    return np.asarray(found * facts["label_correct"], dtype=np.float64)


@measure("label_accuracy", on="all")
def label_accuracy_entry() -> Metric:
    """Share of claims with the right label."""
    return Metric(
        title="Label accuracy",
        formula="claims with the right label / claims",
        latex=r"\frac1n \sum_q [\hat y_q = y_q]",
        meaning="how often the label of a claim is right, whatever the evidence",
        notes=(FEVER,),
        columns=lambda cases: Columns(
            {"value": cases.facts["label_correct"]}, np.zeros(len(cases), dtype=np.uint8)
        ),
        reduce=MEAN,
        kind=Kind.DECISION,
        needs=("label_correct",),
        edges=(Edge(Toy(facts=FACTS), 1.0, "a right label"), Edge(Toy(facts=WRONG), 0.0, "a wrong label")),
    )


@measure("strict_score", on="all")
def strict_score_entry(k: Cut, spurious: Literal["credited", "refused"] = "credited") -> Metric:
    """Share of claims with the right label and a whole evidence group."""
    refused = " and no sentence outside of gold" if spurious == "refused" else ""
    return Metric(
        title="Strict score",
        formula="claims with the right label and, if verifiable, a whole group in the top k"
        f"{refused} / claims",
        latex=r"\frac1n \sum_q [\hat y_q = y_q] \max_{g} \prod_{d \in g} [\operatorname{rank}(d) \le k]",
        meaning="how often label and evidence are both right",
        notes=(*CLAIMS, "FEVER credits a whole group among other sentences; `spurious=refused` does not."),
        columns=lambda cases: Columns(
            {"value": strict(cases, k, spurious)}, np.zeros(len(cases), dtype=np.uint8)
        ),
        reduce=MEAN,
        kind=Kind.SELECTION,
        needs=("label_correct", *NEEDS),
        edges=(
            Edge(Toy("1", groups=1, facts=FACTS), 1.0, "right label, right evidence"),
            Edge(Toy("1", missed=(1,), groups=1, facts=FACTS), 0.0, "half of a group"),
            Edge(Toy("1", groups=1, facts=WRONG), 0.0, "wrong label"),
        ),
    )


def _shares(cases: Cases, k: int, empty: str) -> Columns:
    verifiable = cases.facts["verifiable"]
    return Columns(
        {
            "precision": precision(cases, k, float(empty)) * verifiable,
            "recall": found_evidence(cases, k) * verifiable,
            "verifiable": verifiable,
        }
    )


def _precision(_: Floats, total: Floats, claims: Floats) -> Reduced:
    return quotient(total, claims, 1.0)


def _recall(_: Floats, total: Floats, claims: Floats) -> Reduced:
    return quotient(total, claims)


def _f1(n: Floats, precise: Floats, found: Floats, claims: Floats) -> Reduced:
    p, r = _precision(n, precise, claims).values, _recall(n, found, claims).values
    return quotient(2.0 * p * r, p + r)


@measure("claim_precision", on="all")
def claim_precision_entry(k: Cut, empty: Empty = "1") -> Metric:
    """Mean precision of the predicted evidence of verifiable claims."""
    return Metric(
        title="Evidence precision of claims",
        formula="mean over verifiable claims of (sentences of any group in the top k / min(k, n)); "
        f"{empty} for a claim without predicted sentence",
        latex=r"\frac{1}{|V|} \sum_{q \in V} \frac{h_q(k)}{\min(k, n_q)}",
        meaning="how much of the predicted evidence is gold",
        notes=(*CLAIMS, "FEVER gives an empty prediction precision 1; `empty=0` does not."),
        columns=lambda cases: _shares(cases, k, empty),
        reduce=Sums(("precision", "verifiable"), _precision, ordered=True),
        kind=Kind.SELECTION,
        needs=NEEDS,
        edges=(
            Edge(Toy("1", groups=1, facts=FACTS), 1.0, "only gold"),
            Edge(Toy("", missed=(1,), groups=1, facts=FACTS), float(empty), "nothing predicted"),
        ),
    )


@measure("claim_recall", on="all")
def claim_recall_entry(k: Cut) -> Metric:
    """Share of verifiable claims with a whole evidence group."""
    return Metric(
        title="Evidence recall of claims",
        formula="verifiable claims with a whole group in the top k / verifiable claims",
        latex=r"\frac{1}{|V|} \sum_{q \in V} \max_{g} \prod_{d \in g} [\operatorname{rank}(d) \le k]",
        meaning="how often the evidence of a claim is found, whatever its label",
        notes=(*CLAIMS, "A verifiable claim whose gold has nothing to find counts as found."),
        columns=lambda cases: _shares(cases, k, "1"),
        reduce=Sums(("recall", "verifiable"), _recall, ordered=True),
        kind=Kind.SELECTION,
        needs=NEEDS,
        edges=(
            Edge(Toy("1", groups=1, facts=FACTS), 1.0, "the whole group"),
            Edge(Toy("", missed=(1,), groups=1, facts=FACTS), 0.0, "nothing predicted"),
        ),
    )


@measure("claim_f1", on="all")
def claim_f1_entry(k: Cut, empty: Empty = "1") -> Metric:
    """Harmonic mean of the mean precision and the mean recall of evidence."""
    return Metric(
        title="Evidence F1 of claims",
        formula="2·P·R / (P + R) of evidence precision and recall; not a mean over claims",
        latex=r"\frac{2PR}{P+R}",
        meaning="evidence precision and recall in one number",
        notes=(*CLAIMS, "P + R = 0 gives 0 by convention, where the script of FEVER stops with an error."),
        columns=lambda cases: _shares(cases, k, empty),
        reduce=Sums(("precision", "recall", "verifiable"), _f1, ordered=True),
        kind=Kind.SELECTION,
        needs=NEEDS,
        edges=(
            Edge(Toy("1", groups=1, facts=FACTS), 1.0, "only gold, and all of it"),
            Edge(
                Toy("0", missed=(1,), groups=1, facts=FACTS),
                0.0,
                "nothing right",
                Convention.ZERO_DENOMINATOR,
            ),
        ),
    )
