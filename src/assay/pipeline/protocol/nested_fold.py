"""One outer fold: TRAIN teaches, TUNE calibrates, EVAL is predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from assay.array_types import Floats, Ints
from assay.data.splits import folds
from assay.errors import InputError, shown
from assay.pipeline.custom.stage_calls import applied, described, fitted, renewed
from assay.pipeline.explanations.explanation import ExplainsWords
from assay.pipeline.protocol.free_memory import release_memory
from assay.pipeline.protocol.stage_cache import Cache, digest, digest_array
from assay.pipeline.stage import Learns, Pipeline, Stage
from assay.pipeline.view_layout import Taken
from assay.pipeline.views import Labelled, Unlabelled

PARTS = ("train", "tune", "eval")


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The posts of an outer fold in three parts; gold of EVAL is not among them.

    `facts` identifies the texts and posts, so that a result is cached under what it depends on.
    """

    train: Labelled
    tune: Labelled
    eval: Unlabelled
    facts: Any

    def __post_init__(self) -> None:
        names = [self.train.view.posts, self.tune.view.posts, self.eval.posts]
        for at, other in ((0, 1), (0, 2), (1, 2)):
            shared = sorted(set(names[at]) & set(names[other]))
            if shared:
                problem = f"post {shown(shared[0])} is in {PARTS[at]} and in {PARTS[other]}"
                raise InputError.of("parts", problem, "expected it in one part only")


@dataclass(frozen=True, slots=True)
class Crossfit:
    """How TRAIN is split for cross-fitting, and the seed of the split."""

    parts: int = 5
    seed: int = 0

    def numbers(self, train: Labelled) -> Ints:
        """Return the inner fold of each post."""
        posts = train.view.posts
        inner = folds(posts, min(self.parts, len(posts)), self.seed)
        return np.array([inner[post] for post in posts])


def taught_parts(train: Labelled, plan: Crossfit) -> Iterator[Labelled]:
    """Yield the part of TRAIN that each cross-fitted copy of a stage learns from."""
    number = plan.numbers(train)
    for fold in range(int(number.max()) + 1):
        yield train.take(np.flatnonzero(number != fold))


def run_fold(
    pipeline: Pipeline,
    parts: Parts,
    plan: Crossfit,
    cache: Cache,
    done: Callable[[str], None] = lambda _: None,
) -> tuple[Unlabelled, Unlabelled]:
    """Return TUNE and EVAL with every column of the pipeline. `done` is called after each stage."""
    _, tune, evaluated = run_parts(pipeline, parts, plan, cache, done)
    return tune, evaluated


def run_parts(
    pipeline: Pipeline,
    parts: Parts,
    plan: Crossfit,
    cache: Cache,
    done: Callable[[str], None] = lambda _: None,
    *,
    explain: Callable[[Work, Unlabelled], None] | None = None,
) -> tuple[Unlabelled, Unlabelled, Unlabelled]:
    """Return the same with TRAIN, whose columns are cross-fitted.

    `explain` is called after each stage that can explain its output, with the fitted stages and EVAL.

    A result is cached under what it depends on: the stage, the stages that produce its columns,
    the posts, and the gold they learned from. So pipelines that share stages share their results.
    """
    train, tune, evaluated = parts.train, parts.tune, parts.eval
    shared = {"parts": parts.facts, "crossfit": plan.parts, "seed": plan.seed}
    gold = {
        Learns.TRAIN: [digest_array(train.gold), digest_array(train.known)],
        Learns.TUNE: [digest_array(tune.gold), digest_array(tune.known)],
    }
    origin: dict[str, Any] = {}  # for each column, the hash of the facts behind it
    for stage in pipeline:
        facts = {
            "shared": shared,
            "stage": described(stage),
            "gold": gold.get(stage.learns),
            "from": {name: origin[name] for name in stage.needs},
        }
        origin |= dict.fromkeys(stage.gives, digest(facts))
        keeps = explain is not None and explains(stage)
        work = Work(stage, train, tune, evaluated, plan, digest(facts), keeps=keeps)
        made = cache.get(facts, work.columns)
        views = {part: _columns(made, part) for part in PARTS}
        train = Labelled(train.view.with_columns(views["train"]), train.gold, train.known)
        tune = Labelled(tune.view.with_columns(views["tune"]), tune.gold, tune.known)
        evaluated = evaluated.with_columns(views["eval"])
        if stage.ranks is not None:
            evaluated = replace(evaluated, ranked_by=stage.ranks)
        if explain is not None and keeps:
            explain(work, evaluated)
        done(stage.name)
    return train.view, tune.view, evaluated


