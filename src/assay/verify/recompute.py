"""`verify`: a bundle's numbers by the second implementation, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from assay.errors import AssayError, InputError
from assay.evaluation.bundle.cases import cases_of, tune_of
from assay.evaluation.bundle.read import MASTER, check_hashes, read_json, result_of, unlisted_files
from assay.evaluation.bundle.snapshot import unchanged
from assay.evaluation.progress import Progress
from assay.files.faults import failed
from assay.verify.again import document_findings, evaluated_again
from assay.verify.findings import Finding, Verification
from assay.verify.inputs import Originals, findings_of
from assay.verify.layout import is_older, later_columns
from assay.verify.records import record_findings
from assay.verify.resamples import draw_findings, write_draws
from assay.verify.standing import FALSE, standing


def verify(
    folder: str | Path,
    *,
    draws: int = 200,
    progress: Progress | None = None,
    originals: Originals | None = None,
) -> Verification:
    """Compare hashes, then recompute every number of `metrics_master.json` from the tables.

    Intervals are made again from the recorded seed; for `draws` of their resamples the second
    implementation computes the measures too, from the draws themselves. With `originals` the
    original inputs are evaluated again as well, which finds tables that were forged.
    """
    path = Path(folder)
    with unchanged(path):
        return _verified(path, draws, progress, originals)


def _verified(
    path: Path, draws: int, progress: Progress | None, originals: Originals | None
) -> Verification:
    files = tuple(str(fault) for fault in check_hashes(path))
    document = read_json(path / MASTER)
    result = result_of(document, path)
    cases = cases_of(result, path)
    with tempfile.TemporaryDirectory() as scratch:
        drawn = Path(scratch) / "draws.jsonl"
        try:
            sampled = write_draws(result, cases, drawn, draws) if result.bootstrap else None
        except OSError as error:
            raise failed("written", drawn, error) from None
        with second_opinion(path, drawn if sampled else None) as asked:
            try:  # both at the same time
                again = evaluated_again(result, cases, tune_of(path), progress)
                answers = answers_of(asked, path)
            except BaseException:  # an interrupt too: nobody would end it
                asked.kill()
                raise
    lacks = {f"per_query/{name}" for name in later_columns(document)} if is_older(document) else ()
    numbers = [
        _finding(each) for each in answers if "values" not in each and each["what"] not in lacks
    ]
    values = {each["what"]: each["values"] for each in answers if "values" in each}
    short = read_json(path / "summary.json")
    found = [*numbers, *document_findings(document, short, result, again)]
    found += record_findings(path, document)
    if sampled is not None:
        found += draw_findings(sampled, values)
    if originals is not None:
        found += findings_of(path, originals)
    judged = standing(document, result)
    reason = judged.sentence if judged.kind == FALSE else ""
    found.append(Finding("contract", 1.0, float(judged.kind != FALSE), reason, by="assay"))
    return Verification(str(path), files, tuple(found), judged, tuple(unlisted_files(path)))


def second_opinion(folder: Path, draws: Path | None) -> subprocess.Popen[str]:
    """Start `assay_oracle` on the tables; it shares no code and no process with assay."""
    command = [sys.executable, "-m", "assay_oracle", str(folder)]
    if draws is not None:
        command += ["--draws", str(draws)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answers_of(asked: subprocess.Popen[str], folder: Path) -> list[dict[str, Any]]:
    """What the second implementation makes of the tables, once it is done."""
    printed, said = asked.communicate()
    if asked.returncode == 2:
        problem = said.strip().removeprefix("assay_oracle: ") or "the tables are at fault"
        raise InputError.of(folder.name, f"cannot be recomputed ({problem})", "expected its tables")
    if asked.returncode:
        last = (said.strip().splitlines() or ["no message"])[-1]
        raise AssayError(f"the second implementation failed on {folder.name}: {last}")
    answers = json.loads(printed)
    assert isinstance(answers, list), "the oracle prints a list of findings"
    return answers


def _finding(each: dict[str, Any]) -> Finding:
    return Finding(each["what"], each["value"], each["recomputed"], each.get("reason", ""))
