"""The baselines of a bundle: expected values over every order, BM25 by its formula, and what verify finds."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay
from assay.data.cases import Cases
from assay.errors import InputError
from assay.evaluation.baselines.random_order import FAMILIES, expected_values
from assay.metrics.core.registry import metric
from assay.verification.recompute.original_inputs import Originals
from assay.verification.recompute.verify import verify
from assay_oracle.core.grammar import parse
from assay_oracle.core.measure import score
from assay_oracle.core.rows import Query, Row
from assay_oracle.statistics.expected_orders import FORMULAS, expected_value

from .rebuild import document_of, rebuilt

DEFINITIONS = (
    *(f"precision@{k}:denominator={d},rel=1,on=all" for k in (1, 3, 9) for d in ("k", "k_eff", "min_r_k")),
    *(f"recall@{k}:gold={g},rel={r},on=all" for k in (2, 9) for g in ("all", "retrieved") for r in (1, 2)),
    *(
        f"ndcg@{k}:gain={gain},gold={gold},cut={cut},on=all"
        for k, gain, gold, cut in product(
            (2, 9), ("linear", "exponential"), ("all", "retrieved"), ("k", "k_eff")
        )
    ),
    *(f"hit@{k}:rel=1,on=all" for k in (1, 3, 9)),
    *(f"mrr{k}:rel=1,on=all" for k in ("", "@2", "@all")),
    *(
        f"map@{k}:denominator={d},cut={c},rel=1,on=all"
        for k in (3, "all")
        for d in ("R", "min_r_k", "hits")
        for c in ("k", "k_eff")
    ),
    "rprec:rel=1,on=all",
)
# Grades of the candidates (None: not judged), and grades of gold that was not retrieved.
LISTS: tuple[tuple[tuple[int | None, ...], tuple[int, ...]], ...] = (
    ((1, None, None, None, 0), ()),
    ((1, 2, None, 1), (1, 3)),
    ((2, 2), ()),
    ((None, None, None), (1,)),
    ((1,), (1,)),
    ((None, None, 0), ()),
)


def in_order(grades: tuple[int | None, ...], missed: tuple[int, ...]) -> Cases:
    """Return one query with the grades of its candidates by rank."""
    hits = [(rank, grade) for rank, grade in enumerate(grades, 1) if grade is not None]
    gold = sorted([grade for _, grade in hits if grade > 0] + list(missed), reverse=True)
    ranks = np.array([rank for rank, _ in hits], dtype=np.int64)
    none = np.zeros(len(hits), dtype=np.int64)
    return Cases(
        given_keys=["q"],
        answered=np.array([True]),
        n=np.array([len(grades)]),
        judged=np.array([len(hits) + len(missed)]),
        hit_query=none,
        hit_rank=ranks,
        hit_grade=np.array([float(grade) for _, grade in hits]),
        hit_first=ranks,
        hit_last=ranks,
        gold_query=np.zeros(len(gold), dtype=np.int64),
        gold_grade=np.array(gold, dtype=np.float64),
    )


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_the_expected_value_is_the_mean_over_every_order(definition: str) -> None:
    """Also by the second implementation, whose measure gives the mean on each order as well."""
    bound, parsed = metric(definition), parse(definition)
    for grades, missed in LISTS:
        orders = [in_order(tuple(order), missed) for order in permutations(grades)]
        mean = np.mean([bound.columns(each)["value"][0] for each in orders])
        expected = expected_values(bound, orders[0])
        assert expected is not None
        assert expected[0] == pytest.approx(mean, abs=1e-12), (grades, missed)
        judged = tuple(Fraction(grade) for grade in (*grades, *missed) if grade is not None)
        rows = [
            Row(
                Query("q"),
                tuple(None if grade is None else Fraction(grade) for grade in order),
                judged,
                (0.0,) * len(grades),
            )
            for order in permutations(grades)
        ]
        second = float(sum((score(row, parsed).value for row in rows), Fraction(0)) / len(rows))
        assert expected_value(rows[0], parsed) == pytest.approx(second, abs=1e-12)


def test_both_implementations_know_the_same_families() -> None:
    assert set(FAMILIES) == set(FORMULAS)
    assert {re.split("[@:]", definition)[0] for definition in DEFINITIONS} == set(FAMILIES)


TEXTS = {
    "p1": ("slept badly again", "cat sat", "Sleep is bad, sleep!", "sleep"),
    "p2": ("no words of it", "tired of sleep and of work", "x"),
}


def posts(texts: bool = True, position: bool = False) -> tuple[assay.Corpus, assay.Predictions]:
    rows = [(post, f"{post}.{at}", text) for post, listed in TEXTS.items() for at, text in enumerate(listed)]
    sentences = pl.DataFrame(rows, schema=["post_id", "sent_uid", "text"], orient="row")
    if position:  # the rows are in another order than the post
        sentences = sentences.with_columns(position=-pl.int_range(pl.len()))
    if not texts:
        sentences = sentences.drop("text")
    corpus = assay.Corpus.of(
        sentences=sentences,
        criteria=pl.DataFrame({"criterion_id": ["s", "t"], "text": ["Sleep, bad", "tired work"]}),
        gold=pl.DataFrame(
            [("p1", "s", "p1.2"), ("p1", "s", "p1.1"), ("p2", "t", "p2.1")],
            schema=["post_id", "criterion_id", "sent_uid"],
            orient="row",
        ),
    )
    asked = [(post, criterion) for post in TEXTS for criterion in ("s", "t")]
    listed = [(p, c, f"{p}.{at}", float(-at)) for p, c in asked for at in (0, 1)]
    decided = [
        (p, c, prob, k) for (p, c), prob, k in zip(asked, (0.9, 0.2, 0.1, 0.6), (1, 0, 0, 1), strict=True)
    ]
    key = ["post_id", "criterion_id"]
    return corpus, assay.Predictions.of(
        pl.DataFrame(listed, schema=[*key, "sent_uid", "score"], orient="row"),
        pl.DataFrame(decided, schema=[*key, "prob", "selected_k"], orient="row"),
    )


def bm25(post: str, question: str) -> list[float]:
    """The formula, sentence by sentence."""
    split = {p: [re.findall(r"\w+", text.lower()) for text in listed] for p, listed in TEXTS.items()}
    every = [words for listed in split.values() for words in listed]
    mean = sum(map(len, every)) / len(every)

    def weight(word: str, words: list[str]) -> float:
        df, tf = sum(word in other for other in every), words.count(word)
        idf = math.log(1 + (len(every) - df + 0.5) / (df + 0.5))
        return idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(words) / mean))

    asked = dict.fromkeys(re.findall(r"\w+", question.lower()))
    return [sum(weight(word, words) for word in asked) for words in split[post]]


def by_name(result: assay.Result) -> dict[str, dict[str, float]]:
    return {each.name: dict(each.values) for each in result.baselines}


@pytest.mark.parametrize("at_once", [1, 2, 100_000])
def test_the_baselines_of_a_corpus_by_hand(
    tmp_path: Path, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.evaluation.baselines.bm25_scores.SENTENCES", at_once)
    corpus, predictions = posts()
    result = assay.evaluate(
        predictions, corpus, measures=["mrr", "recall@10", "auroc", "auprc", "brier", "map@10"]
    )
    loaded = assay.load(result.save(tmp_path / "bundle"))
    assert [each.name for each in loaded.baselines] == [
        *("random", "original", "bm25", "positive_rate", "highest_score", "oracle")
    ]
    found = by_name(loaded)
    # Gold of the two queries with evidence: ranks 2 and 3 of 4 sentences; rank 2 of 3.
    assert found["original"]["mrr"] == pytest.approx((1 / 2 + 1 / 2) / 2)
    first = (1 * 3 + 1 / 2 * 2 + 1 / 3 * 1) / 6  # the first of two gold among 4: 3, 2, 1 of 6 pairs of ranks
    assert found["random"]["mrr"] == pytest.approx((first + (1 + 1 / 2 + 1 / 3) / 3) / 2)
    scores = {
        (post, c): bm25(post, q) for post in TEXTS for c, q in (("s", "Sleep, bad"), ("t", "tired work"))
    }
    ranks = {
        (post, c): [
            sum((-s, i) < (-scores[post, c][at], at) for i, s in enumerate(scores[post, c])) + 1
            for at in gold
        ]
        for post, c, gold in (("p1", "s", (1, 2)), ("p2", "t", (1,)))
    }
    assert ranks == {("p1", "s"): [4, 1], ("p2", "t"): [1]}
    assert found["bm25"]["map@10"] == pytest.approx(((1 + 2 / 4) / 2 + 1) / 2)
    highest = {query: max(values) for query, values in scores.items()}
    positive, negative = [("p1", "s"), ("p2", "t")], [("p1", "t"), ("p2", "s")]
    wins = [highest[a] > highest[b] for a in positive for b in negative]
    assert found["bm25"]["auroc"] == pytest.approx(sum(wins) / 4)
    table = pl.read_csv(tmp_path / "bundle" / "baselines.csv")
    assert table["bm25_score"].to_list() == pytest.approx(list(highest.values()))
    assert found["positive_rate"] == pytest.approx({"auroc": 0.5, "auprc": 0.5, "brier": 0.25})
    assert found["highest_score"]["auroc"] == 0.5  # every list begins with a score of 0
    assert found["oracle"] == dict.fromkeys(found["oracle"], 1.0) | {"brier": 0.0}
    assert verify(tmp_path / "bundle").ok


@pytest.mark.parametrize(
    ("sentences", "question"),
    [
        (("李敏是律师。", "他喜欢北京的冬天。", "王伟出生在北京。"), "王伟在哪里出生?"),
        (("そらは、あおい。", "きょうは、ねむい。", "ねこは、にわにいる。"), "ねこは、どこ"),
    ],
    ids=["Chinese", "Japanese"],
)
def test_in_scripts_without_spaces_bm25_compares_letters(
    sentences: tuple[str, ...], question: str, tmp_path: Path
) -> None:
    key, letters = ["post_id", "criterion_id"], [re.findall(r"\w", text) for text in sentences]
    rows = [("p", f"p.{at}", text) for at, text in enumerate(sentences)]
    gold = pl.DataFrame([("p", "q", "p.2")], schema=[*key, "sent_uid"], orient="row")
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame(rows, schema=["post_id", "sent_uid", "text"], orient="row"),
        criteria=pl.DataFrame({"criterion_id": ["q"], "text": [question]}),
        gold=gold,
    )
    predictions = assay.Predictions.of(gold.with_columns(score=1.0))
    saved = assay.evaluate(predictions, corpus, measures=["mrr"]).save(tmp_path / "bundle")
    mean = sum(map(len, letters)) / 3
    expected = 0.0
    for letter in set(re.findall(r"\w", question)):
        df, tf = sum(letter in other for other in letters), letters[2].count(letter)
        idf = math.log(1 + (3 - df + 0.5) / (df + 0.5))
        expected += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(letters[2]) / mean))
    table = pl.read_csv(saved / "baselines.csv")
    assert table["bm25"].to_list() == [1]
    assert table["bm25_score"].to_list() == pytest.approx([expected])


def test_positions_decide_the_original_order_and_without_texts_there_is_no_bm25(tmp_path: Path) -> None:
    corpus, predictions = posts(position=True)
    result = assay.evaluate(predictions, corpus, measures=["mrr"]).save(tmp_path / "turned")
    # From behind: ranks 2 and 3 of 4, and rank 2 of 3.
    assert pl.read_csv(result / "baselines.csv")["original"].to_list() == ["2 3", None, None, "2"]
    corpus, predictions = posts(texts=False)
    plain = assay.load(assay.evaluate(predictions, corpus, measures=["mrr"]).save(tmp_path / "plain"))
    assert set(by_name(plain)) == {"random", "original", "oracle"}


def test_a_run_and_a_plain_table_have_the_baselines_that_they_allow(tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1, "b": 0, "z": 1}, "q2": {"c": 2}}
    run = {"q1": {"b": 0.9, "a": 0.4, "x": 0.1}, "q2": {"y": 0.5, "c": 0.2}}
    loaded = assay.load(assay.evaluate(run, qrels=qrels, contract="trec_eval/10").save(tmp_path / "run"))
    found = by_name(loaded)
    assert list(found) == ["random", "oracle"]
    assert found["random"]["P_5"] == pytest.approx((1 / 5 + 1 / 5) / 2)
    assert found["random"]["recip_rank"] == pytest.approx(((1 + 1 / 2 + 1 / 3) / 3 + (1 + 1 / 2) / 2) / 2)
    assert found["oracle"]["P_5"] == pytest.approx((2 / 5 + 1 / 5) / 2)
    assert not (tmp_path / "run" / "baselines.csv").exists()
    labels, probs = [1, 0, 0, 0, 1, 0, 0, 0], [0.9, 0.1, 0.2, 0.7, 0.6, 0.3, 0.2, 0.1]
    table = pl.DataFrame({"id": map(str, range(8)), "y": labels, "p": probs})
    table.write_csv(tmp_path / "table.csv")
    read = assay.read_decisions(tmp_path / "table.csv", prob="p", label="y")
    plain = by_name(assay.load(assay.evaluate(read).save(tmp_path / "table")))
    assert plain == {
        "positive_rate": pytest.approx({"auroc": 0.5, "auprc": 0.25, "brier": 0.1875, "ece": 0.0})
    }
    assert verify(tmp_path / "run").ok
    assert verify(tmp_path / "table").ok


def test_a_forged_baseline_is_found(tmp_path: Path) -> None:
    corpus, predictions = posts()
    folder = assay.evaluate(predictions, corpus, measures=["mrr", "auroc"]).save(tmp_path / "bundle")
    document = document_of(folder)
    document["baselines"][1]["values"]["mrr"] -= 0.1  # the system looks better than it is
    rebuilt(folder, document)
    found = {(each.what, each.by) for each in verify(folder).failed}
    assert found == {("baselines/original/mrr", "oracle"), ("baselines/original/values/mrr", "assay")}


def test_edited_ranks_are_found_with_the_corpus_and_impossible_ones_without(tmp_path: Path) -> None:
    corpus, predictions = posts()
    result = assay.evaluate(predictions, corpus, measures=["mrr", "auroc"])
    folder = result.save(tmp_path / "bundle")
    table = folder / "baselines.csv"
    honest = table.read_text(encoding="utf-8")
    rows = honest.splitlines()
    assert rows[1].split(",")[3] == "2 3"
    table.write_text(honest.replace(",2 3,", ",3 4,"), encoding="utf-8")
    document = document_of(folder)
    document["baselines"] = json.loads(json.dumps(document["baselines"]))
    document["baselines"][1]["values"]["mrr"] = (1 / 3 + 1 / 2) / 2
    rebuilt(folder, document)
    assert verify(folder).ok
    with_inputs = verify(folder, originals=Originals(predictions, corpus))
    assert "inputs/baselines.csv/original" in {each.what for each in with_inputs.failed}
    for wrong in (",2,", ",2 2,", ",0 3,", ",2 9,", ",a b,"):
        table.write_text(honest.replace(",2 3,", wrong), encoding="utf-8")
        rebuilt(folder, document)
        with pytest.raises(InputError, match="ranks"):
            verify(folder)


def test_a_changed_highest_score_is_found(tmp_path: Path) -> None:
    corpus, predictions = posts()
    candidates = predictions.candidates.frame.with_columns(score=pl.col("score") + pl.int_range(pl.len()))
    predictions = replace(predictions, candidates=replace(predictions.candidates, frame=candidates))
    folder = assay.evaluate(predictions, corpus, measures=["mrr", "auroc"]).save(tmp_path / "bundle")
    table = folder / "baselines.csv"
    rows = table.read_text(encoding="utf-8").splitlines()
    table.write_text("\n".join([*rows[:-1], rows[-1].rpartition(",")[0] + ",999.0"]) + "\n", encoding="utf-8")
    rebuilt(folder, document_of(folder))
    assert "baselines/highest_score" in {each.what for each in verify(folder).failed}
