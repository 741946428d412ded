"""`evaluate`: what was answered against what was asked, under a contract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.contracts.load import DEFAULT
from assay.contracts.load import contract as load_contract
from assay.contracts.model import Contract
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
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.result import Result
from assay.evaluation.run import chosen_measures, evaluate_cases


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


def evaluate(
    predictions: Predictions | Judged | Arrays | Labelled | str | Path,
    corpus: Corpus | str | Path | None = None,
    *,
    contract: Contract | str | Path = DEFAULT,
    by: Sequence[str] = (),
    measures: Iterable[str] | None = None,
    k: Sequence[int] | None = None,
    level: int | None = None,
    depth: int | None = None,
    complete: bool = False,
    system: str | None = None,
    bootstrap: Bootstrap | None = None,
    tune: Any = None,
    clean: bool = True,
) -> Result:
    """Every measure of a contract.

    `predictions` with `corpus` (objects or folders), or alone what `read_trec`,
    `read_decisions` or `Arrays.of` give.
    `by` names
    columns to break results down by. `measures` replaces the contract's list, `k` its cut-offs;
    `level`, `depth` and `complete` are the counterparts of trec_eval's -l, -M and -c. `bootstrap`
    says how intervals are made; without it there are none. `tune` (a file or a data frame) has the
    queries that thresholds are chosen on, where the predictions do not bring them; `clean` says
    that TUNE was used for nothing else, without which no threshold is called certified.
    """
    rules = contract if isinstance(contract, Contract) else load_contract(contract)
    rules = rules.changed(level=level, depth=depth, complete=complete, k=tuple(k) if k else None)
    measures = None if measures is None else tuple(measures)
    if any("confidence" in metric.needs for metric in chosen_measures(rules, measures).values()):
        rules = replace(rules, rules=replace(rules.rules, confidence=True))
    chosen_on: Tune | None = None
    if isinstance(predictions, Labelled):
        cases, name = predictions.cases(rules.rules), predictions.name
        chosen_on = _labelled_tune(predictions, tune)
    elif isinstance(predictions, Judged | Arrays):
        if tune is not None:
            raise InputError.of("tune", "a run has no probabilities", "expected decisions")
        cases, name = predictions.cases(rules.rules), predictions.name
    else:
        if corpus is None:
            raise InputError.of("evaluate", "no corpus was given", "predictions and their corpus")
        asked = corpus if isinstance(corpus, Corpus) else read_corpus(corpus)
        answered = (
            predictions if isinstance(predictions, Predictions) else load_predictions(predictions)
        )
        if tune is not None:
            answered = answered.with_tune(tune)
        cases, name = paired_cases(asked, answered, rules.rules), answered.name
        if answered.tune is not None:
            chosen_on = paired_tune(asked, answered.tune, rules.rules.exclude_criteria)
    return evaluate_cases(
        cases,
        rules,
        system=system or name,
        by=by,
        measures=measures,
        bootstrap=bootstrap,
        tune=chosen_on,
        clean=clean,
    )


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
