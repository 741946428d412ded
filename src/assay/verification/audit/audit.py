"""`audit`: look for leaks in a corpus, in its predictions, or in a bundle."""

from __future__ import annotations

from pathlib import Path

from assay.data.corpus import Corpus, read_corpus
from assay.data.input_types import wrong_type
from assay.data.predictions import Predictions
from assay.errors import InputError
from assay.evaluation.bundle.bundle_files import MASTER
from assay.verification.audit.audit_report import AuditReport, AuditSettings
from assay.verification.audit.check_list import run_checks
from assay.verification.audit.contract_checklist import checklist
from assay.verification.audit.facts import Facts
from assay.verification.audit.gather_facts import checked, facts_of_bundle, facts_of_corpus, read_answers


def audit(
    subject: Corpus | str | Path,
    predictions: Predictions | str | Path | None = None,
    *,
    threshold: float = 0.8,
    seed: int = 0,
) -> AuditReport:
    """Check for data leakage in a corpus, in a system's predictions, or in a bundle.

    Parameters
    ----------
    subject
        A corpus (object or folder), or the folder of a bundle.
    predictions
        Predictions on the corpus (object or folder). A bundle has its own.
    threshold
        The Jaccard similarity from which two posts are near-duplicates.
    seed
        Seed of the permutation tests.

    Returns
    -------
    AuditReport
        A verdict per check, each with what was examined, and the leakage checklist.

    Raises
    ------
    InputError
        If the input cannot be read, as in `evaluate`.

    Examples
    --------
    >>> report = assay.audit(assay.example_path("corpus"), assay.example_path("predictions"))
    >>> report.leaks
    ()

    """
    settings = checked_settings(threshold, seed)
    facts = _facts(subject, predictions)
    findings = run_checks(facts, settings)
    return AuditReport(facts.name, facts.kind, findings, checklist(facts, findings))


def checked_settings(threshold: float, seed: int) -> AuditSettings:
    """Return the settings, checked."""
    if not 0 < threshold <= 1:
        expected = "expected a Jaccard similarity above 0, at most 1"
        raise InputError.of("`threshold`", f"is {threshold:g}", expected)
    return AuditSettings(threshold, seed)


def _facts(subject: Corpus | str | Path, predictions: Predictions | str | Path | None) -> Facts:
    if not isinstance(subject, Corpus | str | Path):
        raise wrong_type("subject", subject, "a corpus folder, a bundle, or what read_corpus returns")
    if not isinstance(subject, Corpus) and (Path(subject) / MASTER).is_file():
        if predictions is not None:
            problem = "is a bundle, but predictions were given"
            raise InputError.of(Path(subject).name, problem, "leave them out; a bundle has its own")
        return facts_of_bundle(subject)
    corpus = subject if isinstance(subject, Corpus) else read_corpus(subject)
    if predictions is None:
        return facts_of_corpus(corpus)
    if isinstance(predictions, Predictions):
        return facts_of_corpus(corpus, *checked(predictions, corpus))
    return facts_of_corpus(corpus, *read_answers(predictions, corpus))
