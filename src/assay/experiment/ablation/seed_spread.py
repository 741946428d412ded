"""An ablation with several seeds: how much of a difference is the luck of one split and one model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from assay.contracts.contract_toml import contract
from assay.data.corpus import read_corpus
from assay.errors import InputError, MissingExtraError
from assay.experiment.ablation.configurations import configurations
from assay.experiment.ablation.steps import MEASURES, cells, scored
from assay.experiment.spark_folds import compute_on_engine
from assay.experiment.state_thresholds import choose
from assay.pipeline.protocol.fold_parts import check_excluded
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan, read_plan


@dataclass(frozen=True, slots=True)
class SeedSpread:
    """Values of every configuration and seed, and their mean and standard deviation over seeds."""

    values: pl.DataFrame
    spread: pl.DataFrame
    document: dict[str, Any]


def seed_spread(
    plan: Plan | str | Path,
    cache: str | Path,
    seeds: Sequence[int],
    *,
    processes: int | None = None,
    engine: Any = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> SeedSpread:
    """Run every configuration of an ablation with several seeds.

    A seed decides the outer folds (unless the corpus has its own), TRAIN and TUNE, the cross-fitting
    and the models. Settings are not searched.

    Parameters
    ----------
    plan
        A configuration file, or what `read_plan` returns.
    cache
        The folder for finished stages; an interrupted call resumes.
    seeds
        Two or more seeds.
    processes
        How many folds to work on at the same time, one process each; by default as in `run`.
    engine
        Where folds are computed, as in `run`; all seeds and configurations at once if it is Spark.
    progress
        Called with what is done, how much of it, and the total.

    Returns
    -------
    SeedSpread
        One row per configuration and seed, and one per configuration: mean and standard deviation
        (ddof 1) of each measure over the seeds, and of its change from the previous configuration.

    Raises
    ------
    InputError, ContractError
        If the configuration, the corpus, the contract or the seeds are faulty.

    Examples
    --------
    docs/pipeline.md has the command and its tables.

    """
    if len(set(seeds)) < 2 or len(set(seeds)) < len(seeds):
        raise InputError.of(
            "`seeds`", f"is {','.join(map(str, seeds))}", "expected two or more distinct seeds"
        )
    plan, cache = read_plan(plan), Path(cache)
    plans = seed_plans(plan, seeds)
    corpus = read_corpus(plan.corpus)
    compute_on_engine(engine, list(plans.values()), corpus, cache, processes=processes)
    rows = []
    for done, ((name, seed), made) in enumerate(plans.items(), start=1):
        try:
            answers = predict(made, corpus, choose, cache=cache, processes=processes)
        except MissingExtraError:
            values: dict[str, float | None] = dict.fromkeys(MEASURES)
        else:
            values = cells(scored(made, corpus, answers, name)[0], MEASURES)
        rows.append({"configuration": name, "seed": seed, **{each: values[each] for each in MEASURES}})
        progress(f"{name}, seed {seed},", done, len(plans))
    frame = pl.DataFrame(rows, schema_overrides=dict.fromkeys(MEASURES, pl.Float64), infer_schema_length=None)
    spread = _spread(frame)
    head = {"schema": "assay/seed-spread/1", "plan": replace(plan, search=None).record()}
    tables = {"values": frame.to_dicts(), "spread": spread.to_dicts()}
    return SeedSpread(frame, spread, {**head, "seeds": list(seeds), **tables})


def seed_plans(plan: Plan, seeds: Sequence[int]) -> dict[tuple[str, int], Plan]:
    """Return the plan of each configuration and seed; faults are reported before anything runs."""
    plan = replace(plan, search=None)
    contract(plan.contract)
    corpus = read_corpus(plan.corpus)
    rows = {row.name: row.plan for row in configurations(plan) if row.plan is not None}
    for each in rows.values():
        check_excluded(corpus, each)
    return {(name, seed): made.changed(seed=seed) for name, made in rows.items() for seed in seeds}


def _spread(values: pl.DataFrame) -> pl.DataFrame:
    """Return one row per configuration; the change is taken within each seed."""
    before = pl.col(MEASURES) - pl.col(MEASURES).shift(1).over("seed")
    changed = values.with_columns(before.name.suffix(" change"))
    names = [column for name in MEASURES for column in (name, f"{name} change")]
    parts = [(pl.col(name).mean(), pl.col(name).std(ddof=1).alias(f"{name} std")) for name in names]
    every = [part for pair in parts for part in pair]
    return changed.group_by("configuration", maintain_order=True).agg(pl.len().alias("seeds"), *every)
