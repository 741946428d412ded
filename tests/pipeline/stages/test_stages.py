"""Stages against formulas done by hand and against scikit-learn."""

from __future__ import annotations

from math import ceil, log

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.calibration import _sigmoid_calibration
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.isotonic import IsotonicRegression

from assay.data.corpus import Corpus
from assay.pipeline.corpus_views import posts_of
from assay.pipeline.models import pair_products
from assay.pipeline.models.token_counts import Words
from assay.pipeline.models.tokens import (
    Counts,
    Tokens,
    Weights,
    _blocks,
    count_tokens,
    side_by_side,
    word_names,
)
from assay.pipeline.protocol.stage_cache import Cache
from assay.pipeline.query_arrays import best_of, by_post, by_sentence, ranks, rivals, shifted
from assay.pipeline.stages.dynamic_k import DynamicK, DynamicKSettings, mass_k
from assay.pipeline.stages.evidence_scorer import pooled
from assay.pipeline.stages.probability_calibration import Calibration, CalibrationSettings
from assay.pipeline.stages.retriever import LexicalSettings, Retriever
from assay.pipeline.stages.three_state_gate import StatesSettings, ThreeStateGate
from assay.pipeline.view_layout import Layout, asked_everywhere
from assay.pipeline.views import Labelled, Unlabelled
from tests.pipeline.conftest import toy

TEXTS = ["the cat sat", "the dog sat down", "a cat and a dog", "nothing here", "cat cat cat"]
CRITERIA = ["cat", "dog down"]
OFFSETS = np.array([0, 2, 5])


def view(texts: list[str] = TEXTS, columns: dict[str, np.ndarray] | None = None) -> Unlabelled:
    tokens = tokens_of(texts, CRITERIA)
    layout = asked_everywhere(("p", "q"), ("a", "b"), np.array([0, 2, len(texts)]))
    return Unlabelled(layout, tokens, columns or {})


def tokens_of(texts: list[str], criteria: list[str], least: int = 2) -> Tokens:
    offsets = np.array([0, len(texts)])
    return Tokens(
        Counts(count_tokens(pl.Series(texts), pl.Series(criteria), offsets, chars=True, least=least))
    )


def grid(values: np.ndarray) -> np.ndarray:
    """Return pairs of the toy as sentences × criteria."""
    layout = view().layout
    out = np.empty((5, 2))
    out[layout.pair_sentence, layout.pair_criterion] = values
    return out


@pytest.mark.parametrize("letters", ["的一是不了人我在有", "กขคงจฉชซญ", "あいうえおかきくけ"])
def test_bm25_counts_each_letter_of_a_script_without_spaces(letters: str) -> None:
    """The same texts with one letter for each word and no spaces: the same scores."""
    words = sorted({word for text in TEXTS for word in text.split()})
    letter = dict(zip(words, letters, strict=True))
    texts, criteria = (
        ["".join(letter[word] for word in text.split()) for text in part] for part in (TEXTS, CRITERIA)
    )
    unspaced = Unlabelled(view().layout, tokens_of(texts, criteria), {})
    made = []
    for each in (view(), unspaced):
        stage = Retriever()
        stage.fit(each)
        made.append(stage.apply(each)["bm25"])
    assert made[0].max() > 0
    assert made[1] == pytest.approx(made[0])


def test_bm25_by_hand() -> None:
    stage = Retriever(LexicalSettings(k1=1.2, b=0.75))
    stage.fit(view())
    score = grid(stage.apply(view())["bm25"])
    words = [text.split() for text in TEXTS]
    mean = sum(map(len, words)) / 5
    for at, sentence in enumerate(words):
        for number, query in enumerate(CRITERIA):
            expected = 0.0
            for word in query.split():
                df = sum(word in other for other in words)
                idf = log(1 + (5 - df + 0.5) / (df + 0.5))
                tf = sentence.count(word)
                norm = 1.2 * (1 - 0.75 + 0.75 * len(sentence) / mean)
                expected += idf * tf * 2.2 / (tf + norm)
            assert score[at, number] == pytest.approx(expected, abs=1e-12)


def test_top_keeps_so_many_candidates_of_each_query() -> None:
    stage = Retriever(LexicalSettings(top=1))
    stage.fit(view())
    kept = grid(stage.apply(view())["candidate"])
    assert kept.tolist() == [[1, 0], [0, 1], [0, 1], [0, 0], [1, 0]]


WORDS = r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+"  # enough for these texts: letters of Chinese stand alone


@pytest.mark.parametrize("at_once", [1, 7, 10_000])
def test_weights_are_those_of_scikit_learn(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.pipeline.models.tokens.ENTRIES", at_once)
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), token_pattern=WORDS, min_df=2, sublinear_tf=True)
    expected = vectorizer.fit_transform(TEXTS).toarray()
    tokens = tokens_of(TEXTS, CRITERIA)
    ours = Weights(tokens.words)(tokens.words).toarray()
    assert ours.shape == expected.shape
    assert np.allclose(ours, expected, atol=1e-6)


