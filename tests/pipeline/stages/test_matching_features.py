"""Words of texts in several scripts, their alignment, and the features of pairs and queries."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

pytest.importorskip("scipy")
pytest.importorskip("sklearn")

from assay.array_types import Floats
from assay.pipeline.matching.matching_model import Candidates, MatchingModel, MatchingSettings
from assay.pipeline.matching.pair_features import PairFeatures
from assay.pipeline.matching.pairs import Pairs, best_two
from assay.pipeline.matching.query_features import question_facts
from assay.pipeline.matching.word_arrays import (
    CAPITAL,
    FIRST,
    NUMBER,
    QUOTED,
    arrays_of,
    surface_from,
    surfaces_of,
)
from assay.pipeline.matching.word_coverage import align
from assay.pipeline.matching.word_segmentation import segment


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Die Straße in München kostet 1.000,50 Euro.", "Die|Straße|in|München|kostet|1.000,50|Euro"),
        ("我爱北京 3 km", "我|爱|北|京|3|km"),
        ("ひらがな カタカナ 한국어", "ひ|ら|が|な|カタカナ|한국어"),
        ("हिन्दी में लिखा", "हिन्दी|में|लिखा"),
        ("e\u0301te\u0301 don't U.S. end.", "e\u0301te\u0301|don't|U.S|end"),
        ("葛\U000e0100飾", "葛\U000e0100|飾"),
        ("สวัสดี", "ส|วั|ส|ดี"),
        ("\u0301 … \ud800", ""),
        ("", ""),
    ],
)
def test_words_follow_the_script(text: str, words: str) -> None:
    assert segment([text]).written == (words.split("|") if words else [])


def test_offsets_keep_empty_texts() -> None:
    assert segment(["", "a b", "", "c", ""]).offsets.tolist() == [0, 0, 2, 2, 3, 3]
    assert segment([]).offsets.tolist() == [0]


def test_case_and_composition_are_folded_and_flags_kept() -> None:
    sentences, criteria, vocabulary = surfaces_of(
        ['Die STRASSE "Nord" 12'], ["straße NORD e\u0301", "\u00e9"], vectors=False
    )
    assert sentences.ids.tolist() == [0, 1, 2, 3]
    assert criteria.ids.tolist() == [1, 2, 4, 4]
    assert (sentences.flags & FIRST > 0).tolist() == [True, False, False, False]
    assert (sentences.flags & CAPITAL > 0).tolist() == [True, True, True, False]
    assert (sentences.flags & NUMBER > 0).tolist() == [False, False, False, True]
    assert (sentences.flags & QUOTED > 0).tolist() == [False, False, True, False]
    again = surface_from(arrays_of(criteria)).take(np.array([1, 0]))
    assert again.ids.tolist() == [4, 1, 2, 4]
    assert len(vocabulary) == 5


SENTENCES = ["Rollo led the Normans.", "", "The duke ruled Normandy in 1066.", "A cat.", "诺曼底 在 法国"]
CRITERIA = ["Who led the Normans?", "zebra", "", "When did the duke rule?", "法国 在 哪里"]


def toy(order: list[int]) -> Candidates:
    """Ask each criterion of all sentences but the last, in the given order."""
    sentences, criteria, vocabulary = surfaces_of(SENTENCES, CRITERIA, vectors=False)
    n = len(SENTENCES)
    pairs = Pairs(np.array(order), np.tile(np.arange(n), len(order)), np.arange(len(order) + 1) * n)
    return Candidates(sentences, criteria, vocabulary, pairs, align(sentences, criteria, vocabulary, pairs))


def features(part: Candidates) -> tuple[Floats, tuple[str, ...]]:
    learnt = PairFeatures.fit(part.sentences, part.vocabulary)
    found, names = learnt.of(part.sentences, part.criteria, part.pairs, part.alignment, part.also)
    return found.astype(np.float64), names


def test_coverage_is_the_share_of_idf() -> None:
    found, names = features(toy([0]))
    # Of 5 sentences, "who" is in none, "led" and "norma…" are in 1 and 2 (with Normandy), "the" in 2.
    who, led, two = (np.log1p((5 - df + 0.5) / (df + 0.5)) for df in (0, 1, 2))
    total = who + led + two + two
    expected = [(led + two + two) / total, 0, 2 * two / total, 0, 0]
    assert found[:, names.index("cover_stem")] == pytest.approx(expected, abs=1e-6)
    assert found[:, names.index("rarest_missing")] == pytest.approx([who] * 5, abs=1e-6)
    # "led the" and "the Normans" are in the first sentence.
    assert found[0, names.index("cover_bigram")] == pytest.approx((led + two) / total, abs=1e-6)
    assert found[:, names.index("cover_around")] == pytest.approx(
        [expected[0], 1 - who / total, expected[2], expected[2], 0], abs=1e-6
    )
    assert found[:, names.index("names_covered")].tolist() == [1, 0, 1, 0, 0]
    assert found[2, names.index("new_numbers")] == 1
    assert found[0, names.index("cover_stem_lead")] == pytest.approx(expected[0] - expected[2], abs=1e-6)


def test_unseen_words_and_empty_texts_are_finite() -> None:
    found, names = features(toy([0, 1, 2, 3, 4]))
    assert np.isfinite(found).all()
    assert not found[5:15, names.index("cover_stem")].any()
    assert found[24, names.index("cover_stem")] > 0  # Chinese


def test_pairs_do_not_depend_on_the_order_of_queries() -> None:
    ordered, _ = features(toy([0, 1, 2, 3, 4]))
    order = [3, 0, 4, 2, 1]
    permuted, _ = features(toy(order))
    assert np.allclose(permuted.reshape(5, 5, -1), ordered.reshape(5, 5, -1)[order])


def test_slices_of_an_alignment_are_alignments_of_slices() -> None:
    part = toy([0, 1, 2, 3, 4])
    taken = part.alignment.take(np.arange(15, 25))
    made = toy([3, 4]).alignment
    for name in ("offsets", "exact", "stem", "bigram", "gram", "new_words", "new_names"):
        assert (getattr(taken, name) == getattr(made, name)).all(), name


def test_best_two_of_queries_without_candidates() -> None:
    pairs = Pairs(np.arange(4), np.arange(4), np.array([0, 0, 3, 4, 4]))
    best, second = best_two(np.array([1.0, 3.0, 2.0, 5.0]), pairs)
    assert best.tolist() == [-np.inf, 3, 5, -np.inf]
    assert second.tolist() == [-np.inf, 2, -np.inf, -np.inf]


def test_facts_of_questions() -> None:
    part = toy([0, 2])
    learnt = PairFeatures.fit(part.sentences, part.vocabulary)
    facts = question_facts(learnt, part.criteria, part.pairs, part.alignment)
    who = np.log1p(5.5 / 0.5)
    assert facts["idf_missing"] == pytest.approx([who, 0])
    assert facts["words"].tolist() == [4, 0]
    assert facts["names_missing_everywhere"].tolist() == [0, 0]


def test_the_model_learns_and_is_deterministic() -> None:
    random = np.random.default_rng(0)
    names = [f"{a}{b}ung" for a in "bcdfghk" for b in "aeiou"]
    sentences, criteria, post, gold = [], [], [], []
    for at in range(120):
        drawn = random.permutation(names)[:8]
        sentences += [" ".join(drawn[i : i + 2]) for i in (0, 2, 4)]
        answerable = at % 2 == 0
        criteria.append(f"wo {drawn[2] if answerable else drawn[7]}")
        post.append(at // 2)
        gold += [False, answerable, False]
    words, asked, vocabulary = surfaces_of(sentences, criteria, vectors=False)
    pairs = Pairs(np.arange(120), np.arange(360), np.arange(121) * 3)
    part = Candidates(words, asked, vocabulary, pairs, align(words, asked, vocabulary, pairs))
    marks, posts = np.array(gold), np.array(post)
    few = MatchingSettings(kind=True, trees=20, gate_trees=20, folds=2)
    with threadpool_limits(1):  # as in a run: threads of two test processes wait for each other
        runs = [MatchingModel(few, 0, part, marks, posts).apply(part) for _ in range(2)]
    match, gate = runs[0]
    assert (match == runs[1][0]).all()
    assert (gate == runs[1][1]).all()
    assert match[marks].min() > match[~marks].max()
    assert gate[::2].min() > gate[1::2].max()


def test_the_model_needs_no_evidence_and_no_candidates() -> None:
    part = toy([0, 1, 2, 3, 4])
    none = np.zeros(len(part.pairs), dtype=bool)
    match, gate = MatchingModel(MatchingSettings(kind=True), 0, part, none, np.arange(5)).apply(part)
    assert np.isfinite(match).all()
    assert np.isfinite(gate).all()
    empty = Pairs(np.array([0]), np.zeros(0, dtype=np.int64), np.array([0, 0]))
    nothing = Candidates(
        part.sentences, part.criteria, part.vocabulary, empty,
        align(part.sentences, part.criteria, part.vocabulary, empty),
    )  # fmt: skip
    match, gate = MatchingModel(MatchingSettings(kind=True), 0, part, none, np.arange(5)).apply(nothing)
    assert match.shape == (0,)
    assert np.isfinite(gate).all()
