"""ROC and precision–recall curves of the gate, with pointwise bands from draws of posts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assay.array_types import Floats
from assay.contracts.contract import Contract
from assay.contracts.contract_toml import DEFAULT
from assay.contracts.contract_toml import contract as load_contract
from assay.data.cases import Cases
from assay.data.corpus import Corpus
from assay.errors import InputError
from assay.evaluation.inputs.align_input import align_input
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.intervals.measures_by_post import Block
from assay.evaluation.intervals.resample import Strata, draws
from assay.metrics.core.decisions import label
from assay.metrics.core.ranked_steps import Presorted

if TYPE_CHECKING:
    from assay.evaluation.inputs.align_input import Input

GRID = 200
"""Parts that the x axis of a band is cut into."""


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Pointwise quantiles of the curves of the resamples, at each x."""

    x: Floats
    low: Floats
    high: Floats
    level: float
    unit: str  # post or query
    resamples: int
    left_out: int  # resamples that lacked a class: they have no curve


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One point a distinct probability, highest first: what holds when p ≥ threshold decides."""

    x: Floats
    y: Floats
    threshold: Floats
    band: Band | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """ROC: FPR and TPR, from (0, 0) at an infinite threshold. PR: recall and precision."""

    roc: Curve
    pr: Curve
    positives: int
    negatives: int


def curves(
    predictions: Input,
    corpus: Corpus | str | Path | None = None,
    *,
    contract: Contract | str | Path = DEFAULT,
    bootstrap: Bootstrap | None = None,
) -> Curves:
    """Return the ROC and precision–recall curves over all queries, also where there are folds.

    Parameters
    ----------
    predictions, corpus
        A system with probabilities, as `evaluate` takes it.
    contract
        The contract whose rules determine the queries.
    bootstrap
        How to make bands around the curves; without it there are none. Bands are computed at 201
        false positive rates and 200 recalls. Posts are drawn within folds.

    Returns
    -------
    Curves
        Both curves as steps: the TPR at x is the highest whose FPR is at most x, and the precision
        at x that of the largest threshold whose recall is at least x.

    Raises
    ------
    InputError
        If there are no probabilities, or all queries have the same label.

    Examples
    --------
    >>> curves = assay.curves(assay.example_path("predictions"), assay.example_path("corpus"))
    >>> curves.positives, curves.negatives
    (13, 23)
    >>> float(curves.roc.y[-1])
    1.0

    """
    from assay.evaluation.inputs.accepted_inputs import Beside, accepted_input

    rules = load_contract(contract).ranking
    given, asked = accepted_input(predictions, corpus, Beside())
    return curves_of(align_input(given, asked, rules).cases, bootstrap)


def curves_of(cases: Cases, plan: Bootstrap | None = None) -> Curves:
    """Curves of aligned cases."""
    if cases.prob is None:
        problem = "the system gave no decisions"
        raise InputError.of("curves", problem, "expected a probability for each query")
    y = label(cases)
    positives = int(y.sum())
    negatives = len(y) - positives
    if not positives or not negatives:
        problem = f"there are {positives} queries with evidence and {negatives} without"
        raise InputError.of("curves", problem, "expected both kinds")
    order = np.argsort(-cases.prob, kind="stable")
    ranked = cases.prob[order]
    ends = np.flatnonzero(np.diff(ranked, append=-np.inf))
    hits = np.cumsum(y[order])[ends]
    listed = ends + 1.0
    roc, pr = (None, None) if plan is None else _bands(cases, cases.prob, y, plan)
    zero = np.zeros(1)
    return Curves(
        roc=Curve(
            np.concatenate((zero, (listed - hits) / negatives)),
            np.concatenate((zero, hits / positives)),
            np.concatenate(([np.inf], ranked[ends])),
            roc,
        ),
        pr=Curve(hits / positives, hits / listed, ranked[ends], pr),
        positives=positives,
        negatives=negatives,
    )


def _bands(cases: Cases, prob: Floats, y: Floats, plan: Bootstrap) -> tuple[Band | None, ...]:
    strata = Strata.of(cases, plan.unit)
    order = Presorted.of(prob, y).through(strata.unit)
    steps = np.arange(GRID + 1)
    tpr, precision = [], []
    for counts in draws(strata, plan.resamples, plan.seed):
        found = order.steps(Block.of(counts).by_unit)
        hits, alarms = np.ascontiguousarray(found.hits.T), np.ascontiguousarray(found.alarms.T)
        for row in np.flatnonzero((found.positives > 0) & (found.negatives > 0)):
            p, n = int(found.positives[row]), int(found.negatives[row])
            # whole numbers: no rounding decides on which side of x a point lies
            within = np.searchsorted(alarms[row], steps * n // GRID, side="right")
            tpr.append(np.concatenate(([0], hits[row]))[within] / p)
            first = np.searchsorted(hits[row], -(-steps[1:] * p // GRID), side="left")
            precision.append(hits[row][first] / (hits[row] + alarms[row])[first])
    return _band(steps / GRID, tpr, plan), _band(steps[1:] / GRID, precision, plan)


def _band(x: Floats, drawn: list[Floats], plan: Bootstrap) -> Band | None:
    """None where no resample has both classes."""
    if not drawn:
        return None
    tail = (1 - plan.level) / 2
    low, high = np.quantile(np.array(drawn), [tail, 1 - tail], axis=0)
    left_out = plan.resamples - len(drawn)
    return Band(x, low, high, plan.level, plan.unit, plan.resamples, left_out)
