"""`evaluate`: score a system under a contract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

from assay.contracts.contract import MOST_CUTS, Contract
from assay.contracts.contract_toml import DEFAULT
from assay.contracts.contract_toml import contract as load_contract
from assay.data.runs import JudgedRun
from assay.errors import InputError, shown
from assay.evaluation.inputs.align_input import align_input
from assay.evaluation.result import Result
from assay.evaluation.scoring.score_all import DEFAULT_GROUPS, chosen_measures, evaluate_cases, judges_targets
from assay.forked import refuse_forked

if TYPE_CHECKING:
    from assay.data.corpus import Corpus
    from assay.data.input_types import Columns, Rankings, TableLike, Values
    from assay.evaluation.inputs.align_input import CorpusLike, Input, PredictionsLike
    from assay.evaluation.intervals.bootstrap_plan import Bootstrap
    from assay.evaluation.progress import Progress
    from assay.files.memory_budget import MemoryBudget

T = TypeVar("T")
WORDS: dict[type, str] = {str: "a name", int: "a whole number"}


def evaluate(
    predictions: PredictionsLike | None = None,
    corpus: CorpusLike | None = None,
    *,
    qrels: Rankings | None = None,
    labels: Values | None = None,
    probs: Values | None = None,
    groups: Values | None = None,
    folds: Values | None = None,
    split: str | None = None,
    qrels_columns: Columns | None = None,
    run_columns: Columns | None = None,
    contract: Contract | str | Path | None = None,
    by: Sequence[str] | str = (),
    measures: Iterable[str] | str | None = None,
    k: Sequence[int] | int | None = None,
    level: int | None = None,
    depth: int | None = None,
    complete: bool = False,
    ties: str | None = None,
    system: str | None = None,
    bootstrap: Bootstrap | int | bool | None = None,
    tune: TableLike | str | Path | None = None,
    tune_share: float | None = None,
    tune_reused: bool = False,
    progress: Progress | None = None,
    engine: Any = None,
    memory: str | int | None = None,
) -> Result:
    """Return every measure of a contract that the data support.

    There are three kinds of input: a run with judgements, `evaluate(run, qrels=…)`; predictions with
    a corpus, `evaluate(predictions, corpus)`; labels and probabilities, `evaluate(labels=…,
    probs=…)`. What `read_trec`, `read_decisions` or `Arrays.of` return is passed alone.

    Parameters
    ----------
    predictions
        With `qrels`, a run: `{query: {item: score}}`, a list of rows, a data frame (pandas, polars,
        pyarrow), or a file ("-" is standard input). With `corpus`, predictions: an object, a folder,
        a table of candidates, or a dict of the tables candidates, decisions and tune.
    corpus
        The corpus that the predictions answer: an object, a folder, or a dict of its tables.
    qrels
        Judgements, in the same shapes as a run, with grades.
    labels, probs
        One label (0 or 1, true or false) and one probability per row: lists, arrays or Series.
    groups, folds
        With `labels`: the unit that each row belongs to, such as a patient, and its outer fold.
    split
        Use only the judgements of this split.
    qrels_columns, run_columns
        Names of columns that are not recognised, such as `{"query": "q", "item": "d", "score": "s"}`.
    contract
        An id such as "assay/1", which is the default, a TOML file, or a `Contract`. Its targets are
        judged if it is given, or if the input is predictions with a corpus.
    by
        Columns to break results down by; "default" is criterion and state, if the data have them.
    measures
        Names ("ndcg@10,map"), definition ids or objects of ir_measures in place of the contract's list.
    k
        A cut-off, or several, in place of the contract's.
    level, depth, complete
        Counterparts of trec_eval's -l, -M and -c.
    ties
        The order of candidates with equal scores, in place of the contract's: stable (that of the
        input), docno_desc (by id, as trec_eval) or expected (the mean over all orders).
    system
        The name of the system, in place of the input's.
    bootstrap
        Make intervals: from this many resamples, by a plan, or as usual if True.
    tune
        A file or table of the queries that thresholds are chosen on, where the input has none.
    tune_share
        With labels: choose thresholds on this share of the groups, such as 0.5, and score the others.
    tune_reused
        Set this if TUNE served another purpose too: then no threshold is called certified.
    progress
        Called with what is being done, how much of it is done, and the total.
    engine
        Where candidates are ranked: "local", which is the default, "spark", a master URL such as
        "local[4]" or "spark://HOST:PORT", or a `SparkSession` (docs/scale.md). The result is the same.
    memory
        For a run with `qrels`: the largest resident memory of the process, "1GB", "800MB" or a number
        of bytes. Its file is then read in parts, with temporary files where the rows of a query are
        scattered (docs/scale.md). The result is the same.

    Returns
    -------
    Result
        A mapping from names to values, each with its definition, population and count.

    Raises
    ------
    InputError
        With all faults of the input.
    ContractError, MeasureError
        If the contract or a measure does not exist.

    Examples
    --------
    >>> import assay
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
    >>> run = {"q1": {"a": 0.2, "b": 0.9}, "q2": {"c": 0.5}}
    >>> assay.evaluate(run, qrels=qrels, measures="mrr")["mrr"].value
    0.75
    >>> result = assay.evaluate(labels=[1, 0, 1, 0], probs=[0.9, 0.3, 0.4, 0.6], measures="auroc")
    >>> result["auroc"].value
    0.75

    """
    names, cuts = named_measures(measures), several("k", k, int)
    by = by if by == DEFAULT_GROUPS else several("by", by, str) or ()
    level, depth = single("level", level, int), single("depth", depth, int)
    system, ties = single("system", system, str), single("ties", ties, str)
    complete, tune_reused = flag("complete", complete), flag("tune_reused", tune_reused)
    plan = _planned(bootstrap)
    budget = memory_budget(memory)
    answers, asked, labelled = predictions, corpus, False
    beside = (qrels, split, qrels_columns, run_columns, labels, probs, groups, folds)
    if engine is not None:
        from assay.evaluation.inputs.engine_inputs import engine_input

        answers, asked, beside = engine_input(engine, answers, asked, beside)
    if not isinstance(answers, JudgedRun) or any(each is not None for each in beside):
        from assay.evaluation.inputs.accepted_inputs import Beside, accepted_input, has_labels_alone

        answers, asked = accepted_input(answers, asked, Beside(*beside))
        labelled = has_labels_alone(answers)
    base = load_contract(_usual_contract(answers) if contract is None else contract)
    names = base.expanded(names, labels=labelled)
    changed = base.changed(level=level, depth=depth, complete=complete, k=cuts, ties=ties)
    base.refuse_out_of_reach(names, level=level, complete=complete)
    return evaluate_under(
        changed,
        answers,
        asked,  # type: ignore[arg-type] # tables have become a corpus
        by=by,
        measures=names,
        system=system,
        bootstrap=plan,
        tune=tune,
        tune_share=tune_share,
        tune_reused=tune_reused,
        targets=None if contract is None else True,
        progress=progress,
        memory=budget,
    )


def _usual_contract(answers: Any) -> Contract | str:
    """Return the contract of a shared task, under its options; the default for any other input."""
    own = getattr(answers, "contract", None)  # only a TaskInput has one
    return DEFAULT if own is None else load_contract(own).changed(**answers.options)


def several(parameter: str, given: object, kind: type[T]) -> tuple[T, ...] | None:
    """Return one text or whole number, or several, as a tuple; None if nothing was given."""
    if given is None:
        return None
    listed: tuple[object, ...] = (given,)
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        listed = tuple(given if kind is str else islice(given, MOST_CUTS + 1))
    return tuple(_one(parameter, each, kind, f"{WORDS[kind]}, or several") for each in listed) or None


def flag(parameter: str, given: object) -> bool:
    """Return True or False; "no" would count as true."""
    if given is None or (not isinstance(given, Iterable) and given in (0, 1)):
        return bool(given)
    problem = f"is {shown(given)} ({type(given).__name__})"
    raise InputError.of(f"`{parameter}`", problem, "expected True or False")


def named_measures(given: object) -> tuple[str, ...] | None:
    """Return the names of measures, one or several; a text with commas has several."""
    listed = several("measures", given, str)
    if not any("," in text for text in listed or ()):
        return listed
    from assay.metrics.core.names.listed_measures import measure_names

    return tuple(name for text in listed or () for name in measure_names(text))


def single(parameter: str, given: object, kind: type[T]) -> T | None:
    """Return a text or a whole number; None if nothing was given."""
    return None if given is None else _one(parameter, given, kind, WORDS[kind])


def _one(parameter: str, given: object, kind: type[T], accepted: str) -> T:
    if kind is str and type(given).__module__.partition(".")[0] == "ir_measures":
        return kind(given)  # type: ignore[call-arg] # its objects write themselves as names
    whole = kind is int and isinstance(given, SupportsIndex) and not isinstance(given, bool)
    if not whole and (kind is int or not isinstance(given, kind)):
        problem = f"is {shown(given)} ({type(given).__name__})"
        raise InputError.of(f"`{parameter}`", problem, f"expected {accepted}")
    return kind(given)  # type: ignore[call-arg] # NumPy's whole numbers and texts too


def memory_budget(memory: str | int | None) -> MemoryBudget | None:
    """Return the budget of `memory`."""
    if memory is None:
        return None
    from assay.files.memory_budget import MemoryBudget

    return MemoryBudget.of(memory)


def _planned(bootstrap: Bootstrap | int | bool | None) -> Bootstrap | None:
    """Return how intervals are made: as usual, with this many resamples, or as planned."""
    if bootstrap is None or bootstrap is False:
        return None
    from assay.evaluation.intervals.result_intervals import bootstrap_of

    return bootstrap_of(bootstrap)


def evaluate_under(
    contract: Contract,
    predictions: Input,
    corpus: Corpus | str | Path | None = None,
    *,
    by: Sequence[str] | str = (),
    measures: Iterable[str] | None = None,
    system: str | None = None,
    bootstrap: Bootstrap | None = None,
    tune: Any = None,
    tune_share: float | None = None,
    tune_reused: bool = False,
    targets: bool | None = True,
    progress: Progress | None = None,
    memory: MemoryBudget | None = None,
) -> Result:
    """Evaluate under a contract object with any id: `verify` must be able to repeat any bundle.

    Targets are judged, or not, or (None) only for a corpus of posts, which the contract is about.
    """
    refuse_forked()
    if by != DEFAULT_GROUPS:
        by = (by,) if isinstance(by, str) else tuple(by)
    measures = None if measures is None else tuple(measures)
    chosen = chosen_measures(contract, measures).values()
    if any("confidence" in metric.needs for metric in chosen):
        contract = replace(contract, ranking=replace(contract.ranking, keep_confidence=True))
    keep_pairs = any("pairs" in metric.needs or "user=" in metric.id for metric in chosen)
    rules = replace(contract.ranking, keep_pairs=keep_pairs)
    if tune_share is not None or by not in ((), DEFAULT_GROUPS):
        from assay.evaluation.inputs.other_inputs import prepared_labels

        predictions = prepared_labels(predictions, by, tune, tune_share)
    given = align_input(predictions, corpus, rules, tune, memory)
    if targets is None:
        targets = judges_targets(given.cases.key_names, shared=given.sources.shared_candidates)
    return evaluate_cases(
        given.cases,
        contract,
        system=system or given.name,
        by=by,
        measures=measures,
        bootstrap=bootstrap,
        tune=given.tune,
        tune_reused=tune_reused,
        tune_share=tune_share,
        targets=targets,
        sources=given.sources,
        progress=progress,
    )
