"""Take definitions from a contract for values whose names leave them open."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from assay.contracts.contract import Contract
from assay.contracts.contract_toml import contract
from assay.metrics.core.registry import metric
from assay.verification.lint.formats.assay_results import GRADED
from assay.verification.lint.names.measure_names import ALL, Name, definition_name
from assay.verification.lint.tables.read_values import Draft

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
    own = made.own(f"{prefix}{name.key}{_cut(name.cut)}")  # what the contract leaves open stays open
    found = None if own is None else definition_name(metric(own[1]).id)
    return name if found is None else replace(name, params=found.params)


def _cut(cut: Fraction | None) -> str:
    if cut is None:
        return ""
    return "@all" if cut == ALL else f"@{int(cut)}" if cut.denominator == 1 else f"@{float(cut):.2f}"
