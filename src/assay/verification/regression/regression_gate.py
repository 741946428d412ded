"""`regression_gate`: is a new bundle better, not worse or worse than an old one, measure by measure?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from assay.errors import InputError, MeasureError, shown
from assay.evaluation.comparison.matched_systems import Matched
from assay.evaluation.comparison.one_sided_differences import one_sided_differences
from assay.evaluation.comparison.tested_family import family
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.intervals.resample import Strata
from assay.evaluation.result import Value
from assay.evaluation.scoring.score import score
from assay.metrics.core.entry import Metric, Scored
from assay.verification.regression.comparable_bundles import (
    comparable,
    refuse_other_answers,
    same_predictions,
)
from assay.verification.regression.margins import Margin, margins
from assay.verification.regression.regression_verdict import GuardedMeasure, RegressionVerdict
from assay.verification.regression.verdicts import SAME, Guarded, Judged, judge

ALPHA = 0.05


def regression_gate(
    new: str | Path,
    old: str | Path,
    *,
    allow: Mapping[str, Margin] | None = None,
    measures: Iterable[str] | None = None,
    alpha: float = ALPHA,
    resamples: int = 10_000,
    seed: int = 0,
) -> RegressionVerdict:
    """Compare a new bundle with an old one, paired by post, and judge every guarded measure.

    Parameters
    ----------
    new, old
        Folders of two bundles with the same contract, queries, gold, posts and folds.
    allow
        How much worse a measure may get: a change for the worse, such as ``{"ndcg@10": -0.01}`` or
        ``{"ece": "+0.01"}``, or its size (0.01). Measures that are not named may not get worse at all.
    measures
        Further measures to guard. Without `allow` and `measures`, those that `compare` tests.
    alpha
        One-sided level of each claim.
    resamples, seed
        Of the bootstrap over posts.

    Returns
    -------
    RegressionVerdict
        With ``.verdict`` (better, not worse, worse or undecided), ``.reason``, ``.ok``,
        ``.to_dict()``, and one entry per measure.

    Raises
    ------
    InputError
        If the bundles cannot be compared, with everything that differs, or if a margin is wrong.
    MeasureError
        If a measure does not exist, or none can be compared.

    References
    ----------
    Non-inferiority by one-sided bounds of a paired difference with posts as clusters:
    docs/statistics.md, "Regression gate".

    Examples
    --------
    >>> import assay
    >>> inputs = assay.example_path("predictions"), assay.example_path("corpus")
    >>> bundle = assay.evaluate(*inputs).save("guarded")
    >>> assay.regression_gate(bundle, bundle, allow={"ndcg@10": -0.01}).verdict
    'not worse'

    """
    if not 0 < alpha < 0.5:
        raise InputError.of("`alpha`", f"is {shown(alpha)}", "expected a level in (0, 0.5)")
    plan = Bootstrap(resamples, seed)
    paths = Path(old), Path(new)
    same = comparable(*paths)
    metrics, absent, allowed = _guarded(same, allow or {}, measures)
    wanted = margins(metrics, allowed)
    refuse_other_answers(same, metrics)
    values, found = _judged(same, metrics, wanted, plan, alpha)
    cases = same.systems[0].cases
    posts, folds = cases.groupings.get("post_id"), cases.groupings.get("fold")
    return RegressionVerdict(
        new=paths[1].name,
        old=paths[0].name,
        contract=same.systems[0].contract.id,
        queries=len(cases),
        posts=len(cases) if posts is None else len(posts.labels),
        folds=0 if folds is None else len(folds.labels),
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        measures=tuple(
            _measure(a, b, wanted[a.name], each) for (a, b), each in zip(values, found, strict=True)
        ),
        absent=absent,
    )


def _guarded(
    same: Matched, allow: Mapping[str, Margin], measures: Iterable[str] | None
) -> tuple[dict[str, Metric], dict[str, str], dict[str, Margin]]:
    """Return the measures to guard, each once, those that cannot be, and the margins by the same names.

    A measure with a margin must be there: a guard that is skipped silently guards nothing.
    """
    contract = same.systems[0].contract
    names: dict[str, str] = {}  # definition id to the first name that was given
    allowed: dict[str, Margin] = {}
    for name in [*allow, *(measures or ())]:
        first = names.setdefault(contract.resolve(name).id, name)
        if name in allow:
            if first in allowed:
                problem = f"{first} and {name} are the same measure"
                raise InputError.of("`allow`", problem, "expected one margin per measure")
            allowed[first] = allow[name]
    metrics, absent = family(same.systems, list(names.values()) or None)
    missing = [name for name in names.values() if name in absent]
    if missing:
        name = missing[0]
        raise MeasureError(f"{name} cannot be guarded: {absent[name]}")
    directed = {name: each for name, each in metrics.items() if names or each.better != "neither"}
    return directed, absent, allowed


def _judged(
    same: Matched, metrics: Mapping[str, Metric], wanted: Mapping[str, float], plan: Bootstrap, alpha: float
) -> tuple[list[tuple[Value, Value]], list[Judged]]:
    """Return the values of both systems and the verdict on each measure."""
    first, second = same.systems
    folds, aggregate = first.cases.groupings.get("fold"), first.contract.aggregate
    values, pairs = [], []
    for name, metric in metrics.items():
        scored = [Scored.of(metric, system.cases) for system in (first, second)]
        role = first.contract.role(name)
        a, b = (score(each, name, folds, aggregate, None, role) for each in scored)
        values.append((a, b))
        pairs.append((scored[0], scored[1], a.aggregate == "fold_mean"))
    if same_predictions(same):
        return values, [SAME] * len(values)
    found = one_sided_differences(pairs, Strata.of(first.cases, plan.unit), plan)
    guarded = []
    for (name, metric), each in zip(metrics.items(), found, strict=True):
        gain = each if each is None or metric.better == "higher" else each.flipped()
        guarded.append(Guarded(gain, wanted[name]))
    return values, judge(guarded, alpha)


def _measure(old: Value, new: Value, margin: float, found: Judged) -> GuardedMeasure:
    low, high = found.low, found.high
    if old.better == "lower":
        low, high = (None if each is None else 0.0 - each for each in (high, low))  # no −0
    return GuardedMeasure(
        name=old.name,
        definition=old.definition,
        better=old.better,
        population=old.population,
        n=old.n,
        aggregate=old.aggregate,
        old=old.value,
        new=new.value,
        difference=new.value - old.value,
        low=low,
        high=high,
        margin=margin,
        p_not_worse=found.p_not_worse,
        p_better=found.p_better,
        p_worse=found.p_worse,
        verdict=found.verdict,
        reason=found.reason,
    )
