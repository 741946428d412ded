"""Values of other packages on a case: what each of them calls the measure, and on which queries."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np
import pytrec_eval
import statsmodels.api as sm
import torch
from mapie.metrics.calibration import expected_calibration_error
from scipy import special, stats
from sklearn import metrics as sk
from torchmetrics.functional.classification import binary_calibration_error

from ..peers import definitions, peer
from .case import Case
from .evaluated import plain

Peer = Callable[[Case], float | None]
"""A value, or None where the package has none for this case."""

WRITTEN = tuple(
    f"probabilities: {kind}"
    for kind in ("one decimal", "two decimals", "votes of 25", "0, 0.5", "all equal", "random")
)
TREC = {text: name for name, text in definitions(1).items()}
"""Definitions per query, to pytrec_eval's names."""


def labels(case: Case) -> np.ndarray:
    return np.array([query.has_evidence for query in case.queries], dtype=int)


def probs(case: Case) -> np.ndarray:
    return np.array([query.prob for query in case.queries])


def _both(case: Case) -> bool:
    return 0 < int(labels(case).sum()) < len(case.queries)


def ranked(score: Callable[[np.ndarray, np.ndarray], float]) -> Peer:
    """Of label and probability, where both classes are there."""
    return lambda case: float(score(labels(case), probs(case))) if _both(case) else None


def decided(score: Callable[[np.ndarray, np.ndarray], float], at: float = 0.5) -> Peer:
    """Of label and decision."""

    def value(case: Case) -> float:
        return float(score(labels(case), (probs(case) >= at).astype(int)))

    return value


def cells(case: Case) -> tuple[int, int, int, int]:
    """True negatives, false positives, false negatives, true positives."""
    chosen = (probs(case) >= 0.5).astype(int)
    tn, fp, fn, tp = sk.confusion_matrix(labels(case), chosen, labels=[0, 1]).ravel()
    return int(tn), int(fp), int(fn), int(tp)


def at_budget(case: Case, budget: str) -> tuple[float, float] | None:
    """Highest TPR within the budget, and the FPR of the first point that reaches it."""
    if not _both(case):
        return None
    fpr, tpr, _ = sk.roc_curve(labels(case), probs(case), drop_intermediate=False)
    negatives = len(case.queries) - labels(case).sum()
    within = [
        at for at, each in enumerate(fpr) if round(each * negatives) <= Fraction(budget) * int(negatives)
    ]
    best = max(tpr[within])
    return float(best), float(min(fpr[at] for at in within if tpr[at] == best))


def _point(at: int) -> Peer:
    def value(case: Case) -> float | None:
        found = at_budget(case, "0.10")
        return None if found is None else found[at]

    return value


def pairs(score: Callable[[list[int], list[float]], float]) -> Peer:
    """Over (query, candidate) pairs."""

    def value(case: Case) -> float | None:
        rows = [(int(q.judged.get(item, 0) >= 1), s) for q in case.queries for item, s in q.candidates]
        truth = [y for y, _ in rows]
        return float(score(truth, [s for _, s in rows])) if 0 < sum(truth) < len(truth) else None

    return value


def highest(score: Callable[[list[int], list[float]], float]) -> Peer:
    """Of the highest score per query, over queries with candidates."""

    def value(case: Case) -> float | None:
        rows = [(int(q.has_evidence), max(s for _, s in q.candidates)) for q in case.queries if q.candidates]
        truth = [y for y, _ in rows]
        return float(score(truth, [s for _, s in rows])) if 0 < sum(truth) < len(truth) else None

    return value


