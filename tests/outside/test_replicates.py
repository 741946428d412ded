"""Every kind of reduce under drawn counts, against rows that are really repeated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from math import ceil

import numpy as np
import polars as pl
import pytest
from sklearn import metrics as sk

import assay
from assay.contracts.contract_toml import contract
from assay.data.cases import Cases, Grouping, Pairs
from assay.data.label_table import LabelTable
from assay.data.readers.table_files import Table
from assay.evaluation.intervals import measures_by_post
from assay.evaluation.intervals.bootstrap import LABELS, intervals
from assay.evaluation.intervals.resample import Strata, draws, replicates
from assay.evaluation.scoring.score_all import evaluate_cases
from assay.metrics.core import ranked_steps
from assay.metrics.core.entry import Scored
from assay.metrics.core.registry import metric
from assay.statistics.tiled_product import product

POSTS, CRITERIA = 30, 4


@dataclass
class Rows:
    """Queries as plain arrays, each as often as it was drawn; `copy` tells copies of a post apart."""

    y: np.ndarray
    p: np.ndarray
    k: np.ndarray
    post: np.ndarray
    criterion: np.ndarray
    copy: np.ndarray
    pairs: list[tuple[np.ndarray, np.ndarray]]


def made(seed: int) -> tuple[Cases, Rows]:
    """Every post has every criterion but a few; ties in probabilities, scores and K."""
    rng = np.random.default_rng(seed)
    grid = np.argwhere(rng.random((POSTS, CRITERIA)) < 0.9)
    post, criterion = grid[:, 0], grid[:, 1]
    size = len(post)
    effect = rng.normal(0, 1, POSTS)[post]
    y = (rng.random(size) < 1 / (1 + np.exp(0.8 - effect))).astype(int)
    p = np.round(1 / (1 + np.exp(-effect - y + rng.normal(0, 1, size))), rng.integers(1, 3))
    k = rng.integers(0, 6, size) * (p >= 0.3)
    frame = pl.DataFrame({"prob": p, "label": y, "post": post})
    cases = LabelTable(Table(frame, "t"), "prob", "label", "post").cases(contract("assay/1").ranking)
    owner = np.repeat(np.arange(size), rng.integers(1, 5, size))
    score = np.round(rng.normal(0, 1, len(owner)), 1)
    grade = (rng.random(len(owner)) < 0.3).astype(float)
    pairs = [(grade[owner == query], score[owner == query]) for query in range(size)]
    cases = replace(
        cases,
        selected_k=k,
        pairs=Pairs(owner, score, grade),
        groupings={
            "post_id": Grouping(post, tuple(map(str, range(POSTS)))),
            "criterion_id": Grouping(criterion, tuple("ABCD")),
            "fold": Grouping(post % 3, ("0", "1", "2")),
        },
    )
    return cases, Rows(y, p, k, post, criterion, np.zeros(size, dtype=int), pairs)


def repeated(rows: Rows, times: np.ndarray) -> Rows:
    at = np.repeat(np.arange(len(times)), times)
    copy = np.concatenate([np.arange(each) for each in times]) if len(times) else at
    return Rows(
        rows.y[at],
        rows.p[at],
        rows.k[at],
        rows.post[at],
        rows.criterion[at],
        copy.astype(int),
        [rows.pairs[each] for each in at],
    )


def two(y: np.ndarray) -> bool:
    return 0 < y.sum() < len(y)


def f1(y: np.ndarray, d: np.ndarray) -> float:
    """By hand: scikit-learn takes a millisecond for each of hundreds of posts."""
    tp, wrong = int((y * d).sum()), int((y != d).sum())
    return 2 * tp / (2 * tp + wrong) if tp else 0.0


@cache
def bin_of(p: float) -> int:
    return max(ceil(Decimal(repr(round(p, 12))) * 10) - 1, 0)


def ece(rows: Rows) -> float:
    """Bins (i/10, (i+1)/10], 0 in the first, decided by decimals of 12 digits."""
    bins = np.array([bin_of(each) for each in rows.p.tolist()])
    gaps = [abs(rows.p[bins == b].sum() - rows.y[bins == b].sum()) for b in range(10)]
    return float(sum(gaps) / len(rows.y))


def aurc(rows: Rows) -> float:
    """Mean over i of expected errors among the i most confident / i, ties in random order."""
    sure = np.round(np.abs(rows.p - 0.5), 12)
    wrong = ((rows.p >= 0.5) != rows.y).astype(float)
    for value in set(sure.tolist()):
        wrong[sure == value] = wrong[sure == value].mean()
    order = np.argsort(-sure, kind="stable")
    return float(np.mean(np.cumsum(wrong[order]) / np.arange(1, len(order) + 1)))


def over_posts(rows: Rows, of: Callable[[np.ndarray, np.ndarray], float]) -> list[float]:
    """A post that was drawn twice is two posts."""
    return [
        of(rows.y[here], (rows.k[here] >= 1).astype(int))
        for here in (
            (rows.post == post) & (rows.copy == copy)
            for post, copy in sorted(set(zip(rows.post.tolist(), rows.copy.tolist(), strict=True)))
        )
    ]


def over_criteria(rows: Rows) -> list[tuple[float, int]]:
    found = []
    for criterion in sorted(set(rows.criterion.tolist())):
        here = rows.criterion == criterion
        d = (rows.k[here] >= 1).astype(int)
        found.append((f1(rows.y[here], d), int(rows.y[here].sum())))
    return found


def tpr(rows: Rows, budget: float) -> float:
    if not two(rows.y):
        return float(rows.y.min())
    rate, hit, _ = sk.roc_curve(rows.y, rows.p, drop_intermediate=False)
    return float(hit[rate <= budget + 1e-12].max())


def fpr(rows: Rows, budget: float) -> float:
    if not two(rows.y):
        return 0.0
    rate, hit, _ = sk.roc_curve(rows.y, rows.p, drop_intermediate=False)
    best = hit[rate <= budget + 1e-12].max()
    return float(rate[hit == best].min()) if best > 0 else 0.0


def pair_area(rows: Rows, area: Callable[..., float]) -> float:
    grade = np.concatenate([each for each, _ in rows.pairs])
    return float(area(grade, np.concatenate([each for _, each in rows.pairs])))


def weighted(rows: Rows) -> float:
    pairs = over_criteria(rows)
    total = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / total if total else 0.0


def weighted_posts(rows: Rows) -> float:
    values = over_posts(rows, lambda y, d: f1(y, d) * y.sum())
    return sum(values) / rows.y.sum() if rows.y.sum() else 0.0


BY_ROWS: dict[str, Callable[[Rows], float]] = {
    "auroc": lambda r: float(sk.roc_auc_score(r.y, r.p)) if two(r.y) else 0.5,
    "auprc": lambda r: float(sk.average_precision_score(r.y, r.p)) if two(r.y) else r.y.mean(),
    "tpr_at_fpr@0.05": lambda r: tpr(r, 0.05),
    "tpr_at_fpr@0.30": lambda r: tpr(r, 0.30),
    "fpr_reached@0.30": lambda r: fpr(r, 0.30),
    "brier": lambda r: float(sk.brier_score_loss(r.y, r.p)) if two(r.y) else np.mean((r.p - r.y) ** 2),
    "ece": ece,
    "aurc": aurc,
    "sensitivity:at=0.3": lambda r: float(sk.recall_score(r.y, r.p >= 0.3, zero_division=0)),
    "ppv:at=0.5": lambda r: float(sk.precision_score(r.y, r.p >= 0.5, zero_division=0)),
    "f1:at=0.5": lambda r: float(sk.f1_score(r.y, r.p >= 0.5, zero_division=0)),
    "selected_k:stat=median": lambda r: float(np.quantile(r.k, 0.5)),
    "selected_k:stat=p90": lambda r: float(np.quantile(r.k, 0.9)),
    "selected_k:stat=max": lambda r: float(r.k.max()),
    "selected_k:stat=std": lambda r: float(np.std(r.k, ddof=1)),
    "selected_k:stat=mean,on=returned": lambda r: float(r.k[r.k >= 1].mean()),
    "exact_match": lambda r: float(np.mean(over_posts(r, lambda y, d: float((y == d).all())))),
    "hamming_score": lambda r: float(np.mean(over_posts(r, lambda y, d: float((y == d).mean())))),
    "macro_f1:over=posts": lambda r: float(np.mean(over_posts(r, f1))),
    "macro_f1:over=criteria": lambda r: float(np.mean([value for value, _ in over_criteria(r)])),
    "weighted_f1:over=criteria": weighted,
    "weighted_f1:over=posts": weighted_posts,
    "pair_auroc": lambda r: pair_area(r, sk.roc_auc_score),
    "pair_auprc": lambda r: pair_area(r, sk.average_precision_score),
}


def compare_with_repeated_rows(
    names: list[str], cases: Cases, rows: Rows, counts: np.ndarray, *, folded: bool
) -> None:
    measures = [(Scored.of(metric(name), cases), folded) for name in names]
    ours = replicates(measures, Strata.of(cases, "post"), [counts[:2], counts[2:]])
    parts = [rows.post % 3 == fold for fold in range(3)] if folded else [rows.post >= 0]
    for at, count in enumerate(counts.astype(int)):
        drawn = [repeated(rows, count[rows.post] * part) for part in parts]
        for name, found in zip(names, ours, strict=True):
            theirs = np.mean([BY_ROWS[name](each) for each in drawn])
            assert found.values[at] == pytest.approx(theirs, abs=1e-9), name


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_measures_that_share_their_work_equal_repeated_rows(seed: int, folded: bool) -> None:
    cases, rows = made(seed)
    counts = np.concatenate(list(draws(Strata.of(cases, "post"), 6, seed)))
    compare_with_repeated_rows(list(BY_ROWS), cases, rows, counts, folded=folded)


@pytest.mark.parametrize("seed", range(2))
def test_a_criterion_alone_equals_its_repeated_rows(seed: int) -> None:
    cases, rows = made(seed)
    strata = Strata.of(cases, "post")
    counts = np.concatenate(list(draws(strata, 6, seed)))
    names = ["auroc", "auprc", "ece", "tpr_at_fpr@0.30", "f1:at=0.5", "selected_k:stat=p90"]
    wanted = [(name, code) for name in names for code in range(CRITERIA)]
    measures = []
    for name, code in wanted:
        scored = Scored.of(metric(name), cases)
        measures.append((replace(scored, inside=scored.inside & (rows.criterion == code)), False))
    ours = replicates(measures, strata, [counts])
    for at, count in enumerate(counts.astype(int)):
        for (name, code), found in zip(wanted, ours, strict=True):
            drawn = repeated(rows, count[rows.post] * (rows.criterion == code))
            assert found.values[at] == pytest.approx(BY_ROWS[name](drawn), abs=1e-9), (name, code)


@pytest.mark.parametrize("seed", range(2))
def test_queries_as_units_equal_repeated_rows(seed: int) -> None:
    cases, rows = made(seed)
    strata = Strata.of(
        replace(cases, groupings={name: each for name, each in cases.groupings.items() if name != "fold"}),
        "query",
    )
    counts = np.concatenate(list(draws(strata, 6, seed)))
    names = ["auroc", "ece", "selected_k:stat=p90", "macro_f1:over=criteria", "pair_auroc"]
    ours = replicates([(Scored.of(metric(name), cases), False) for name in names], strata, [counts])
    for at, count in enumerate(counts.astype(int)):
        drawn = repeated(rows, count)
        for name, found in zip(names, ours, strict=True):
            assert found.values[at] == pytest.approx(BY_ROWS[name](drawn), abs=1e-9), name


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_many_criteria_equal_repeated_rows(
    seed: int, folded: bool, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Criteria of their own post are drawn as a whole: no resample has to look at their queries."""
    cases, rows = made(seed)
    monkeypatch.setattr(measures_by_post, "FEW", 2)
    if alone:
        monkeypatch.delattr(measures_by_post, "_of_queries")
        rows.criterion = rows.post * 2 + rows.criterion % 2
        labels = tuple(map(str, range(2 * POSTS)))
        cases = replace(
            cases, groupings={**cases.groupings, "criterion_id": Grouping(rows.criterion, labels)}
        )
    counts = np.concatenate(list(draws(Strata.of(cases, "post"), 6, seed)))
    names = ["macro_f1:over=criteria", "weighted_f1:over=criteria", "weighted_f1:over=posts"]
    compare_with_repeated_rows(names, cases, rows, counts, folded=folded)


