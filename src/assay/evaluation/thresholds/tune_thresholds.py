"""Thresholds chosen on TUNE: each remembers who chose it, and refuses the posts that did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.array_types import Bools
from assay.data.arrays import float_array
from assay.data.cases import Grouping
from assay.data.tune_queries import Tune
from assay.errors import InputError, shown
from assay.evaluation.thresholds.threshold_rule import ThresholdRule
from assay.statistics import operating_points as kernel
from assay.statistics.exact_binomial import units_needed

CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold, the rule and the queries that chose it, and what it may claim.

    `certified` is None where the rule claims nothing. Infinite: no query is decided positive.
    """

    rule: str
    value: float
    fold: str | None  # the outer fold whose TUNE posts chose it
    queries: int
    positives: int
    units: float  # independent units behind the claim: Kish's effective number of posts
    reached: float  # on TUNE: the FPR, sensitivity, precision or F1 that the rule is about
    confidence: float | None
    certified: bool | None
    note: str
    deployment: bool = False
    posts: frozenset[str] = field(default=frozenset(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: the number of posts, not their names; null for infinite."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return values | {"value": None if isinf(self.value) else self.value, "posts": len(self.posts)}

    def decide(self, prob: ArrayLike, posts: Iterable[str], fold: str | None = None) -> Bools:
        """Return which probabilities reach it (p ≥ t); posts that chose it are refused.

        A threshold of an outer fold may meet its TUNE posts again in another fold, whose system
        is another one; in its own fold, or where folds are not named, it may not.
        """
        check_disjoint(self, posts, fold)
        return np.asarray(float_array(prob, "prob", "decide") >= self.value)


def check_disjoint(threshold: Threshold, posts: Iterable[str], fold: str | None) -> None:
    """Raise where a threshold would be applied to a post that chose it, within the same fold."""
    if threshold.fold is not None and fold is not None and fold != threshold.fold:
        return
    shared = sorted(threshold.posts.intersection(posts))
    if shared:
        where = "" if fold is None else f" of fold {shown(fold)}"
        many = f"{len(shared)} posts{where} are TUNE and EVAL at once, the first {shown(shared[0])}"
        one = f"post {shown(shared[0])}{where} is TUNE and EVAL at once"
        problem = one if len(shared) == 1 else many
        raise InputError.of("TUNE", problem, "a threshold must not meet the posts that chose it")


def choose_threshold(
    prob: ArrayLike,
    label: ArrayLike,
    rule: str,
    *,
    posts: Iterable[str] | None = None,
    fold: str | None = None,
    confidence: float = CONFIDENCE,
    tune_reused: bool = False,
) -> Threshold:
    """Choose a threshold on TUNE queries by a rule.

    Parameters
    ----------
    prob, label
        The probability and the label (1 for evidence) of each TUNE query.
    rule
        `f1`, or a rule with its number: `fpr_0.05`, `sensitivity_0.995`, `precision_0.9`,
        `conformal_0.95`.
    posts
        The post of each query. Without it each query is independent of the others.
    fold
        The outer fold that the TUNE queries belong to.
    confidence
        Confidence of a promised sensitivity or precision.
    tune_reused
        Set this if TUNE served another purpose too, such as calibration: then no threshold is
        called certified.

    Returns
    -------
    Threshold
        The threshold, what it reached on TUNE, and whether its promise is certified.

    Raises
    ------
    InputError
        If the arrays differ in length, or a probability is outside [0, 1].

    Examples
    --------
    >>> threshold = assay.choose_threshold([0.1, 0.4, 0.8, 0.9], [0, 0, 1, 1], "f1")
    >>> threshold.value
    0.8
    >>> threshold.decide([0.3, 0.85], posts=["new 1", "new 2"])
    array([False,  True])

    """
    probs = float_array(prob, "prob", "choose_threshold")
    labels = float_array(label, "label", "choose_threshold") == 1
    names = [f"row {at + 1}" for at in range(len(probs))] if posts is None else list(posts)
    if not len(probs) == len(labels) == len(names):
        problem = f"has {len(probs)} probabilities, {len(labels)} labels and {len(names)} posts"
        raise InputError.of("choose_threshold", problem, "expected as many of each")
    if not ((probs >= 0) & (probs <= 1)).all():
        raise InputError.of("choose_threshold", "prob leaves [0, 1]", "expected probabilities")
    unique = {name: code for code, name in enumerate(dict.fromkeys(names))}
    codes = np.array([unique[name] for name in names], dtype=np.int64)
    tune = Tune("TUNE", probs, labels, Grouping(codes, tuple(unique)), None)
    chosen = choose_on(ThresholdRule.of(rule), tune, np.ones(len(probs), dtype=bool), fold, confidence)
    return settled(chosen, tune_reused=tune_reused)


def choose_on(
    rule: ThresholdRule, tune: Tune, inside: Bools, fold: str | None, confidence: float
) -> Threshold:
    """Return the threshold that a rule chooses on the TUNE queries `inside`."""
    prob, label, posts = tune.prob[inside], tune.label[inside], tune.posts.codes[inside]
    target = float(rule.target or 0)
    if rule.kind == "fpr" and rule.target is not None:
        choice = kernel.within_budget(prob, label, rule.target)
    elif rule.kind == "f1":
        choice = kernel.best_f1(prob, label)
    elif rule.kind == "conformal" and rule.target is not None:
        choice = kernel.conformal(prob, label, posts, rule.target)
    elif rule.kind == "sensitivity":
        choice = kernel.sensitivity(prob, label, posts, target, confidence)
    else:
        choice = kernel.precision(prob, label, posts, target, confidence)
    positives = int(label.sum())
    certified = None if choice.confidence is None else choice.confidence >= confidence
    names = frozenset(tune.posts.labels[code] for code in np.unique(posts))
    return Threshold(
        rule=rule.text,
        value=choice.value,
        fold=fold,
        queries=len(prob),
        positives=positives,
        units=choice.units,
        reached=choice.reached,
        confidence=choice.confidence,
        certified=certified,
        note=_note(rule, choice, positives, confidence, certified=certified),
        posts=names,
    )


def _note(
    rule: ThresholdRule, choice: kernel.Choice, positives: int, confidence: float, *, certified: bool | None
) -> str:
    if certified is None:
        if isinf(choice.value):
            return "no threshold keeps the rule and finds anything: nothing is decided positive"
        if rule.kind != "conformal":
            return ""
        few = "too few posts for any miss: every query is decided positive"
        return few if choice.value == 0.0 else "in expectation, with no confidence"
    if certified:
        return f"certified at {confidence:.0%} confidence"
    best = f"best confidence {choice.confidence:.1%}"
    if rule.kind == "precision":
        return f"not certifiable: {best}"
    needed = units_needed(float(rule.target or 0), confidence)
    worth = f"{positives} positives worth {choice.units:.0f} of the {needed} needed"
    return f"not certifiable: {worth}, {best}"


def settled(threshold: Threshold, *, tune_reused: bool) -> Threshold:
    """Return the threshold, without its claim where TUNE was used for more than thresholds."""
    if not tune_reused or threshold.certified is None:
        return threshold
    note = "not certified: TUNE was used for more than thresholds"
    return replace(threshold, certified=False, note=note)