def by_post(score: Callable[[np.ndarray, np.ndarray], float]) -> Peer:
    """Of matrices posts × criteria: evidence, and whether something was returned."""

    def value(case: Case) -> float:
        posts = list(dict.fromkeys(query.post for query in case.queries))
        shape = (len(posts), len(case.queries) // len(posts))
        truth = labels(case).reshape(shape)
        chosen = np.array([query.selected_k >= 1 for query in case.queries], dtype=int).reshape(shape)
        return float(score(truth, chosen))

    return value


def f1_of(average: str) -> Peer:
    return by_post(lambda y, d: sk.f1_score(y, d, average=average, zero_division=0))


def items(average: str, score: Callable[..., float]) -> Peer:
    """Of indicator matrices evidence queries × their items: gold, and returned."""

    def value(case: Case) -> float | None:
        asked = [query for query in case.queries if query.has_evidence]
        names = sorted({item for q in asked for item in (*q.judged, *(i for i, _ in q.candidates))})
        if len(names) < 2:
            return None  # for scikit-learn one column is not multilabel
        gold = np.array([[q.judged.get(name, 0) >= 1 for name in names] for q in asked], dtype=int)
        got = np.array([[name in q.ranked[: q.selected_k] for name in names] for q in asked], dtype=int)
        return float(score(gold, got, average=average, zero_division=0))

    return value


def fitted(slope: bool) -> Peer:
    """Of a binomial GLM on the logit, at most 10⁻⁶ from certain."""

    def value(case: Case) -> float | None:
        y, p = labels(case), np.clip(probs(case), 1e-6, 1 - 1e-6)
        x = special.logit(p)
        ones, zeros = x[y == 1], x[y == 0]
        if not len(ones) or not len(zeros):
            return None
        if slope and (ones.min() >= zeros.max() or zeros.min() >= ones.max()):
            return None
        design = sm.add_constant(x, has_constant="add") if slope else np.ones((len(x), 1))
        model = sm.GLM(y, design, family=sm.families.Binomial(), offset=None if slope else x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = model.fit(tol=1e-14, maxiter=300)
        converged = made.converged and np.abs(made.params).max() < 1e3
        return float(made.params[int(slope)]) if converged else None  # its steps are not bounded

    return value


def quantity(of: Callable[[np.ndarray], float]) -> Peer:
    """Of the selected K."""
    return lambda case: float(of(np.array([query.selected_k for query in case.queries])))


def geometric(case: Case, name: str) -> float:
    """SciPy's geometric mean of a measure of pytrec_eval, at least 10⁻⁵, over the queries of run and qrels."""
    grades, run = plain(case)
    found = pytrec_eval.RelevanceEvaluator(grades, {name}).evaluate(run)
    return float(stats.gmean([max(each[name], 1e-5) for each in found.values()]))


def without_zero(case: Case) -> Case | None:
    """Return the case that MAPIE bins as we do, or None.

    Its `num_bins=11` has the edges 0, 0.1, …, 1 as floats, (lo, hi], and a separate bin for 0:
    probabilities must be the decimals as written, or lie between edges, and above 0.
    """
    if not case.kind.startswith(WRITTEN):
        return None
    kept = tuple(query for query in case.queries if query.prob > 0)
    return replace(case, queries=kept) if kept else None


def between_edges(case: Case) -> Case | None:
    """Return the case without probabilities at an edge: torchmetrics has bins [lo, hi)."""
    kept = tuple(q for q in case.queries if abs(q.prob * 10 - round(q.prob * 10)) > 1e-9)
    return replace(case, queries=kept) if kept else None


def torch_error(case: Case, norm: Literal["l1", "l2"]) -> float:
    """The calibration error of torchmetrics with ten bins, in double precision."""
    made = binary_calibration_error(
        torch.tensor(probs(case), dtype=torch.float64), torch.tensor(labels(case)), 10, norm
    )
    return float(made)


def mapie_ece(case: Case) -> float:
    scored = expected_calibration_error(labels(case), probs(case), num_bins=11, split_strategy="uniform")
    return float(scored)


def _rate(hit: int, of: tuple[int, ...]) -> Peer:
    def value(case: Case) -> float:
        found = cells(case)
        below = sum(found[at] for at in of)
        return found[hit] / below if below else 0.0

    return value


TN, FP, FN, TP = range(4)
SCIKIT: Mapping[str, Peer] = {
    "auroc:on=all": ranked(sk.roc_auc_score),
    "auprc:on=all": ranked(sk.average_precision_score),
    "brier:on=all": lambda case: (
        float(np.mean((probs(case) - labels(case)) ** 2))
        if not _both(case)
        else float(sk.brier_score_loss(labels(case), probs(case)))
    ),
    "pair_auroc:rel=1,on=all": pairs(sk.roc_auc_score),
    "pair_auprc:rel=1,on=all": pairs(sk.average_precision_score),
    "score_auroc:on=predicted": highest(sk.roc_auc_score),
    "score_auprc:on=predicted": highest(sk.average_precision_score),
    "tpr_at_fpr@0.10:threshold=same,on=all": _point(0),
    "fpr_reached@0.10:threshold=same,on=all": _point(1),
    "tp:at=0.5,on=all": lambda case: float(cells(case)[TP]),
    "fp:at=0.5,on=all": lambda case: float(cells(case)[FP]),
    "tn:at=0.5,on=all": lambda case: float(cells(case)[TN]),
    "fn:at=0.5,on=all": lambda case: float(cells(case)[FN]),
    "sensitivity:at=0.5,on=all": decided(lambda y, d: sk.recall_score(y, d, zero_division=0)),
    "specificity:at=0.5,on=all": decided(lambda y, d: sk.recall_score(y, d, pos_label=0, zero_division=0)),
    "fpr:at=0.5,on=all": _rate(FP, (FP, TN)),
    "fnr:at=0.5,on=all": _rate(FN, (FN, TP)),
    "ppv:at=0.5,on=all": decided(lambda y, d: sk.precision_score(y, d, zero_division=0)),
    "npv:at=0.5,on=all": decided(lambda y, d: sk.precision_score(y, d, pos_label=0, zero_division=0)),
    "f1:at=0.5,on=all": decided(lambda y, d: sk.f1_score(y, d, zero_division=0)),
    "accuracy:at=0.5,on=all": decided(sk.accuracy_score),
    "mcc:at=0.5,on=all": decided(sk.matthews_corrcoef),
    "balanced_accuracy:at=0.5,on=all": lambda case: (
        decided(sk.balanced_accuracy_score)(case) if _both(case) else None
    ),
    "exact_match:at=returned,on=all": by_post(sk.accuracy_score),
    "hamming_loss:at=returned,on=all": by_post(sk.hamming_loss),
    "hamming_score:at=returned,on=all": by_post(lambda y, d: 1 - sk.hamming_loss(y, d)),
    "macro_f1:over=posts,empty=0,at=returned,on=all": f1_of("samples"),
    "macro_f1:over=criteria,empty=0,at=returned,on=all": f1_of("macro"),
    "weighted_f1:over=criteria,at=returned,on=all": f1_of("weighted"),
    "evidence_recall:average=macro,rel=1,on=evidence": items("samples", sk.recall_score),
    "evidence_precision:average=macro,rel=1,on=evidence": items("samples", sk.precision_score),
    "evidence_recall:average=micro,rel=1,on=evidence": items("micro", sk.recall_score),
    "evidence_precision:average=micro,rel=1,on=evidence": items("micro", sk.precision_score),
}
OTHERS: Mapping[str, tuple[str, Peer]] = {
    "calibration_slope:clip=0.000001,on=all": ("statsmodels", fitted(slope=True)),
    "calibration_intercept:clip=0.000001,on=all": ("statsmodels", fitted(slope=False)),
    "selected_k:stat=mean,on=all": ("NumPy", quantity(np.mean)),
    "selected_k:stat=median,on=all": ("NumPy", quantity(np.median)),
    "selected_k:stat=p90,on=all": ("NumPy", quantity(lambda k: np.quantile(k, 0.9))),
    "selected_k:stat=std,on=all": ("SciPy", quantity(stats.tstd)),
    "brier_uncertainty:on=all": ("NumPy", lambda case: float(np.var(labels(case)))),
}
PEERS: Mapping[str, tuple[str, Peer]] = {
    **{definition: ("scikit-learn", each) for definition, each in SCIKIT.items()},
    **OTHERS,
}


def trec_peer(case: Case) -> dict[str, dict[str, float]]:
    """Return pytrec_eval's values by query and name."""
    grades, run = plain(case)
    return peer(grades, run) if run else {}
