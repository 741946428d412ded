"""Search settings inside TRAIN: TUNE and EVAL of the outer fold are never passed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from assay.data.splits import split
from assay.errors import AssayError
from assay.files.scratch import scratch_folder
from assay.pipeline.custom.stage_calls import described
from assay.pipeline.models.extras import extra
from assay.pipeline.protocol.nested_fold import Crossfit, Parts, run_fold
from assay.pipeline.protocol.search_space import Range, Search
from assay.pipeline.protocol.stage_cache import Cache, digest_array
from assay.pipeline.run_config import Plan, pipeline_of
from assay.pipeline.stages.three_state_gate import Chooser
from assay.pipeline.views import Labelled

Objective = Callable[[Labelled, tuple[str, ...]], float]
"""From predicted posts with their gold, and names of measures, to a score."""
CALIBRATES = 0.25
"""The share of the posts not held out that the inner pipeline calibrates on."""


@dataclass(frozen=True, slots=True)
class Found:
    """The plan with the best settings, and a record of the search."""

    plan: Plan
    record: dict[str, Any]


def searched(
    plan: Plan,
    train: Labelled,
    facts: Any,
    cache: Cache,
    *,
    choose: Chooser,
    objective: Objective,
    done: Callable[[str], None] = lambda _: None,
) -> Found:
    """Return the settings with the highest objective on TRAIN posts that no trial learned from.

    TRAIN is split once more, by posts: `held` of it is predicted, the rest teaches and calibrates
    the inner pipeline. Trials come one after the other from a seeded sampler (TPE), starting with
    the given settings; ties go to the earlier trial. Values are cached, so an interrupted search
    resumes.
    """
    search = plan.search
    if search is None:
        raise AssayError("the plan has no search")
    optuna = extra("optuna", "tune")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    parts, held = _inner(train, search, plan.protocol.seed, facts)
    gold, measures = _marks(train), search.settings.objective
    trials: list[dict[str, Any]] = []
    with _scratch(cache) as folder:

        def value_of(trial: Any) -> float:
            chosen = {each.label: _suggested(trial, each) for each in search.space}
            tuned = changed(plan, search, chosen)
            stages = [described(stage) for stage in pipeline_of(tuned, choose)]
            told = {"trial": parts.facts, "stages": stages, "gold": gold, "by": measures}

            def make() -> dict[str, Any]:
                own = Cache(folder, cache.say)
                value = _tried(tuned, parts, held, own, choose, objective, measures)
                return {"value": np.array(value)}

            value = float(cache.get(told, make)["value"])
            trials.append({"settings": chosen, "value": value})
            done(f"trial {len(trials)}")
            return value

        study = optuna.create_study(
            direction="maximize", sampler=optuna.samplers.TPESampler(seed=plan.protocol.seed)
        )
        study.enqueue_trial({each.label: _now(plan, each) for each in search.space})
        study.optimize(value_of, n_trials=search.settings.trials, timeout=search.settings.timeout)
    best = max(trials, key=lambda each: each["value"])
    record = {"chosen": best["settings"], "value": best["value"], "trials": trials}
    return Found(changed(plan, search, best["settings"]), record)


def changed(plan: Plan, search: Search, chosen: Mapping[str, Any]) -> Plan:
    """Return the plan with these settings and without a search."""
    tables = {name: dict(table) for name, table in plan.tables.items()}
    for each in search.space:
        tables.setdefault(each.stage, {})[each.name] = chosen[each.label]
    return replace(plan, tables=tables, search=None)


def _inner(train: Labelled, search: Search, seed: int, facts: Any) -> tuple[Parts, Labelled]:
    """Return three parts of TRAIN, and the gold of the part that is predicted."""
    held = search.settings.held
    calibrates = round((1 - held) * CALIBRATES, 6)
    shares = (round(1 - held - calibrates, 6), calibrates, held)
    place = {post: at for at, post in enumerate(train.view.posts)}
    numbers = [
        np.array(sorted(place[post] for post in part)) for part in split(train.view.posts, shares, seed)
    ]
    teaching, calibrating, answered = (train.take(each) for each in numbers)
    told = {"train": facts, "inner": [each.tolist() for each in numbers]}
    return Parts(teaching, calibrating, answered.view, told), answered


def _tried(
    plan: Plan,
    parts: Parts,
    held: Labelled,
    cache: Cache,
    choose: Chooser,
    objective: Objective,
    measures: tuple[str, ...],
) -> float:
    """Return the objective of one trial."""
    crossfit = Crossfit(plan.protocol.crossfit, plan.protocol.seed)
    _, answered = run_fold(pipeline_of(plan, choose), parts, crossfit, cache)
    return objective(replace(held, view=answered), measures)


def _suggested(trial: Any, each: Range) -> Any:
    if each.choices:
        return trial.suggest_categorical(each.label, list(each.choices))
    if isinstance(each.default, float):
        return trial.suggest_float(each.label, each.low, each.high, log=each.log)
    return trial.suggest_int(each.label, each.low, each.high, log=each.log)


def _now(plan: Plan, each: Range) -> Any:
    """Return the value of the plan, moved into the range if it is outside."""
    value = plan.tables.get(each.stage, {}).get(each.name, each.default)
    if each.choices:
        return value if value in each.choices else each.choices[0]
    low, high = each.low or 0, each.high or 0
    return min(max(value if value is not None else low, low), high)


def _marks(train: Labelled) -> list[str]:
    return [digest_array(train.gold), digest_array(train.known)]


@contextmanager
def _scratch(cache: Cache) -> Iterator[Path]:
    """Cache stages that trials share for the duration of one search."""
    if cache.folder is None:
        with TemporaryDirectory() as folder:
            yield Path(folder)
        return
    cache.folder.mkdir(parents=True, exist_ok=True)
    with scratch_folder(cache.folder) as fresh:
        yield fresh
