"""ROC and precision–recall curves of the gate, with pointwise bands from draws of posts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assay.contracts.load import DEFAULT
from assay.contracts.load import contract as load_contract
from assay.contracts.model import Contract
from assay.data.corpus import Corpus
from assay.data.model import Cases, Floats
from assay.errors import InputError
from assay.evaluation.inputs import answered
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.resample import Strata, draws
from assay.evaluation.units import Block
from assay.kernels.binary import Presorted
from assay.metrics.decision import label

if TYPE_CHECKING:
    from assay.evaluation.inputs import Answers

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
    predictions: Answers,
    corpus: Corpus | str | Path | None = None,
    *,
    contract: Contract | str | Path = DEFAULT,
    bootstrap: Bootstrap | None = None,
) -> Curves:
    """Curves over all queries at once, whether there are folds or not.

    With `bootstrap` they get bands, at 201 FPRs and at 200 recalls. A curve is a step function
    there, as in tpr_at_fpr: the TPR at x is the highest whose FPR is at most x, the precision at x
    is that of the largest threshold whose recall is at least x. Posts are drawn within folds.
    """
    rules = load_contract(contract)
    return curves_of(answered(predictions, corpus, rules.rules).cases, bootstrap)


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