def test_group_values_have_intervals_from_the_draws_of_the_headline() -> None:
    cases, rows = made(4)
    names, plan = ["auroc", "ece"], assay.Bootstrap(40, seed=5)
    result = evaluate_cases(cases, contract("assay/1"), by=["criterion_id"], measures=names, bootstrap=plan)
    strata = Strata.of(cases, "post")
    counts = np.concatenate(list(draws(strata, 40, 5))).astype(int)
    for code, label in enumerate("ABCD"):
        for name in names:
            here = rows.criterion == code
            drawn = [BY_ROWS[name](repeated(rows, row[rows.post] * here)) for row in counts]
            found = result.groups["criterion_id"][label][name].interval
            assert found is not None
            expected = np.quantile(drawn, [0.025, 0.975])
            assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-9)
            assert found.resamples == 40


def test_without_a_bootstrap_groups_have_no_interval() -> None:
    cases, _ = made(4)
    result = evaluate_cases(cases, contract("assay/1"), by=["criterion_id"], measures=["auroc"])
    assert result.groups["criterion_id"]["A"]["auroc"].interval is None


def test_a_column_of_many_labels_has_no_intervals() -> None:
    cases, rows = made(4)
    many = Grouping(np.arange(len(rows.y)), tuple(map(str, range(len(rows.y)))))
    assert len(many.labels) > LABELS
    cases = replace(cases, groupings={**cases.groupings, "row": many})
    result = evaluate_cases(
        cases, contract("assay/1"), by=["row"], measures=["brier"], bootstrap=assay.Bootstrap(20)
    )
    assert all(row["brier"].interval is None for row in result.groups["row"].values())
    assert result["brier"].interval is not None


