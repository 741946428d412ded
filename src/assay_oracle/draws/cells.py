"""Measures of the four cells of decision against label, and of other sums of queries."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from assay_oracle.confusion import FROM_COUNTS, Counts
from assay_oracle.decision import decided, prob, reaches, selected_k, state, threshold
from assay_oracle.definition import Definition
from assay_oracle.draws.sums import Reduce, Vector, of_sums
from assay_oracle.pool import judged_nonrelevant
from assay_oracle.ranking import precision_sum
from assay_oracle.rows import Row

Sums = Sequence[float]  # the number of queries first, then the sums of the vectors
OfSums = tuple[Callable[[Row, Definition], Vector], Callable[[Sums, Definition], float | None]]


def cell(decision: bool, label: bool) -> Vector:
    """(TP, FP, TN, FN) of one query."""
    return (
        decision and label,
        decision and not label,
        not decision and not label,
        not decision and label,
    )


def decision_cell(row: Row, definition: Definition) -> Vector:
    """The cell of a query under the definition's `at`."""
    return cell(decided(row, definition), row.has_evidence)


def _level_cell(row: Row, definition: Definition) -> Vector:
    return cell(reaches(row, definition, definition.level), row.has_evidence)


def _budget_cell(row: Row, definition: Definition) -> Vector:
    at = threshold(row, definition, f"fpr_{definition.cut}")
    return cell(prob(row, definition) >= at, row.has_evidence)


def counts_of(sums: Sums) -> Counts:
    """The four counts, which are whole."""
    tp, fp, tn, fn = (int(value) for value in sums[1:])
    return Counts(tp, fp, tn, fn)


def _from_counts(sums: Sums, definition: Definition) -> float | None:
    return FROM_COUNTS[definition.name](counts_of(sums)).value


def _cost(sums: Sums, definition: Definition) -> float:
    fp, fn = float(definition.number("fp")), float(definition.number("fn"))
    return (fp * sums[2] + fn * sums[4]) / sums[0]


def _net_benefit(sums: Sums, definition: Definition) -> float:
    odds = float(definition.level / (1 - definition.level))
    return (sums[1] - sums[2] * odds) / sums[0]


def quotient(numerator: float, denominator: float) -> float:
    """0 by convention where the denominator is 0."""
    return numerator / denominator if denominator else 0.0


def _log_precision(row: Row, definition: Definition) -> Vector:
    gold = row.gold_count(definition.rel)
    total = precision_sum(row.relevance(definition.rel))
    found = total / gold if gold else Fraction(0)
    return (math.log(max(found, definition.number("floor"))),)


def _hits(row: Row, rel: int) -> int:
    return sum(row.relevance(rel, row.query.selected_k or 0))


def _recall_parts(row: Row, definition: Definition) -> Vector:
    """(hits, what they are of, whether there is a K)."""
    rel, average = definition.rel, definition.choice("average")
    known = row.query.selected_k is not None
    if average == "micro_conditional" and not row.query.selected_k:
        return (0, 0, known)
    of = sum(row.relevance(rel)) if average == "retrieved" else row.gold_count(rel)
    return (_hits(row, rel), of, known)


def _size_parts(row: Row, definition: Definition) -> Vector:
    size = row.query.selected_k or 0
    return (size, size * size, row.query.selected_k is not None)


def _size_std(sums: Sums) -> float:
    """From whole sums, so that nothing is lost in the difference."""
    n, total, squares = (int(value) for value in sums[:3])
    return math.sqrt(Fraction(squares * n - total * total, n * (n - 1))) if n > 1 else 0.0


def _size_statistic(sums: Sums, definition: Definition) -> float | None:
    stat = definition.choice("stat")
    if sums[3] == 0:
        return None
    if stat == "std":
        return _size_std(sums)
    return sums[1] if stat == "total" else sums[1] / sums[0]


def _is_state(wanted: str, factor: int = 1) -> OfSums:
    return (
        lambda row, d: (state(row, d) == wanted,),
        lambda sums, d: factor * sums[1] / sums[0],
    )


OF_SUMS: dict[str, OfSums] = {
    **dict.fromkeys(FROM_COUNTS, (decision_cell, _from_counts)),
    "expected_cost": (decision_cell, _cost),
    "net_benefit": (_level_cell, _net_benefit),
    "tpr_at_fpr": (_budget_cell, lambda sums, d: quotient(sums[1], sums[1] + sums[4])),
    "fpr_reached": (_budget_cell, lambda sums, d: quotient(sums[2], sums[2] + sums[3])),
    "gm_map": (_log_precision, lambda sums, d: math.exp(sums[1] / sums[0])),
    "num_q": (lambda row, d: (), lambda sums, d: sums[0]),
    "num_ret": (lambda row, d: (row.n,), lambda sums, d: sums[1]),
    "num_rel": (lambda row, d: (row.gold_count(d.rel),), lambda sums, d: sums[1]),
    "num_rel_ret": (lambda row, d: (sum(row.relevance(d.rel)),), lambda sums, d: sums[1]),
    "num_nonrel_judged_ret": (
        lambda row, d: (sum(judged_nonrelevant(row, d.rel)),),
        lambda sums, d: sums[1],
    ),
    "evidence_recall": (
        _recall_parts,
        lambda sums, d: quotient(sums[1], sums[2]) if sums[3] else None,
    ),
    "evidence_precision": (
        lambda row, d: (_hits(row, d.rel), selected_k(row, d)),
        lambda sums, d: quotient(sums[1], sums[2]),
    ),
    "selected_k": (_size_parts, _size_statistic),
    "rate": (
        lambda row, d: (state(row, d) == d.choice("state").upper(),),
        lambda sums, d: sums[1] / sums[0],
    ),
    "alert_rate_per_1000": _is_state("POS", 1000),
    "screening_fn_per_1000": (
        lambda row, d: (state(row, d) == "NEG" and row.has_evidence,),
        lambda sums, d: 1000 * sums[1] / sums[0],
    ),
}


def of_query_sums(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Reduce:
    """The measure of OF_SUMS that bears the definition's name."""
    vector, formula = OF_SUMS[definition.name]
    vectors = [vector(row, definition) for row in rows]
    return of_sums(units, vectors, lambda sums: formula(sums, definition))