def _columns(made: Any, part: str) -> dict[str, Floats]:
    return {name.partition(".")[2]: values for name, values in made.items() if name.partition(".")[0] == part}


@dataclass(frozen=True, slots=True)
class Work:
    """A stage with the views it is fitted on and applied to, and the fitted copies if it keeps them.

    `facts` is the hash of everything that its result depends on.
    """

    stage: Stage
    train: Labelled
    tune: Labelled
    evaluated: Unlabelled
    plan: Crossfit
    facts: str
    keeps: bool = False
    fitted: list[Stage] = field(default_factory=list)

    def copies(self) -> list[Stage]:
        """Return the fitted stages, several if it is cross-fitted."""
        if not self.fitted:  # its columns came from the cache
            self.columns()
        return self.fitted

    def columns(self) -> dict[str, Floats]:
        """Return the columns of all parts, each named by its part."""
        if self.stage.learns is Learns.TRAIN:
            return self._crossfitted()
        stage = renewed(self.stage)
        if stage.learns is Learns.TEXTS:
            fitted(stage, self.train.view)
        elif stage.learns is Learns.TUNE:
            fitted(stage, self.tune)
        self._kept(stage)
        views = {"train": self.train.view, "tune": self.tune.view, "eval": self.evaluated}
        return {
            f"{part}.{name}": values
            for part, view in views.items()
            for name, values in applied(stage, view).items()
        }

    def _crossfitted(self) -> dict[str, Floats]:
        """Predict TRAIN posts with the stage that did not learn from them; TUNE, EVAL with all.

        The mean of the stages is what a later stage sees on new posts: it is smoother than any
        single stage, and no further fit is needed.
        """
        train = self.train
        number = self.plan.numbers(train)
        count = int(number.max()) + 1
        outside = {"tune": self.tune.view, "eval": self.evaluated}
        out: dict[str, Floats] = {}
        pieces: dict[str, list[Floats]] = {}
        for fold, taught in enumerate(taught_parts(train.only(self.stage.needs), self.plan)):
            stage = renewed(self.stage)
            fitted(stage, taught)
            release_memory()
            for part, view in outside.items():
                for name, values in applied(stage, view).items():
                    key = f"{part}.{name}"
                    out[key] = out.get(key, 0.0) + values / count
            held = train.view.only(stage.needs).take(np.flatnonzero(number == fold))
            for name, values in applied(stage, held).items():
                pieces.setdefault(name, []).append(values)
            self._kept(stage)
        posts = np.concatenate([np.flatnonzero(number == fold) for fold in range(count)])
        taken = train.view.layout.taken(posts)
        return out | {f"train.{name}": _placed(each, taken) for name, each in pieces.items()}

    def _kept(self, stage: Stage) -> None:
        if self.keeps:
            self.fitted.append(stage.to_explain() if isinstance(stage, ExplainsWords) else stage)


def explains(stage: Stage) -> bool:
    """Return whether a stage can explain its output."""
    return type(stage).explain is not Stage.explain or isinstance(stage, ExplainsWords)


def _placed(pieces: list[Floats], taken: Taken) -> Floats:
    """Return the pieces in the order of the pairs, or of the queries."""
    joined = np.concatenate(pieces)
    out = np.empty_like(joined)
    out[taken.pairs if len(joined) == len(taken.pairs) else taken.queries] = joined
    return out
