"""Numbers behind the checks against SciPy, scikit-learn, simulation, and comparing all pairs."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from assay.verification.audit import chance_bounds
from assay.verification.audit.checks import separability, threshold_nearness
from assay.verification.audit.system import auroc_by_post
from assay.verification.audit.text import near_sentences, normalise


@pytest.mark.parametrize(
    "text",
    [
        "The first PATIENT, again!",
        "The ﬁrst patient   again",
        "Thе fіrѕt раtіеnt аgаіn",  # Cyrillic
        "Τhe fιrst pαtient αgαιn",  # Greek
        "T\u200bh\u2060e f\u00adirst pat\ufeffient ag\u200dain",
        "Ｔｈｅ ｆｉｒｓｔ ｐａｔｉｅｎｔ ａｇａｉｎ",
        "Thé fïrst pa\u0301tient ågain",
        "The\u00a0first\u3000patient\u2028again",
        "The \U000e0041first patient\ufe0f again",
        "T\x01he first pat\x08ient\x7f\nagain",
    ],
)
def test_what_looks_the_same_is_the_same(text: str) -> None:
    assert normalise.words_of(text) == ("the", "first", "patient", "again")


def test_words_of_another_script_keep_their_letters() -> None:
    assert normalise.words_of("Привет, МИР") == ("привет", "мир")
    assert normalise.words_of("Η ζωή") != normalise.words_of("Η ψυχή")
    assert normalise.words_of("нет") != normalise.words_of("кот")


def dice(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    return 2 * sum((Counter(one) & Counter(other)).values()) / (len(one) + len(other))


def spoken(seed: int, posts: int, vocabulary: int) -> pl.DataFrame:
    """Posts of four sentences, every third one a copy with a word or two changed per sentence."""
    draws = np.random.default_rng(seed)
    rows: list[tuple[str, str, str]] = []
    said: list[list[list[int]]] = []
    for post in range(posts):
        if post % 3 == 2:
            mine = [list(each) for each in said[-1]]
            for each in mine:
                for at in draws.integers(0, len(each), size=int(draws.integers(1, 3))):
                    each[at] = int(draws.integers(vocabulary))
        else:
            mine = [draws.integers(0, vocabulary, size=int(draws.integers(6, 15))).tolist() for _ in range(4)]
        said.append(mine)
        rows += [
            (f"p{post:03d}", f"p{post:03d}.{at}", " ".join(f"w{w}" for w in each))
            for at, each in enumerate(mine)
        ]
    return pl.DataFrame(rows, schema=["post_id", "item", "text"], orient="row")


@pytest.mark.parametrize("seed", range(3))
def test_sentences_that_agree_are_those_of_all_pairs(seed: int) -> None:
    read = near_sentences.read_sentences(spoken(seed, 60, 2000))
    pairs = near_sentences.agreeing(read).at_least(0.75)
    found = {tuple(sorted(pair)) for pair in zip(pairs.one.tolist(), pairs.other.tolist(), strict=True)}
    expected = {
        (one, other)
        for one, other in itertools.combinations(range(len(read.words)), 2)
        if read.post[one] != read.post[other] and dice(read.words[one], read.words[other]) >= 0.75
    }
    assert len(expected) >= 50
    assert found <= expected
    assert len(found) >= 0.95 * len(expected)  # two changed words may leave too few word pairs


def test_shares_and_phrases_by_hand() -> None:
    """Post a has two of b's sentences, and one that all of c, d, e have as well."""
    rare = ["one two three four five six", "seven eight nine ten eleven twelve"]
    known = "what do you think of it all"
    texts = {
        "a": [*rare, known],
        "b": [*rare, known, "some words that only b has said here"],
        "c": [known],
        "d": [known],
        "e": [known],
    }
    rows = [(post, f"{post}{at}", text) for post, each in texts.items() for at, text in enumerate(each)]
    read = near_sentences.read_sentences(pl.DataFrame(rows, schema=["post_id", "item", "text"], orient="row"))
    table = near_sentences.shared_text(read, near_sentences.agreeing(read))
    row = table.filter(pl.col("one") == "a", pl.col("other") == "b").row(0, named=True)
    assert (row["sentences"], row["words"], row["share"]) == (3, 19, 1.0)
    # Ten pairs of posts, two unseen sentences, one that three of three further posts have.
    assert row["chance"] == pytest.approx(10 * near_sentences.UNSEEN**2 * 1.0)


def test_a_phrase_that_many_posts_have_is_one_phrase() -> None:
    """More posts than a full list of the index has: neighbours link them all."""
    rows = [(f"p{at:02d}", f"s{at}", "the very same words in this order") for at in range(40)]
    read = near_sentences.read_sentences(pl.DataFrame(rows, schema=["post_id", "item", "text"], orient="row"))
    pairs = near_sentences.agreeing(read)
    assert len(pairs.one) == 39
    assert near_sentences.shared_text(read, pairs)["chance"].min() == 1.0


def clustered(seed: int, posts: int, signal: float) -> tuple[np.ndarray, np.ndarray, list[str]]:
    draws = np.random.default_rng(seed)
    names = [f"p{at}" for at in range(posts) for _ in range(4)]
    label = draws.random(len(names)) < 0.3
    value = signal * label + draws.normal(size=len(names)) + np.repeat(draws.normal(size=posts), 4)
    return np.round(value, 1), label, names


