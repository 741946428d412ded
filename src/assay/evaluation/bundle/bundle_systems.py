"""Bundles as systems that can be compared: each under the contract that it was made with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from assay.contracts.contract_toml import is_disguised
from assay.errors import Fault, InputError
from assay.evaluation.bundle.bundle_cases import cases_of
from assay.evaluation.bundle.bundle_files import MASTER, sha256
from assay.evaluation.bundle.load import read_result
from assay.evaluation.bundle.snapshot import unchanged
from assay.evaluation.comparison.matched_systems import System


def is_bundle(answers: object) -> bool:
    """Return whether something is the folder of a bundle."""
    return isinstance(answers, str | Path) and (Path(answers) / MASTER).is_file()


def bundled_systems(folders: Sequence[Path], allow_different: Collection[str]) -> list[System]:
    """Return the systems of bundles; with other gold than the first they are refused, unless told."""
    systems, gold = [], []
    for folder in folders:
        with unchanged(folder):
            result = read_result(folder)
            if is_disguised(result.contract):
                problem = f"calls its contract {result.contract.id}, which it is not"
                raise InputError.of(folder.name, problem, f"see assay verify {folder.name}")
            cases = cases_of(result, folder)
            gold.append(sha256(folder / "gold.csv"))
        systems.append(System(result.system, cases, result.contract, by_row=not cases.ranked))
    faults = [
        Fault(
            folder.name,
            "",
            f"has other gold than {folders[0].name}",
            "expected the same judgements; `allow_different='gold'` scores each against its own",
        )
        for folder, other in zip(folders[1:], gold[1:], strict=True)
        if "gold" not in allow_different and other != gold[0]
    ]
    if faults:
        raise InputError(faults)
    return systems
