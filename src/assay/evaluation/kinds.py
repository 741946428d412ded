"""The kinds of input beside a run: a corpus with predictions, plain decisions, arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.data.align import Rules
from assay.data.arrays import Arrays
from assay.data.corpus import Corpus, read_corpus
from assay.data.labelled import Labelled
from assay.data.pairing import paired_cases
from assay.data.predictions import Predictions, load_predictions
from assay.data.tuning import Tune, paired_tune
from assay.errors import InputError
from assay.evaluation.inputs import Answered, read_decisions, refuse_corpus
from assay.evaluation.sources import of_arrays, of_corpus, of_labels
from assay.files.source import InputFile


def of_other_kind(
    predictions: Predictions | Arrays | Labelled | str | Path,
    corpus: Corpus | str | Path | None,
    rules: Rules,
    tune: Any,
) -> Answered:
    """Align predictions with a corpus, or take labels and arrays as they are."""
    if isinstance(predictions, Labelled | Arrays):
        refuse_corpus(corpus)
    if isinstance(predictions, Labelled):
        cases = predictions.cases(rules)
        chosen_on, file = _labelled_tune(predictions, tune)
        sources = of_labels(predictions, cases, chosen_on, file)
        return Answered(cases, predictions.name, chosen_on, sources)
    if isinstance(predictions, Arrays):
        if tune is not None:
            raise InputError.of("tune", "arrays have no probabilities", "expected decisions")
        return Answered(predictions.cases(rules), predictions.name, None, of_arrays(predictions))
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


def _labelled_tune(labelled: Labelled, tune: Any) -> tuple[Tune | None, InputFile | None]:
    """TUNE rows of the table itself, or another table with the same columns and its file."""
    own = labelled.tune()
    if tune is None:
        return own, None
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
    return other.tune(whole=True), other.table.file