def test_draws_do_not_depend_on_the_size_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    cases, _ = made(1)
    strata = Strata.of(cases, "post")
    whole = np.concatenate(list(draws(strata, 300, 3)))
    monkeypatch.setattr("assay.evaluation.intervals.resample.ROWS", 17)
    monkeypatch.setattr("assay.evaluation.intervals.resample._kept", [])
    blocks = list(draws(strata, 300, 3))
    assert len(blocks) == 18
    assert (np.concatenate(blocks) == whole).all()


def test_measures_beyond_one_batch_get_the_same_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    cases, _ = made(2)
    asked = [(Scored.of(metric(name), cases), False, 0.5) for name in ("auroc", "ece", "brier")]
    plan = assay.Bootstrap(60)
    whole = intervals(asked, cases, plan)
    monkeypatch.setattr("assay.evaluation.intervals.bootstrap.AT_ONCE", 2)
    assert intervals(asked, cases, plan) == whole


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 10, 101])
@pytest.mark.parametrize("most", [3, 40_000])
def test_running_sums(rows: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a plain running sum; large counts need wider numbers, many resamples several slices."""
    monkeypatch.setattr("assay.metrics.core.ranked_steps.AT_ONCE", 300)
    rng = np.random.default_rng(rows)
    counts = rng.integers(0, most, (20, 9))
    chosen = rng.integers(0, 20, rows)
    places = np.arange(rows + 1)
    sums, total = ranked_steps.running(counts, int(counts.max()), chosen, places)
    expected = np.concatenate([np.zeros((1, 9)), np.cumsum(counts[chosen], axis=0)])
    assert (sums == expected).all()
    assert (total[0] == expected[-1]).all()


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 200, 70), (130, 65, 64), (0, 4, 5)])
def test_tiled_product(shape: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(0)
    left, right = rng.random(shape[:2]), rng.random(shape[1:])
    assert product(left, right) == pytest.approx(left @ right, abs=1e-12)