@pytest.mark.parametrize("at_once", [1, 7, 10_000])
def test_matrices_side_by_side_are_those_of_scipy(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.pipeline.models.tokens.ENTRIES", at_once)
    draw = np.random.default_rng(4)
    for rows in (0, 1, 9):
        parts = [
            csr_matrix(draw.integers(0, 3, (rows, width)) * (draw.random((rows, 1)) < 0.6), dtype=np.float32)
            for width in (4, 0, 2)
        ]
        made = side_by_side(parts)
        assert made.shape == (rows, 6)
        assert made.dtype == np.float32
        assert made.has_canonical_format
        assert np.array_equal(made.toarray(), np.hstack([each.toarray() for each in parts]))


def test_blocks_of_rows_beyond_32_bits() -> None:
    most = np.iinfo(np.int32).max
    offsets = np.array([0, most - 10, most - 5, most], dtype=np.int32)
    assert list(_blocks(offsets)) == [slice(0, 1), slice(1, 3)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("हिन्दी में, १२ दिन", ["हिन्दी", "में", "१२", "दिन"]),  # vowel signs are combining marks
        ("U\u0308ber e\u0301te\u0301.", ["u\u0308ber", "e\u0301te\u0301"]),  # written with combining accents
        ("กำลัง", ["ก", "ำ", "ลั", "ง"]),
        ("❤️ 👍🏽 m²", ["m²"]),  # marks without a letter are no words
    ],
    ids=["Hindi", "decomposed", "Thai", "emoji"],
)
def test_combining_marks_stay_with_their_letter(text: str, words: list[str]) -> None:
    split = Words.of(pl.Series([text]))
    assert [split.names[at] for at in split.ids] == words


def test_counts_are_those_of_scikit_learn() -> None:
    texts = [*TEXTS, "", "Ärger, über über_alles x2 2.5", "the  Cat\tsat", "cat-sat É é", "日本 日本語"] * 2
    words = CountVectorizer(ngram_range=(1, 2), token_pattern=WORDS)
    chars = CountVectorizer(analyzer="char_wb", ngram_range=(3, 5))
    tokens = tokens_of(texts, CRITERIA, least=1)
    for vectorizer, own, asked in (
        (words, tokens.words, tokens.query_words),
        (chars, tokens.chars, tokens.query_chars),
    ):
        expected = vectorizer.fit_transform([*texts, *CRITERIA]).toarray()
        assert own.toarray().tolist() == expected[: len(texts)].tolist()
        assert asked.toarray().tolist() == expected[len(texts) :].tolist()
    names = list(words.get_feature_names_out())
    assert word_names(pl.Series([*texts, *CRITERIA]), 1) == names
    assert [names[at] for at in tokens.single] == [name for name in names if " " not in name]
    assert tokens.lengths.tolist() == tokens.words.toarray().sum(axis=1).tolist()


def test_rare_word_pairs_and_rare_ngrams_are_not_counted_but_rare_words_are() -> None:
    whole, tokens = tokens_of(TEXTS, CRITERIA, least=1), tokens_of(TEXTS, CRITERIA, least=2)
    for name, single in (("words", whole.single), ("chars", np.array([], dtype=np.int64))):
        dense = np.vstack([getattr(whole, each).toarray() for each in (name, f"query_{name}")])
        kept = (dense > 0).sum(axis=0) >= 2
        kept[single] = True
        assert not kept.all()
        assert getattr(tokens, name).toarray().tolist() == dense[: len(TEXTS), kept].tolist()
    assert tokens.lengths.tolist() == whole.lengths.tolist()


def test_counts_of_some_posts() -> None:
    offsets = np.array([0, 2, 4, 5])
    tokens = Tokens(Counts(count_tokens(pl.Series(TEXTS), pl.Series(CRITERIA), offsets, chars=True)))
    some = tokens.take(np.array([2, 3, 4]), np.array([1, 2])).take(np.array([2]), np.array([1]))
    assert some.words.toarray().tolist() == tokens.words.toarray()[[4]].tolist()
    assert some.post_chars.toarray().tolist() == tokens.chars.toarray()[[4]].tolist()
    assert tokens.post_words.toarray()[1].tolist() == tokens.words.toarray()[2:4].sum(axis=0).tolist()
    assert some.lengths.tolist() == [5]  # "cat cat cat": three words, two pairs


def test_neighbours_stay_in_their_query() -> None:
    values = np.arange(5.0)
    before = shifted(values, OFFSETS, -1)
    assert np.isnan(before[[0, 2]]).all()
    assert before[[1, 3, 4]].tolist() == [0, 2, 3]
    assert np.isnan(shifted(values, OFFSETS, 2)[[0, 1, 3, 4]]).all()


