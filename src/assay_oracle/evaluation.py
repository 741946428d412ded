"""Evaluate plain rows: all queries together, by fold, and by group."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.grammar import parse
from assay_oracle.core.measure import can_score, is_mean, reduction, score
from assay_oracle.core.outcome import Outcome, Summary, mean, mean_summary, std
from assay_oracle.core.rows import Query, Row, join, population

Reduce = Callable[[Sequence[Row]], Summary]


def evaluate(
    queries: Sequence[Query],
    judgements: Iterable[tuple[str, str, float]],
    candidates: Iterable[tuple[str, str, float]],
    definitions: Iterable[str],
    *,
    ties: str = "stable",
    depth: int | None = None,
    members: Iterable[tuple[str, str, str]] | None = None,
) -> dict[str, Outcome]:
    """Evaluate (query, item, grade) and (query, item, score) rows under each definition id.

    `members` are (query, item, group) rows of evidence groups.
    """
    rows = join(queries, judgements, candidates, ties, depth, members)
    return _outcomes(rows, [parse(text) for text in definitions])


def evaluate_groups(
    queries: Sequence[Query],
    judgements: Iterable[tuple[str, str, float]],
    candidates: Iterable[tuple[str, str, float]],
    definitions: Iterable[str],
    *,
    by: Callable[[Query], Hashable],
    ties: str = "stable",
    depth: int | None = None,
) -> dict[Hashable, dict[str, Outcome]]:
    """Evaluate each group of queries separately; `by` returns a query's group."""
    groups: dict[Hashable, list[Row]] = {}
    for row in join(queries, judgements, candidates, ties, depth):
        groups.setdefault(by(row.query), []).append(row)
    parsed = [parse(text) for text in definitions]
    return {key: _outcomes(rows, parsed) for key, rows in groups.items()}


def _outcomes(rows: Sequence[Row], definitions: Iterable[Definition]) -> dict[str, Outcome]:
    return {definition.text: _outcome(rows, definition) for definition in definitions}


def _outcome(rows: Sequence[Row], definition: Definition) -> Outcome:
    if not is_mean(definition):
        pooled = reduction(definition).value_of
        return _reduced(rows, definition, lambda members: pooled(members, definition), None)
    members = {row.query.id for row in population(rows, definition.choice("on"))}
    scores = {
        row.query.id: score(row, definition)
        for row in rows
        if row.query.id in members or can_score(row, definition)
    }
    return _reduced(
        rows,
        definition,
        lambda members: mean_summary([scores[row.query.id] for row in members]),
        {query: float(scored.value) for query, scored in scores.items()},
    )


def _reduced(
    rows: Sequence[Row], definition: Definition, reduce: Reduce, per_query: dict[str, float] | None
) -> Outcome:
    """Reduce the whole population, and that of each fold if every query has a fold."""
    members = population(rows, definition.choice("on"))
    summary = _summary(members, reduce)
    folds = {
        fold: value
        for fold, part in _by_fold(rows).items()
        if (value := _summary(population(part, definition.choice("on")), reduce).value) is not None
    }
    fold_values = [Fraction(value) for value in folds.values()]
    return Outcome(
        value=summary.value,
        n=len(members),
        per_query=per_query,
        by_convention=summary.by_convention,
        std=summary.std,
        median=summary.median,
        p25=summary.p25,
        p75=summary.p75,
        folds=folds,
        fold_mean=float(mean(fold_values)) if fold_values else None,
        fold_std=std(fold_values),
        reason=summary.reason,
    )


def _summary(members: Sequence[Row], reduce: Reduce) -> Summary:
    return reduce(members) if members else Summary(0.0, "empty_population")


def _by_fold(rows: Sequence[Row]) -> dict[int | str, list[Row]]:
    """Group the rows by fold; return no group if some query has no fold."""
    folds: dict[int | str, list[Row]] = {}
    for row in rows:
        if row.query.fold is None:
            return {}
        folds.setdefault(row.query.fold, []).append(row)
    return folds
