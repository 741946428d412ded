"""`verify`: recompute a bundle's numbers with the second implementation, in a separate process."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.errors import AssayError, InputError
from assay.evaluation.baselines.baseline_pool import read_pool
from assay.evaluation.baselines.baselines import baselines_of
from assay.evaluation.bundle.bundle_cases import cases_of, tune_of
from assay.evaluation.bundle.bundle_files import MASTER, check_hashes, read_json, unlisted_files
from assay.evaluation.bundle.load import result_of
from assay.evaluation.bundle.snapshot import unchanged
from assay.evaluation.progress import Progress
from assay.files.os_errors import failed
from assay.files.temporary import temporary_folder
from assay.verification.contract_standing import FALSE, standing
from assay.verification.recompute.archive_records import record_findings
from assay.verification.recompute.bundle_history import is_older, later_columns
from assay.verification.recompute.number_findings import USER_DEFINED, NumberFinding, Verification
from assay.verification.recompute.original_inputs import Originals, findings_of, targets_judged
from assay.verification.recompute.recompute_document import document_findings, evaluated_again, user_defined
from assay.verification.recompute.resample_check import draw_findings, write_draws


def verify(
    folder: str | Path,
    *,
    draws: int = 200,
    progress: Progress | None = None,
    originals: Originals | None = None,
) -> Verification:
    """Recompute every number of a bundle, with a second implementation.

    The hashes of all files are compared first.

    Parameters
    ----------
    folder
        The bundle.
    draws
        For how many bootstrap resamples the second implementation computes the measures too.
    progress
        Called with what is being done, how much of it is done, and the total.
    originals
        The inputs of the evaluation. They are evaluated again, which also detects forged tables.

    Returns
    -------
    Verification
        One finding per number. `ok` is true if all agree.

    Raises
    ------
    InputError
        If the folder is not a bundle, or cannot be read.

    Examples
    --------
    >>> inputs = assay.example_path("predictions"), assay.example_path("corpus")
    >>> bundle = assay.evaluate(*inputs).save("verified")
    >>> assay.verify(bundle).ok
    True

    """
    path = Path(folder)
    with unchanged(path):
        return _verified(path, draws, progress, originals)


def _verified(path: Path, draws: int, progress: Progress | None, originals: Originals | None) -> Verification:
    files = tuple(str(fault) for fault in check_hashes(path))
    document = read_json(path / MASTER)
    result = result_of(document, path)
    cases = cases_of(result, path)
    with temporary_folder() as scratch:
        drawn = scratch / "draws.jsonl"
        try:
            sampled = write_draws(result, cases, drawn, draws) if result.bootstrap else None
        except OSError as error:
            raise failed("written", drawn, error) from None
        with second_opinion(path, drawn if sampled else None) as asked:
            try:  # both implementations run at the same time
                again = evaluated_again(
                    result, cases, tune_of(path), progress, targets=targets_judged(document, result)
                )
                compared = baselines_of(again, cases, read_pool(path, cases))
                answers = answers_of(asked, path)
            except BaseException:  # also on an interrupt, or the process would be left running
                asked.kill()
                raise
    lacks = {f"per_query/{name}" for name in later_columns(document)} if is_older(document) else ()
    users = user_defined(result)
    numbers = [
        _set_aside(_finding(each), users)
        for each in answers
        if "values" not in each and each["what"] not in lacks
    ]
    values = {each["what"]: each["values"] for each in answers if "values" in each}
    short = read_json(path / "summary.json")
    found = [*numbers, *document_findings(document, short, result, again, compared)]
    found += record_findings(path, document)
    if sampled is not None:
        found += draw_findings(sampled, values)
    if originals is not None:
        found += findings_of(path, originals)
    judged = standing(document, result)
    reason = judged.sentence if judged.kind == FALSE else ""
    found.append(NumberFinding.statement("contract", judged.kind != FALSE, reason))
    return Verification(str(path), files, tuple(found), judged, tuple(unlisted_files(path)), users)


def second_opinion(folder: Path, draws: Path | None) -> subprocess.Popen[str]:
    """Start `assay_oracle` on the tables; it shares no code and no process with assay."""
    command = [sys.executable, "-m", "assay_oracle", str(folder)]
    if draws is not None:
        command += ["--draws", str(draws)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answers_of(asked: subprocess.Popen[str], folder: Path) -> list[dict[str, Any]]:
    """Wait for the second implementation and return its findings on the tables."""
    printed, said = asked.communicate()
    if asked.returncode == 2:
        problem = said.strip().removeprefix("assay_oracle: ") or "the tables are at fault"
        raise InputError.of(folder.name, f"cannot be recomputed ({problem})", "check its tables")
    if asked.returncode:
        last = (said.strip().splitlines() or ["no message"])[-1]
        raise AssayError(f"the second implementation failed on {folder.name}: {last}")
    answers = json.loads(printed)
    assert isinstance(answers, list), "the oracle prints a list of findings"
    return answers


def _set_aside(finding: NumberFinding, users: tuple[str, ...]) -> NumberFinding:
    """Mark a number of a user-defined measure, which the second implementation does not know."""
    theirs = any(f"/{name}/" in f"/{finding.what}/" for name in users)
    return replace(finding, reason=USER_DEFINED) if theirs else finding


def _finding(each: dict[str, Any]) -> NumberFinding:
    return NumberFinding(each["what"], each["value"], each["recomputed"], each.get("reason", ""))
