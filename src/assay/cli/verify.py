"""`assay verify`: a bundle's numbers, recomputed by somebody else."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.bar import progress_bar
from assay.cli.output import print_json
from assay.cli.table import Table, show
from assay.errors import InputError
from assay.verify.findings import ROUNDING, Finding, Verification, off_by
from assay.verify.recompute import verify

if TYPE_CHECKING:
    from assay.evaluation.inputs import Answers

SHOWN = 40


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command."""

    bundle: Path
    predictions: Path | None
    corpus: Path | None
    qrels: Path | None
    runs: tuple[Path, ...]
    decisions: Path | None
    prob: str
    label: str
    group: str | None
    fold: str | None
    split: str | None
    tune: Path | None
    draws: int
    everything: bool
    as_json: bool


def verify_command(request: Request) -> None:
    """Exit code 1 where a number or a file does not hold."""
    if request.draws < 1:
        raise InputError.of("--draws", f"is {request.draws}", "expected a whole number from 1")
    original = _original(request)
    with progress_bar() as progress:
        made = verify(request.bundle, draws=request.draws, progress=progress)
        if original is not None:
            from assay.verify.inputs import from_inputs  # noqa: PLC0415

            more = from_inputs(request.bundle, original, request.corpus, request.tune)
            made = replace(made, findings=(*made.findings, *more))
    if request.as_json:
        print_json(made.to_dict())
    else:
        show(*_parts(made, everything=request.everything))
    if not made.ok:
        sys.exit(1)


def _original(request: Request) -> Answers | None:
    """The original files, where they were given."""
    forms = (request.predictions, request.qrels, request.decisions)
    if sum(form is not None for form in forms) > 1:
        expected = "expected one of --predictions --corpus, --qrels --run, and --decisions"
        raise InputError.of("verify", "several kinds of input were given", expected)
    if request.decisions is not None:
        from assay.evaluation.inputs import read_decisions  # noqa: PLC0415

        return read_decisions(
            request.decisions,
            prob=request.prob,
            label=request.label,
            group=request.group,
            fold=request.fold,
        )
    if request.qrels is not None:
        if len(request.runs) != 1:
            raise InputError.of("verify", "--qrels without one --run", "expected --run FILE")
        from assay.evaluation.inputs import read_trec  # noqa: PLC0415

        return read_trec(request.qrels, request.runs[0], split=request.split)
    if request.predictions is not None and request.corpus is None:
        raise InputError.of("verify", "no corpus was given", "expected --predictions --corpus")
    return request.predictions


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
    unseen = len(made.findings) - made.compared
    count = made.compared
    if made.ok:
        verdict = f"{count:,} numbers recomputed, none off by more than {off_by(made.largest)}"
        parts.append(f"{made.bundle}: verified. {verdict}.")
    else:
        bad = f"{len(made.failed):,} of {count:,} numbers do not agree"
        files = f", {len(made.files)} files are not what the manifest says" if made.files else ""
        parts.append(f"{made.bundle}: NOT verified. {bad}{files}.")
    if made.unlisted:
        names = ", ".join(made.unlisted[:SHOWN])
        more = f" and {len(made.unlisted) - SHOWN} more" if len(made.unlisted) > SHOWN else ""
        parts.append(f"Not checked, because no manifest lists it: {names}{more}.")
    if unseen and not any(each.by == "inputs" for each in made.findings):
        parts.append(f"{unseen} counts of what was left out follow from the original files only.")
    return parts


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
