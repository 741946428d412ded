"""`evaluate`: what was answered against what was asked, under a contract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.contracts.load import DEFAULT
from assay.contracts.load import contract as load_contract
from assay.contracts.model import Contract
from assay.evaluation.inputs import answered
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.progress import Progress
from assay.evaluation.result import Result
from assay.evaluation.run import DEFAULT_GROUPS, chosen_measures, evaluate_cases
from assay.evaluation.spelled import refuse_out_of_reach
from assay.forked import refuse_forked

if TYPE_CHECKING:
    from assay.data.corpus import Corpus
    from assay.evaluation.inputs import Answers


def evaluate(
    predictions: Answers,
    corpus: Corpus | str | Path | None = None,
    *,
    contract: Contract | str | Path = DEFAULT,
    by: Sequence[str] | str = (),
    measures: Iterable[str] | None = None,
    k: Sequence[int] | None = None,
    level: int | None = None,
    depth: int | None = None,
    complete: bool = False,
    system: str | None = None,
    bootstrap: Bootstrap | None = None,
    tune: Any = None,
    clean: bool = True,
    progress: Progress | None = None,
) -> Result:
    """Every measure of a contract.

    `predictions` with `corpus` (objects or folders), or alone what `read_trec`,
    `read_decisions` or `Arrays.of` give.
    `by` names columns to break results down by; "default" is by criterion and by state, where the
    data have them. `measures` replaces the contract's list, `k` its cut-offs;
    `level`, `depth` and `complete` are the counterparts of trec_eval's -l, -M and -c. `bootstrap`
    says how intervals are made; without it there are none. `tune` (a file or a data frame) has the
    queries that thresholds are chosen on, where the predictions do not bring them; `clean` says
    that TUNE was used for nothing else, without which no threshold is called certified.
    `progress` is called with what is being done, how much of it is done, and how much there is.
    """
    base = load_contract(contract)
    rules = base.changed(level=level, depth=depth, complete=complete, k=tuple(k) if k else None)
    measures = (measures,) if isinstance(measures, str) else measures
    measures = None if measures is None else tuple(measures)
    refuse_out_of_reach(base, measures, level=level, complete=complete)
    return evaluate_under(
        rules,
        predictions,
        corpus,
        by=by,
        measures=measures,
        system=system,
        bootstrap=bootstrap,
        tune=tune,
        clean=clean,
        progress=progress,
    )


def evaluate_under(
    rules: Contract,
    predictions: Answers,
    corpus: Corpus | str | Path | None = None,
    *,
    by: Sequence[str] | str = (),
    measures: Iterable[str] | None = None,
    system: str | None = None,
    bootstrap: Bootstrap | None = None,
    tune: Any = None,
    clean: bool = True,
    progress: Progress | None = None,
) -> Result:
    """Evaluate under a contract object, whatever it is called: `verify` must repeat any bundle."""
    refuse_forked()
    if by != DEFAULT_GROUPS:
        by = (by,) if isinstance(by, str) else tuple(by)
    measures = None if measures is None else tuple(measures)
    if any("confidence" in metric.needs for metric in chosen_measures(rules, measures).values()):
        rules = replace(rules, rules=replace(rules.rules, confidence=True))
    given = answered(predictions, corpus, rules.rules, tune)
    return evaluate_cases(
        given.cases,
        rules,
        system=system or given.name,
        by=by,
        measures=measures,
        bootstrap=bootstrap,
        tune=given.tune,
        clean=clean,
        sources=given.sources,
        progress=progress,
    )
