"""`ablate`: run all configurations with one cache, so that shared stages are computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from assay.contracts.contract_toml import contract
from assay.data.corpus import Corpus, read_corpus
from assay.errors import MissingExtraError
from assay.experiment.ablation.configurations import Configuration, configurations
from assay.experiment.ablation.steps import SWEPT, Step, cells, document, scored, table, with_changes
from assay.experiment.ablation.threshold_grid import threshold_grid
from assay.experiment.run_baselines import baselines
from assay.experiment.spark_folds import compute_on_engine
from assay.experiment.state_thresholds import choose
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.fold_parts import check_excluded
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan, pipeline_of, read_plan
from assay.pipeline.stage_registry import entry_name
from assay.pipeline.stages.dynamic_k import DynamicK

GAMMAS = (0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Ablation:
    """Tables of configurations, baselines, γ and thresholds, and all of them as plain values."""

    stages: pl.DataFrame
    baselines: pl.DataFrame
    gammas: pl.DataFrame
    grid: pl.DataFrame
    document: dict[str, Any]


def ablate(
    plan: Plan | str | Path,
    cache: str | Path,
    *,
    processes: int | None = None,
    engine: Any = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Ablation:
    """Measure what each stage of a pipeline contributes.

    Runs every configuration of the plan, then each γ and the threshold grid on the plan itself.
    Settings are not searched: rows with different settings would not show what a stage contributes.

    Parameters
    ----------
    plan
        A configuration file, or what `read_plan` returns.
    cache
        The folder for finished stages; an interrupted ablation resumes.
    processes
        How many folds to work on at the same time, one process each; by default as in `run`.
    engine
        Where folds are computed, as in `run`; all configurations at once if it is Spark.
    progress
        Called with what is done, how much of it, and the total.

    Returns
    -------
    Ablation
        Tables of configurations, baselines, γ and thresholds. A configuration whose extra is not
        installed is a row without values, with the reason.

    Raises
    ------
    InputError, ContractError
        If the configuration, the corpus or the contract is faulty.

    Examples
    --------
    docs/pipeline.md has an ablation and its tables.

    """
    plan, cache = replace(read_plan(plan), search=None), Path(cache)
    rows, corpus = _checked(plan)
    compute_on_engine(engine, list(ablation_plans(plan).values()), corpus, cache, processes=processes)
    gammas = GAMMAS if DynamicK.name in plan.stages else ()
    total, done = len(rows) + len(gammas) + 1, 0

    def said(name: str) -> None:
        nonlocal done
        done += 1
        progress(name, done, total)

    def answered(made: Plan) -> Answers:
        return predict(made, corpus, choose, cache=cache, processes=processes)

    steps = []
    for row in rows:
        steps.append(_step(row, corpus, answered))
        said(row.name)
    swept = []
    for gamma in gammas:
        swept.append(_swept(plan, gamma, corpus, answered))
        said(f"γ = {gamma}")
    whole = answered(plan)
    own = scored(plan, corpus, whole, Path(plan.source).stem)[0]
    compared = baselines(own)
    grid = threshold_grid(corpus, whole, plan.protocol.exclude)
    steps = with_changes(steps, corpus, plan)
    said("differences")
    frames = {"baselines": compared, "gammas": pl.DataFrame(swept), "grid": grid}
    made = {
        "schema": "assay/ablation/1",
        "plan": plan.record(),
        "measures": document(steps),
        **{name: frame.to_dicts() for name, frame in frames.items()},
    }
    return Ablation(stages=table(steps), document=made, **frames)


def ablation_plans(plan: Plan) -> dict[str, Plan]:
    """Return every configuration that an ablation runs, by name."""
    plan = replace(plan, search=None)
    rows, _ = _checked(plan)
    gammas = GAMMAS if DynamicK.name in plan.stages else ()
    return {
        **{row.name: row.plan for row in rows if row.plan is not None},
        **{f"γ = {gamma}": _with_gamma(plan, gamma) for gamma in gammas},
        Path(plan.source).stem: plan,
    }


def _checked(plan: Plan) -> tuple[list[Configuration], Corpus]:
    """Return the configurations and the corpus; bad input is reported before the work starts."""
    contract(plan.contract)
    pipeline_of(plan, choose)
    rows = configurations(plan)
    corpus = read_corpus(plan.corpus)
    for each in (plan, *(row.plan for row in rows if row.plan is not None)):
        check_excluded(corpus, each)
    return rows, corpus


def _with_gamma(plan: Plan, gamma: float) -> Plan:
    setting = {**plan.tables.get(DynamicK.name, {}), "policy": "mass", "gamma": gamma}
    return replace(plan, tables={**plan.tables, DynamicK.name: setting})


def _step(row: Configuration, corpus: Corpus, answered: Callable[[Plan], Answers]) -> Step:
    if row.plan is None:
        return Step(row.name, absent=row.absent)
    try:
        answers = answered(row.plan)
    except MissingExtraError as error:
        return Step(row.name, tuple(map(entry_name, row.plan.stages)), absent=str(error))
    stages = tuple(map(entry_name, row.plan.stages))
    return Step(row.name, stages, *scored(row.plan, corpus, answers, row.name))


def _swept(
    plan: Plan, gamma: float, corpus: Corpus, answered: Callable[[Plan], Answers]
) -> dict[str, float | None]:
    """Return one row for a γ: mean K, evidence recall and precision, and the sentences returned."""
    made = _with_gamma(plan, gamma)
    result, _ = scored(made, corpus, answered(made), f"γ = {gamma}")
    out = {"gamma": gamma, **cells(result, SWEPT)}
    folds = result["selected_k_total"].folds
    out["selected_k_total std"] = None  # a sum over all folds has no spread over folds
    a_fold = (folds.mean, folds.std) if folds else (None, None)
    return out | {"selected_k_a_fold": a_fold[0], "selected_k_a_fold std": a_fold[1]}
