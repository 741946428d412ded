"""Some folds of every configuration of an ablation, as jobs of a scheduler."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.data.corpus import read_corpus
from assay.errors import MissingExtraError
from assay.experiment.ablation.ablate import ablation_plans
from assay.experiment.ablation.criterion_effect import criterion_plans
from assay.experiment.ablation.learning_curve import curve_plans
from assay.experiment.run_folds import FoldProgress, computed
from assay.experiment.spark_folds import compute_on_engine
from assay.pipeline.protocol.outer_folds import check_folds
from assay.pipeline.run_config import Plan


def varied_plans(
    plan: Plan, *, criterion: str | None = None, sizes: Sequence[int] | None = None
) -> dict[str, Plan]:
    """Return the configurations of an ablation, by name.

    `criterion` asks for those with and without it in training, `sizes` for those of a learning
    curve (empty: the default sizes).
    """
    if criterion is not None:
        both = criterion_plans(plan, read_corpus(plan.corpus), criterion)
        return {f"{name} {criterion} in training": made for name, made in both.items()}
    if sizes is not None:
        curve = curve_plans(plan, read_corpus(plan.corpus), sizes)
        return {f"{size} TRAIN posts": made for size, made in curve.items()}
    return ablation_plans(plan)


def ablate_folds(
    plans: Mapping[str, Plan],
    cache: Path,
    folds: Sequence[str],
    *,
    processes: int | None = None,
    engine: Any = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> dict[str, FoldProgress]:
    """Compute some folds of each configuration into a cache, and return how far each is.

    A configuration whose extra is not installed is left out, as in the ablation itself.
    """
    corpus = read_corpus(next(iter(plans.values())).corpus)
    for plan in plans.values():
        check_folds(plan, corpus, folds)
    compute_on_engine(engine, list(plans.values()), corpus, cache, folds=folds, processes=processes)
    out = {}
    for done, (name, plan) in enumerate(plans.items(), start=1):
        try:
            out[name] = computed(plan, corpus, cache, folds, processes=processes)
        except MissingExtraError:
            continue
        progress(name, done, len(plans))
    return out
