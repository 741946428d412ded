"""Which pipelines an ablation runs: the six cumulative ones, or a list in the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import AssayError, Fault, InputError, shown
from assay.experiment.state_thresholds import choose
from assay.pipeline.custom.stage_sources import is_custom
from assay.pipeline.run_config import Plan, pipeline_of
from assay.pipeline.stage import Pipeline
from assay.pipeline.stage_registry import Entry, types_of

CUMULATIVE: Mapping[str, str] = {
    "retriever": "candidate",
    "+ reranker": "score",
    "+ P3": "node",
    "+ P2 dynamic K": "k",
    "+ P4 gate": "prob",
    "+ three states": "state",
}
"""The column that each row adds. The gate runs before dynamic K, although its row is later."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A row of the ablation: a plan to run, or the reason why there is none."""

    name: str
    plan: Plan | None
    absent: str = ""


def configurations(plan: Plan) -> list[Configuration]:
    """Return the configurations in `[[ablation]]`; without any, the six cumulative ones."""
    return _listed(plan) if plan.ablation else cumulative(plan)


def cumulative(plan: Plan) -> list[Configuration]:
    """Yield the stages that one more column needs in each row, in the order of the plan.

    So every pipeline has its rows, whichever stages produce the columns; a column that no stage of
    the plan produces is an absent row.
    """
    whole = pipeline_of(plan, choose)
    taken: set[str] = set()
    rows = []
    for name, column in CUMULATIVE.items():
        if not any(column in stage.gives for stage in whole):
            rows.append(Configuration(name, None, f"no stage of the pipeline produces {column!r}"))
            continue
        taken |= behind(whole, column)
        rows.append(Configuration(name, _with(plan, whole, taken)))
    for stage in whole:  # of the user's own stages, those that no column above needs
        if is_custom(type(stage)) and stage.name not in taken:
            taken |= {stage.name}.union(*(behind(whole, each) for each in stage.needs))
            rows.append(Configuration(f"+ {stage.name}", _with(plan, whole, taken)))
    return rows


def behind(pipeline: Pipeline, column: str, before: int | None = None) -> set[str]:
    """Return the last stage (of those `before` one) that produces a column, and all it needs.

    A stage may need the column that it produces, from an earlier stage: then it depends on both.
    """
    stages = list(pipeline)[:before]
    at = max(place for place, stage in enumerate(stages) if column in stage.gives)
    needed = (behind(pipeline, each, at) for each in stages[at].needs)
    return {stages[at].name}.union(*needed)


def _with(plan: Plan, whole: Pipeline, names: set[str]) -> Plan:
    """Return the plan with the stages of these names."""
    pairs = zip(plan.stages, whole, strict=True)
    return _of(plan, tuple(entry for entry, stage in pairs if stage.name in names))


def _of(plan: Plan, stages: tuple[Entry, ...]) -> Plan:
    """Return the plan with some of its stages and their settings."""
    names = {kind.name for kind in types_of(stages, plan.folder, plan.source)}
    kept = {name: table for name, table in plan.tables.items() if name in names}
    return replace(plan, stages=stages, tables=kept)


def _listed(plan: Plan) -> list[Configuration]:
    """Return one configuration per table: a name, and what overrides the plan.

    An entry may change the stages, their settings, and the criteria excluded from training.
    """
    made: list[Configuration] = []
    faults: list[Fault] = []
    for number, entry in enumerate(plan.ablation, start=1):
        place = f"{plan.source} [[ablation]] {number}"
        try:
            made.append(_entry(plan, entry, place))
        except InputError as error:
            faults += error.faults
        except AssayError as error:  # stages that do not fit together
            faults += [Fault(place, "", line, "") for line in str(error).splitlines()]
    names = [each.name for each in made]
    faults += [
        Fault(plan.source, "", f"[[ablation]] has {shown(name)} twice", "expected distinct names")
        for name in sorted({name for name in names if names.count(name) > 1})
    ]
    if faults:
        raise InputError(faults)
    return made


def _entry(plan: Plan, entry: Mapping[str, Any], place: str) -> Configuration:
    name, stages = entry.get("name"), entry.get("stages", list(plan.stages))
    if not isinstance(name, str) or not name:
        raise InputError.of(place, f"name is {shown(name)}", "expected a string")
    if not isinstance(stages, list) or not all(isinstance(each, str | type) for each in stages):
        raise InputError.of(place, f"stages is {shown(stages)}", "expected a list of names")
    exclude = entry.get("exclude", list(plan.protocol.exclude))
    if not isinstance(exclude, list) or not all(isinstance(each, str) for each in exclude):
        raise InputError.of(place, f"exclude is {shown(exclude)}", "expected a list of criteria")
    tables = dict(_of(replace(plan, source=place), tuple(stages)).tables)
    for key, table in entry.items():
        if key in ("name", "stages", "exclude"):
            continue
        if not isinstance(table, dict):
            raise InputError.of(place, f"{key} is {shown(table)}", "expected settings of a stage")
        tables[key] = {**tables.get(key, {}), **table}
    made = replace(plan, stages=tuple(stages), tables=tables, source=place).changed(exclude=tuple(exclude))
    pipeline_of(made, choose)
    return Configuration(name, replace(made, source=plan.source))
