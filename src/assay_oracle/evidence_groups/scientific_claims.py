"""SciFact: abstracts and rationale sentences, pooled over claims."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import choice
from assay_oracle.core.reduction import Number
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, ratio, sums_of

STAT = {"stat": choice("precision", "recall", "f1")}
ABSTRACTS = {
    "label_only": "abstracts_labelled",
    "rationalized": "abstracts_rationalized",
    "rationalized_3": "abstracts_rationalized_3",
}
SENTENCES = {"selection": "rationales_selected", "label": "rationales_labelled"}
Parts = Callable[[Row, Definition], tuple[Number, Number, Number]]


def _parts(unit: str, facts: Mapping[str, str]) -> Parts:
    """Correct, predicted and gold units of a claim."""

    def parts(row: Row, definition: Definition) -> tuple[Number, Number, Number]:
        names = (facts[definition.choice("correct")], f"{unit}_retrieved", f"{unit}_relevant")
        correct, retrieved, relevant = (Fraction(row.query.facts[name]) for name in names)
        return correct, retrieved, relevant

    return parts


def _score(sums: Sums, definition: Definition) -> Summary:
    _, correct, retrieved, relevant = sums
    if definition.choice("stat") == "precision":
        return ratio(correct, retrieved)
    if definition.choice("stat") == "recall":
        return ratio(correct, relevant)
    p = correct / retrieved if retrieved else 0
    r = correct / relevant if relevant else 0
    return ratio(2 * p * r, p + r)


@pooled(
    "abstract_score", {"correct": choice(*ABSTRACTS), **STAT}, via=sums_of(_parts("abstracts", ABSTRACTS))
)
def abstract_score(sums: Sums, definition: Definition) -> Summary:
    """Precision correct / predicted, recall correct / gold, or their harmonic mean."""
    return _score(sums, definition)


@pooled(
    "rationale_score", {"correct": choice(*SENTENCES), **STAT}, via=sums_of(_parts("rationales", SENTENCES))
)
def rationale_score(sums: Sums, definition: Definition) -> Summary:
    """The same of sentences in rationales that were predicted as a whole."""
    return _score(sums, definition)