def test_ranks_in_a_query_with_ties_in_its_order() -> None:
    values = np.array([1.0, 2.0, 5.0, 7.0, 5.0])
    assert ranks(values, OFFSETS).tolist() == [1, 0, 1, 0, 2]
    first, second, third = best_of(values, OFFSETS, 3)
    assert (first.tolist(), second.tolist()) == ([2, 7], [1, 5])
    assert np.isnan(third[0])
    assert third[1] == 5


# Post p (2 sentences) is asked a and c, post q (1 sentence) only b, post r (2 sentences) nothing.
UNEVEN = Layout(
    ("p", "q", "r"), ("a", "b", "c"), np.array([0, 2, 3, 5]), np.array([0, 0, 1]), np.array([0, 2, 1])
)


def test_only_pairs_that_are_asked_exist() -> None:
    assert UNEVEN.pair_sentence.tolist() == [0, 1, 0, 1, 2]
    assert UNEVEN.pair_criterion.tolist() == [0, 0, 2, 2, 1]
    assert UNEVEN.pair_query.tolist() == [0, 0, 1, 1, 2]
    taken = UNEVEN.taken(np.array([1, 2]))
    assert (taken.sentences.tolist(), taken.queries.tolist(), taken.pairs.tolist()) == ([2, 3, 4], [2], [4])
    assert taken.layout.pair_sentence.tolist() == [0]
    assert UNEVEN.taken(np.array([2])).layout.pair_offsets.tolist() == [0]


def test_values_of_the_other_queries_of_a_post() -> None:
    values = np.array([1.0, 5.0, 3.0, 5.0, 9.0])
    other = rivals(values, UNEVEN)
    assert other[:4].tolist() == [3, 5, 1, 5]
    assert np.isnan(other[4])
    sentences = by_sentence(values, UNEVEN, [0, 1, 2])
    assert sentences[:2, [0, 2]].tolist() == [[1, 3], [5, 5]]
    assert np.isnan(sentences[:2, 1]).all()
    assert np.isnan(sentences[3:]).all()
    posts = by_post(np.array([0.1, 0.2, 0.3]), UNEVEN, [2, 1])
    assert posts[0, 0] == np.float32(0.2)
    assert posts[1, 1] == np.float32(0.3)
    assert np.isnan(posts[[0, 1, 2], [1, 0, 0]]).all()


