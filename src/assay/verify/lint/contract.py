"""Definitions from a contract, for figures whose names alone leave them open."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from assay.contracts.load import contract
from assay.contracts.model import Contract
from assay.errors import MeasureError
from assay.verify.lint.names import ALL, Name, definition_name
from assay.verify.lint.raw import Draft
from assay.verify.lint.results import GRADED

__all__ = ["GRADED", "with_contract"]


def with_contract(draft: Draft, name: str) -> None:
    """Give every name of the table the parameters that the contract spells for it."""
    made = contract(name)
    for figure in draft.figures:
        figure.name = _spelled(figure.name, made)
    draft.changes = [replace(each, name=_spelled(each.name, made)) for each in draft.changes]


def _spelled(name: Name, made: Contract) -> Name:
    if name.params or name.key in ("bare_recall", "bare_precision"):
        return name
    prefix = f"{name.group}/" if name.group else ""
    try:
        found = definition_name(made.resolve(f"{prefix}{name.key}{_cut(name.cut)}").id)
    except MeasureError:
        return name
    return name if found is None else replace(name, params=found.params)


def _cut(cut: Fraction | None) -> str:
    if cut is None:
        return ""
    return (
        "@all" if cut == ALL else f"@{int(cut)}" if cut.denominator == 1 else f"@{float(cut):.2f}"
    )
