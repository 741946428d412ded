"""Any kind of input to cases: what was answered, aligned with what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.data.align import Rules
from assay.data.arrays import Arrays
from assay.data.corpus import Corpus, read_corpus
from assay.data.labelled import Labelled
from assay.data.model import Cases
from assay.data.pairing import paired_cases
from assay.data.plain import Qrels, Run, plain_cases
from assay.data.predictions import Predictions, load_predictions
from assay.data.readers.plain import read_qrels, read_run
from assay.data.readers.tables import read_table, table_of
from assay.data.tuning import Tune, paired_tune
from assay.errors import InputError
from assay.evaluation.sources import Sources, of_arrays, of_corpus, of_labels, of_run


@dataclass(frozen=True, slots=True)
class Judged:
    """A run with its judgements: plain IR, ready to be evaluated."""

    qrels: Qrels
    run: Run

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.run.source

    def cases(self, rules: Rules) -> Cases:
        """Join and rank under the rules of a contract."""
        return plain_cases(self.qrels, self.run, rules)


Answers = Predictions | Judged | Arrays | Labelled | str | Path


@dataclass(frozen=True, slots=True)
class Answered:
    """One system's answers: cases, the name, TUNE where there is one, and the tables behind."""

    cases: Cases
    name: str
    tune: Tune | None
    sources: Sources


def read_trec(qrels: Any, run: Any, *, split: str | None = None, name: str | None = None) -> Judged:
    """Judgements and a run: TREC text (plain or gzip), BEIR, Parquet, a data frame; a dict as run.

    The judgements are read now, a run of TREC text in blocks when it is evaluated.
    """
    return Judged(read_qrels(qrels, split), read_run(run, name))


def read_decisions(
    source: Any,
    *,
    prob: str = "prob",
    label: str = "label",
    group: str | None = None,
    fold: str | None = None,
) -> Labelled:
    """A plain table of labels and probabilities: CSV, Parquet or a data frame.

    `group` names the column of the units that belong together, such as posts or patients, `fold`
    that of the outer folds. Of a table with a column `role`, EVAL rows are scored and thresholds
    are chosen on TUNE rows.
    """
    is_path = isinstance(source, str | Path)
    table = read_table(Path(source), ()) if is_path else table_of(source, "decisions")
    return Labelled(table, prob, label, group, fold)


def answered(
    predictions: Answers, corpus: Corpus | str | Path | None, rules: Rules, tune: Any = None
) -> Answered:
    """Align any kind of input under the rules of a contract."""
    if isinstance(predictions, Labelled):
        cases, chosen_on = predictions.cases(rules), _labelled_tune(predictions, tune)
        sources = of_labels(predictions, cases, chosen_on)
        return Answered(cases, predictions.name, chosen_on, sources)
    if isinstance(predictions, Judged | Arrays):
        if tune is not None:
            raise InputError.of("tune", "a run has no probabilities", "expected decisions")
        cases = predictions.cases(rules)
        if isinstance(predictions, Arrays):
            return Answered(cases, predictions.name, None, of_arrays(predictions))
        sources = of_run(predictions.qrels, predictions.run, cases)
        return Answered(cases, predictions.name, None, sources)
    return _of_corpus(predictions, corpus, rules, tune)


def _of_corpus(
    predictions: Predictions | str | Path,
    corpus: Corpus | str | Path | None,
    rules: Rules,
    tune: Any,
) -> Answered:
    if corpus is None:
        raise InputError.of("evaluate", "no corpus was given", "predictions and their corpus")
    asked = corpus if isinstance(corpus, Corpus) else read_corpus(corpus)
    given = predictions if isinstance(predictions, Predictions) else load_predictions(predictions)
    if tune is not None:
        given = given.with_tune(tune)
    cases = paired_cases(asked, given, rules)
    chosen_on = (
        None if given.tune is None else paired_tune(asked, given.tune, rules.exclude_criteria)
    )
    return Answered(cases, given.name, chosen_on, of_corpus(asked, given, cases, chosen_on))


def _labelled_tune(labelled: Labelled, tune: Any) -> Tune | None:
    """TUNE rows of the table itself, or another table with the same columns."""
    own = labelled.tune()
    if tune is None:
        return own
    other = read_decisions(
        tune,
        prob=labelled.prob,
        label=labelled.label,
        group=labelled.group,
        fold=labelled.fold,
    )
    if own is not None:
        problem = f"is a second table of TUNE queries, beside {own.source}"
        raise InputError.of(other.name, problem, "expected one of them")
    return other.tune(whole=True)
