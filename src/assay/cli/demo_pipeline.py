"""`assay demo --pipeline`: from nothing to a bundle that was checked, on an invented corpus."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from assay.cli.ending import finish, tell
from assay.cli.gate import table
from assay.cli.run import clock, floors_table, progress, promise, thresholds_table
from assay.cli.table import Table, show
from assay.cli.view import number
from assay.data.synth.write import write_synthetic
from assay.errors import InputError
from assay.experiment.run import BUNDLE, Outcome, run
from assay.files.scratch import contents
from assay.files.staging import Staging
from assay.pipeline.plan import read_plan
from assay.report.bundle import open_bundle
from assay.report.write import PAGE, fill_report, stage_verdict
from assay.verify.gate import FAIL, Check, Gate, publication_gate

KEY = (
    "ndcg@10", "recall@10", "auroc", "auprc", "ece", "screening_sensitivity", "neg_rate",
    "alert_precision", "pos_rate", "evidence_recall", "evidence_precision",
    "selected_k_mean_returned",
)  # fmt: skip
PLAN = """# Written by `assay demo --pipeline`.
corpus = "corpus"
profile = "dsm5"
"""
RECOMPUTATION = "recomputation"


def pipeline_command(output: Path, posts: int, processes: int) -> None:
    """Synthetic corpus, nested cross-validation, evaluation, report, verification, gate.

    A second call resumes an interrupted one. Exit code 1 where the numbers of the bundle
    cannot be recomputed.
    """
    begin = time.monotonic()
    corpus, plan = output / "corpus", output / "synthetic.toml"
    if output.exists() and contents(output) and not plan.is_file():
        raise InputError.of(str(output), "exists and is no demo", "expected a new folder")
    with Staging() as staging:  # a second call resumes from here
        if not corpus.exists():
            tell(write_synthetic(corpus, posts, staging=staging))
        staging.file(plan, PLAN, parents=True)
        staging.commit()
    with Staging() as staging:
        outcome = run(
            read_plan(plan),
            output / "run",
            processes=processes,
            heard=progress(tell),
            staging=staging,
        )
        tell("report, verification and gate")
        fill_report(open_bundle(outcome.bundle), outcome.bundle)
        judged = publication_gate(outcome.bundle)
        with Staging() as verdict:
            stage_verdict(outcome.bundle, judged.to_dict(), verdict)
            verdict.commit()
        verified = next(check for check in judged.checks if check.name == RECOMPUTATION)
        finish(staging, lambda: _print(output, outcome, judged, verified, begin))
    if verified.verdict == FAIL:
        sys.exit(1)


def _print(output: Path, outcome: Outcome, judged: Gate, verified: Check, begin: float) -> None:
    bundle = output / "run" / BUNDLE
    show(floors_table(outcome.floors))
    if outcome.thresholds is not None:
        show(thresholds_table(outcome.thresholds), promise(outcome.thresholds))
    show("", table(judged))
    show(_key(outcome))
    verdict = "passed" if judged.passed else "not passed"
    show(
        f"\nVerification: {verified.reason}. The publication gate is {verdict}.\n"
        f"The corpus is in {output / 'corpus'}, the bundle in {bundle}. "
        f"It took {clock(time.monotonic() - begin)}.\n"
        f"Open the report: {bundle / PAGE}"
    )


def _key(outcome: Outcome) -> Table:
    """The key numbers; each row says that it is synthetic."""
    rows = []
    for value in outcome.result:
        if value.name not in KEY:
            continue
        std = f" ± {value.folds.std:.3f}" if value.folds and value.folds.std is not None else ""
        span = value.interval
        interval = f"[{span.low:.4f}, {span.high:.4f}]" if span else "–"
        shown = number(value.value, value.better) + std
        rows.append((f"{value.name} (synthetic)", shown, interval, f"{value.n:,}"))
    title = "\nKey numbers on invented posts: they say nothing about people"
    return Table(title, ("measure", "mean ± std", "95 % CI", "n"), tuple(rows))