@pytest.mark.parametrize("common", [1, 1000])
def test_products_of_pairs(common: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways, and in small blocks, against the products of whole matrices."""
    monkeypatch.setattr(pair_products, "COMMON", common)
    monkeypatch.setattr(pair_products, "ENTRIES", 7)
    draw = np.random.default_rng(1)
    left, right = draw.integers(0, 3, (5, 6)).astype(float), draw.integers(0, 3, (3, 6)).astype(float)
    expected = (left @ right.T)[UNEVEN.pair_sentence, UNEVEN.pair_criterion]
    sparse = pair_products.sparse_products(csr_matrix(left), csr_matrix(right), UNEVEN)
    assert sparse.tolist() == expected.tolist()
    assert pair_products.dense_products(left, right, UNEVEN).tolist() == expected.tolist()


# Sorted, the masses are .5, .3, .1 and .1: after k of them .5, .8, .9 and 1 of the total.
@pytest.mark.parametrize(("gamma", "k"), [(0.5, 1), (0.7, 2), (0.8, 2), (0.9, 3), (0.95, 4)])
def test_mass_by_hand(gamma: float, k: int) -> None:
    chance = np.array([0.1, 0.5, 0.3, 0.1])
    assert mass_k(chance, np.array([0, 4]), gamma).tolist() == [k]
    twice = np.concatenate([chance, chance * 0.01])
    assert mass_k(twice, np.array([0, 4, 8]), gamma).tolist() == [k, k]


def test_mass_zero_returns_nothing() -> None:
    assert mass_k(np.zeros(3), np.array([0, 3]), 0.8).tolist() == [0]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"policy": "fixed", "k": 2}, 2),
        ({"policy": "fixed", "k": 9, "k_max": 20}, 5),
        ({"policy": "threshold", "threshold": 0.3}, 3),
        ({"policy": "threshold", "threshold": 0.99}, 1),
        ({"policy": "threshold", "threshold": 0.99, "k_min": 0}, 0),
        ({"policy": "mass", "gamma": 0.5}, 2),
        ({"policy": "mass", "gamma": 1.0, "k_max": 3}, 3),
        ({"policy": "mass", "gamma": 1.0, "share": 0.3}, ceil(0.3 * 5)),
        ({"policy": "fixed", "k": 1, "k_min": 8}, 5),
    ],
)
def test_k_is_clipped_as_row_35_says(settings: dict[str, object], expected: int) -> None:
    columns = {"node_prob": np.array([0.5, 0.1, 0.4, 0.3, 0.1]), "candidate": np.ones(5)}
    layout = asked_everywhere(("p",), ("a",), np.array([0, 5]))
    one = Unlabelled(layout, tokens_of(TEXTS, ["a"]), columns)
    stage = DynamicK(DynamicKSettings(**settings))  # type: ignore[arg-type]
    assert stage.apply(one)["k"].tolist() == [expected]


def labelled(gate: np.ndarray, evidence: np.ndarray) -> Labelled:
    """One sentence a post, so that pairs and queries are the same."""
    n = len(gate)
    tokens = tokens_of(["x"] * n, ["a"])
    layout = asked_everywhere(map(str, range(n)), ("a",), np.arange(n + 1))
    return Labelled(Unlabelled(layout, tokens, {"gate": gate, "node": gate}), evidence, np.ones(n, bool))


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_calibration_is_scikit_learns(method: str) -> None:
    draw = np.random.default_rng(3)
    gate = draw.normal(size=400)
    evidence = draw.random(400) < 1 / (1 + np.exp(-2 * gate + 0.5))
    stage = Calibration(CalibrationSettings(method=method))
    given = labelled(gate, evidence)
    stage.fit(given)
    prob = stage.apply(given.view)["prob"]
    if method == "platt":
        slope, intercept = _sigmoid_calibration(gate, evidence)
        expected = 1 / (1 + np.exp(slope * gate + intercept))
        assert np.allclose(prob, expected, atol=2e-3)
        assert (np.argsort(prob) == np.argsort(gate)).all()
    else:
        expected = IsotonicRegression().fit_transform(gate, evidence)
        assert np.allclose(prob, expected, atol=1e-3)  # a thousandth of platt is mixed in


@pytest.mark.parametrize("has", [False, True])
def test_calibration_with_one_class_keeps_the_order_and_succeeds_as_laplace_says(has: bool) -> None:
    given = labelled(np.arange(5.0), np.full(5, has))
    stage = Calibration()
    stage.fit(given)
    prob = stage.apply(given.view)["prob"]
    assert (np.diff(prob) > 0).all()
    assert prob.mean() == pytest.approx(6 / 7 if has else 1 / 7, abs=1e-4)


def test_calibration_of_a_separable_tune_stays_uncertain() -> None:
    given = labelled(np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]), np.arange(6) >= 3)
    stage = Calibration()
    stage.fit(given)
    prob = stage.apply(given.view)["prob"]
    assert 0.01 < prob.min() < 0.2
    assert 0.8 < prob.max() < 0.99


def states(low: float, high: float) -> ThreeStateGate:
    def choose(_prob: object, _label: object, _posts: object, rule: str, _sure: float) -> float:
        return low if rule.startswith("sensitivity") else high

    return ThreeStateGate(StatesSettings(), choose=choose)


@pytest.mark.parametrize(
    ("low", "high", "expected", "taus"),
    [
        (0.2, 0.7, [-1, 0, 1], (0.2, 0.7)),
        (0.5, 0.3, [-1, 1, 1], (0.3, 0.3)),  # both promises are kept
        (0.2, float("inf"), [-1, 0, 0], (0.2, 1.0)),
        (0.0, 0.0, [1, 1, 1], (0.0, 0.0)),
    ],
)
def test_states_follow_from_two_thresholds(
    low: float, high: float, expected: list[int], taus: tuple[float, float]
) -> None:
    given = labelled(np.zeros(3), np.array([False, True, True]))
    prob, k = np.array([0.1, 0.4, 0.9]), np.full(3, 2.0)
    columns = given.view.with_columns({"prob": prob, "k": k})
    stage = states(low, high)
    stage.fit(Labelled(columns, given.gold, given.known))
    made = stage.apply(columns)
    assert made["state"].tolist() == expected
    assert (made["tau_neg"][0], made["tau_pos"][0]) == taus
    assert made["selected_k"].tolist() == [0 if s < 0 else 2 for s in expected]


def test_likely_evidence_is_read_as_one_text() -> None:
    """Weights are the softmax of each post's scores, by hand."""
    corpus = Corpus.of(**toy(6))
    view = posts_of(corpus, Cache(None)).view
    node = np.random.default_rng(0).normal(size=48)
    second = np.arange(1, 12, 2)  # the queries of the second criterion
    made = pooled(view.with_columns({"node": node}), second).toarray()
    for post, query in enumerate(second):
        own = node[4 * query : 4 * query + 4]
        by_hand = np.exp(own) / np.exp(own).sum()
        assert made[post, 4 * post : 4 * post + 4] == pytest.approx(by_hand, abs=1e-6)
        assert made[post].sum() == pytest.approx(1, abs=1e-6)
