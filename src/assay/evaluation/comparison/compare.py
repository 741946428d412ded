"""`compare`: systems on the same queries, paired by query, with the posts as clusters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.contracts.contract import Contract
from assay.contracts.contract_toml import DEFAULT
from assay.data.corpus import Corpus, read_corpus
from assay.data.label_table import LabelTable
from assay.errors import InputError
from assay.evaluation.bundle.bundle_systems import is_bundle
from assay.evaluation.comparison.compared_systems import (
    contracts_of,
    system_of,
    systems_of_bundles,
    titles_of,
)
from assay.evaluation.comparison.comparison_result import Comparison
from assay.evaluation.comparison.differences import contrasts, differences_by_query
from assay.evaluation.comparison.given_systems import given_systems
from assay.evaluation.comparison.matched_systems import Matched, System, matched
from assay.evaluation.comparison.tested_family import family
from assay.evaluation.evaluate import memory_budget, named_measures, several, single
from assay.evaluation.inputs.aligned_input import refuse_budget
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.metrics.core.entry import Metric, Population

if TYPE_CHECKING:
    from assay.data.input_types import Columns, Rankings, Values
    from assay.evaluation.inputs.align_input import CorpusLike, PredictionsLike

CORRECTIONS = ("holm", "bh")
FIRST = "first"


def compare(
    first: PredictionsLike | Values,
    second: PredictionsLike | Values | None = None,
    *more: PredictionsLike | Values,
    corpus: CorpusLike | None = None,
    qrels: Rankings | None = None,
    labels: Values | None = None,
    groups: Values | None = None,
    folds: Values | None = None,
    split: str | None = None,
    qrels_columns: Columns | None = None,
    run_columns: Columns | None = None,
    contract: Contract | str | Path | Sequence[Contract | str | Path] | None = None,
    measures: Iterable[str] | str | None = None,
    k: Sequence[int] | int | None = None,
    level: int | None = None,
    depth: int | None = None,
    complete: bool = False,
    ties: str | None = None,
    names: Sequence[str] | None = None,
    key: str | None = None,
    baseline: str = FIRST,
    all_pairs: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
    unit: str = "post",
    correction: str = "holm",
    allow_different: Collection[str] | str = (),
    engine: Any = None,
    memory: str | int | None = None,
) -> Comparison:
    """Compare systems on the same queries: differences with intervals, tests and effect sizes.

    Parameters
    ----------
    first, second, more
        The systems, each as `evaluate` takes it: runs with `qrels`, predictions with a `corpus`,
        arrays of probabilities with `labels`, logs, bundles, or what `read_trec`, `read_decisions`
        or `Arrays.of` return. Bundles bring their own judgements and contract. `first` alone may be a
        list of all systems, or a dict of them by name.
    corpus, qrels, labels, groups, folds
        What the systems are judged by, as in `evaluate`.
    split, qrels_columns, run_columns
        How to read judgements and runs, as in `evaluate`.
    contract
        One contract for all systems (by default `assay/1`), or a list with one per system.
    measures
        The family of measures that p-values are adjusted over. By default the contract's ranking
        measures at its largest primary cut-off, and the headline measures of decisions.
    k, level, depth, complete, ties
        As in `evaluate`.
    names
        What to call the systems.
    key
        The column by which rows of `read_decisions` are matched. Without it they are matched by
        their order, which is accepted only if labels and groups agree row by row.
    baseline
        The name of the system that the others are compared with; by default the first.
    all_pairs
        Compare each system with each other one.
    resamples, seed, unit
        How many bootstrap resamples and random swaps, their seed, and what is drawn: `post` or
        `query`.
    correction
        Which adjustment for multiple tests is shown: `holm` or `bh`.
    allow_different
        What may differ between systems: contract, queries, gold or folds. Otherwise a difference is
        an error.
    engine
        Where candidates are ranked, as in `evaluate`.
    memory
        For runs with `qrels`: the largest resident memory of the process, as in `evaluate`.

    Returns
    -------
    Comparison
        A mapping from measures to differences; from (measure, system) if there are several pairs.

    Raises
    ------
    InputError
        If the systems cannot be compared, with how they differ.
    ContractError, MeasureError
        If a contract or a measure does not exist.

    Examples
    --------
    >>> import assay
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2, "d": 0}}
    >>> bm25 = {"q1": {"a": 0.2, "b": 0.9}, "q2": {"c": 0.5, "d": 0.7}}
    >>> dense = {"q1": {"a": 0.8, "b": 0.9}, "q2": {"c": 0.6, "d": 0.1}}
    >>> made = assay.compare(bm25, dense, qrels=qrels, measures="mrr", names=["bm25", "dense"])
    >>> made["mrr"].difference
    0.25

    """
    cuts, named = several("k", k, int), named_measures(measures)
    level, depth = single("level", level, int), single("depth", depth, int)
    names = several("names", names, str)
    allow_different = several("allow_different", allow_different, str) or ()
    plan = Bootstrap(resamples, seed, unit)
    budget = memory_budget(memory)
    from assay.evaluation.inputs.accepted_inputs import Beside, accepted_systems, corpus_input

    beside = Beside(qrels, split, qrels_columns, run_columns, labels, None, groups, folds)
    given, names = given_systems(first, second, more, names)
    made = None
    if engine is not None:
        from assay.evaluation.inputs.engine_inputs import engine_systems

        made = engine_systems(engine, given, corpus, beside)
    inputs, asked = made or accepted_systems(given, corpus, beside)
    asked = asked if made is None or asked is None else corpus_input(asked, "compare")
    if key is not None and not any(isinstance(each, LabelTable) for each in inputs):
        raise InputError.of("key", "has no effect without a plain table", "other inputs have ids")
    if any(map(is_bundle, inputs)):
        refuse_budget(budget)
        options = {
            "corpus": asked,
            "contract": contract,
            "k": cuts,
            "level": level,
            "depth": depth,
            "complete": complete or None,
            "ties": ties,
        }
        typed = [name for name, value in options.items() if value is not None]
        systems = systems_of_bundles(inputs, typed, allow_different)
    else:
        bases = contracts_of(DEFAULT if contract is None else contract, len(inputs))
        named = bases[0].expanded(named, labels=all(isinstance(each, LabelTable) for each in inputs))
        for each in bases:
            each.refuse_out_of_reach(named, level=level, complete=complete)
        rules = [
            each.changed(level=level, depth=depth, complete=complete, k=cuts, ties=ties) for each in bases
        ]
        whole = asked if asked is None or isinstance(asked, Corpus) else read_corpus(asked)
        systems = [
            system_of(answers, whole, each, key, budget) for answers, each in zip(inputs, rules, strict=True)
        ]
    titles = titles_of(names if names is not None else [system.name for system in systems], systems)
    systems = [replace(system, name=name) for system, name in zip(systems, titles, strict=True)]
    return compare_systems(
        systems,
        measures=named,
        baseline=baseline,
        all_pairs=all_pairs,
        plan=plan,
        correction=correction,
        allow_different=allow_different,
    )


def compare_systems(
    systems: Sequence[System],
    *,
    measures: Iterable[str] | None = None,
    baseline: str = FIRST,
    all_pairs: bool = False,
    plan: Bootstrap | None = None,
    correction: str = "holm",
    allow_different: Collection[str] = (),
) -> Comparison:
    """Return the comparison of systems that are aligned already."""
    plan = Bootstrap() if plan is None else plan
    _check(systems, correction)
    same = matched(systems, allow_different)
    pairs = _pairs([system.name for system in systems], baseline, all_pairs)
    metrics, absent = family(same.systems, measures)
    _same_population(same, metrics, allow_different)
    differences = contrasts(same, metrics, pairs, plan)
    cases = same.systems[0].cases
    posts, folds = cases.groupings.get("post_id"), cases.groupings.get("fold")
    return Comparison(
        systems=tuple(system.name for system in systems),
        contracts={each.name: (each.contract.id, each.contract.hash) for each in systems},
        counts={system.name: system.cases.counts for system in systems},
        queries=len(cases),
        evidence=int(cases.has_evidence.sum()),
        posts=len(cases) if posts is None else len(posts.labels),
        folds=0 if folds is None else len(folds.labels),
        pairs=tuple((systems[a].name, systems[b].name) for a, b in pairs),
        family=tuple(metrics),
        correction=correction,
        seed=plan.seed,
        allow_different=tuple(allow_different),
        left_out=same.left_out,
        absent=absent,
        differences=differences,
        by_query=partial(differences_by_query, same, metrics, pairs),
    )


def _check(systems: Sequence[System], correction: str) -> None:
    if len(systems) < 2:
        problem = "one system was given" if systems else "no system was given"
        raise InputError.of("compare", problem, "expected two or more")
    if correction not in CORRECTIONS:
        expected = f"expected {' or '.join(CORRECTIONS)}"
        raise InputError.of("`correction`", f"is {correction!r}", expected)


def _pairs(names: Sequence[str], baseline: str, all_pairs: bool) -> list[tuple[int, int]]:
    """Return the positions of (baseline, system) for every pair to compare."""
    places = range(len(names))
    if all_pairs:
        if baseline != FIRST:
            expected = "expected one of them: every pair has its own baseline"
            raise InputError.of("compare", "`all_pairs` with `baseline`", expected)
        return [(a, b) for a in places for b in places if a < b]
    if baseline not in names and baseline != FIRST:
        problem = f"no system is called {baseline!r}"
        raise InputError.of("`baseline`", problem, f"expected first or one of {', '.join(names)}")
    chosen = names.index(baseline) if baseline in names else 0
    return [(chosen, each) for each in places if each != chosen]


def _same_population(same: Matched, metrics: dict[str, Metric], allow_different: Collection[str]) -> None:
    """A mean over the queries that a system answered needs systems that answered the same ones."""
    names = [name for name, each in metrics.items() if each.population is Population.PREDICTED]
    first, *others = same.systems
    for other in others:
        differs = int(np.count_nonzero(first.cases.answered != other.cases.answered))
        if names and differs and "queries" not in allow_different:
            problem = (
                f"answered other queries than {first.name} ({differs:,} differ), and {names[0]} "
                "is a mean over those"
            )
            complete, shared = "`complete=True`", "`allow_different='queries'`"
            expected = f"{complete} takes all judged queries, {shared} those that all answered"
            raise InputError.of(other.name, problem, expected)
