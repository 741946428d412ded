"""Which settings are searched, and over which values: the table `[tune]` of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from assay.errors import Fault, InputError, shown
from assay.pipeline.models.model_files import ModelSettings
from assay.pipeline.settings import Settings, faults_of, setting
from assay.pipeline.stage import Stage
from assay.pipeline.stage_registry import STAGES

FIXED = {each.name for each in fields(ModelSettings)}
"""Settings of models are not searched: embeddings are computed before any fold."""
KEYS = {"low", "high", "log", "choices"}


@dataclass(frozen=True, slots=True)
class SearchSettings(Settings):
    """At most `trials` trials in at most `timeout` seconds, each scored by the mean of the
    measures in `objective` on the share `held` of TRAIN.
    """

    trials: int = setting(20, low=1)
    timeout: int | None = setting(None, low=1, optional=True)
    held: float = setting(0.3, low=0.05, high=0.8)
    objective: tuple[str, ...] = setting(("ndcg@10", "auroc"))


@dataclass(frozen=True, slots=True)
class Range:
    """A setting of a stage and its values: from `low` to `high`, or one of `choices`."""

    stage: str
    name: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    choices: tuple[Any, ...] = ()
    given: Any = None  # the default of a user's own stage

    @property
    def label(self) -> str:
        """Return its name in messages and records."""
        return f"{self.stage}.{self.name}"

    @property
    def default(self) -> Any:
        """Return the value without a search."""
        if self.stage not in STAGES:
            return self.given
        return getattr(STAGES[self.stage].settings_type(), self.name)


@dataclass(frozen=True, slots=True)
class Search:
    """The settings of a search and its ranges."""

    settings: SearchSettings
    space: tuple[Range, ...]

    def record(self) -> dict[str, Any]:
        """Return plain values."""
        ends = {
            each.label: list(each.choices) or [each.low, each.high, "log" if each.log else "linear"]
            for each in self.space
        }
        return {**self.settings.to_dict(), "space": ends}


def search_of(table: Mapping[str, Any], stages: tuple[type[Stage], ...], source: str) -> Search:
    """Return the search in the table `[tune]`: its settings, and one table of ranges per stage."""
    place = f"{source} [tune]"
    own = {name: value for name, value in table.items() if not isinstance(value, Mapping)}
    faults = faults_of(SearchSettings, own, place)
    kinds = {kind.name: kind.settings_type for kind in stages}
    space = []
    for stage, ranges in table.items():
        if not isinstance(ranges, Mapping):
            continue
        if stage not in kinds:
            expected = f"expected some of {', '.join(kinds)}"
            faults.append(Fault(place, "", f"names stage {shown(stage)}", expected))
            continue
        for name, told in ranges.items():
            found = _faults(kinds[stage], name, told, f"{source} [tune.{stage}]")
            faults += found
            if not found:
                choices = tuple(told.get("choices", ()))
                rest = {key: value for key, value in told.items() if key != "choices"}
                given = None if stage in STAGES else getattr(kinds[stage](), name)
                space.append(Range(stage, name, choices=choices, given=given, **rest))
    if not space and not faults:
        faults.append(Fault(place, "", "searches nothing", "expected a table such as [tune.gate]"))
    if faults:
        raise InputError(faults)
    return Search(SearchSettings.of(own, place), tuple(space))


def _faults(kind: type[Settings], name: str, told: Any, place: str) -> list[Fault]:
    """Return what is wrong with the range of one setting."""
    if name in FIXED and issubclass(kind, ModelSettings):
        return [Fault(place, "", f"{name} is a setting of a model", "these cannot be searched")]
    shape = _shape(told)
    if shape is None and "low" in told and isinstance(getattr(kind(), name, 0), bool | str):
        shape = "expected {choices} with a list, because it is not a number"
    if shape is not None:
        return [Fault(place, "", f"{name} is {shown(told)}", shape)]
    values = told["choices"] if "choices" in told else (told["low"], told["high"])
    return [fault for value in values for fault in faults_of(kind, {name: value}, place)]


def _shape(told: Any) -> str | None:
    """Return what was expected if this is neither a range nor a list of choices."""
    expected = "expected {low, high} with numbers, or {choices} with a list"
    if not isinstance(told, Mapping) or not told or set(told) - KEYS:
        return expected
    if "choices" in told:
        values = told["choices"]
        right = set(told) == {"choices"} and isinstance(values, list) and values
        return None if right else expected
    ends: list[Any] = [told.get("low"), told.get("high")]
    log = told.get("log", False)
    if not all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
        return expected
    if not isinstance(log, bool) or ends[0] >= ends[1] or (log and ends[0] <= 0):
        return "expected low < high, and both above 0 with log = true"
    return None
