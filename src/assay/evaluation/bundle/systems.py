"""Bundles as systems that can be compared: each under the contract that it was made with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from assay.contracts.load import is_disguised
from assay.errors import Fault, InputError
from assay.evaluation.bundle.cases import cases_of
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.read import MASTER, load
from assay.evaluation.bundle.snapshot import unchanged
from assay.evaluation.matching import System


def is_bundle(answers: object) -> bool:
    """Whether something is the folder of a bundle."""
    return isinstance(answers, str | Path) and (Path(answers) / MASTER).is_file()


def bundled_systems(folders: Sequence[Path], despite: Collection[str]) -> list[System]:
    """The systems of bundles; with other gold than the first they are refused, unless told."""
    systems, gold = [], []
    for folder in folders:
        with unchanged(folder):
            result = load(folder)
            if result.rules is None:
                raise InputError.of(folder.name, "names no contract", "expected it in full")
            if is_disguised(result.rules):
                problem = f"calls its contract {result.contract}, which it is not"
                raise InputError.of(folder.name, problem, f"see assay verify {folder.name}")
            cases = cases_of(result, folder)
            gold.append(sha256(folder / "gold.csv"))
        systems.append(System(result.system, cases, result.rules, by_row=not cases.ranked))
    faults = [
        Fault(folder.name, "", f"has other gold than {folders[0].name}",
              "expected the same judgements; --despite gold scores each against its own")
        for folder, other in zip(folders[1:], gold[1:], strict=True)
        if "gold" not in despite and other != gold[0]
    ]  # fmt: skip
    if faults:
        raise InputError(faults)
    return systems
