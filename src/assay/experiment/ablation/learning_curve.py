"""Quality against the number of TRAIN posts: would more annotation help?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from assay.contracts.contract_toml import contract
from assay.data.corpus import Corpus, read_corpus
from assay.data.predictions import Predictions
from assay.errors import InputError, MeasureError
from assay.evaluation.comparison.compare import compare
from assay.evaluation.comparison.comparison_result import Difference
from assay.evaluation.evaluate import evaluate
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.result import Result, bounds
from assay.experiment.ablation.steps import predictions_of
from assay.experiment.spark_folds import compute_on_engine
from assay.experiment.state_thresholds import choose
from assay.pipeline.protocol.fold_parts import check_excluded, eval_folds, outer_folds, post_parts
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan, pipeline_of, read_plan

MEASURES = ("ndcg@10", "auroc", "evidence_recall")
EIGHTHS = (1, 2, 4, 6)
"""Default sizes, in eighths of TRAIN; the whole of TRAIN comes last."""

CHANGE = {
    "measure": pl.String,
    "from_posts": pl.Int64,
    "to_posts": pl.Int64,
    **dict.fromkeys(("difference", "low", "high", "p"), pl.Float64),
}


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """One row per number of TRAIN posts, and the change between the last two."""

    sizes: pl.DataFrame
    changes: pl.DataFrame
    sentences: tuple[str, ...]
    document: dict[str, Any]


def learning_curve(
    plan: Plan | str | Path,
    cache: str | Path,
    *,
    sizes: Sequence[int] = (),
    processes: int | None = None,
    engine: Any = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> LearningCurve:
    """Measure quality against the number of TRAIN posts.

    In each outer fold the pipeline learns from some TRAIN posts, drawn with the seed so that fewer
    are a subset of more. TUNE and EVAL do not change, and settings are not searched.

    Parameters
    ----------
    plan
        A configuration file, or what `read_plan` returns.
    cache
        The folder for finished stages; an interrupted call resumes.
    sizes
        Numbers of TRAIN posts per fold; the whole of TRAIN is added. By default 1/8, 1/4, 1/2, 3/4.
    processes
        How many folds to work on at the same time, one process each; by default as in `run`.
    engine
        Where folds are computed, as in `run`; all configurations at once if it is Spark.
    progress
        Called with what is done, how much of it, and the total.

    Returns
    -------
    LearningCurve
        nDCG@10, AUROC and evidence recall per size with 95% intervals by post, the paired change
        between the last two sizes, and a sentence on each.

    Raises
    ------
    InputError, ContractError
        If the configuration, the corpus, the contract or the sizes are faulty.

    Examples
    --------
    docs/pipeline.md has the command, its table and its figure.

    """
    plan, cache = replace(read_plan(plan), search=None), Path(cache)
    corpus = read_corpus(plan.corpus)
    plans = curve_plans(plan, corpus, sizes)
    compute_on_engine(engine, list(plans.values()), corpus, cache, processes=processes)
    tried = list(plans)
    rows: list[dict[str, Any]] = []
    given: list[Predictions] = []
    for done, (size, made) in enumerate(plans.items(), start=1):
        answers = predict(made, corpus, choose, cache=cache, processes=processes)
        given = [*given[-1:], predictions_of(made, corpus, answers, f"{size} posts")]
        rows.append({"train_posts": size, **_values(_scored(made, corpus, given[-1]))})
        progress(f"{size} TRAIN posts", done, len(tried) + 1)
    changes = _changes(plan, corpus, given)
    progress("differences", len(tried) + 1, len(tried) + 1)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    steps = pl.DataFrame(
        [_change(each, tried[-2:]) for each in changes.values()], schema=CHANGE, orient="row"
    )
    said = tuple(sentence(each, *tried[-2:]) for each in changes.values())
    head = {"schema": "assay/learning-curve/1", "plan": plan.record()}
    tables = {"sizes": frame.to_dicts(), "changes": steps.to_dicts()}
    return LearningCurve(frame, steps, said, {**head, **tables, "sentences": list(said)})


def curve_plans(plan: Plan, corpus: Corpus, sizes: Sequence[int]) -> dict[int, Plan]:
    """Return the plan for each number of TRAIN posts; faults are reported before anything runs."""
    plan = replace(plan, search=None)
    contract(plan.contract)
    pipeline_of(plan, choose)
    check_excluded(corpus, plan)
    whole = _train_posts(plan, corpus)
    return {size: plan if size == whole else plan.changed(train_posts=size) for size in _sizes(sizes, whole)}


def _train_posts(plan: Plan, corpus: Corpus) -> int:
    """Return the number of TRAIN posts of the outer fold that has the fewest."""
    outer = outer_folds(corpus, plan)
    return min(len(post_parts(tuple(outer), outer, fold, plan)[0]) for fold in eval_folds(outer, plan))


def _sizes(given: Sequence[int], whole: int) -> list[int]:
    """Return the sizes in order, ending with the whole of TRAIN."""
    wrong = [size for size in given if not 2 <= size <= whole]
    if wrong:
        problem = f"is {', '.join(map(str, wrong))}"
        raise InputError.of("sizes", problem, f"expected numbers from 2 to {whole}, the posts of TRAIN")
    chosen = given or [whole * part // 8 for part in EIGHTHS]
    return sorted({size for size in chosen if size >= 2} | {whole})


def _scored(plan: Plan, corpus: Corpus, given: Predictions) -> Result:
    protocol = plan.protocol
    plans = Bootstrap(protocol.resamples, protocol.seed) if protocol.resamples else None
    return evaluate(given, corpus, contract=plan.contract, measures=MEASURES, bootstrap=plans)


def _values(result: Result) -> dict[str, float | None]:
    """Return each measure with the ends of its interval; null if it is absent."""
    out: dict[str, float | None] = {}
    for name in MEASURES:
        out |= {name: None, f"{name} low": None, f"{name} high": None}
        try:
            value = result[name]
        except MeasureError:
            continue
        ends = bounds(value)
        out[name] = value.value
        if ends is not None:
            out |= {f"{name} low": ends.low, f"{name} high": ends.high}
    return out


def _changes(plan: Plan, corpus: Corpus, last: Sequence[Predictions]) -> Mapping[str, Difference]:
    """Return the paired difference between the last two sizes; without resamples there is none."""
    if len(last) < 2 or not plan.protocol.resamples:
        return {}
    made = compare(
        *last,
        corpus=corpus,
        contract=plan.contract,
        measures=MEASURES,
        resamples=plan.protocol.resamples,
        seed=plan.protocol.seed,
    )
    return {each.name: each for each in made.differences}


def _change(each: Difference, sizes: Sequence[int]) -> tuple[Any, ...]:
    ends = (each.interval.low, each.interval.high)
    return (each.name, *sizes, each.difference, *ends, each.randomisation.p)


def sentence(each: Difference, before: int, after: int) -> str:
    """Say whether the last TRAIN posts raised a measure, and what this means for annotation."""
    low, high = each.interval.low, each.interval.high
    verb = "rose" if each.difference > 0 else "fell" if each.difference < 0 else "did not change"
    by = f" by {abs(each.difference):.4f}" if each.difference else ""
    verdict = "a fall: more posts of this kind do not help" if high < 0 else "no rise is shown"
    if low > 0:
        verdict = "more annotation probably helps"
    span = f"95% CI of the difference [{low:+.4f}, {high:+.4f}]"
    return f"From {before:,} to {after:,} TRAIN posts {each.name} {verb}{by} ({span}); {verdict}."
