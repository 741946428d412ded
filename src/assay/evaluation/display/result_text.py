"""A result as a person reads it: tables, breakdowns, thresholds and notes in order."""

from __future__ import annotations

from collections.abc import Sequence

from assay.contracts.contract import Contract
from assay.evaluation.display.breakdown_tables import breakdown, selected_k
from assay.evaluation.display.notes import notes, notes_on_names
from assay.evaluation.display.result_tables import head_line, one_system, several_systems, thresholds
from assay.evaluation.result import Result
from assay.text_table import TextTable

Parts = list[TextTable | str]


def result_parts(
    result: Result, contract: Contract, *, brief: bool = False, below: int | None = None
) -> Parts:
    """Return everything about one system; a brief account has the measures and notes only.

    In breakdowns, groups of fewer than `below` queries are hidden.
    """
    parts: Parts = [head_line(result), *one_system(result, contract)]
    if not brief:
        whole = len(result.measures) + len(result.absent) == len(contract.names)
        if whole and result.selected_k:  # everything was asked for, not measures by name
            parts.append(selected_k(result.selected_k, below))
        parts += [thresholds(result)] if result.thresholds else []
        parts += [table for column in result.groups for table in breakdown(result, column, contract, below)]
    return [*parts, *_joined(notes(result))]


def systems_parts(results: Sequence[Result]) -> Parts:
    """Return one table of several systems, and the notes of each; those on names are said once."""
    names = dict.fromkeys(line for result in results for line in notes_on_names(result))
    own = (f"{result.system}: {line}" for result in results for line in notes(result) if line not in names)
    return [several_systems(results), *_joined([*names, *own])]


def _joined(lines: list[str]) -> list[str]:
    return ["\n".join(lines)] if lines else []
