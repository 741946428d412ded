"""Any kind of input to cases: what was answered, aligned with what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.data.align import Rules
from assay.data.model import Cases
from assay.data.plain import Qrels, Run, plain_cases
from assay.data.readers.plain import read_qrels, read_run
from assay.errors import InputError
from assay.evaluation.sources import Sources, of_run

if TYPE_CHECKING:  # a kind of input is loaded where it is met: a run needs none of these
    from assay.data.arrays import Arrays
    from assay.data.corpus import Corpus
    from assay.data.labelled import Labelled
    from assay.data.predictions import Predictions
    from assay.data.tuning import Tune


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


if TYPE_CHECKING:
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
    from assay.data.labelled import Labelled  # noqa: PLC0415
    from assay.data.readers.tables import read_table, table_of  # noqa: PLC0415

    is_path = isinstance(source, str | Path)
    table = read_table(Path(source), ()) if is_path else table_of(source, "decisions")
    return Labelled(table, prob, label, group, fold)


def refuse_corpus(corpus: object) -> None:
    """Raise for a corpus next to an input that brings its own judgements."""
    if corpus is not None:
        problem = "has no effect next to an input that brings its own judgements"
        raise InputError.of("corpus", problem, "expected predictions with it, or no corpus")


def answered(
    predictions: Answers, corpus: Corpus | str | Path | None, rules: Rules, tune: Any = None
) -> Answered:
    """Align any kind of input under the rules of a contract."""
    if isinstance(predictions, Judged):
        refuse_corpus(corpus)
        if tune is not None:
            raise InputError.of("tune", "a run has no probabilities", "expected decisions")
        cases = predictions.cases(rules)
        sources = of_run(predictions.qrels, predictions.run, cases)
        return Answered(cases, predictions.name, None, sources)
    from assay.evaluation.kinds import of_other_kind  # noqa: PLC0415

    return of_other_kind(predictions, corpus, rules, tune)
