"""What training on one criterion does to the other criteria: the pipeline with it and without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.contracts.contract import Contract
from assay.contracts.contract_toml import contract
from assay.data.corpus import Corpus, read_corpus
from assay.data.predictions import Predictions
from assay.errors import AssayError, InputError, MeasureError, shown
from assay.evaluation.comparison.compare import compare
from assay.evaluation.comparison.comparison_result import Difference
from assay.experiment.ablation.steps import predictions_of
from assay.experiment.spark_folds import compute_on_engine
from assay.experiment.state_thresholds import choose
from assay.pipeline.protocol.fold_parts import check_excluded
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan, pipeline_of, read_plan
from assay.statistics.multiple_testing import holm

MEASURES = ("ndcg@10", "auroc")
ALL = "all others"
PARTS = ("without", "with", "difference", "low", "high", "p", "holm")


@dataclass(frozen=True, slots=True)
class CriterionEffect:
    """The effect on all other criteria together, and on each of them, as a table and plain values."""

    criterion: str
    effects: pl.DataFrame
    document: dict[str, Any]


def criterion_effect(
    plan: Plan | str | Path,
    criterion: str,
    cache: str | Path,
    *,
    processes: int | None = None,
    engine: Any = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> CriterionEffect:
    """Measure what training on a criterion does to the others.

    The plan runs twice: with the criterion excluded from training, and with it. Both predict every
    query; only queries of the other criteria are compared, paired by query and resampled by post.

    Parameters
    ----------
    plan
        A configuration file, or what `read_plan` returns. Its other excluded criteria stay excluded.
    criterion
        The id of the criterion.
    cache
        The folder for finished stages; an interrupted call resumes.
    processes
        How many folds to work on at the same time, one process each; by default as in `run`.
    engine
        Where folds are computed, as in `run`; all configurations at once if it is Spark.
    progress
        Called with what is done, how much of it, and the total.

    Returns
    -------
    CriterionEffect
        One row for all other criteria, and one for each: nDCG@10 and AUROC without and with the
        criterion in training, the difference with its 95% interval, and p.

    Raises
    ------
    InputError, ContractError
        If the configuration, the corpus or the contract is faulty, or has no such criterion.

    Examples
    --------
    docs/pipeline.md has the command and its tables.

    """
    plan, cache = replace(read_plan(plan), search=None), Path(cache)
    base = contract(plan.contract)
    corpus = read_corpus(plan.corpus)
    plans = criterion_plans(plan, corpus, criterion)
    others = _others(plan, corpus, base, criterion)
    compute_on_engine(engine, list(plans.values()), corpus, cache, processes=processes)
    systems = {}
    for done, (name, made) in enumerate(plans.items(), start=1):
        answers = predict(made, corpus, choose, cache=cache, processes=processes)
        systems[name] = predictions_of(made, corpus, answers, f"{name} {criterion} in training")
        progress(f"{name} {criterion} in training", done, 3)
    rows = list(_rows(plan, corpus, base, others, systems))
    progress("differences", 3, 3)
    frame = pl.DataFrame(_adjusted(rows), infer_schema_length=None)
    made_of = {"schema": "assay/criterion-effect/1", "plan": plan.record(), "criterion": criterion}
    return CriterionEffect(criterion, frame, {**made_of, "effects": frame.to_dicts()})


def criterion_plans(plan: Plan, corpus: Corpus, criterion: str) -> dict[str, Plan]:
    """Return the plan without and with a criterion in training; faults are reported before it runs."""
    plan = replace(plan, search=None)
    pipeline_of(plan, choose)
    if not plan.protocol.resamples:
        raise InputError.of(f"{plan.source} [protocol]", "resamples is 0", "expected resamples for intervals")
    _others(plan, corpus, contract(plan.contract), criterion)
    rest = tuple(each for each in plan.protocol.exclude if each != criterion)
    plans = {"without": plan.changed(exclude=(*rest, criterion)), "with": plan.changed(exclude=rest)}
    for each in plans.values():
        check_excluded(corpus, each)
    return plans


def _others(plan: Plan, corpus: Corpus, base: Contract, criterion: str) -> list[str]:
    """Return the criteria that are compared: those of the corpus that the contract evaluates."""
    known = corpus.criteria.frame["criterion_id"].to_list()
    if criterion not in known:
        expected = f"expected one of {', '.join(known[:12])}"
        raise InputError.of(str(plan.corpus), f"has no criterion {shown(criterion)}", expected)
    others = [name for name in known if name != criterion and name not in base.ranking.exclude_criteria]
    if not others:
        raise InputError.of(str(plan.corpus), "has no other criterion", "expected at least two criteria")
    return others


def _rows(
    plan: Plan, corpus: Corpus, base: Contract, others: list[str], systems: Mapping[str, Predictions]
) -> Iterator[dict[str, Any]]:
    """Yield the effect on all other criteria, then on each of them."""
    known = corpus.criteria.frame["criterion_id"].to_list()
    groups = {ALL: others} | ({each: [each] for each in others} if len(others) > 1 else {})
    for name, kept in groups.items():
        left_out = tuple(each for each in known if each not in kept)
        ranking = replace(base.ranking, exclude_criteria=left_out)
        only = replace(base, id=f"some criteria of {base.id}", ranking=ranking)
        try:
            made = compare(
                systems["without"],
                systems["with"],
                corpus=corpus,
                contract=only,
                measures=MEASURES,
                resamples=plan.protocol.resamples,
                seed=plan.protocol.seed,
            )
        except (MeasureError, InputError) as error:
            yield {"criterion": name, **_cells({}), "absent": str(error)}
            continue
        found = {each.name: each for each in made.differences}
        reasons = "; ".join(f"{measure}: {why}" for measure, why in made.absent.items())
        yield {"criterion": name, **_cells(found), "absent": reasons}


def _cells(found: Mapping[str, Difference]) -> dict[str, float | None]:
    out: dict[str, float | None] = {}
    for measure in MEASURES:
        each = found.get(measure)
        values: tuple[float | None, ...] = (None,) * len(PARTS)
        if each is not None:
            ends, test = each.interval, each.randomisation
            head = (each.baseline_value, each.system_value, each.difference)
            values = (*head, ends.low, ends.high, test.p, test.holm)
        out |= {f"{measure} {part}": value for part, value in zip(PARTS, values, strict=True)}
    return out


def _adjusted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Adjust p of the single criteria by Holm over all of their tests; the first row has its own two."""
    if not rows:
        raise AssayError("an effect has at least one row")
    tests = [
        (at, name) for at in range(1, len(rows)) for name in MEASURES if rows[at][f"{name} p"] is not None
    ]
    adjusted = holm(np.array([rows[at][f"{name} p"] for at, name in tests])).tolist() if tests else []
    for (at, name), value in zip(tests, adjusted, strict=True):
        rows[at][f"{name} holm"] = value
    return rows
