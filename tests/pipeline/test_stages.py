"""Stages against formulas done by hand and against scikit-learn."""

from __future__ import annotations

from math import ceil, log

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from assay.data.corpus import Corpus
from assay.pipeline.corpus_views import posts_of
from assay.pipeline.models.tokens import WORDS, Weights, arrays_of, tokens_from, tokens_of
from assay.pipeline.protocol.stage_cache import Cache
from assay.pipeline.stages.dynamic_k import DynamicK, DynamicKSettings, mass_k
from assay.pipeline.stages.evidence_scorer import pooled
from assay.pipeline.stages.probability_calibration import Calibration, CalibrationSettings
from assay.pipeline.stages.retriever import LexicalSettings, Retriever
from assay.pipeline.stages.three_state_gate import StatesSettings, ThreeStateGate
from assay.pipeline.views import Labelled, Unlabelled, ranks, shifted
from tests.pipeline.conftest import toy

TEXTS = ["the cat sat", "the dog sat down", "a cat and a dog", "nothing here", "cat cat cat"]
CRITERIA = ["cat", "dog down"]
OFFSETS = np.array([0, 2, 5])


def view(texts: list[str] = TEXTS, columns: dict[str, np.ndarray] | None = None) -> Unlabelled:
    tokens = tokens_of(texts, CRITERIA)
    offsets = np.array([0, 2, len(texts)])
    return Unlabelled(("p", "q"), ("a", "b"), offsets, tokens, np.ones((2, 2), bool), columns or {})


def test_bm25_by_hand() -> None:
    stage = Retriever(LexicalSettings(k1=1.2, b=0.75))
    stage.fit(view())
    score = stage.apply(view())["bm25"]
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
    kept = stage.apply(view())["candidate"]
    assert kept.tolist() == [[1, 0], [0, 1], [0, 1], [0, 0], [1, 0]]


def test_weights_are_those_of_scikit_learn() -> None:
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), token_pattern=WORDS, min_df=2, sublinear_tf=True)
    expected = vectorizer.fit_transform(TEXTS).toarray()
    tokens = tokens_of(TEXTS, CRITERIA)
    ours = Weights(tokens.words)(tokens.words).toarray()
    assert ours.shape == expected.shape
    assert np.allclose(ours, expected, atol=1e-6)


def test_tokens_survive_a_file() -> None:
    tokens = tokens_of(TEXTS, CRITERIA)
    again = tokens_from(arrays_of(tokens))
    for name in ("words", "chars", "query_words", "query_chars"):
        assert (getattr(again, name) != getattr(tokens, name)).nnz == 0


def test_neighbours_stay_in_their_post() -> None:
    values = np.arange(10.0).reshape(5, 2)
    before = shifted(values, OFFSETS, -1)
    assert np.isnan(before[[0, 2]]).all()
    assert before[[1, 3, 4]].tolist() == values[[0, 2, 3]].tolist()
    assert np.isnan(shifted(values, OFFSETS, 2)[[0, 1, 3, 4]]).all()


def test_ranks_of_a_post_with_ties_in_its_order() -> None:
    values = np.array([[1.0], [2.0], [5.0], [7.0], [5.0]])
    assert ranks(values, OFFSETS).ravel().tolist() == [1, 0, 1, 0, 2]


# Sorted, the masses are .5, .3, .1 and .1: after k of them .5, .8, .9 and 1 of the whole.
@pytest.mark.parametrize(("gamma", "k"), [(0.5, 1), (0.7, 2), (0.8, 2), (0.9, 3), (0.95, 4)])
def test_mass_by_hand(gamma: float, k: int) -> None:
    chance = np.array([[0.1], [0.5], [0.3], [0.1]])
    assert mass_k(chance, np.array([0, 4]), gamma)[0, 0] == k
    assert mass_k(chance * 0.01, np.array([0, 4]), gamma)[0, 0] == k


def test_mass_zero_returns_nothing() -> None:
    assert mass_k(np.zeros((3, 1)), np.array([0, 3]), 0.8)[0, 0] == 0


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
    chance = np.array([0.5, 0.1, 0.4, 0.3, 0.1])[:, None]
    columns = {"node_prob": chance, "candidate": np.ones((5, 1))}
    one = Unlabelled(
        ("p",), ("a",), np.array([0, 5]), tokens_of(TEXTS, ["a"]), np.ones((1, 1), bool), columns
    )
    stage = DynamicK(DynamicKSettings(**settings))  # type: ignore[arg-type]
    assert stage.apply(one)["k"][0, 0] == expected


def labelled(gate: np.ndarray, evidence: np.ndarray) -> Labelled:
    """One sentence a post, so that pairs and queries are the same."""
    n = len(gate)
    tokens = tokens_of(["x"] * n, ["a"])
    columns = {"gate": gate[:, None], "node": gate[:, None]}
    made = Unlabelled(
        tuple(map(str, range(n))), ("a",), np.arange(n + 1), tokens, np.ones((n, 1), bool), columns
    )
    return Labelled(made, evidence[:, None], np.ones((n, 1), bool))


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_calibration_is_scikit_learns(method: str) -> None:
    draw = np.random.default_rng(3)
    gate = draw.normal(size=400)
    evidence = draw.random(400) < 1 / (1 + np.exp(-2 * gate + 0.5))
    stage = Calibration(CalibrationSettings(method=method))
    given = labelled(gate, evidence)
    stage.fit(given)
    prob = stage.apply(given.view)["prob"].ravel()
    if method == "platt":
        peer = LogisticRegression(C=np.inf, tol=1e-10).fit(gate[:, None], evidence)
        expected = peer.predict_proba(gate[:, None])[:, 1]
        assert np.allclose(prob, expected, atol=2e-3)
        assert (np.argsort(prob) == np.argsort(gate)).all()
    else:
        expected = IsotonicRegression().fit_transform(gate, evidence)
        assert np.allclose(prob, expected, atol=1e-3)  # a thousandth of platt is mixed in


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_calibration_with_one_class_is_its_share(share: float) -> None:
    given = labelled(np.arange(5.0), np.full(5, share > 0))
    stage = Calibration()
    stage.fit(given)
    assert np.allclose(stage.apply(given.view)["prob"], share, atol=1e-5)


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
    prob, k = np.array([[0.1], [0.4], [0.9]]), np.full((3, 1), 2.0)
    columns = given.view.with_columns({"prob": prob, "k": k})
    stage = states(low, high)
    stage.fit(Labelled(columns, given.gold, given.known))
    made = stage.apply(columns)
    assert made["state"].ravel().tolist() == expected
    assert (made["tau_neg"][0, 0], made["tau_pos"][0, 0]) == taus
    assert made["selected_k"].ravel().tolist() == [0 if s < 0 else 2 for s in expected]


def test_likely_evidence_is_read_as_one_text() -> None:
    """Weights are the softmax of each post's scores, by hand."""
    corpus = Corpus.of(**toy(6))
    view = posts_of(corpus, Cache(None)).view
    node = np.random.default_rng(0).normal(size=(24, 2))
    made = pooled(view.with_columns({"node": node}), 1).toarray()
    for post in range(6):
        own = node[4 * post : 4 * post + 4, 1]
        by_hand = np.exp(own) / np.exp(own).sum()
        assert made[post, 4 * post : 4 * post + 4] == pytest.approx(by_hand, abs=1e-6)
        assert made[post].sum() == pytest.approx(1, abs=1e-6)
