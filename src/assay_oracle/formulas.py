"""Which formula each per-query measure has, and what it needs before it can be taken."""

from collections.abc import Callable
from dataclasses import dataclass

from assay_oracle import calibration, extraction, graded, interpolated, pool, ranking
from assay_oracle.definition import Definition
from assay_oracle.rows import Row
from assay_oracle.score import Score, by_convention


def _nothing_needed(row: Row, definition: Definition) -> bool:
    return True


def _has_relevant(row: Row, definition: Definition) -> bool:
    return row.gold_count(definition.rel) > 0


def _has_relevant_for_min_r_k(row: Row, definition: Definition) -> bool:
    return definition.choice("denominator") != "min_r_k" or _has_relevant(row, definition)


def _no_check(row: Row, definition: Definition) -> None:
    return None


def _has_positive_grade(row: Row, definition: Definition) -> bool:
    return any(grade > 0 for grade in row.judgements)


@dataclass(frozen=True)
class Formula:
    """A per-query formula, whether a query has the gold that it needs, and what it refuses.

    `needs` names the field of Query that it reads; `ranks` says that it needs a candidate.
    """

    score: Callable[[Row, Definition], Score]
    has_gold: Callable[[Row, Definition], bool] = _nothing_needed
    check: Callable[[Row, Definition], None] = _no_check
    needs: str | None = None
    ranks: bool = True


FORMULAS: dict[str, Formula] = {
    "recall": Formula(ranking.recall, _has_relevant),
    "precision": Formula(ranking.precision, _has_relevant_for_min_r_k),
    "hit": Formula(ranking.hit),
    "mrr": Formula(ranking.reciprocal_rank, _has_relevant),
    "map": Formula(ranking.average_precision, _has_relevant),
    "ndcg": Formula(graded.normalised_gain, _has_positive_grade),
    "rprec": Formula(ranking.r_precision, _has_relevant),
    "f": Formula(ranking.f_at_k, _has_relevant),
    "judged": Formula(pool.judged),
    "unjudged": Formula(pool.unjudged),
    "bpref": Formula(pool.binary_preference, _has_relevant),
    "rbp": Formula(ranking.rank_biased_precision),
    "err": Formula(graded.expected_reciprocal_rank, check=graded.check_grades),
    "set_precision": Formula(pool.set_precision),
    "set_recall": Formula(pool.set_recall, _has_relevant),
    "set_f": Formula(pool.set_f, _has_relevant),
    "iprec": Formula(interpolated.interpolated_precision, _has_relevant),
    "iprec_avg": Formula(interpolated.average_interpolated_precision, _has_relevant),
    "brier": Formula(calibration.brier, needs="prob", ranks=False),
    "evidence_recall": Formula(
        extraction.recall, _has_relevant, check=extraction.check_k, needs="selected_k"
    ),
    "evidence_precision": Formula(extraction.precision, needs="selected_k", ranks=False),
    "utility": Formula(extraction.utility, needs="selected_k", ranks=False),
}


def is_mean(definition: Definition) -> bool:
    """Whether the measure is a mean of per-query values: of two kinds, only average=macro is."""
    macro = definition.parameters.get("average", "macro") == "macro"
    return definition.name in FORMULAS and macro


def can_score(row: Row, definition: Definition) -> bool:
    """Whether the query has the field that the formula reads."""
    needs = FORMULAS[definition.name].needs
    return needs is None or getattr(row.query, needs) is not None


def score(row: Row, definition: Definition) -> Score:
    """The formula's value, or 0 by convention: `no_gold` first, then `no_candidates`."""
    formula = FORMULAS[definition.name]
    formula.check(row, definition)
    if not formula.has_gold(row, definition):
        return by_convention("no_gold")
    if formula.ranks and row.n == 0:
        return by_convention("no_candidates")
    return formula.score(row, definition)
