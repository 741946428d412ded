"""Figures of the audit against SciPy, scikit-learn, and counting by hand."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score, roc_curve

import assay
from assay.verification.audit import common_thresholds
from assay.verification.audit.audit_report import AuditSettings
from assay.verification.audit.checks import candidate_lists, repeated_posts
from assay.verification.audit.facts import Facts
from assay.verification.audit.system import shuffled_labels
from assay.verification.audit.system.relabel import flipped_gold, shuffled_gold, without_gold
from assay.verification.audit.text import near_posts
from tests.verification.audit.synthetic import QUERY, corpus_tables


def jaccard(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    a, b = ({words[at : at + 3] for at in range(len(words) - 2)} for words in (one, other))
    return len(a & b) / len(a | b)


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 1.0])
def test_near_pairs_are_those_of_all_pairs(threshold: float) -> None:
    draws = np.random.default_rng(7)
    said: dict[str, tuple[str, ...]] = {}
    for group in range(25):
        base = draws.integers(0, 300, size=60)
        for copy, many in enumerate((0, 0, 1, 2, 5)):
            words = base.copy()
            changed = draws.integers(0, 60, size=many)
            words[changed] = draws.integers(0, 300, size=len(changed))
            said[f"{group}.{copy}"] = tuple(f"w{word}" for word in words)
    pairs = {frozenset(pair[:2]): pair[2] for pair in near_posts.near_pairs(said, threshold)}
    expected = {
        frozenset(pair): alike
        for pair in itertools.combinations(said, 2)
        if (alike := jaccard(said[pair[0]], said[pair[1]])) >= threshold
    }
    assert len(expected) >= 25
    assert pairs == pytest.approx(expected)
    assert list(near_posts.near_pairs(said, threshold)) == list(near_posts.near_pairs(said, threshold))


@pytest.mark.parametrize("threshold", [0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99, 1.0])
def test_the_index_misses_rarely(threshold: float) -> None:
    wide, rows = near_posts.bands(threshold)
    assert wide * rows <= near_posts.PERMUTATIONS
    assert wide >= 2
    assert (1 - threshold**rows) ** wide <= 0.002


def test_words_are_compared_without_case_marks_and_breaks() -> None:
    rows = [("a", "The ﬁrst POST, of all."), ("b", "the first"), ("b", "post — of ALL!"), ("c", "Hi")]
    frame = pl.DataFrame(rows, schema=["post_id", "text"], orient="row")
    words = near_posts.post_words(frame)
    assert words == {"a": ("the", "first", "post", "of", "all"), "b": words["a"]}
    assert near_posts.same_words(words) == [["a", "b"]]


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasketch", None)
    with pytest.raises(assay.AssayError, match=r"pip install '\S+\[audit\]'"):
        list(near_posts.near_pairs({"a": ("x",) * 6}, 0.8))


@pytest.mark.parametrize("df", [1, 2, 4, 9, 30])
def test_quantiles_of_t(df: int) -> None:
    assert shuffled_labels.t_quantile(df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-9)


def test_the_interval_over_shuffles() -> None:
    """Mean .5; half-widths √(.1² + t²·s²/n) below and √(.2² + …) above, t = 4.3027 at 2 df."""
    areas = [(0.3, 0.4, 0.6), (0.4, 0.5, 0.7), (0.5, 0.6, 0.8)]
    low, middle, high = shuffled_labels._interval(areas)
    spread = stats.t.ppf(0.975, 2) * np.std([0.4, 0.5, 0.6], ddof=1) / np.sqrt(3)
    assert middle == pytest.approx(0.5)
    assert low == pytest.approx(0.5 - np.hypot(0.1, spread))
    assert high == pytest.approx(0.5 + np.hypot(0.2, spread))
    assert shuffled_labels._interval(areas[:1]) == pytest.approx(areas[0])


def sample(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(seed)
    label = draws.random(n) < 0.2
    return 1 / (1 + np.exp(-draws.normal(size=n) - label)), label


@pytest.mark.parametrize("seed", range(5))
def test_usual_rules_against_scikit_learn(seed: int) -> None:
    prob, label = sample(seed)
    made = common_thresholds.chosen(prob, label, np.arange(len(prob)))
    fpr, tpr, cuts = roc_curve(label, prob, drop_intermediate=False)
    assert made["Youden's J"] == cuts[np.argmax(tpr - fpr)]
    for budget in (0.01, 0.03, 0.05, 0.1):
        inside = np.flatnonzero(fpr <= budget)
        assert made[f"FPR {budget:g}, lowest"] == cuts[inside[-1]]
        top = tpr[inside].max()
        assert made[f"FPR {budget:g}"] == cuts[inside][tpr[inside] == top].max()
    for target in (0.9, 0.95, 1.0):
        assert made[f"sensitivity {target:g}"] == cuts[np.flatnonzero(tpr >= target - 1e-9)[0]]
    assert made["sensitivity 1"] == prob[label].min()
    assert made["F1"] == assay.choose_threshold(prob, label, "f1").value


def test_how_many_values_a_threshold_might_have_had() -> None:
    assert common_thresholds.possible(0.5, None) == 10
    assert common_thresholds.possible(0.25, None) == 100
    assert common_thresholds.possible(0.123456, None) == 1e6
    assert common_thresholds.possible(1.0, None) == 10
    assert common_thresholds.possible(0.25, np.array([0.25, 0.25, 0.5, 0.75])) == 3


def facts(rows: list[tuple[str, str, int, int]]) -> Facts:
    """Queries (post, criterion, gold, number of candidates)."""
    queries = pl.DataFrame(
        [(post, name, gold, gold > 0) for post, name, gold, _ in rows],
        schema=[*QUERY, "gold", "has_evidence"],
        orient="row",
    )
    listed = [
        (post, name, f"{post}.{at}", 1.0 - at / 100, 0.0) for post, name, _, n in rows for at in range(n)
    ]
    schema = [*QUERY, "item", "score", "grade"]
    return Facts(
        "made",
        "corpus",
        QUERY,
        queries,
        gold=pl.DataFrame(schema=dict.fromkeys([*QUERY, "item"], pl.String)),
        candidates=pl.DataFrame(listed, schema=schema, orient="row"),
    )


def test_the_order_of_counts_is_auroc_inside_a_post() -> None:
    draws = np.random.default_rng(1)
    gold, counts = draws.integers(0, 2, 40), draws.integers(1, 6, 40)
    made = facts([("p", f"c{at}", int(gold[at]), int(counts[at])) for at in range(40)])
    seen = candidate_lists.telling_counts(made, AuditSettings())
    assert seen.numbers["share_in_order"] == pytest.approx(roc_auc_score(gold, counts))


def test_the_chance_of_odd_lists_is_hypergeometric() -> None:
    """Ten posts of four queries, two with evidence, one of these with a longer list."""
    rows = [(f"p{post}", f"c{at}", int(at < 2), 5 + (at == 0)) for post in range(10) for at in range(4)]
    seen = candidate_lists.odd_lists(facts(rows), AuditSettings())
    assert seen.verdict == "found"
    assert seen.numbers["chance"] == pytest.approx(stats.hypergeom.pmf(1, 4, 2, 1) ** 10)
    rows[-1] = ("p9", "c3", 0, 7)
    assert candidate_lists.odd_lists(facts(rows), AuditSettings()).verdict == "clean"


def test_ids_that_are_numbered_in_every_post_are_no_leak() -> None:
    rows = [(f"p{at // 3}", str(at % 3)) for at in range(30)]
    sentences = pl.DataFrame(rows, schema=["post_id", "item"], orient="row")
    made = facts([(f"p{at}", "c", 0, 0) for at in range(10)])
    gold = sentences.clear()
    numbered = Facts("made", "corpus", QUERY, made.queries, gold, sentences=sentences)
    assert repeated_posts.shared_sentences(numbered, AuditSettings()).verdict == "not applicable"


def corpus(seed: int) -> assay.Corpus:
    return assay.Corpus.of(**corpus_tables(seed))


def positive(made: assay.Corpus) -> set[tuple[str, str]]:
    return set(made.gold.frame.select(QUERY).iter_rows())


def test_gold_of_other_posts_stays() -> None:
    before = corpus(1)
    queries = set(before.queries.frame.select(QUERY).iter_rows())
    some = {post for post, _ in queries if post < "p030"}
    mine = {query for query in queries if query[0] in some}
    draws = np.random.default_rng(0)
    for after in (without_gold(before, some), flipped_gold(before, some), shuffled_gold(before, some, draws)):
        kept = [each.gold.frame.filter(~pl.col("post_id").is_in(some)) for each in (before, after)]
        assert kept[0].select(kept[1].columns).equals(kept[1])
    assert not positive(without_gold(before, some)) & mine
    assert positive(flipped_gold(before, some)) & mine == mine - positive(before)


def test_shuffled_gold_is_spread_evenly() -> None:
    """Numbers of gold stay; base rates of criteria and links with the truth are gone."""
    before = corpus(1)
    queries = before.queries.frame.select(QUERY)
    names = set(queries["post_id"])
    true = positive(before)
    again = []
    for seed in range(200):
        after = shuffled_gold(before, names, np.random.default_rng(seed))
        assert len(after.gold.frame) == len(before.gold.frame)
        assert len(positive(after)) == len(true)
        again.append(len(positive(after) & true))
    expected = len(true) ** 2 / len(queries)
    spread = stats.hypergeom.std(len(queries), len(true), len(true)) / np.sqrt(200)
    assert abs(np.mean(again) - expected) < 4 * spread
