"""Check the columns of per_query.csv that follow from the other tables."""

from collections.abc import Iterator, Sequence
from math import inf, isnan

from assay_oracle.bundle.findings import ORIGINAL_FILES, Finding, worst
from assay_oracle.bundle.measures import Recomputed
from assay_oracle.bundle.queries import THRESHOLD, QueryTable
from assay_oracle.bundle.reading import Bundle
from assay_oracle.bundle.scored import Scored
from assay_oracle.bundle.tuning import finite
from assay_oracle.core.measure import measure_of, reduction
from assay_oracle.core.rows import population

NO_COLUMN = "per_query.csv has no such column"
NO_RULE = "no threshold of this rule could be chosen"
NO_THRESHOLD = "the field is empty; +inf was chosen"


def column_findings(bundle: Bundle, recomputed: Recomputed) -> Iterator[Finding]:
    """Yield one finding per column, at the row with the largest difference."""
    table, rows = bundle.table, bundle.rows
    if bundle.ranked:
        yield _column(table, "answered", [int(row.n > 0) for row in rows])
    else:
        found = next(iter(table.numbers("answered")), None)
        yield Finding("per_query/answered", found, None, ORIGINAL_FILES)
    yield _column(table, "n", [row.n for row in rows])
    yield _column(table, "gold", [row.gold_count(1) for row in rows])
    yield _column(table, "has_evidence", [int(row.has_evidence) for row in rows])
    for column in table.texts:
        if column.startswith(THRESHOLD):
            yield _threshold(bundle, column)
    for measured in recomputed.measures:
        if measured.measure is None:
            continue
        if measured.measure.values is None and not measure_of(measured.measure.definition).listed:
            continue
        if measured.name not in table.values:
            yield Finding(f"per_query/{measured.name}", None, None, NO_COLUMN)
            continue
        if measured.measure.values is None:
            yield _column(table, measured.name, _counts(measured.measure, bundle))
            continue
        values = [None if isnan(value) else value for value in measured.measure.values]
        yield _column(table, measured.name, values)


def _counts(measure: Scored, bundle: Bundle) -> list[float | None]:
    """Return the measure of each query alone; None outside the population."""
    definition = measure.definition
    inside = {row.query.id for row in population(bundle.rows, definition.choice("on"))}
    count = reduction(definition).value_of
    return [count([row], definition).value if row.query.id in inside else None for row in bundle.rows]


def _column(table: QueryTable, column: str, again: Sequence[float | None]) -> Finding:
    return worst(f"per_query/{column}", zip(table.numbers(column), again, strict=True))


def _threshold(bundle: Bundle, column: str) -> Finding:
    """Compare the thresholds with the recomputed ones; null means +inf."""
    rule = column.removeprefix(THRESHOLD)
    found = bundle.table.numbers(column)
    if rule not in bundle.chosen:
        return Finding(f"per_query/{column}", _null_for_infinity(found[0]), None, NO_RULE)
    at_worst = worst(f"per_query/{column}", zip(found, bundle.chosen[rule], strict=True))
    value, again = at_worst.value, at_worst.recomputed
    reason = NO_THRESHOLD if value is None and again == inf else ""
    return Finding(at_worst.what, _null_for_infinity(value), _null_for_infinity(again), reason)


def _null_for_infinity(threshold: float | None) -> float | None:
    return None if threshold is None else finite(threshold)
