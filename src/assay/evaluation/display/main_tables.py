"""Tables that go into a paper as they are: the main results, baselines, criteria, a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.display.digits import PLAIN, decimals, rounded
from assay.display.table_formats import CHARACTERS, float_width
from assay.evaluation.comparison.comparison_result import Comparison, Difference
from assay.evaluation.display.paper_tables import (
    EXACT,
    EXACT_NOTE,
    PaperTable,
    bound_notes,
    file_name,
    interval_text,
    subset,
    texts,
)
from assay.evaluation.display.result_tables import number
from assay.evaluation.display.suppressed_groups import HIDDEN, count_text, hidden_groups, suppression_note
from assay.evaluation.presentation import (
    ARROWS,
    GROUP_HEADLINES,
    HEADLINES,
    TREC_HEADLINES,
    counted,
    measure_title,
    queries,
)
from assay.evaluation.query_columns import query_names
from assay.evaluation.result import Groups, Result, Value, bounds
from assay.metrics.core.entry import Kind
from assay.metrics.core.registry import metric

MOST_ROWS = 10
FEWEST_ROWS = 8
ACROSS = 4
"""Measures of a wide table by criterion; of a table of baselines 6."""
BASELINES_ACROSS = 6
NAME_WIDTH = 12
"""Fewest characters for the names of groups."""
MOST_GROUPS = 40
"""Largest number of groups of a wide table: more do not fit on a page."""
MARKS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def main_tables(result: Result, below: int | None = None) -> Iterator[PaperTable]:
    """Yield the main table, the baselines if there are any, and one wide table per breakdown."""
    yield main_table(result)
    if result.baselines:
        yield baselines_table(result)
    for column, groups in result.groups.items():
        if 1 < len(groups) <= MOST_GROUPS and column != "has_evidence":
            yield _wide(result, column, below)


def main_measures(result: Result) -> list[Value]:
    """Return the 8 to 10 measures of the main table: headlines, then what the result has first."""
    known = {value.name: value for value in result.measures if not _is_total(value)}
    chosen = [known[name] for name in (*HEADLINES, *TREC_HEADLINES) if name in known][:MOST_ROWS]
    names = {value.name for value in chosen}
    more = [value for value in known.values() if value.name not in names]
    return chosen + more[: max(0, FEWEST_ROWS - len(chosen))]


def _is_total(value: Value) -> bool:
    return metric(value.definition).kind is Kind.TOTAL


def main_table(result: Result) -> PaperTable:
    """Return the main results under their proper names, with a complete caption."""
    values = main_measures(result)
    level = next((each.interval.level for each in values if each.interval is not None), None)
    head = ["Measure", "Value"] + ([f"{level:.0%} CI"] if level else [])
    rows = []
    for value in values:
        text, _, interval = texts(value)
        rows.append((_titled(value), text, interval)[: len(head)])
    return PaperTable("main", _caption(result, values), tuple(head), tuple(rows), (), "column")


def _titled(value: Value | Difference) -> str:
    return f"{measure_title(value.definition)} {ARROWS.get(value.better, '')}".rstrip()


def _caption(result: Result, values: Sequence[Value]) -> str:
    counts, plan = result.counts, result.bootstrap
    sentences = [
        f"Results of {result.short_name} on {queries(counts.queries)}, {counts.evidence:,} with evidence, "
        f"under contract {result.contract.id} ({result.contract.hash[:8]})"
    ]
    sentences += _populations(values)
    if any(value.aggregate == "fold_mean" for value in values):
        folds = max(len(value.folds.values) for value in values if value.folds is not None)
        sentences.append(f"Values are means over {counted(folds, 'fold')}")
    if plan is not None:
        unit = {"post": "posts", "query": "queries"}[plan.unit]
        strata = ", stratified by fold" if "fold" in query_names(result) else ""
        made = f"{plan.method} bootstrap, {plan.resamples:,} resamples of {unit}{strata}, seed {plan.seed}"
        sentences.append(f"CI: {made}")
    sentences += [note.rstrip(".") for note in bound_notes(values)]
    if any(value.convention for value in values):
        sentences.append("* Set by convention")
    beyond = [measure_title(value.definition) for value in values if _outside(value)]
    if beyond:
        sentences.append(f"{', '.join(beyond)}: outside its interval, because resampling adds noise to it")
    return ". ".join([*sentences, *_abbreviations(values)]) + "."


def _outside(value: Value) -> bool:
    """Return whether an interval is shifted away from the value, as that of ECE often is."""
    shown = bounds(value)
    return shown is not None and not shown.low <= value.value <= shown.high


def _populations(values: Sequence[Value]) -> list[str]:
    """Say how many queries each value is about."""
    found: dict[tuple[str, int], list[str]] = {}
    for value in values:
        found.setdefault((value.population, value.n), []).append(measure_title(value.definition))
    if len(found) == 1:
        ((population, n),) = found
        return [f"All values are over {subset(population)} (n = {n:,})"]
    rarest = sorted(found, key=lambda each: len(found[each]))
    said = [f"{', '.join(found[each])}: {subset(each[0])} (n = {each[1]:,})" for each in rarest[:-1]]
    population, n = rarest[-1]
    return [*said, f"Others: {subset(population)} (n = {n:,})"]


def _abbreviations(values: Sequence[Value | Difference]) -> list[str]:
    entries = [metric(value.definition) for value in values]
    said = {each.abbreviation: each.title for each in entries if each.abbreviation}
    text = "; ".join(f"{short}: {title[0].lower()}{title[1:]}" for short, title in said.items())
    return [text] if text else []


def baselines_table(result: Result) -> PaperTable:
    """Return the system between its baselines and the oracle, on up to six headline measures."""
    named = {name for each in result.baselines for name in each.values}
    values = [value for value in result.measures if value.name in named]
    ranked = [name for name in (*HEADLINES, *TREC_HEADLINES) if name in named]
    values.sort(key=lambda value: ranked.index(value.name) if value.name in ranked else len(ranked))
    values = values[:BASELINES_ACROSS]
    places = [interval_text(value)[1] for value in values]
    rows = [
        (
            each.title,
            *(
                f"{each.values[value.name]:.{digits}f}" if value.name in each.values else HIDDEN
                for value, digits in zip(values, places, strict=True)
            ),
        )
        for each in result.baselines
    ]
    own = (result.short_name, *(texts(value)[0] for value in values))
    last = result.baselines[-1].name == "oracle"
    rows.insert(len(rows) - last, own)
    said = [f"{each.title}: {each.text}" for each in result.baselines]
    caption = ". ".join([f"{result.short_name} and its baselines", *said, *_abbreviations(values)]) + "."
    return PaperTable("baselines", caption, ("System", *map(_titled, values)), tuple(rows), (), "page")


def _wide(result: Result, column: str, below: int | None) -> PaperTable:
    """Return one row per group with as many measures and intervals as fit the page, up to four."""
    known = {value.name: value for value in result.measures}
    values = [known[name] for name in GROUP_HEADLINES if name in known] or main_measures(result)
    for across in range(ACROSS, 0, -1):
        shown = values[:across]
        head = (_column_title(column).capitalize(), "n", *map(_titled, shown))
        rows = _group_rows(result.groups[column], shown, below)
        if float_width(head, rows) + NAME_WIDTH <= CHARACTERS[True]:
            break
    said = [
        f"{result.short_name} by {_column_title(column)}; n is the number of queries",
        *_populations(shown),
    ]
    if any("*" in cell for row in rows for cell in row[2:]):
        said.append("* Set by convention")
    if below is not None:
        said.append(suppression_note(below).rstrip("."))
    plan = result.bootstrap
    if plan is not None:
        said.append(f"Brackets: {plan.level:.0%} CI, {plan.resamples:,} bootstrap resamples")
    if any(EXACT in cell for row in rows for cell in row[2:]):
        said.append(EXACT_NOTE.rstrip("."))
    if any(value.folds is not None for value in shown):
        said.append("Values are pooled over folds")
    caption = ". ".join([*said, *_abbreviations(shown)]) + "."
    return PaperTable(file_name(f"wide_by_{column}"), caption, head, rows, (), "page")


def _column_title(column: str) -> str:
    """Return the name of a breakdown for readers.

    >>> _column_title("criterion_id"), _column_title("ward")
    ('criterion', 'ward')
    """
    return column.removesuffix("_id")


def _group_rows(groups: Groups, values: Sequence[Value], below: int | None) -> tuple[tuple[str, ...], ...]:
    """Return the rows of the groups; what is on too few queries is hidden."""
    sizes = {label: max(cells[value.name].n for value in values) for label, cells in groups.items()}
    secret = hidden_groups(sizes, below)
    by_measure = {
        value.name: hidden_groups({label: cells[value.name].n for label, cells in groups.items()}, below)
        for value in values
    }
    rows = []
    for label, cells in groups.items():
        row = [label, count_text(sizes[label], below, secondary=label in secret)]
        for value in values:
            interval, places = interval_text(cells[value.name], most=PLAIN)
            group = cells[value.name]
            text = rounded(group.value, min(places, PLAIN)) + ("*" if group.convention else "")
            shown = text if interval == HIDDEN else f"{text} {interval}"
            row.append(HIDDEN if label in secret | by_measure[value.name] else shown)
        rows.append(tuple(row))
    return tuple(rows)


def comparison_table(made: Comparison) -> PaperTable:
    """Return the values of each pair with their difference, interval, p and significance mark."""
    several, one = len(made.pairs) > 1, len({baseline for baseline, _ in made.pairs}) == 1
    rows = []
    for each in made.differences:
        p = each.adjusted(made.correction)
        low, high = each.interval.low, each.interval.high
        places = decimals(each.difference, low, high)
        rows.append(
            (
                *((each.system,) if several else ()),
                *(() if one else (each.baseline,)),
                _titled(each),
                number(each.baseline_value, each.better),
                number(each.system_value, each.better),
                rounded(each.difference, places),
                mark(p) or HIDDEN,
                f"[{rounded(low, places)}, {rounded(high, places)}]",
                f"{p:.4f}" if p >= 0.0001 else "<0.0001",
                HIDDEN if each.outcomes is None else _outcomes(each),
            )
        )
    p_name = {"holm": "Holm", "bh": "BH"}[made.correction]
    pair = (*(("System",) if several else ()), *(() if one else ("Baseline",)))
    sides = ("Baseline value", "System value") if several else made.pairs[0]
    level = made.differences[0].interval.level
    head = (*pair, "Measure", *sides, "Difference", "Sig.", f"{level:.0%} CI", f"p ({p_name})", "W/T/L")
    return PaperTable("comparison", _comparison_caption(made, p_name), head, tuple(rows), (), "page")


def _outcomes(each: Difference) -> str:
    assert each.outcomes is not None, "the caller has checked it"
    return f"{each.outcomes.wins}/{each.outcomes.ties}/{each.outcomes.losses}"


def mark(p: float) -> str:
    """Return the stars of an adjusted p-value.

    >>> mark(0.0005), mark(0.03), mark(0.05), mark(0.2)
    ('***', '*', '*', '')
    """
    return next((stars for limit, stars in MARKS if p <= limit), "")


def _comparison_caption(made: Comparison, p_name: str) -> str:
    first = made.differences[0]
    units = {"post": "posts", "query": "queries"}[first.interval.unit]
    most = max(each.randomisation.resamples for each in made.differences)
    baselines = list(dict.fromkeys(baseline for baseline, _ in made.pairs))
    contracts = " and ".join(dict.fromkeys(id_ for id_, _ in made.contracts.values()))
    of = "" if made.posts == made.queries else f" of {counted(made.posts, 'post')}"
    said = [
        f"Differences (system minus baseline) on {queries(made.queries)}{of}, {made.evidence:,} with "
        f"evidence, under {contracts}" + (f". Baseline: {baselines[0]}" if len(baselines) == 1 else ""),
        f"CI: paired percentile bootstrap, {most:,} resamples of {units}",
        f"p: two-sided randomisation test, {p_name}-adjusted over "
        f"{counted(len(made.differences), 'test')}, seed {made.seed}; * p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001",
        "W/T/L: queries on which the system is better, equal, worse",
    ]
    return ". ".join([*said, *_abbreviations(made.differences)]) + "."
