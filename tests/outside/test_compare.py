"""Comparisons against SciPy, statsmodels, a published DeLong, scikit-learn and formulas by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from MLstatkit import Delong_test
from scipy import special, stats
from sklearn.metrics import roc_auc_score
from statsmodels.stats.multitest import multipletests

import assay
from assay.contracts.contract_toml import contract
from assay.data.cases import Grouping
from assay.data.label_table import LabelTable
from assay.evaluation.comparison.compare import compare_systems
from assay.evaluation.comparison.matched_systems import System
from assay.evaluation.comparison.paired_tests import corrected_t, randomisation_p, swapped_differences
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.intervals.resample import Strata, draws
from assay.metrics.core.entry import Scored
from assay.metrics.core.registry import metric
from assay.statistics.delong import clustered_areas
from assay.statistics.exact_binomial import incomplete_beta
from assay.statistics.multiple_testing import benjamini_hochberg, holm
from assay.statistics.student_t import normal_two_sided_p, two_sided_p

Array = np.ndarray


def data(
    seed: int, posts: int = 30, largest: int = 6, *, ties: bool = True
) -> tuple[Array, Array, Array, Array]:
    """Label, two correlated probabilities and post of each query; a post shifts all of its queries."""
    rng = np.random.default_rng(seed)
    post = np.repeat(np.arange(posts), rng.integers(1, largest + 1, posts))
    effect = rng.normal(0, 1, posts)[post]
    label = (rng.random(len(post)) < 1 / (1 + np.exp(0.5 - effect))).astype(float)
    shared = rng.normal(0, 1, len(post))
    probs = []
    for strength in (0.6, 1.2):
        own = rng.normal(0, 1, posts)[post] + rng.normal(0, 0.5, len(post))
        prob = 1 / (1 + np.exp(-(strength * label + shared + own)))
        probs.append(np.round(prob, 1) if ties else prob)
    return label, probs[0], probs[1], post


def table(label: Array, prob: Array, post: Array | None = None) -> LabelTable:
    columns = {"label": label, "prob": prob}
    if post is not None:
        columns["post"] = post
    return assay.read_decisions(pl.DataFrame(columns), group=None if post is None else "post")


def system(name: str, label: Array, prob: Array, post: Array, folds: int = 0) -> System:
    rules = contract("assay/1")
    cases = table(label, prob, post).cases(rules.ranking)
    if folds:
        fold = Grouping(post % folds, tuple(map(str, range(folds))))
        cases = replace(cases, groupings={**cases.groupings, "fold": fold})
    return System(name, cases, rules)


def test_students_t_is_scipys() -> None:
    for df in (1, 2, 3, 4, 9, 30, 99, 1000):
        for t in (0.0, 0.001, 0.3, 1.0, 2.776, 7.0, 40.0, 1e4):
            for sign in (1, -1):
                expected = 2 * stats.t.sf(t, df)
                assert two_sided_p(sign * t, df) == pytest.approx(expected, abs=1e-12)
                assert two_sided_p(sign * t, df) == pytest.approx(expected, rel=1e-9)


def test_a_tiny_t_is_the_arc_tangent() -> None:
    """With one degree of freedom P(|T| ≥ t) = 1 − 2·atan(t)/π; SciPy 1.17 loses digits here."""
    assert two_sided_p(1e-8, 1) == pytest.approx(1 - 2 * math.atan(1e-8) / math.pi, abs=1e-15)


def test_incomplete_beta_is_scipys() -> None:
    for a, b in itertools.product((0.5, 1.0, 2.5, 20.0, 300.0), repeat=2):
        for x in (0.0, 1e-9, 0.1, 0.5, 0.77, 0.999, 1.0):
            assert incomplete_beta(a, b, x) == pytest.approx(special.betainc(a, b, x), abs=1e-12)


def test_no_p_is_zero() -> None:
    assert two_sided_p(1e200, 300) > 0
    assert normal_two_sided_p(60.0) > 0
    assert normal_two_sided_p(1.96) == pytest.approx(2 * stats.norm.sf(1.96), abs=1e-15)


@pytest.mark.parametrize("seed", range(20))
def test_holm_and_bh_are_those_of_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(rng.integers(1, 25)) ** 3, 3 if seed % 2 else 12)  # with and without ties
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_delong_z_is_the_published_one(seed: int, ties: bool) -> None:
    label, first, second, _ = data(seed, 80, 4, ties=ties)
    made = assay.compare(table(label, first), table(label, second), measures=["auroc"], resamples=2)
    found = made["auroc"].delong
    assert found is not None
    z, p, ci_a, ci_b, auc_a, auc_b, info = Delong_test(label, first, second)
    assert info["method"] == "delong"
    assert found.z == pytest.approx(z, abs=1e-9)
    assert found.p == pytest.approx(p, abs=1e-12)
    assert found.se == pytest.approx(math.sqrt(info["var_diff"]), abs=1e-12)
    assert made["auroc"].difference == pytest.approx(auc_b - auc_a, abs=1e-12)
    assert found.high - found.low == pytest.approx(2 * 1.959963984540054 * found.se, abs=1e-12)
    assert ci_a != ci_b


def obuchowski(first: Array, second: Array, label: Array, post: Array) -> Array:
    """The 2 × 2 covariance of the paper, by placement values of every pair of rows."""
    pos, neg = np.flatnonzero(label == 1), np.flatnonzero(label == 0)
    m, n = len(pos), len(neg)
    areas, tens, ones = [], [], []
    names = sorted(set(post.tolist()))
    for score in (first, second):
        wins = np.array(
            [[1.0 if score[i] > score[j] else 0.5 * (score[i] == score[j]) for j in neg] for i in pos]
        )
        area = wins.mean()
        areas.append(area)
        v10, v01 = wins.mean(axis=1), wins.mean(axis=0)
        tens.append([v10[post[pos] == c].sum() - (post[pos] == c).sum() * area for c in names])
        ones.append([v01[post[neg] == c].sum() - (post[neg] == c).sum() * area for c in names])
    i10, i01, i = len(set(post[pos])), len(set(post[neg])), len(names)
    covariance = np.empty((2, 2))
    for r, s in itertools.product(range(2), repeat=2):
        s10 = i10 / ((i10 - 1) * m) * np.dot(tens[r], tens[s])
        s01 = i01 / ((i01 - 1) * n) * np.dot(ones[r], ones[s])
        s11_rs = i / (i - 1) * np.dot(tens[r], ones[s])
        s11_sr = i / (i - 1) * np.dot(tens[s], ones[r])
        covariance[r, s] = s10 / m + s01 / n + (s11_rs + s11_sr) / (m * n)
    return covariance


@pytest.mark.parametrize("seed", range(5))
def test_clustered_variance_is_the_papers_formula(seed: int) -> None:
    label, first, second, post = data(seed)
    covariance = obuchowski(first, second, label, post)
    expected = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    found = clustered_areas(first, second, label, post)
    assert found.variance == pytest.approx(expected, rel=1e-9)
    assert found.first == pytest.approx(roc_auc_score(label, first), abs=1e-12)
    assert found.second == pytest.approx(roc_auc_score(label, second), abs=1e-12)
    made = assay.compare(
        table(label, first, post), table(label, second, post), measures=["auroc"], resamples=2
    )["auroc"]
    assert made.delong is not None
    assert made.delong.z == pytest.approx(found.difference / math.sqrt(expected), rel=1e-9)


def test_rows_that_are_doubled_in_their_posts_leave_z_as_it_is() -> None:
    label, first, second, post = data(3)
    once = clustered_areas(first, second, label, post)
    twice = clustered_areas(*(np.repeat(each, 2) for each in (first, second, label, post)))
    assert twice.variance == pytest.approx(once.variance, rel=1e-9)
    apart = np.arange(2 * len(label))
    doubled = [np.repeat(each, 2) for each in (first, second, label)]
    alone = clustered_areas(doubled[0], doubled[1], doubled[2], apart)
    assert alone.variance < 0.7 * once.variance  # the naive test takes copies for evidence


def test_clustered_se_is_the_spread_over_new_posts() -> None:
    found = [clustered_areas(*(data(seed, 100)[at] for at in (1, 2, 0, 3))) for seed in range(150)]
    spread = np.std([each.difference for each in found], ddof=1)
    typical = math.sqrt(np.mean([each.variance for each in found]))
    assert typical == pytest.approx(spread, rel=0.2)


def test_delong_of_a_fold_mean_is_the_mean_of_independent_folds() -> None:
    label, first, second, post = data(1, 60)
    made = compare_systems(
        [system("a", label, first, post, 3), system("b", label, second, post, 3)],
        measures=["auroc"],
        plan=Bootstrap(2),
    )["auroc"]
    parts = []
    for fold in range(3):
        rows = post % 3 == fold
        covariance = obuchowski(first[rows], second[rows], label[rows], post[rows])
        areas = [roc_auc_score(label[rows], each[rows]) for each in (first, second)]
        parts.append((areas[1] - areas[0], covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]))
    difference, variance = np.mean([p[0] for p in parts]), np.sum([p[1] for p in parts]) / 9
    assert made.delong is not None
    assert made.difference == pytest.approx(difference, abs=1e-12)
    assert made.delong.z == pytest.approx(difference / math.sqrt(variance), rel=1e-9)


def every_swap(posts: int) -> Iterator[Array]:
    yield np.array(list(itertools.product((0.0, 1.0), repeat=posts)))


@pytest.mark.parametrize("seed", range(3))
def test_every_swap_of_a_mean_is_scipys_exact_test(seed: int) -> None:
    posts = 8
    label, first, second, post = data(seed, posts, 4)
    a, b = (system(name, label, prob, post) for name, prob in (("a", first), ("b", second)))
    brier = metric("brier")
    strata = Strata.of(a.cases, "post")
    pair = (Scored.of(brier, a.cases), Scored.of(brier, b.cases), False)
    [ours] = swapped_differences([pair], strata, lambda: every_swap(posts))
    losses = [np.bincount(post, (prob - label) ** 2) for prob in (first, second)]
    theirs = stats.permutation_test(
        losses,
        lambda x, y: (y.sum() - x.sum()) / len(label),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=False,
    )
    assert np.sort(ours) == pytest.approx(np.sort(theirs.null_distribution), abs=1e-12)
    observed = theirs.statistic
    _, extreme = randomisation_p(ours, observed)
    assert extreme / 2**posts == pytest.approx(theirs.pvalue, abs=1e-12)
    made = assay.compare(table(label, first, post), table(label, second, post), measures=["brier"])
    found = made["brier"].randomisation
    assert found.resamples == 10_000
    assert abs(found.p - theirs.pvalue) < 4 * math.sqrt(theirs.pvalue / 10_000) + 2e-4


@pytest.mark.parametrize("folds", [0, 2])
def test_every_swap_of_an_area_is_ranked_again(folds: int) -> None:
    posts = 6
    label, first, second, post = data(5, posts, 8)
    a, b = (system(name, label, prob, post, folds) for name, prob in (("a", first), ("b", second)))
    strata = Strata.of(a.cases, "post")
    pairs = [
        (Scored.of(metric(name), a.cases), Scored.of(metric(name), b.cases), folds > 0)
        for name in ("auroc", "mcc:at=0.5", "macro_f1:over=posts,at=0.5", "aurc:at=0.5")
    ]
    ours = swapped_differences(pairs, strata, lambda: every_swap(posts))
    for row, swap in enumerate(next(every_swap(posts))):
        other = swap[post] == 1
        held, gained = np.where(other, second, first), np.where(other, first, second)
        parts = [post % folds == fold for fold in range(folds)] if folds else [post >= 0]
        areas = [[roc_auc_score(label[rows], prob[rows]) for rows in parts] for prob in (held, gained)]
        assert ours[0][row] == pytest.approx(np.mean(areas[1]) - np.mean(areas[0]), abs=1e-12)
        for place, (one, _, _) in enumerate(pairs[1:], 1):
            values = []
            for prob in (held, gained):
                cases = system("x", label, prob, post, folds).cases
                scored = Scored.of(one.metric, cases)
                values.append(scored.reduce(np.array(parts, dtype=float)).values.mean())
            assert ours[place][row] == pytest.approx(values[1] - values[0], abs=1e-12)


def test_p_counts_the_observed_swap_and_is_never_zero() -> None:
    assert randomisation_p(np.array([0.1, -0.5, 0.5, 0.49]), 0.5) == ((1 + 2) / (1 + 4), 2)
    assert randomisation_p(np.array([0.3 - 0.1, -0.2 + 1e-15]), 0.2)[1] == 2  # equal up to rounding
    label = np.tile([0.0, 1.0], 200)
    right, wrong = label * 0.8 + 0.1, 0.9 - label * 0.8
    made = assay.compare(table(label, wrong), table(label, right), measures=["brier"], resamples=99)
    assert made["brier"].randomisation.p == 1 / 100
    assert made["brier"].randomisation.extreme == 0


@pytest.mark.parametrize("folds", [0, 3])
def test_the_interval_is_of_the_difference_under_the_same_draws(folds: int) -> None:
    label, first, second, post = data(2, 45)
    systems = [system("a", label, first, post, folds), system("b", label, second, post, folds)]
    made = compare_systems(systems, measures=["auroc"], plan=Bootstrap(60, seed=7))["auroc"]
    strata = Strata.of(systems[0].cases, "post")
    found = []
    for counts in draws(strata, 60, 7):
        for row in counts.astype(int):
            values = []
            for prob in (first, second):
                areas = []
                for members in strata.members:
                    rows = np.repeat(np.arange(len(label)), row[post] * np.isin(post, members))
                    areas.append(roc_auc_score(label[rows], prob[rows]))
                values.append(np.mean(areas))
            found.append(values[1] - values[0])
    low, high = np.quantile(found, (0.025, 0.975))
    assert made.interval.low == pytest.approx(low, abs=1e-9)
    assert made.interval.high == pytest.approx(high, abs=1e-9)
    assert made.interval.resamples == 60


def test_the_corrected_t_is_nadeau_and_bengios() -> None:
    d, sizes = np.array([0.05, 0.01, 0.03, -0.01, 0.04]), np.array([295.0] * 4 + [297.0])
    found = corrected_t(d, sizes)
    assert not isinstance(found, str)
    ratio = (1477 / 5) / (1477 * 4 / 5)
    assert found.test_to_train == pytest.approx(ratio, abs=1e-15) == 0.25
    t = d.mean() / math.sqrt((1 / 5 + ratio) * d.var(ddof=1))
    plain = stats.ttest_1samp(d, 0)
    assert found.t == pytest.approx(t, rel=1e-12)
    assert found.t == pytest.approx(plain.statistic * math.sqrt(0.2 / 0.45), rel=1e-12)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), 4), abs=1e-12)
    assert found.df == 4
    assert found.p > plain.pvalue


def test_the_folds_of_a_comparison_are_those_of_the_t() -> None:
    label, first, second, post = data(4, 50)
    systems = [system("a", label, first, post, 5), system("b", label, second, post, 5)]
    made = compare_systems(systems, measures=["brier"], plan=Bootstrap(2))["brier"]
    d = [
        np.mean((second - label)[post % 5 == f] ** 2) - np.mean((first - label)[post % 5 == f] ** 2)
        for f in range(5)
    ]
    assert made.folds is not None
    assert made.difference == pytest.approx(np.mean(d), abs=1e-12)
    assert made.folds.t == pytest.approx(np.mean(d) / math.sqrt(0.45 * np.var(d, ddof=1)), rel=1e-9)


def test_effects_by_hand() -> None:
    label = np.array([1.0, 0.0, 1.0, 0.0, 1.0])
    first, second = np.array([0.5, 0.5, 0.9, 0.2, 0.6]), np.array([0.9, 0.1, 0.8, 0.2, 0.6])
    post = np.array([0, 0, 1, 1, 2])
    made = assay.compare(
        table(label, first, post), table(label, second, post), measures=["brier"], resamples=50
    )["brier"]
    a, b = (prob - label for prob in (first, second))
    change = b**2 - a**2  # -.24 -.24 | +.03 0 | 0
    assert made.difference == pytest.approx(-0.09, abs=1e-12)
    assert made.outcomes is not None
    assert (made.outcomes.wins, made.outcomes.ties, made.outcomes.losses) == (2, 2, 1)  # lower is better
    means = [change[:2].mean(), change[2:4].mean(), change[4]]
    assert made.standardised == pytest.approx(np.mean(means) / np.std(means, ddof=1), rel=1e-9)
    assert made.relative_improvement == pytest.approx(-0.09 / np.mean(a**2), rel=1e-9)


def test_adjusted_p_run_over_all_measures_and_pairs() -> None:
    label, first, second, post = data(6, 40)
    third = np.round((first + second) / 2, 1)
    made = assay.compare(
        *(table(label, prob, post) for prob in (first, second, third)),
        measures=["auroc", "auprc", "brier"],
        resamples=300,
        names=["a", "b", "c"],
    )
    assert [(each.baseline, each.system) for each in made.differences] == [("a", "b")] * 3 + [("a", "c")] * 3
    p = [each.randomisation.p for each in made.differences]
    assert [each.randomisation.holm for each in made.differences] == pytest.approx(
        multipletests(p, method="holm")[1], abs=1e-12
    )
    assert [each.randomisation.bh for each in made.differences] == pytest.approx(
        multipletests(p, method="fdr_bh")[1], abs=1e-12
    )


def test_the_same_seed_gives_the_same_figures() -> None:
    label, first, second, post = data(8)
    a, b = table(label, first, post), table(label, second, post)
    one, again, other = (
        assay.compare(a, b, measures=["auroc"], resamples=200, seed=seed).to_dict() for seed in (1, 1, 2)
    )
    assert one == again
    assert one["differences"] != other["differences"]


def test_queries_of_a_post_are_not_independent() -> None:
    """No true difference, but posts that favour one system: by query that looks like evidence."""
    runs, rejected = 80, {"post": 0, "query": 0}
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        post = np.repeat(np.arange(25), 12)
        shift = rng.normal(0, 0.1, 25)[post]
        label = np.zeros(len(post))
        first, second = (
            np.clip(0.5 + sign * shift + rng.normal(0, 0.05, len(post)), 0, 1) for sign in (1, -1)
        )
        for unit in rejected:
            made = assay.compare(
                table(label, first, post),
                table(label, second, post),
                measures=["brier"],
                resamples=199,
                unit=unit,
                seed=seed,
            )
            rejected[unit] += made["brier"].randomisation.p <= 0.05
    assert rejected["post"] / runs < 0.12
    assert rejected["query"] / runs > 0.3
