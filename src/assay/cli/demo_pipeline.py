"""`assay demo --pipeline`: from nothing to a verified bundle, on a synthetic corpus."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from assay.cli.ending import finish, tell
from assay.cli.render.output import show
from assay.cli.render.pipeline_tables import baseline_parts, clock, stage_lines
from assay.data.synthetic.synthetic_folder import write_synthetic
from assay.errors import InputError
from assay.evaluation.display.result_tables import number
from assay.experiment.run import BUNDLE, Outcome, run
from assay.files.scratch import contents
from assay.files.staging import Staging
from assay.pipeline.run_config import read_plan
from assay.report.report_bundle import report_bundle
from assay.report.report_folder import PAGE, fill_report, stage_verdict
from assay.text_table import TextTable
from assay.verification.display.verification_tables import verdict_table
from assay.verification.publication_gate import publication_gate
from assay.verification.publication_verdict import FAIL, PublicationCheck, PublicationVerdict

KEY = (
    "ndcg@10",
    "recall@10",
    "auroc",
    "auprc",
    "ece",
    "screening_sensitivity",
    "neg_rate",
    "alert_precision",
    "pos_rate",
    "evidence_recall",
    "evidence_precision",
    "selected_k_mean_returned",
)
PLAN = """# Written by `assay demo --pipeline`.
corpus = "corpus"
profile = "dsm5"
"""
RECOMPUTATION = "recomputation"


def show_pipeline(output: Path, posts: int, processes: int | None) -> None:
    """Write a corpus, run and evaluate the pipeline, report, verify, and ask the publication gate.

    A second call resumes an interrupted one. Exit code 1 where the numbers of the bundle
    cannot be recomputed.
    """
    begin = time.monotonic()
    corpus, plan = output / "corpus", output / "synthetic.toml"
    if output.exists() and contents(output) and not plan.is_file():
        raise InputError.of(str(output), "exists and is not a demo", "expected a new folder")
    with Staging() as staging:  # a second call resumes from here
        if not corpus.exists():
            tell(write_synthetic(corpus, posts, staging=staging))
        staging.file(plan, PLAN, parents=True)
        staging.commit()
    with Staging() as staging:
        outcome = run(
            read_plan(plan), output / "run", processes=processes, progress=stage_lines(tell), staging=staging
        )
        tell("report, verification and publication gate")
        fill_report(report_bundle(outcome.bundle), outcome.bundle, target=output / "run" / BUNDLE)
        judged = publication_gate(outcome.bundle)
        with Staging() as verdict:
            stage_verdict(outcome.bundle, judged.to_dict(), verdict)
            verdict.commit()
        verified = next(check for check in judged.checks if check.name == RECOMPUTATION)
        finish(staging, lambda: _print(output, outcome, judged, verified, begin))
    if verified.verdict == FAIL:
        sys.exit(1)


def _print(
    output: Path, outcome: Outcome, judged: PublicationVerdict, verified: PublicationCheck, begin: float
) -> None:
    bundle = output / "run" / BUNDLE
    verdict = "passed" if judged.ok else "not passed"
    show(
        *baseline_parts(outcome),
        verdict_table(judged),
        _key(outcome),
        f"Verification: {verified.reason}. Publication gate: {verdict}.\n"
        f"The corpus is in {output / 'corpus'}, the bundle in {bundle}. "
        f"It took {clock(time.monotonic() - begin)}.\n"
        f"Open the report: {bundle / PAGE}",
    )


def _key(outcome: Outcome) -> TextTable:
    """Return the key numbers; each row is marked as synthetic."""
    rows = []
    for value in outcome.result.measures:
        if value.name not in KEY:
            continue
        std = f" ± {value.folds.std:.3f}" if value.folds and value.folds.std is not None else ""
        span = value.interval
        interval = f"[{span.low:.4f}, {span.high:.4f}]" if span else "–"
        shown = number(value.value, value.better) + std
        rows.append((f"{value.name} (synthetic)", shown, interval, f"{value.n:,}"))
    title = "Key numbers on synthetic posts; they say nothing about people"
    return TextTable(title, ("measure", "mean ± std", "95% CI", "n"), tuple(rows))
