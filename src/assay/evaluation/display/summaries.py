"""What a result or comparison shows of itself at the prompt and in a notebook, and its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from assay.display.summary import WIDTH, Parts, Summary
from assay.evaluation.comparison.comparison_result import Comparison
from assay.evaluation.display import comparison_tables
from assay.evaluation.display.main_tables import comparison_table, main_table
from assay.evaluation.display.notes import notes
from assay.evaluation.display.result_tables import (
    CONVENTION,
    FOLD_CONVENTION,
    cell,
    head_line,
    interval,
    number,
    one_system,
    target,
)
from assay.evaluation.display.result_text import result_parts
from assay.evaluation.presentation import ARROWS, HEADLINES, TREC_HEADLINES, counted
from assay.evaluation.result import Result, Value, bounds
from assay.text_table import TextTable

MOST_LINES = 40
"""Most lines of tables; what has more shows its headlines."""
FEWEST, MOST = 5, 20
"""How many measures are headlines: with fewer known names, the first ones of the result."""
MOST_NOTES = 6


def result_summary(result: Result) -> Summary:
    """Return the terminal's tables if they are small, else the headline measures."""
    tables = one_system(result, result.contract)
    lines = [line for table in tables for line in ("", *table.plain().split("\n"))]
    if len(lines) <= MOST_LINES and max(map(len, lines), default=0) <= WIDTH:
        brief = result_parts(result, result.contract, brief=True)
        more = [part for part in result_parts(result, result.contract) if part not in brief]
        return Summary(brief, {"Groups and thresholds": more} if more else {})
    shown = _headlines(result)
    said = notes(replace(result, measures=tuple(shown), groups={}))  # marks that are in the table
    parts: Parts = [head_line(result), _listed(shown), *_joined(said[:MOST_NOTES])]
    rest = [counted(len(result) - len(shown), "more measure")] if len(result) > len(shown) else []
    rest += [counted(len(said) - MOST_NOTES, "more note")] if len(said) > MOST_NOTES else []
    left_out = f"{' and '.join(rest)}; to_frame() has every measure." if rest else ""
    folded = {f"All {counted(len(result), 'measure')} and notes": result_parts(result, result.contract)[1:]}
    return Summary(parts, folded, left_out)


def _headlines(result: Result) -> list[Value]:
    wanted = {*result.contract.targets, *HEADLINES, *TREC_HEADLINES}
    found = [value for value in result.measures if value.name in wanted]
    return (found if len(found) >= FEWEST else list(result.measures))[:MOST]


def _listed(values: Sequence[Value]) -> TextTable:
    """Return one row per measure; the population goes first where the width is too small."""
    columns = [
        ("measure", [value.name for value in values]),
        ("", [ARROWS.get(value.better, "") for value in values]),
        ("value", [_marked(value) for value in values]),
    ]
    if any(value.interval is not None for value in values):
        columns.append((_level(values), [interval(value) for value in values]))
    if any(value.target is not None for value in values):
        columns.append(("target", [target(value) for value in values]))
    columns.append(("n", [f"{value.n:,}" for value in values]))
    columns.append(("population", [value.population for value in values]))
    head, cells = zip(*columns, strict=True)
    left = tuple(at for at, name in enumerate(head) if name in ("measure", "", "target", "population"))
    optional = (len(head) - 1, len(head) - 2)
    return TextTable("Headline measures", head, tuple(zip(*cells, strict=True)), left, optional)


def _marked(value: Value) -> str:
    """Return the value with its mark, without the std over folds that `cell` has, too."""
    mark = cell(value)[-1]
    return number(value.value, value.better) + (mark if mark in (CONVENTION, FOLD_CONVENTION) else "")


def _level(values: Sequence[Value]) -> str:
    level = next(value.interval.level for value in values if value.interval is not None)
    return f"{level:.0%} CI"


def _joined(lines: Sequence[str]) -> list[str]:
    return ["\n".join(lines)] if lines else []


