"""The systems of a comparison: each input aligned under its contract, and named."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from assay.contracts.contract import Contract
from assay.contracts.contract_toml import contract as load_contract
from assay.data import table_checks
from assay.data.arrays import Arrays
from assay.data.cases import Cases
from assay.data.corpus import Corpus
from assay.data.label_table import LabelTable
from assay.data.readers.table_files import texts
from assay.data.runs import JudgedRun
from assay.errors import InputError
from assay.evaluation.bundle.bundle_systems import bundled_systems, is_bundle
from assay.evaluation.comparison.matched_systems import System
from assay.evaluation.inputs.align_input import align_input

if TYPE_CHECKING:
    from assay.evaluation.inputs.align_input import Input
    from assay.files.memory_budget import MemoryBudget


def systems_of_bundles(
    inputs: Sequence[Input], options: Sequence[str], allow_different: Collection[str]
) -> list[System]:
    """Bundles bring their gold and contract: they are compared with one another only."""
    folders = [Path(each) for each in inputs if isinstance(each, str | Path) and is_bundle(each)]
    if len(folders) < len(inputs):
        raise InputError.of("compare", "bundles and other inputs", "expected bundles alone")
    if options:
        problem = f"bundles with {', '.join(f'--{name}' for name in options)}"
        expected = "expected bundles alone: they bring their gold and contract"
        raise InputError.of("compare", problem, expected)
    return bundled_systems(folders, allow_different)


def contracts_of(
    given: Contract | str | Path | Sequence[Contract | str | Path], systems: int
) -> list[Contract]:
    """Return one contract per system, loaded."""
    listed = [given] if isinstance(given, Contract | str | Path) else list(given)
    made = [load_contract(each) for each in listed]
    if len(made) == 1:
        return made * systems
    if len(made) != systems:
        problem = f"{len(made)} contracts for {systems} systems"
        raise InputError.of("compare", problem, "expected one for all, or one for each")
    return made


def system_of(
    answers: Input,
    corpus: Corpus | None,
    contract: Contract,
    key: str | None,
    memory: MemoryBudget | None = None,
) -> System:
    """Return the cases of an input under its contract, with what its queries are matched by."""
    cases, name = _cases(answers, corpus, contract, memory)
    qrels = answers.qrels if isinstance(answers, JudgedRun) else None
    if not isinstance(answers, LabelTable):
        return System(name, cases, contract, qrels, by_row=isinstance(answers, Arrays))
    if key is None:
        return System(name, cases, contract, by_row=True)
    if key not in answers.table.frame.columns:
        expected = f"name the column of ids with `key` ({answers.table.columns})"
        raise InputError.of(name, f"no column {key!r}", expected)
    table = texts(answers.scored_rows(), key)
    faults = table_checks.filled(table, key) + table_checks.unique(table, key)
    if faults:
        raise InputError(faults)
    keys = pl.DataFrame({"query_id": table.frame[key]})
    return System(name, replace(cases, given_keys=keys), contract)


def _cases(
    answers: Input, corpus: Corpus | None, contract: Contract, memory: MemoryBudget | None
) -> tuple[Cases, str]:
    """Return aligned cases and the name; faults name the folder, as all systems name their tables alike."""
    try:
        given = align_input(answers, corpus, contract.ranking, memory=memory)
        if given.tune is None:
            return given.cases, given.name
        from assay.evaluation.thresholds.apply_tune import apply_tune

        cases, _ = apply_tune(given.cases, contract.metrics.values(), contract, given.tune)
        return cases, given.name
    except InputError as error:
        if not isinstance(answers, str | Path) or not Path(answers).is_dir():
            raise
        folder = Path(answers).name
        faults = [
            fault if fault.source == folder else replace(fault, source=f"{folder}/{fault.source}")
            for fault in error.faults
        ]
        raise InputError(faults) from None


def titles_of(names: Sequence[str], systems: Sequence[System]) -> list[str]:
    """Return one name per system, numbered where names repeat."""
    if len(names) != len(systems):
        problem = f"{len(names)} names for {len(systems)} systems"
        raise InputError.of("compare", problem, "expected one name per system")
    seen: dict[str, int] = {}
    titles = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        titles.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return titles
