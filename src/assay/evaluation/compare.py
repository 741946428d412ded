"""`compare`: systems on the same queries, paired by query, with the posts as clusters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.contracts.load import DEFAULT
from assay.contracts.load import contract as load_contract
from assay.contracts.model import Contract
from assay.data import checks
from assay.data.arrays import Arrays
from assay.data.corpus import Corpus, read_corpus
from assay.data.labelled import Labelled
from assay.data.model import Cases
from assay.data.readers.tables import texts
from assay.errors import InputError
from assay.evaluation.bundle.systems import bundled_systems, is_bundle
from assay.evaluation.comparison import Comparison
from assay.evaluation.contrast import contrasts
from assay.evaluation.family import family
from assay.evaluation.inputs import Judged, answered
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.matching import Matched, System, matched
from assay.evaluation.run import tuned
from assay.evaluation.spelled import refuse_out_of_reach
from assay.metrics.entry import Metric, Population

if TYPE_CHECKING:
    from assay.evaluation.inputs import Answers

CORRECTIONS = ("holm", "bh")
FIRST = "first"


def compare(
    first: Answers,
    second: Answers,
    *more: Answers,
    corpus: Corpus | str | Path | None = None,
    contract: Contract | str | Path | Sequence[Contract | str | Path] | None = None,
    measures: Iterable[str] | None = None,
    k: Sequence[int] | None = None,
    level: int | None = None,
    depth: int | None = None,
    complete: bool = False,
    names: Sequence[str] | None = None,
    key: str | None = None,
    baseline: str = FIRST,
    all_pairs: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
    unit: str = "post",
    correction: str = "holm",
    despite: Collection[str] = (),
) -> Comparison:
    """Differences of systems, each with an interval, tests and effect sizes.

    Systems are what `evaluate` takes: predictions with a `corpus`, or what `read_trec`,
    `read_decisions` or `Arrays.of` give. Every other system is compared with the `baseline`
    (its name, or the first), or each with each (`all_pairs`). `measures` is the family that
    Holm and BH run over; by default the contract's ranking measures at its largest primary
    cut-off and the headlines of decisions. Rows of `read_decisions` are matched by the column
    `key`; without one by their order, which is accepted only where labels and groups are the same
    row by row. Bundles bring their own corpus and contract. `contract` is one for all (by default
    `assay/1`), or a list with one per system. Systems under different contracts or with other
    queries, gold or folds are refused, unless `despite` names these.
    """
    inputs = (first, second, *more)
    plan = Bootstrap(resamples, seed, unit)
    cuts = tuple(k) if k else None
    if key is not None and not any(isinstance(each, Labelled) for each in inputs):
        raise InputError.of("key", "has no effect without a plain table", "other inputs have ids")
    if any(map(is_bundle, inputs)):
        options = {"corpus": corpus, "contract": contract, "k": cuts, "level": level,
                   "depth": depth, "complete": complete or None}  # fmt: skip
        typed = [name for name, value in options.items() if value is not None]
        systems = _bundles(inputs, typed, despite)
    else:
        bases = _contracts(DEFAULT if contract is None else contract, len(inputs))
        measures = None if measures is None else tuple(measures)
        for each in bases:
            refuse_out_of_reach(each, measures, level=level, complete=complete)
        rules = [
            each.changed(level=level, depth=depth, complete=complete, k=cuts) for each in bases
        ]
        asked = corpus if corpus is None or isinstance(corpus, Corpus) else read_corpus(corpus)
        systems = [
            _system(answers, asked, each, key) for answers, each in zip(inputs, rules, strict=True)
        ]
    titles = _titles(names if names is not None else [system.name for system in systems], systems)
    systems = [replace(system, name=name) for system, name in zip(systems, titles, strict=True)]
    return compare_systems(
        systems,
        measures=measures,
        baseline=baseline,
        all_pairs=all_pairs,
        plan=plan,
        correction=correction,
        despite=despite,
    )


def compare_systems(
    systems: Sequence[System],
    *,
    measures: Iterable[str] | None = None,
    baseline: str = FIRST,
    all_pairs: bool = False,
    plan: Bootstrap | None = None,
    correction: str = "holm",
    despite: Collection[str] = (),
) -> Comparison:
    """The same of systems whose cases are there already."""
    plan = Bootstrap() if plan is None else plan
    _check(systems, correction)
    same = matched(systems, despite)
    pairs = _pairs([system.name for system in systems], baseline, all_pairs)
    metrics, absent = family(same.systems, measures)
    _same_population(same, metrics, despite)
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
        despite=tuple(despite),
        left_out=same.left_out,
        absent=absent,
        differences=differences,
    )


def _bundles(
    inputs: Sequence[Answers], options: Sequence[str], despite: Collection[str]
) -> list[System]:
    """Bundles bring their gold and contract: they are compared with one another only."""
    folders = [Path(each) for each in inputs if isinstance(each, str | Path) and is_bundle(each)]
    if len(folders) < len(inputs):
        raise InputError.of("compare", "bundles and other inputs", "expected bundles alone")
    if options:
        problem = f"bundles with {', '.join(f'--{name}' for name in options)}"
        expected = "expected bundles alone: they bring their gold and contract"
        raise InputError.of("compare", problem, expected)
    return bundled_systems(folders, despite)


def _contracts(
    given: Contract | str | Path | Sequence[Contract | str | Path], systems: int
) -> list[Contract]:
    listed = [given] if isinstance(given, Contract | str | Path) else list(given)
    made = [load_contract(each) for each in listed]
    if len(made) == 1:
        return made * systems
    if len(made) != systems:
        problem = f"{len(made)} contracts for {systems} systems"
        raise InputError.of("compare", problem, "expected one for all, or one for each")
    return made


def _system(answers: Answers, corpus: Corpus | None, contract: Contract, key: str | None) -> System:
    cases, name = _cases(answers, corpus, contract)
    qrels = answers.qrels if isinstance(answers, Judged) else None
    if not isinstance(answers, Labelled):
        return System(name, cases, contract, qrels, by_row=isinstance(answers, Arrays))
    if key is None:
        return System(name, cases, contract, by_row=True)
    if key not in answers.table.frame.columns:
        has = ", ".join(answers.table.frame.columns[:12])
        raise InputError.of(name, f"has no column {key!r} (it has {has})", "expected the key")
    table = texts(answers.scored_rows(), key)
    faults = checks.filled(table, key) + checks.unique(table, key)
    if faults:
        raise InputError(faults)
    keys = pl.DataFrame({"query_id": table.frame[key]})
    return System(name, replace(cases, keys=keys), contract)


def _cases(answers: Answers, corpus: Corpus | None, contract: Contract) -> tuple[Cases, str]:
    """A fault of a folder's table names the folder too: all systems call their tables the same."""
    try:
        given = answered(answers, corpus, contract.rules)
        if given.tune is None:
            return given.cases, given.name
        cases, _ = tuned(given.cases, contract.metrics.values(), contract, given.tune)
        return cases, given.name
    except InputError as error:
        if not isinstance(answers, str | Path) or not Path(answers).is_dir():
            raise
        folder = Path(answers).name
        faults = [
            fault if fault.source == folder else replace(fault, source=f"{folder}/{fault.source}")
            for fault in error.faults
        ]
        raise InputError(faults) from None


