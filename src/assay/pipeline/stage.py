"""`Stage`, one step of a pipeline, and `Pipeline`, stages that fit together."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.array_types import Ints
from assay.errors import CompositionError
from assay.pipeline.explanations.explanation import Explanation
from assay.pipeline.settings import Settings
from assay.pipeline.stage_declaration import Learns, declaration_problems, name_problems
from assay.pipeline.views import Columns, Labelled, Unlabelled

__all__ = ["Learns", "Pipeline", "Stage"]


class Stage(ABC):
    """A step of a pipeline: declared columns in, declared columns out.

    `fit` learns (by default nothing) and `apply` returns the columns. `apply` gets an unlabelled
    view with exactly the columns in `needs`; `fit` gets a labelled one, or an unlabelled one if it
    learns from texts only. `explain` is optional: it names the features behind the output.
    docs/pipeline.md describes how to write one.

    Attributes
    ----------
    name
        The name in messages, and of the settings table in a configuration.
    needs
        The columns that it reads.
    gives
        The columns that `apply` returns, with one float per pair or one per query.
    learns
        What `fit` gets: a member of `Learns`.
    ranks
        The column in `gives` that ranks the candidates. The last stage with one decides the order.
    settings_type
        The class of its settings.
    reads
        Whether it reads texts, with `view.texts()`.

    Examples
    --------
    >>> import numpy as np
    >>> class Length(assay.Stage):
    ...     name = "length"
    ...     gives = ("words",)
    ...     reads = True
    ...
    ...     def apply(self, view):
    ...         _, sentences = view.texts()
    ...         return {"words": np.array([float(len(each.split())) for each in sentences])}
    >>> assay.Pipeline((Length(),)).names()
    'length'

    """

    name: ClassVar[str]
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    learns: ClassVar[Learns] = Learns.NOTHING
    ranks: ClassVar[str | None] = None
    settings_type: ClassVar[type[Settings]] = Settings
    reads: ClassVar[bool] = False
    compares_words: ClassVar[bool] = False
    by_post: ClassVar[bool] = False  # `apply` and `explain` treat every post by itself

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

    def explain(self, view: Unlabelled, top: Ints) -> tuple[Explanation, ...]:
        """Return how much each feature contributes to the output; by default nothing.

        Called after `fit`, with the same kind of view as `apply`. `top` has the number of the pair
        of each query that is ranked first: by this stage if it ranks, else by the last that did.
        """
        return ()

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
    """Stages in order. Creating one checks that they fit together.

    Attributes
    ----------
    stages
        The stages; `first >> second` creates a pipeline too.

    Raises
    ------
    CompositionError
        With everything that is wrong, such as a column that no earlier stage produces.

    Examples
    --------
    >>> import numpy as np
    >>> class Even(assay.Stage):
    ...     name, gives = "even", ("same",)
    ...
    ...     def apply(self, view):
    ...         return {"same": np.zeros(view.pairs)}
    >>> class Twice(assay.Stage):
    ...     name, needs, gives = "twice", ("same",), ("double",)
    ...
    ...     def apply(self, view):
    ...         return {"double": 2 * view.column("same")}
    >>> (Even() >> Twice()).names()
    'even >> twice'

    """

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
    """Yield everything that is wrong with a sequence of stages."""
    undeclared = [
        f"stage {type(stage).__qualname__} {problem}"
        for stage in stages
        for problem in (*name_problems(type(stage)), *declaration_problems(stage))
    ]
    if undeclared:  # what they declare is unknown, so nothing more can be checked
        yield from undeclared
        return
    chain = " >> ".join(stage.name for stage in stages)
    givers: dict[str, Stage] = {}
    kinds: dict[str, type[Stage]] = {}
    for stage in stages:
        who = f"{chain}: stage {stage.name!r}"
        if kinds.setdefault(stage.name, type(stage)) is not type(stage):
            yield f"{who}: two kinds of stages have this name; rename one of them"
        if "gold" in stage.needs or _wants_gold(stage):
            yield f"{who} asks for gold in apply, but only fit may see gold"
        yield from _fit_problem(who, stage)
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


def _fit_problem(who: str, stage: Stage) -> Iterator[str]:
    """Yield a `fit` that would never be called, and one that is missing."""
    fits = type(stage).fit is not Stage.fit
    if fits and stage.learns is Learns.NOTHING:
        yield f"{who} has a fit but learns nothing; add learns = Learns.TRAIN"
    elif not fits and stage.learns is not Learns.NOTHING:
        yield f"{who} learns on {stage.learns.value} but has no fit"


def _leak(who: str, stage: Stage, column: str, giver: Stage) -> Iterator[str]:
    if giver.learns is Learns.TUNE and stage.learns in (Learns.TRAIN, Learns.TEXTS):
        yield (
            f"{who} learns on TRAIN and needs column {column!r}, which stage {giver.name!r} "
            "learns on TUNE; TUNE is only for calibration and thresholds, after TRAIN"
        )


def _wants_gold(stage: Stage) -> bool:
    """Return whether `apply` expects a labelled view."""
    parameters = list(inspect.signature(type(stage).apply).parameters.values())[1:]
    return any(
        each.annotation is Labelled or str(each.annotation).rpartition(".")[2] == "Labelled"
        for each in parameters
    )


def _listing(givers: Mapping[str, Stage]) -> str:
    return ", ".join(f"{stage.name} gives {column}" for column, stage in givers.items())
