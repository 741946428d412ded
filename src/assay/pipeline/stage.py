"""`Stage`, one step of a pipeline, and `Pipeline`, stages that fit together."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from assay.errors import CompositionError
from assay.pipeline.settings import Settings
from assay.pipeline.views import Columns, Labelled, Unlabelled


class Learns(Enum):
    """What a stage is fitted on, and therefore what it may see."""

    NOTHING = "nothing"
    TEXTS = "the texts of TRAIN"  # an unlabelled view
    TRAIN = "TRAIN"  # with gold; its output on TRAIN itself is cross-fitted
    TUNE = "TUNE"  # with gold; only for calibration and thresholds


class Stage(ABC):
    """A step: declared columns in, declared columns out.

    `fit` learns (by default nothing) and `apply` returns the columns. `apply` gets an unlabelled
    view with exactly the columns in `needs`; `fit` gets a labelled one, or an unlabelled one if it
    learns from texts only.
    """

    name: ClassVar[str]
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    learns: ClassVar[Learns] = Learns.NOTHING
    settings_type: ClassVar[type[Settings]] = Settings
    reads: ClassVar[bool] = False  # whether it needs the texts, not only their tokens
    compares_words: ClassVar[bool] = False  # whether it needs the words of each pair

    def __init__(self, settings: Settings | None = None, *, seed: int = 0) -> None:
        self.settings = self.settings_type() if settings is None else settings
        self.seed = seed

    def fresh(self) -> Stage:
        """Return the same stage, not fitted."""
        return type(self)(self.settings, seed=self.seed)

    def ready(self) -> None:  # noqa: B027 # most stages need nothing external
        """Raise if a library or model that the stage needs is missing, before anything runs."""

    def fit(self, labelled: Any) -> None:  # noqa: B027 # a stage that learns nothing has no fit
        """Learn what `apply` needs."""

    @abstractmethod
    def apply(self, view: Unlabelled) -> Columns:
        """Return the columns in `gives`."""

    def describe(self) -> dict[str, Any]:
        """Return what its result depends on besides its input."""
        return {"stage": self.name, "settings": self.settings.to_dict(), "seed": self.seed}

    def model(self) -> dict[str, Any] | None:
        """Return the source and file hashes of its model; None if it has none."""
        return None

    def __rshift__(self, after: Stage | Pipeline) -> Pipeline:
        return Pipeline((self,)) >> after


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Stages in order. Creating one checks that every needed column is produced."""

    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        problems = list(_problems(self.stages))
        if problems:
            raise CompositionError("\n".join(problems))

    def __rshift__(self, after: Stage | Pipeline) -> Pipeline:
        further = after.stages if isinstance(after, Pipeline) else (after,)
        return Pipeline((*self.stages, *further))

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    def names(self) -> str:
        """`lexical >> scorer >> …`."""
        return " >> ".join(stage.name for stage in self.stages)


def _problems(stages: tuple[Stage, ...]) -> Iterator[str]:
    """Return everything that is wrong with a sequence of stages."""
    chain = " >> ".join(stage.name for stage in stages)
    givers: dict[str, Stage] = {}
    for stage in stages:
        who = f"{chain}: stage {stage.name!r}"
        if "gold" in stage.needs or _wants_gold(stage):
            yield f"{who} asks for gold in apply, but only fit may see gold"
        for column in stage.needs:
            if column in givers:
                yield from _leak(who, stage, column, givers[column])
            elif column != "gold":
                has = _listing(givers) or "no earlier stage produces any"
                yield f"{who} needs column {column!r}, which no earlier stage produces; {has}"
        for column in stage.gives:
            if column in givers and column not in stage.needs:  # else it is an improved column
                first = givers[column].name
                yield f"{who} produces column {column!r}, which stage {first!r} already produces"
            givers[column] = stage


def _leak(who: str, stage: Stage, column: str, giver: Stage) -> Iterator[str]:
    if giver.learns is Learns.TUNE and stage.learns in (Learns.TRAIN, Learns.TEXTS):
        yield (
            f"{who} learns on TRAIN and needs column {column!r}, which stage {giver.name!r} "
            "learns on TUNE; TUNE is only for calibration and thresholds, after TRAIN"
        )


def _wants_gold(stage: Stage) -> bool:
    """Return whether `apply` expects a labelled view."""
    parameters = list(inspect.signature(type(stage).apply).parameters.values())[1:]
    return any(each.annotation in (Labelled, "Labelled") for each in parameters)


def _listing(givers: Mapping[str, Stage]) -> str:
    return ", ".join(f"{stage.name} gives {column}" for column, stage in givers.items())