def _titles(names: Sequence[str], systems: Sequence[System]) -> list[str]:
    """One name a system; where names repeat, with their number."""
    if len(names) != len(systems):
        problem = f"{len(names)} names for {len(systems)} systems"
        raise InputError.of("compare", problem, "expected one name a system")
    seen: dict[str, int] = {}
    titles = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        titles.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return titles


def _check(systems: Sequence[System], correction: str) -> None:
    if len(systems) < 2:
        problem = "one system was given" if systems else "no system was given"
        raise InputError.of("compare", problem, "expected two or more")
    if correction not in CORRECTIONS:
        expected = f"expected {' or '.join(CORRECTIONS)}"
        raise InputError.of("--correction", f"is {correction!r}", expected)


def _pairs(names: Sequence[str], baseline: str, all_pairs: bool) -> list[tuple[int, int]]:
    """Places of (baseline, system)."""
    places = range(len(names))
    if all_pairs:
        if baseline != FIRST:
            expected = "expected one of them: every pair has its own baseline"
            raise InputError.of("compare", "--all-pairs with --baseline", expected)
        return [(a, b) for a in places for b in places if a < b]
    if baseline not in names and baseline != FIRST:
        problem = f"no system is called {baseline!r}"
        raise InputError.of("--baseline", problem, f"expected first or one of {', '.join(names)}")
    chosen = names.index(baseline) if baseline in names else 0
    return [(chosen, each) for each in places if each != chosen]


def _same_population(same: Matched, metrics: dict[str, Metric], despite: Collection[str]) -> None:
    """A mean over the queries that a system answered needs systems that answered the same ones."""
    names = [name for name, each in metrics.items() if each.population is Population.PREDICTED]
    first, *others = same.systems
    for other in others:
        differs = int(np.count_nonzero(first.cases.answered != other.cases.answered))
        if names and differs and "queries" not in despite:
            problem = (
                f"answered other queries than {first.name} ({differs:,} differ), and {names[0]} "
                "is a mean over those"
            )
            expected = "--complete takes all judged queries, --despite queries those of all systems"
            raise InputError.of(other.name, problem, expected)
