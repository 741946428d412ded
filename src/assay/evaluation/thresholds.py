"""Thresholds chosen on TUNE: each remembers who chose it, and refuses the posts that did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.data.arrays import float_array
from assay.data.model import Bools, Cases, Floats, Grouping
from assay.errors import InputError, shown
from assay.kernels import operating as kernel
from assay.kernels.beta import units_needed
from assay.metrics.rules import Rule

if TYPE_CHECKING:
    from assay.data.tuning import Tune

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
        """Plain values for JSON: the number of posts, not their names; null for infinite."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return values | {
            "value": None if isinf(self.value) else self.value,
            "posts": len(self.posts),
        }

    def decide(self, prob: ArrayLike, posts: Iterable[str], fold: str | None = None) -> Bools:
        """Which probabilities reach it (p ≥ t); posts that chose it are refused.

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
    clean: bool = True,
) -> Threshold:
    """The threshold that a rule chooses on TUNE queries.

    Rules: `fpr_0.05`, `sensitivity_0.995`, `precision_0.9`, `conformal_0.95`, `f1`. Without
    `posts` each query is a unit of its own. `clean` says that TUNE was used for nothing else:
    where it was (for calibration, to stop training), nothing is called certified.

    >>> choose_threshold([0.1, 0.4, 0.8, 0.9], [0, 0, 1, 1], "f1").value
    0.8
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
    from assay.data.tuning import Tune  # noqa: PLC0415 # who evaluates a run needs none

    tune = Tune("TUNE", probs, labels, Grouping(codes, tuple(unique)), None)
    chosen = _choose(Rule.of(rule), tune, np.ones(len(probs), dtype=bool), fold, confidence)
    return _settled(chosen, clean=clean)


def with_thresholds(
    cases: Cases,
    tune: Tune,
    rules: Iterable[str],
    *,
    deployment: str | None,
    confidence: float,
    clean: bool,
) -> tuple[Cases, tuple[Threshold, ...]]:
    """The cases with one threshold a query for every rule, and the thresholds themselves."""
    posts = cases.groupings.get("post_id")
    made: list[Threshold] = []
    values: dict[str, Floats] = {}
    parts = _parts(cases, tune)
    for text in dict.fromkeys([*([deployment] if deployment else []), *rules]):
        column = np.empty(len(cases))
        for fold, queries, chosen_on in parts:
            chosen = _choose(Rule.of(text), tune, chosen_on, fold, confidence)
            if posts is not None:
                names = {posts.labels[code] for code in np.unique(posts.codes[queries])}
                check_disjoint(chosen, names, fold)
            column[queries] = chosen.value
            made.append(replace(_settled(chosen, clean=clean), deployment=text == deployment))
        values[text] = column
    if deployment:
        values["tune"] = values[deployment]
    return replace(cases, thresholds={**cases.thresholds, **values}), tuple(made)


def _parts(cases: Cases, tune: Tune) -> list[tuple[str | None, Bools, Bools]]:
    """Each outer fold with its EVAL queries and its TUNE queries; one part where TUNE has none."""
    folds = cases.groupings.get("fold")
    if tune.folds is None:
        return [(None, np.ones(len(cases), dtype=bool), np.ones(len(tune), dtype=bool))]
    if folds is None:
        raise InputError.of(tune.source, "has folds", "the queries that are scored have none")
    known: Mapping[str, int] = {name: code for code, name in enumerate(folds.labels)}
    for name in tune.folds.labels:
        if name not in known:
            expected = f"expected one of {', '.join(folds.labels[:12])}"
            raise InputError.of(tune.source, f"has fold {shown(name)}", expected)
    parts: list[tuple[str | None, Bools, Bools]] = []
    for name, code in known.items():
        if name not in tune.folds.labels:
            problem = f"has no query of fold {shown(name)}"
            raise InputError.of(tune.source, problem, "expected TUNE queries for every fold")
        mine = tune.folds.codes == tune.folds.labels.index(name)
        parts.append((name, folds.codes == code, mine))
    return parts


def _choose(
    rule: Rule, tune: Tune, inside: Bools, fold: str | None, confidence: float
) -> Threshold:
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
    rule: Rule, choice: kernel.Choice, positives: int, confidence: float, *, certified: bool | None
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


def _settled(threshold: Threshold, *, clean: bool) -> Threshold:
    """Without a claim where TUNE was used for more than thresholds."""
    if clean or threshold.certified is None:
        return threshold
    note = "not certified: TUNE was used for more than thresholds"
    return replace(threshold, certified=False, note=note)
