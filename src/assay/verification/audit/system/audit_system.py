"""`audit_system`: let a system predict again with altered gold, and compare its predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from assay.data.corpus import QUERY, Corpus, read_corpus
from assay.data.predictions import Predictions
from assay.data.readers.table_files import Table
from assay.data.splits import folds as make_folds
from assay.data.splits import split
from assay.errors import Fault, InputError, shown
from assay.evaluation.presentation import counted
from assay.verification.audit.audit import checked_settings
from assay.verification.audit.audit_report import (
    AuditFinding,
    AuditReport,
    Seen,
    clean,
    found,
    not_applicable,
)
from assay.verification.audit.check_list import CHECKS, run_checks
from assay.verification.audit.contract_checklist import checklist
from assay.verification.audit.gather_facts import Answers, checked, facts_of_corpus
from assay.verification.audit.system.audit_views import Predict
from assay.verification.audit.system.gold_lookups import disguised, nudged
from assay.verification.audit.system.relabel import flipped_gold, shuffled_gold, without_gold
from assay.verification.audit.system.runner import Fold, Relabel, Runner, changed_folds
from assay.verification.audit.system.shuffled_labels import at_chance

MOST_SHUFFLES = 1000


def audit_system(
    predict: Predict,
    corpus: Corpus | str | Path,
    *,
    folds: Mapping[str, str | int] | int | None = None,
    seed: int = 0,
    whole: bool = False,
    prior: bool = False,
    shuffles: int = 5,
    tune_share: float = 0.3,
    resamples: int = 1000,
    threshold: float = 0.8,
) -> AuditReport:
    """Check for data leakage by running a system on changed data.

    The system is called 4 + `shuffles` times per fold, and three more times with `whole`. The
    checks of `audit` are run on its predictions too.

    Parameters
    ----------
    predict
        A function `predict(train, tune, unlabelled)` that fits and predicts, called per fold.
    corpus
        The corpus: an object or a folder.
    folds
        The fold of each post, or the number of folds. By default those of the corpus, else 5.
    seed
        Seed of the folds and the permutation tests.
    whole
        For systems written against a whole corpus: `predict` gets it as a fourth argument, with
        EVAL gold that the audit removes and flips.
    prior
        The system has prior knowledge, such as a pretrained model or lexical overlap with the
        criterion: then its AUROC need not fall to chance on shuffled gold.
    shuffles
        How often the gold is shuffled, at least 2.
    tune_share
        The share of the posts outside EVAL that are TUNE.
    resamples
        Resamples of the bounds on chance.
    threshold
        The Jaccard similarity from which two posts are near-duplicates.

    Returns
    -------
    AuditReport
        A verdict per check.

    Raises
    ------
    InputError
        If the input cannot be read, or a setting is out of range.

    Examples
    --------
    docs/audit.md has a system and its audit.

    """
    return system_report(
        predict,
        corpus,
        folds=folds,
        seed=seed,
        whole=whole,
        prior=prior,
        shuffles=shuffles,
        tune_share=tune_share,
        resamples=resamples,
        threshold=threshold,
    )


def system_report(
    predict: Predict,
    corpus: Corpus | str | Path,
    *,
    folds: Mapping[str, str | int] | int | None,
    seed: int,
    whole: bool,
    shuffles: int,
    resamples: int,
    threshold: float,
    prior: bool = False,
    tune_share: float = 0.3,
    further: Callable[[Runner, list[Answers]], Mapping[str, Seen]] = lambda *_: {},
    single: Fold | None = None,
) -> AuditReport:
    """Return the same; `further` adds checks that only some kinds of systems can have.

    `single` is a single split: the system predicts its EVAL posts, and no others are scored. The
    `folds` are then its three parts.
    """
    settings = checked_settings(threshold, seed)
    if not 2 <= shuffles <= MOST_SHUFFLES:
        expected = f"expected 2 (one has no spread) to {MOST_SHUFFLES}"
        raise InputError.of("audit_system", f"shuffles is {shown(shuffles)}", expected)
    asked = corpus if isinstance(corpus, Corpus) else read_corpus(corpus)
    asked, plan = _planned(asked, folds, seed, tune_share)
    runner = Runner(predict, asked, plan if single is None else (single,), whole)
    first = runner.ask()
    facts = facts_of_corpus(asked, *_joined(first, runner))
    steady = _repeatable(runner, first)
    seen = {
        "L101": steady,
        "L102": _eval_gold(runner, first, steady),
        "L103": _shuffled(runner, first, seed, shuffles, resamples, prior=prior),
        "L104": disguised(runner, first),
        "L105": nudged(runner, first),
    }
    seen |= further(runner, first)
    tables = run_checks(facts, settings)
    findings = tuple(
        AuditFinding(check.code, check.title, seen.get(check.code, each.seen))
        for check, each in zip(CHECKS, tables, strict=True)
    )
    name = getattr(predict, "__name__", type(predict).__name__)
    return AuditReport(name, "system", findings, checklist(facts, findings))


def _planned(
    corpus: Corpus, folds: Mapping[str, str | int] | int | None, seed: int, tune_share: float
) -> tuple[Corpus, tuple[Fold, ...]]:
    """Return the corpus with a table of folds, and TRAIN, TUNE and EVAL posts of each."""
    posts = corpus.sentences.frame["post_id"].unique(maintain_order=True).to_list()
    if folds is None and corpus.folds is not None:
        of = dict(corpus.folds.frame.select("post_id", "fold").iter_rows())
    elif isinstance(folds, Mapping):
        lacking = [post for post in posts if post not in folds]
        if lacking:
            problem = f"lacks post {shown(lacking[0])}"
            raise InputError.of("folds", problem, "expected a fold for every post")
        of = {post: str(folds[post]) for post in posts}
    else:
        of = {post: str(fold) for post, fold in make_folds(posts, folds or 5, seed).items()}
    table = pl.DataFrame({"post_id": posts, "fold": [of[post] for post in posts]})
    made = []
    for number, name in enumerate(dict.fromkeys(of[post] for post in posts)):
        rest = [post for post in posts if of[post] != name]
        train, tune = split(rest, (_rest(tune_share), tune_share), seed + number)
        made.append(Fold(name, train, tune, tuple(post for post in posts if of[post] == name)))
    return replace(corpus, folds=Table(table, "folds")), tuple(made)


def _rest(share: float) -> float:
    """Return 1 − share as it would be written: shares are read as decimal numbers."""
    return round(1 - share, 12)


def _joined(made: list[Answers], runner: Runner) -> tuple[Answers, pl.DataFrame]:
    """Return the predictions of all folds, checked against the corpus, and their queries."""
    candidates = _stacked([each.candidates for each in made], "candidates")
    decisions = _stacked([each.decisions for each in made], "decisions")
    if candidates is not None:
        given = Predictions.of(candidates, decisions, name="system", roles=runner.roles())
        return checked(given, runner.corpus)
    assert decisions is not None, "an answer has one of the two"
    queries = runner.corpus.queries.frame.select(QUERY)
    faults = [
        Fault("the system's decisions", "", f"{what} {len(rows)} queries", "one row per query")
        for what, rows in (
            ("lacks", queries.join(decisions, on=QUERY, how="anti")),
            ("has unknown or repeated", decisions.filter(pl.struct(QUERY).is_duplicated())),
            ("has unknown or repeated", decisions.join(queries, on=QUERY, how="anti")),
            (
                "has no probability in [0, 1] on",
                decisions.filter(~pl.col("prob").is_between(0, 1).fill_null(False)),
            ),
        )
        if len(rows)
    ]
    if faults:
        raise InputError(faults)
    return Answers(None, decisions), queries


def _stacked(tables: list[pl.DataFrame | None], what: str) -> pl.DataFrame | None:
    there = [each for each in tables if each is not None]
    if there and len(there) < len(tables):
        problem = f"has {what} in {len(there)} of {len(tables)} folds"
        raise InputError.of("the system's answer", problem, "expected the same tables in each")
    return pl.concat(there, how="vertical_relaxed") if there else None


def _repeatable(runner: Runner, first: list[Answers]) -> Seen:
    changed = changed_folds(runner, first, runner.ask())
    looked = f"{counted(len(runner.folds), 'fold')}, each asked twice"
    if not changed:
        return clean(looked)
    return found(
        looked, f"predictions differ in {counted(len(changed), 'fold')}", changed, folds=len(changed)
    )


def _eval_gold(runner: Runner, first: list[Answers], steady: Seen) -> Seen:
    """Remove, flip and shuffle EVAL gold: nothing may change."""
    if not runner.whole:
        return clean("the views of EVAL posts", "the system is given no EVAL gold")
    if steady.verdict == "found":
        return not_applicable("predictions change without it: see L101")
    looked = f"{counted(len(runner.folds), 'fold')}, with EVAL gold removed, flipped and shuffled"
    relabels: dict[str, Relabel] = {
        "removed": lambda corpus, fold, _: without_gold(corpus, fold.eval),
        "flipped": lambda corpus, fold, _: flipped_gold(corpus, fold.eval),
        "shuffled": lambda corpus, fold, number: shuffled_gold(
            corpus, fold.eval, np.random.default_rng(number)
        ),
    }
    changed = [
        f"{name}: {fold}"
        for name, relabel in relabels.items()
        for fold in changed_folds(runner, first, runner.ask(relabel))
    ]
    if not changed:
        return clean(looked)
    return found(looked, "predictions change with the gold they are scored against", changed)


def _shuffled(
    runner: Runner, first: list[Answers], seed: int, shuffles: int, resamples: int, *, prior: bool
) -> Seen:
    """Shuffle TRAIN and TUNE labels: what is still known of EVAL did not come from them."""
    if prior:
        return not_applicable("the system has declared prior knowledge")

    def relabel(shuffle: int) -> Relabel:
        def made(corpus: Corpus, fold: Fold, number: int) -> Corpus:
            draws = np.random.default_rng([seed, shuffle, number])
            return shuffled_gold(corpus, (*fold.train, *fold.tune), draws)

        return made

    runs = [runner.ask(relabel(shuffle)) for shuffle in range(shuffles)]
    true, *shuffled = (_joined(each, runner) for each in (first, *runs))
    return at_chance(runner.corpus, true, shuffled, resamples, seed)
