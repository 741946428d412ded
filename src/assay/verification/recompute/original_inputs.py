"""`verify` with the original inputs: evaluate them again and expect the same bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.data.corpus import SHARED
from assay.evaluation.bundle.bundle_files import MASTER, listed_files, read_json, read_table, sha256
from assay.evaluation.bundle.load import result_of
from assay.evaluation.evaluate import evaluate_under
from assay.evaluation.result import Result
from assay.evaluation.scoring.score_all import judges_targets
from assay.files.temporary import temporary_folder
from assay.metrics.core.registry import not_defined
from assay.verification.recompute.bundle_history import is_later, is_older, later_columns
from assay.verification.recompute.number_findings import INPUTS, TOLERANCE, NumberFinding
from assay.verification.recompute.recompute_document import apart, unknown_here

if TYPE_CHECKING:
    from assay.contracts.contract import Contract
    from assay.data.corpus import Corpus
    from assay.evaluation.inputs.align_input import Input

NOT_FROM_INPUTS = ("versions", "contract")
"""Parts of the document that do not follow from the inputs: library versions differ between
machines, and the contract is the bundle's own, which `standing` judges."""
SMALL = "differs by less than 1e-9"
OTHER = "the original inputs give something else"


@dataclass(frozen=True, slots=True)
class Originals:
    """What the reader of a bundle knows about the original evaluation; every field is optional.

    Attributes
    ----------
    predictions, corpus, tune
        The arguments of `evaluate`.
    contract
        The contract that the bundle must use.
    system
        The name that the system must have.
    tune_reused
        The bundle must say that TUNE was reused.
    tune_share
        The share of the table's groups that must be TUNE.

    """

    predictions: Input | None = None
    corpus: Corpus | str | Path | None = None
    tune: Any = None
    contract: Contract | None = None
    system: str | None = None
    tune_reused: bool = False
    tune_share: float | None = None


def findings_of(folder: Path, originals: Originals) -> list[NumberFinding]:
    """Compare a bundle with what is known of the original evaluation."""
    document = read_json(folder / MASTER)
    result = result_of(document, folder)
    found = list(_claims(result, originals))
    if originals.predictions is not None:
        found += _recomputed(folder, document, result, originals)
    return found


def _claims(result: Result, originals: Originals) -> Iterator[NumberFinding]:
    """Compare what a bundle claims with what the reader knows."""
    wanted = originals.contract
    if wanted is not None:
        same = result.contract.hash == wanted.hash
        yield _claim("contract", same, f"is {result.contract.id}; expected {wanted.id}")
    if originals.system is not None:
        same = result.system == originals.system
        yield _claim("system", same, f"is {result.system}; expected {originals.system}")
    if originals.tune_reused:
        reason = "claims that TUNE was used for thresholds only"
        yield _claim("tune_reused", result.tune_reused, reason)
    if originals.tune_share is not None:
        share = result.tune_split and result.tune_split.share
        reason = f"is {share or 'none'}; expected {originals.tune_share:g}"
        yield _claim("tune_share", share == originals.tune_share, reason)


def targets_judged(document: dict[str, Any], result: Result) -> bool:
    """Return whether a bundle's values are compared with targets, as those of a corpus always are."""
    shared = bool(document.get(SHARED, False))
    return judges_targets(result.query_keys, shared=shared) or any(value.target for value in result.measures)


def _claim(what: str, same: bool, reason: str) -> NumberFinding:
    return NumberFinding.statement(f"expected/{what}", same, reason, by="expectation")


def _recomputed(
    folder: Path, document: dict[str, Any], result: Result, originals: Originals
) -> list[NumberFinding]:
    """Evaluate the original inputs under the bundle's contract, seed and groups.

    Each table and each part of the document must come out the same, byte for byte.
    """
    assert originals.predictions is not None, "the caller has checked it"
    unknown = unknown_here(result)
    for value in result.measures:
        if value.name in unknown:
            raise not_defined(value.definition)
    again = evaluate_under(
        result.contract,
        originals.predictions,
        originals.corpus,
        by=list(result.groups),
        measures=[*(value.name for value in result.measures), *result.absent],
        system=result.system,
        bootstrap=result.bootstrap,
        tune=originals.tune,
        tune_share=None if result.tune_split is None else result.tune_split.share,
        tune_reused=result.tune_reused,
        targets=targets_judged(document, result),
    )
    older = is_older(document)
    with temporary_folder() as scratch:
        fresh = again.save(scratch / "bundle")
        other = read_json(fresh / MASTER)
        # The schemas of another version may differ.
        same = document["versions"]["assay"] == other["versions"]["assay"] and not older
        endings = (".csv", ".csv.gz", *([".schema.json"] if same else []))
        names = {*listed_files(folder), *listed_files(fresh)}
        tables = [name for name in sorted(names) if name.endswith(endings)]
        lacks = later_columns(document) if older else set()
        found = [each for name in tables for each in _file(folder, fresh, name, lacks)]
    for part in dict.fromkeys([*document, *other]):
        if part not in NOT_FROM_INPUTS:
            found += _part(part, document.get(part), other.get(part), older=older)
    return found


def _file(folder: Path, fresh: Path, name: str, lacks: Collection[str]) -> list[NumberFinding]:
    """Return one finding for a file, or one per column if only some columns differ.

    The columns in `lacks` may be missing.
    """
    first, second = folder / name, fresh / name
    there = first.is_file() and second.is_file()
    if there and sha256(first) == sha256(second):
        return [NumberFinding.statement(f"inputs/{name}", True, "", INPUTS)]
    columns = []
    if there and name.endswith(".csv"):
        mine, theirs = read_table(first), read_table(second)
        wanted = [each for each in theirs.columns if each in mine.columns or each not in lacks]
        if mine.columns == wanted and mine.height == theirs.height:
            columns = [each for each in wanted if not mine[each].equals(theirs[each])]
            if lacks and not columns:
                return [NumberFinding.statement(f"inputs/{name}", True, "", INPUTS)]
    places = [f"{name}/{column}" for column in columns] or [name]
    return [NumberFinding.statement(f"inputs/{place}", False, OTHER, INPUTS) for place in places]


def _part(part: str, given: Any, fresh: Any, *, older: bool) -> list[NumberFinding]:
    """Return one finding for a part of the document, or one per place that differs."""
    place = f"inputs/{MASTER}/{part}"
    if given == fresh:
        return [NumberFinding.statement(place, True, "", INPUTS)]
    found = list(apart(given, fresh, f"{place}/", TOLERANCE))
    places = [where for where, old, _ in found if not (older and is_later(where, old))]
    if found and not places:
        return [NumberFinding.statement(place, True, "", INPUTS)]
    reason = OTHER if places else SMALL
    return [NumberFinding.statement(each, False, reason, INPUTS) for each in places or [place]]
