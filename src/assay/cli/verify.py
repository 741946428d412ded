"""`assay verify`: a bundle's numbers, recomputed by somebody else."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.bar import progress_bar
from assay.cli.output import print_json
from assay.cli.table import Table, show
from assay.errors import InputError
from assay.verify.findings import BUNDLE, FROM, ROUNDING, Finding, Verification, off_by
from assay.verify.recompute import verify
from assay.verify.standing import SHIPPED_ONE

if TYPE_CHECKING:
    from assay.verify.inputs import Originals

SHOWN = 40
ALONE = "Without the original inputs, forged labels, scores or probabilities are not found"


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command."""

    bundle: Path
    originals: Originals | None
    draws: int
    everything: bool
    as_json: bool


def verify_command(request: Request) -> None:
    """Exit code 1 where a number or a file does not hold."""
    if request.draws < 1:
        raise InputError.of("--draws", f"is {request.draws}", "expected a whole number from 1")
    with progress_bar() as progress:
        made = verify(
            request.bundle,
            draws=request.draws,
            progress=progress,
            originals=request.originals,
        )
    if request.as_json:
        print_json(made.to_dict())
    else:
        show(*_parts(made, everything=request.everything))
    if not made.ok:
        sys.exit(1)


def _parts(made: Verification, *, everything: bool) -> list[Table | str]:
    parts: list[Table | str] = []
    if made.files:
        parts.append("\n".join(made.files))
    shown = made.findings if everything else [each for each in made.findings if _headline(each)]
    rows = tuple(map(_row, shown if everything else shown[:SHOWN]))
    if rows:
        parts.append(_table("Recomputed from the tables of the bundle", rows))
    if made.failed and not everything:
        parts.append(_table("These do not agree", tuple(map(_row, made.failed[:SHOWN]))))
    if made.outdated and not everything:
        rows = tuple(map(_row, made.outdated[:SHOWN]))
        parts.append(_table("These have values from before a correction", rows))
    parts.append(_verdict(made))
    if made.contract.kind != SHIPPED_ONE:
        parts.append(f"Contract: {made.contract.sentence}.")
    unseen = len(made.findings) - made.compared
    if made.unlisted:
        names = ", ".join(made.unlisted[:SHOWN])
        more = f" and {len(made.unlisted) - SHOWN} more" if len(made.unlisted) > SHOWN else ""
        parts.append(f"Not checked, because no manifest lists it: {names}{more}.")
    if made.recomputed_from == BUNDLE:
        counts = f", nor are {unseen} exclusion counts" if unseen else ""
        parts.append(f"{ALONE}{counts} (docs/bundle.md).")
    return parts


def _verdict(made: Verification) -> str:
    count, where = made.compared, FROM[made.recomputed_from]
    if made.ok:
        largest = off_by(made.largest)
        text = f"{count:,} numbers {where}, none off by more than {largest}"
        return f"{made.bundle}: verified. {text}."
    if not made.failed and not made.files:
        old = f"{len(made.outdated):,} of {count:,} numbers have other values today; the rest agree"
        same = f"all {count:,} numbers agree"
        return f"{made.bundle}: OUTDATED. {(old if made.outdated else same).capitalize()}."
    bad = f"{len(made.failed):,} of {count:,} numbers do not agree"
    files = f", {len(made.files)} files are not what the manifest says" if made.files else ""
    return f"{made.bundle}: NOT verified. {bad}{files}."


def _headline(finding: Finding) -> bool:
    return finding.what.startswith("measures/") and finding.what.endswith("/value")


def _table(title: str, rows: tuple[tuple[str, ...], ...]) -> Table:
    return Table(title, ("number", "value", "recomputed", "difference", ""), rows, (0, 4))


def _row(finding: Finding) -> tuple[str, ...]:
    def text(value: float | None) -> str:
        return "–" if value is None else f"{value:.12g}"

    gap = "–" if finding.difference is None else _gap(finding.difference)
    verdict = "" if finding.agrees else f"{finding.reason or 'differs'} ({finding.by})"
    what = finding.what.removeprefix("measures/").removesuffix("/value")
    return (what, text(finding.value), text(finding.recomputed), gap, verdict)


def _gap(difference: float) -> str:
    return "< 1e-12" if difference <= ROUNDING else f"{difference:.1e}"
