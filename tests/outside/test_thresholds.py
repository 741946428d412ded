"""Thresholds chosen on TUNE: against the binomial law, simulations with known truth, and MAPIE."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from mapie.risk_control import BinaryClassificationController
from scipy import special, stats
from sklearn.metrics import f1_score, roc_curve

import assay
from assay.statistics import operating_points
from assay.statistics.exact_binomial import binomial_cdf, exact_bounds, incomplete_beta, units_needed

SIMULATIONS = 2000
TARGET, CONFIDENCE = 0.95, 0.9
NOISE = 3 * math.sqrt(0.1 * 0.9 / SIMULATIONS)  # three standard errors of a share of 10 %


@pytest.mark.parametrize("seed", range(40))
def test_beta_and_exact_bounds_equal_scipy(seed: int) -> None:
    generator = np.random.default_rng(seed)
    a, b = generator.uniform(0.5, 3000, 2)
    x = float(generator.beta(a, b))
    assert incomplete_beta(a, b, x) == pytest.approx(special.betainc(a, b, x), abs=1e-11)
    n = int(generator.integers(1, 3000))
    hits = int(generator.choice([0, n, int(generator.integers(0, n + 1))]))
    theirs = stats.binomtest(hits, n).proportion_ci(0.95, "exact")
    assert exact_bounds(hits, n, 0.95) == pytest.approx((theirs.low, theirs.high), abs=1e-10)
    rate = float(generator.uniform())
    assert binomial_cdf(hits, n, rate) == pytest.approx(stats.binom.cdf(hits, n, rate), abs=1e-11)


def test_how_many_positives_a_promise_needs() -> None:
    assert units_needed(0.995, 0.9) == 460
    assert 0.995**460 <= 0.1 < 0.995**459
    assert units_needed(0.5, 0.5) == 1


@pytest.mark.parametrize("n", [10, 44, 45, 60, 200, 1000])
def test_with_one_positive_a_post_it_is_the_order_statistic(n: int) -> None:
    """At most j of n positives may lie below, j by the binomial law."""
    prob = np.random.default_rng(n).permutation(np.arange(1, n + 1) / (n + 1))
    chosen = assay.choose_threshold(prob, np.ones(n), f"sensitivity_{TARGET}")
    fits = [j for j in range(n) if stats.binom.cdf(j, n, 1 - TARGET) <= 1 - CONFIDENCE]
    spare = max(fits, default=0)
    assert chosen.value == np.sort(prob)[spare]
    assert chosen.certified is bool(fits)
    assert chosen.units == n
    if not fits:
        assert chosen.confidence == pytest.approx(1 - TARGET**n)
        assert chosen.note.startswith(f"not certifiable: {n} positives worth {n} of the 45 needed")


def positives(
    generator: np.random.Generator, posts: int, each: int, shared: float
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of the positives: normal(1, 1) in the probit, a share of the variance is the post's."""
    post = np.repeat(np.arange(posts), each)
    own = generator.normal(size=len(post))
    z = 1 + math.sqrt(shared) * generator.normal(size=posts)[post] + math.sqrt(1 - shared) * own
    return special.ndtr(z), post


def true_sensitivity(threshold: float) -> float:
    return float(1 - special.ndtr(special.ndtri(threshold) - 1)) if threshold > 0 else 1.0


@pytest.mark.parametrize(
    ("posts", "each", "shared", "ignoring_posts"),
    [(300, 1, 0.0, (0.0, 0.10)), (200, 10, 0.3, (0.12, 0.30)), (100, 10, 0.9, (0.25, 0.45))],
)
def test_a_promise_of_sensitivity_is_kept(
    posts: int, each: int, shared: float, ignoring_posts: tuple[float, float]
) -> None:
    generator = np.random.default_rng(7)
    broken = dict.fromkeys(("by post", "by query", "plain", "conformal"), 0)
    reached = []
    for _ in range(SIMULATIONS):
        prob, post = positives(generator, posts, each, shared)
        label = np.ones(len(prob), dtype=bool)
        alone = np.arange(len(prob))
        by_post = operating_points.sensitivity(prob, label, post, TARGET, CONFIDENCE)
        by_query = operating_points.sensitivity(prob, label, alone, TARGET, CONFIDENCE)
        risk = operating_points.conformal(prob, label, post, Fraction("0.95"))
        plain = np.sort(prob)[int((1 - TARGET) * len(prob))]
        for name, value in zip(broken, (by_post.value, by_query.value, plain, risk.value), strict=True):
            broken[name] += true_sensitivity(float(value)) < TARGET
        reached.append(true_sensitivity(risk.value))
    share = {name: count / SIMULATIONS for name, count in broken.items()}
    assert share["by post"] <= 0.10 + NOISE
    assert share["plain"] > 0.35  # a plain quantile misses its target about half of the time
    low, high = ignoring_posts
    assert low <= share["by query"] <= high + NOISE
    assert np.mean(reached) >= TARGET - 0.002  # conformal: in expectation, not with confidence
    if shared < 0.9:
        assert share["by post"] <= share["by query"] <= share["conformal"] + NOISE


