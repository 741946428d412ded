"""`verify` with the original inputs: the whole way again, from the files to the same bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.evaluation.api import evaluate_under
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.read import MASTER, listed_files, read_json, read_table, result_of
from assay.evaluation.result import Result
from assay.verify.again import apart
from assay.verify.findings import INPUTS, Finding
from assay.verify.layout import is_later, is_older, later_columns

if TYPE_CHECKING:
    from assay.contracts.model import Contract
    from assay.data.corpus import Corpus
    from assay.evaluation.inputs import Answers

NOT_FROM_INPUTS = ("versions", "contract")
"""Parts of the document that the inputs say nothing about: another machine may have other
versions, and the contract is the bundle's own, which `standing` judges."""
SMALL = "differs by less than 1e-9"


@dataclass(frozen=True, slots=True)
class Originals:
    """What the reader of a bundle has of the evaluation; anything may be left out.

    `predictions`, `corpus` and `tune` are what `evaluate` takes. The bundle must be under the
    `contract`, call its system `system`, and say that TUNE was reused where `tune_reused` does.
    """

    predictions: Answers | None = None
    corpus: Corpus | str | Path | None = None
    tune: Any = None
    contract: Contract | None = None
    system: str | None = None
    tune_reused: bool = False


def findings_of(folder: Path, originals: Originals) -> list[Finding]:
    """Compare a bundle with what is known of the original evaluation."""
    document = read_json(folder / MASTER)
    result = result_of(document, folder)
    found = list(_claims(result, originals))
    if originals.predictions is not None:
        found += _recomputed(folder, document, result, originals)
    return found


def _claims(result: Result, originals: Originals) -> Iterator[Finding]:
    """What a bundle says of itself, beside what the reader knows."""
    wanted = originals.contract
    if wanted is not None:
        same = result.rules is not None and result.rules.hash == wanted.hash
        yield _claim("contract", same, f"is {result.contract}; expected {wanted.id}")
    if originals.system is not None:
        same = result.system == originals.system
        yield _claim("system", same, f"is {result.system}; expected {originals.system}")
    if originals.tune_reused:
        reason = "says that TUNE was used for thresholds only"
        yield _claim("tune_only", not result.clean, reason)


def _claim(what: str, same: bool, reason: str) -> Finding:
    return Finding(f"expected/{what}", 1.0, float(same), "" if same else reason, by="expectation")


def _recomputed(
    folder: Path, document: dict[str, Any], result: Result, originals: Originals
) -> list[Finding]:
    """Evaluate the original inputs under the bundle's contract, seed and groups.

    A finding is 1 where a table or a part of the document came out the same, byte for byte.
    """
    if result.rules is None or originals.predictions is None:
        raise InputError.of(MASTER, "names no contract", "expected a contract in full")
    again = evaluate_under(
        result.rules,
        originals.predictions,
        originals.corpus,
        by=list(result.groups),
        measures=[*(value.name for value in result), *result.absent],
        system=result.system,
        bootstrap=result.bootstrap,
        tune=originals.tune,
        clean=result.clean,
    )
    older = is_older(document)
    with tempfile.TemporaryDirectory() as scratch:
        fresh = again.save(Path(scratch) / "bundle")
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


def _file(folder: Path, fresh: Path, name: str, lacks: Collection[str]) -> list[Finding]:
    """One finding for a file, or one per column where single columns of a table differ.

    A file may lack the columns `lacks`.
    """
    first, second = folder / name, fresh / name
    there = first.is_file() and second.is_file()
    if there and sha256(first) == sha256(second):
        return [Finding(f"inputs/{name}", 1.0, 1.0, by=INPUTS)]
    columns = []
    if there and name.endswith(".csv"):
        mine, theirs = read_table(first), read_table(second)
        wanted = [each for each in theirs.columns if each in mine.columns or each not in lacks]
        if mine.columns == wanted and mine.height == theirs.height:
            columns = [each for each in wanted if not mine[each].equals(theirs[each])]
            if lacks and not columns:
                return [Finding(f"inputs/{name}", 1.0, 1.0, by=INPUTS)]
    reason = "the original inputs give something else"
    places = [f"{name}/{column}" for column in columns] or [name]
    return [Finding(f"inputs/{place}", 1.0, 0.0, reason, by=INPUTS) for place in places]


def _part(part: str, given: Any, fresh: Any, *, older: bool) -> list[Finding]:
    """One finding for a part of the document, or one for each place that differs."""
    place = f"inputs/{MASTER}/{part}"
    if given == fresh:
        return [Finding(place, 1.0, 1.0, by=INPUTS)]
    found = list(apart(given, fresh, f"{place}/"))
    places = [where for where, old, _ in found if not (older and is_later(where, old))]
    if found and not places:
        return [Finding(place, 1.0, 1.0, by=INPUTS)]
    reason = "the original inputs give something else" if places else SMALL
    return [Finding(each, 1.0, 0.0, reason, by=INPUTS) for each in places or [place]]
