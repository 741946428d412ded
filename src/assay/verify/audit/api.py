"""`audit`: look for leaks in a corpus, in predictions of it, or in a bundle."""

from __future__ import annotations

from pathlib import Path

from assay.data.corpus import Corpus, read_corpus
from assay.data.predictions import Predictions
from assay.errors import InputError
from assay.evaluation.bundle.read import MASTER
from assay.verify.audit.checklist import checklist
from assay.verify.audit.facts import Facts
from assay.verify.audit.gather import checked, facts_of_bundle, facts_of_corpus, read_answers
from assay.verify.audit.model import AuditReport, Settings
from assay.verify.audit.registry import run_checks


def audit(
    subject: Corpus | str | Path,
    predictions: Predictions | str | Path | None = None,
    *,
    threshold: float = 0.8,
    seed: int = 0,
) -> AuditReport:
    """Every check on a corpus (with predictions of it, or without) or on a bundle.

    `threshold` is the Jaccard similarity from which two posts are near-duplicates, `seed` that of
    the permutation test. What a reader refuses raises `InputError`, as in `evaluate`.
    """
    settings = checked_settings(threshold, seed)
    facts = _facts(subject, predictions)
    findings = run_checks(facts, settings)
    return AuditReport(facts.name, facts.kind, findings, checklist(facts, findings))


def checked_settings(threshold: float, seed: int) -> Settings:
    """The settings, within their range."""
    if not 0 < threshold <= 1:
        expected = "expected a Jaccard similarity above 0, at most 1"
        raise InputError.of("--threshold", f"is {threshold:g}", expected)
    return Settings(threshold, seed)


def _facts(subject: Corpus | str | Path, predictions: Predictions | str | Path | None) -> Facts:
    if not isinstance(subject, Corpus) and (Path(subject) / MASTER).is_file():
        if predictions is not None:
            problem = "is a bundle, and predictions were given"
            raise InputError.of(Path(subject).name, problem, "a bundle has its own")
        return facts_of_bundle(subject)
    corpus = subject if isinstance(subject, Corpus) else read_corpus(subject)
    if predictions is None:
        return facts_of_corpus(corpus)
    if isinstance(predictions, Predictions):
        return facts_of_corpus(corpus, *checked(predictions, corpus))
    return facts_of_corpus(corpus, *read_answers(predictions, corpus))