def result_rows(result: Result) -> pl.DataFrame:
    """Return one row per measure; the interval is the one that is printed."""
    shown = [bounds(value) for value in result.measures]
    return pl.DataFrame(
        [
            {
                "measure": value.name,
                "value": value.value,
                "ci_low": None if ends is None else ends.low,
                "ci_high": None if ends is None else ends.high,
                "ci_method": _method(value),
                "std_over_folds": None if value.folds is None else value.folds.std,
                "n": value.n,
                "population": value.population,
                "better": value.better,
                "definition": value.definition,
            }
            for value, ends in zip(result.measures, shown, strict=True)
        ],
        schema=RESULT_COLUMNS,
    )


def _method(value: Value) -> str | None:
    shown = bounds(value)
    if shown is None or value.interval is None:
        return None
    return "exact" if shown.exact else value.interval.method


TEXT, REAL, WHOLE = str, float, int
RESULT_COLUMNS = {
    "measure": TEXT,
    "value": REAL,
    "ci_low": REAL,
    "ci_high": REAL,
    "ci_method": TEXT,
    "std_over_folds": REAL,
    "n": WHOLE,
    "population": TEXT,
    "better": TEXT,
    "definition": TEXT,
}


def result_latex(result: Result) -> str:
    """Return the main results as the table that `assay report` writes to `tables/main.tex`."""
    return main_table(result).latex()


def comparison_summary(made: Comparison) -> Summary:
    """Return the terminal's tables if they are small, else the differences of the first pairs."""
    said = comparison_tables.notes(made)
    tables = comparison_tables.tables(made)
    whole: Parts = [comparison_tables.head_line(made), *tables, *_joined(said)]
    if sum(len(table.rows) + 4 for table in tables) <= MOST_LINES:
        return Summary(whole)
    parts: list[TextTable | str] = [comparison_tables.head_line(made)]
    shown = 0
    for pair in made.pairs:
        table = comparison_tables.differences(*pair, made.of_pair(*pair)[:MOST_LINES], made.correction)
        if shown and shown + len(table.rows) > MOST_LINES:
            break
        parts.append(table)
        shown += len(table.rows)
    parts += _joined(said[:MOST_NOTES])
    more = f"{counted(len(made) - shown, 'more difference')}: see to_frame()." if len(made) > shown else ""
    return Summary(parts, {"All pairs, values and tests": whole[1:]}, more)


def comparison_rows(made: Comparison) -> pl.DataFrame:
    """Return one row per measure and pair."""
    return pl.DataFrame(
        [
            {
                "measure": each.name,
                "baseline": each.baseline,
                "system": each.system,
                "baseline_value": each.baseline_value,
                "system_value": each.system_value,
                "difference": each.difference,
                "ci_low": each.interval.low,
                "ci_high": each.interval.high,
                "relative": each.relative_improvement,
                "p": each.randomisation.p,
                "p_holm": each.randomisation.holm,
                "p_bh": each.randomisation.bh,
                "wins": None if each.outcomes is None else each.outcomes.wins,
                "ties": None if each.outcomes is None else each.outcomes.ties,
                "losses": None if each.outcomes is None else each.outcomes.losses,
                "n": each.n,
                "population": each.population,
                "better": each.better,
                "definition": each.definition,
            }
            for each in made.differences
        ],
        schema=COMPARISON_COLUMNS,
    )


COMPARISON_COLUMNS = {
    **dict.fromkeys(("measure", "baseline", "system"), TEXT),
    **dict.fromkeys(("baseline_value", "system_value", "difference", "ci_low", "ci_high", "relative"), REAL),
    **dict.fromkeys(("p", "p_holm", "p_bh"), REAL),
    **dict.fromkeys(("wins", "ties", "losses", "n"), WHOLE),
    **dict.fromkeys(("population", "better", "definition"), TEXT),
}


def comparison_latex(made: Comparison) -> str:
    """Return every difference as the table that `assay compare -o` writes to `comparison.tex`."""
    return comparison_table(made).latex()