@pytest.mark.parametrize(("posts", "each", "shared"), [(2000, 1, 0.0), (1600, 5, 0.3)])
def test_a_promise_of_precision_is_kept(posts: int, each: int, shared: float) -> None:
    """Well calibrated scores: the true precision of p ≥ t is known from a large sample."""
    generator = np.random.default_rng(3)
    target = 0.85

    def drawn(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        post = np.repeat(np.arange(count), each)
        common = generator.normal(size=count)[post]
        z = math.sqrt(shared) * common + math.sqrt(1 - shared) * generator.normal(size=len(post))
        prob = special.ndtr(1.3 * z - 1)
        luck = math.sqrt(shared) * generator.normal(size=count)[post]
        luck += math.sqrt(1 - shared) * generator.normal(size=len(post))
        return prob, special.ndtr(luck) < prob, post

    prob, label, _ = drawn(400_000 // each)
    order = np.argsort(-prob)
    ranked = -prob[order]
    running = np.cumsum(label[order]) / np.arange(1, len(order) + 1)
    broken = found = 0
    for _ in range(600):
        prob, label, post = drawn(posts)
        chosen = operating_points.precision(prob, label, post, target, CONFIDENCE)
        if chosen.confidence != CONFIDENCE:
            continue
        found += 1
        at = np.searchsorted(ranked, -chosen.value, side="right") - 1
        broken += running[at] < target
    assert found > 300  # it does find thresholds, or the test would show nothing
    assert broken / 600 <= 0.10 + 3 * math.sqrt(0.09 / 600)


def test_in_kind_with_mapie() -> None:
    """Never less safe than the stated confidence, by either; ours is the tighter of the two."""
    generator = np.random.default_rng(11)
    ours, theirs = [], []
    for _ in range(60):
        label = generator.random(800) < 0.5
        prob = special.ndtr(generator.normal(size=800) + np.where(label, 1.0, -1.0))
        chosen = assay.choose_threshold(prob, label, f"sensitivity_{TARGET}")
        assert chosen.certified
        ours.append(true_sensitivity(chosen.value))
        control = BinaryClassificationController(
            predict_function=lambda x: np.column_stack((1 - x[:, 0], x[:, 0])),
            risk="recall",
            target_level=TARGET,
            confidence_level=CONFIDENCE,
            best_predict_param_choice="precision",
            list_predict_params=np.linspace(0, 0.99, 100),
        )
        control.calibrate(prob[:, None], label.astype(int))
        assert control.best_predict_param is not None
        theirs.append(true_sensitivity(float(control.best_predict_param)))
    allowed = 0.10 + 3 * math.sqrt(0.09 / 60)
    assert np.mean(np.array(ours) < TARGET) <= allowed
    assert np.mean(np.array(theirs) < TARGET) <= allowed
    assert TARGET < np.mean(ours) < np.mean(theirs)


@pytest.mark.parametrize("seed", range(10))
def test_the_budget_is_the_best_point_of_the_roc_curve(seed: int) -> None:
    generator = np.random.default_rng(seed)
    label = generator.random(120) < 0.3
    prob = np.round(np.clip(generator.normal(0.3 + 0.3 * label, 0.2), 0, 1), 2)
    fpr, tpr, at = roc_curve(label, prob, drop_intermediate=False)
    chosen = assay.choose_threshold(prob, label, "fpr_0.10")
    best = tpr[fpr <= 0.1].max()
    assert chosen.value == at[(fpr <= 0.1) & (tpr == best)].max()
    assert chosen.reached == pytest.approx(fpr[at == chosen.value][0])
    chosen = assay.choose_threshold(prob, label, "f1")
    scores = {t: f1_score(label, prob >= t) for t in np.unique(prob)}
    assert chosen.reached == pytest.approx(max(scores.values()))
    assert chosen.value == max(t for t, value in scores.items() if value == max(scores.values()))