@pytest.mark.parametrize("seed", range(3))
def test_area_against_scikit_learn(seed: int) -> None:
    value, label, names = clustered(seed, 50, 1.0)
    area = auroc_by_post.area_of(value, label, names)
    assert area is not None
    assert area.value == pytest.approx(roc_auc_score(label, value))
    assert sum(area.influence.values()) == pytest.approx(0, abs=1e-12)
    assert auroc_by_post.area_of(value, np.zeros(len(value), dtype=bool), names) is None


def test_differences_of_areas_hold_their_level() -> None:
    """Two independent samples of clustered queries: p is below 5% in about 5% of the draws."""
    low = 0
    for seed in range(400):
        one, other = (
            auroc_by_post.area_of(
                *clustered(2 * seed + more, 60, 1.0)[:2],
                [f"{more}{p}" for p in clustered(2 * seed + more, 60, 1.0)[2]],
            )
            for more in (0, 1)
        )
        assert one is not None
        assert other is not None
        low += auroc_by_post.difference(one, other)[1] <= 0.05
    assert 8 <= low <= 34  # 20 expected; the binomial leaves this range with chance 0.002


def test_a_perfect_area_on_few_queries_is_not_certain() -> None:
    few = auroc_by_post.area_of(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0, 0, 1, 1], bool), list("abcd"))
    value, label, names = clustered(1, 60, 1.0)
    many = auroc_by_post.area_of(value, label, names)
    assert few is not None
    assert many is not None
    assert few.value == 1.0
    assert auroc_by_post.difference(few, many)[1] > 0.05


@pytest.mark.parametrize("number", [0, 1, 3, 5])
def test_the_bound_on_many_events(number: int) -> None:
    """At least so many of independent events: never below the exact chance."""
    chances = [0.1, 0.02, 0.3, 0.05, 0.2]
    exact = sum(
        np.prod([p if at in chosen else 1 - p for at, p in enumerate(chances)])
        for size in range(number, 6)
        for chosen in itertools.combinations(range(5), size)
    )
    made = chance_bounds.at_least(number, np.log(chances).tolist())
    assert exact - 1e-12 <= made <= 1
    assert chance_bounds.at_least(5, np.log(chances).tolist()) == pytest.approx(np.prod(chances))


@pytest.mark.parametrize("chances", [[0.3], [0.5, 0.01], [0.2, 0.04, 0.001], [0.01] * 5])
def test_chances_are_combined_as_by_scipy(chances: list[float]) -> None:
    expected = stats.combine_pvalues(chances, method="fisher").pvalue
    assert threshold_nearness._combined(chances) == pytest.approx(expected)


def test_the_chance_of_few_errors() -> None:
    made = separability.errors_by_chance(1, 400, 3, 1600)
    shares = np.linspace(0, separability.HONEST, 31)
    expected = (
        stats.binom.cdf(1, 400, shares) * stats.binom.cdf(3, 1600, separability.HONEST - shares)
    ).max()
    assert made == pytest.approx(expected, rel=1e-9)


def test_the_honest_limit_in_terms_of_auroc() -> None:
    """The docs translate a rate of 3% into an AUROC of 0.9989 of normal scores."""
    distance = -2 * stats.norm.ppf(separability.HONEST / 2)
    assert stats.norm.cdf(distance / np.sqrt(2)) == pytest.approx(0.9989, abs=1e-4)
    for auroc, rate in ((0.99, 0.1), (0.998, 0.04)):
        apart = np.sqrt(2) * stats.norm.ppf(auroc)
        assert 2 * stats.norm.cdf(-apart / 2) == pytest.approx(rate, abs=0.005)


@pytest.mark.parametrize(("positives", "negatives", "auroc"), [(3, 5, 0.9), (2, 30, 0.95), (9, 9, 0.99)])
def test_the_chance_of_no_error_by_simulation(positives: int, negatives: int, auroc: float) -> None:
    draws = np.random.default_rng(7)
    apart = np.sqrt(2) * stats.norm.ppf(auroc)
    low = (draws.normal(size=(20_000, positives)) + apart).min(axis=1)
    high = draws.normal(size=(20_000, negatives)).max(axis=1)
    share = (low > high).mean()
    made = chance_bounds.perfect_by_chance(positives, negatives, auroc)
    assert made == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 20_000))


def test_least_errors_by_trying_every_threshold() -> None:
    draws = np.random.default_rng(3)
    label = draws.random(200) < 0.3
    prob = np.round(draws.random(200) * 0.6 + 0.4 * label.astype(np.float64), 2)
    tried = [((label & (prob < t)).sum(), (~label & (prob >= t)).sum()) for t in [*np.unique(prob), 2.0]]
    best = min(missed / label.sum() + alarms / (~label).sum() for missed, alarms in tried)
    missed, alarms = separability.least_errors(prob, label)
    assert (missed, alarms) in tried
    assert missed / label.sum() + alarms / (~label).sum() == pytest.approx(best)


def test_shares_of_the_same_posts_hold_their_level() -> None:
    """Two shares with the same mean per post: p is below 5% in about 5% of the draws."""
    draws = np.random.default_rng(5)
    low = 0
    for _ in range(400):
        rate = draws.beta(4, 2, size=80)
        trials = draws.integers(1, 9, size=80).astype(float)
        one, other = (draws.binomial(trials.astype(int), rate).astype(float) for _ in range(2))
        low += chance_bounds.share_difference((one, trials), (other, trials))[2] <= 0.05
    assert 8 <= low <= 34
