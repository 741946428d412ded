"""All classes of forgeries, which of them a bundle alone gives away, and the verdict on one."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

import polars as pl

from assay.errors import AssayError
from assay.evaluation.baselines.baseline_pool import NAME, read_pool
from assay.evaluation.baselines.baselines import baselines_of
from assay.evaluation.bundle.bundle_cases import cases_of
from assay.evaluation.bundle.load import read_result
from assay.verification.recompute.number_findings import INPUTS, Verification
from assay.verification.recompute.verify import verify
from tests.bundle.rebuild import document_of, rebuilt
from tests.forgery.by_document import (
    CLAIMED,
    CONTRACTS,
    RECOMPUTED,
    Forger,
    day,
    from_contract,
    from_document,
    system_name,
    users_contract,
    versions,
)
from tests.forgery.by_inputs import EDITS, from_tables
from tests.forgery.scene import Scene, evaluated


def tune_not_reused(honest: Scene, _: Random, target: Path) -> Path:
    """The honest evaluator says that TUNE was reused; the forger leaves that out."""
    return evaluated(honest.folder, target / "bundle", tune_reused=False)


def baseline_ranks(honest: Scene, draw: Random, target: Path) -> Path:
    """Let gold come later in the original order, and compute the baselines from that."""
    folder = Path(shutil.copytree(honest.bundle, target / "bundle"))
    table = pl.read_csv(folder / NAME, infer_schema=False)
    ranks = [
        text and " ".join(map(str, sorted(draw.sample(range(1, int(n) + 1), len(text.split())))))
        for text, n in table.select("original", "sentences").iter_rows()
    ]
    table.with_columns(pl.Series("original", ranks)).write_csv(folder / NAME)
    result = read_result(honest.bundle)
    cases = cases_of(result, folder)
    compared = baselines_of(result, cases, read_pool(folder, cases))
    return rebuilt(folder, {**document_of(folder), "baselines": [asdict(each) for each in compared]})


FOUND: dict[str, Forger] = {
    **{name: from_document(edit) for name, edit in RECOMPUTED.items()},
    **{name: from_contract(change) for name, change in CONTRACTS.items()},
}
"""Found from the bundle alone."""
NEEDS_ORIGINALS: dict[str, Forger] = {
    **{name: from_tables(edit) for name, edit in EDITS.items()},
    **{name: from_document(edit) for name, edit in CLAIMED.items()},
    "users_contract": from_contract(users_contract),
    "system_name": system_name,
    "tune_not_reused": tune_not_reused,
    "baseline_ranks": baseline_ranks,
}
"""Documented in docs/bundle.md as what passes without the originals, and is found with them."""
NEVER_FOUND: dict[str, Forger] = {"versions": from_document(versions), "day": day}
"""Documented as what nothing can tell."""
CLASSES = {**FOUND, **NEEDS_ORIGINALS}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a forgery was found, without the originals and with them."""

    alone: bool
    with_originals: bool


def judged(honest: Scene, name: str, draw: Random, target: Path) -> Verdict:
    """Forge a bundle of a class and verify it, with everything that the evaluator has."""
    bundle = {**CLASSES, **NEVER_FOUND}[name](honest, draw, target)
    originals = replace(honest.originals, tune_reused=name == "tune_not_reused")
    try:
        made = verify(bundle, draws=2, originals=originals)
    except AssayError:  # refused before anything is compared
        return Verdict(alone=True, with_originals=True)
    return Verdict(not _alone(made).ok, not made.ok)


def _alone(made: Verification) -> Verification:
    """What `verify` says of the same bundle without the originals."""
    own = tuple(each for each in made.findings if each.by not in (INPUTS, "expectation"))
    return replace(made, findings=own)
