"""The points where the source documents disagree or are silent, and what each contract does.

One test a point, numbered as in docs/contracts.md, with the arithmetic in the test. A rule that is
changed in a contract, an entry or a kernel makes its test fail.
"""

from __future__ import annotations

import math

import polars as pl
import pytest

import assay
import assay.compat
from assay.contracts.contract_toml import SHIPPED, contract, parse
from assay.evaluation.result import Result

Lists = dict[str, list[str]]
Gold = dict[str, dict[str, float]]


def corpus(gold: Gold, posts: dict[str, list[str]], folds: dict[str, str] | None = None) -> assay.Corpus:
    """One criterion; the query of a post is the post."""
    sentences = [(post, uid) for post, uids in posts.items() for uid in uids]
    golds = [(post, "c", uid, grade) for post, row in gold.items() for uid, grade in row.items()]
    return assay.Corpus.of(
        sentences=pl.DataFrame(sentences, schema=["post_id", "sent_uid"], orient="row"),
        criteria=pl.DataFrame({"criterion_id": ["c"]}),
        gold=pl.DataFrame(golds, schema=["post_id", "criterion_id", "sent_uid", "grade"], orient="row"),
        folds=None if folds is None else pl.DataFrame({"post_id": list(folds), "fold": list(folds.values())}),
    )


def predictions(lists: Lists) -> assay.Predictions:
    rows = [(post, "c", uid, float(-place)) for post, uids in lists.items() for place, uid in enumerate(uids)]
    names = ["post_id", "criterion_id", "sent_uid", "score"]
    return assay.Predictions.of(pl.DataFrame(rows, schema=names, orient="row"))


def under(name: str, gold: Gold, lists: Lists, outside: dict[str, list[str]] | None = None) -> Result:
    """Evaluate lists of sentences; `outside` are sentences of a post that were not ranked."""
    posts = {post: [*uids, *(outside or {}).get(post, [])] for post, uids in lists.items()}
    return assay.evaluate(predictions(lists), corpus(gold, posts), contract=name)


def one(name: str, measure: str, marks: str, missed: int = 0) -> float:
    """A measure of one list: 1 gold, 0 not; `missed` gold sentences were not ranked."""
    uids = [f"s{at}" for at in range(len(marks))]
    extra = [f"m{at}" for at in range(missed)]
    gold = {uid: 1.0 for uid, mark in zip(uids, marks, strict=True) if mark == "1"}
    gold |= dict.fromkeys(extra, 1.0)
    return under(name, {"p": gold}, {"p": uids}, {"p": extra})[measure].value


def test_01_recall_divides_by_all_gold_or_by_what_was_retrieved() -> None:
    # one of four gold sentences is ranked, first
    assert one("assay/1", "recall@3", "100", missed=3) == 1 / 4
    for name in ("evidence/1.0.0", "paper/1.0", "e2e/1.0"):
        assert one(name, "recall@3", "100", missed=3) == 1 / 4
    assert one("bundle/3.0", "recall@3", "100", missed=3) == 1.0
    assert one("bundle/3.0", "ndcg@3", "100", missed=3) == 1.0
    assert one("assay/1", "ndcg@3", "100", missed=3) == pytest.approx(1 / (1 + 1 / math.log2(3) + 1 / 2))
    assert assay.compat.compute_ndcg_at_k([1, 0, 0], [3, 2, 1], 3) == 1.0  # cannot see gold outside


def test_02_average_precision_has_three_denominators() -> None:
    # hits at ranks 1 and 3, R = 5, k = 3: (1 + 2/3) over 5, 3 or 2
    wanted = {
        "evidence/1.0.0": 1 / 3,
        "assay/1": 5 / 9,
        "paper/1.0": 5 / 9,
        "e2e/1.0": 5 / 6,
        "bundle/3.0": 5 / 9,
    }
    for name, value in wanted.items():
        assert one(name, "map@3", "101", missed=3) == pytest.approx(value, abs=1e-12), name
    assert [round(value, 3) for value in (1 / 3, 5 / 9, 5 / 6)] == [0.333, 0.556, 0.833]
    qrels = pl.DataFrame({"query_id": ["q"] * 5, "doc_id": list("acdef"), "score": [1] * 5})
    frame = assay.compat.evaluate_predictions({"q": [("a", 3), ("b", 2), ("c", 1)]}, qrels, ks=(3,))
    assert frame["MAP"][0] == pytest.approx(5 / 6)


def test_03_k_eff_enters_precision_average_precision_and_the_ideal() -> None:
    # a list of two sentences at k = 5, one hit first, R = 3
    assert one("assay/1", "precision@5", "10", missed=2) == 1 / 5
    assert one("paper/1.0", "precision@5", "10", missed=2) == 1 / 2
    assert one("assay/1", "map@5", "10", missed=2) == 1 / 3
    assert one("paper/1.0", "map@5", "10", missed=2) == 1 / 2
    ideal_3 = 1 + 1 / math.log2(3) + 1 / 2
    ideal_2 = 1 + 1 / math.log2(3)
    assert one("assay/1", "ndcg@5", "10", missed=2) == pytest.approx(1 / ideal_3)
    assert one("paper/1.0", "ndcg@5", "10", missed=2) == pytest.approx(1 / ideal_2)
    assert assay.compat.compute_k_eff(5, 2) == 2
    assert assay.compat.compute_k_eff(5, 9) == 5


def test_04_the_gain_of_ndcg_is_linear_or_exponential() -> None:
    # grades 1, 3 in that order: linear (1 + 3/log2 3) / (3 + 1/log2 3); exponential with 1 and 7
    gold, lists = {"p": {"a": 1.0, "b": 3.0}}, {"p": ["a", "b"]}
    second = 1 / math.log2(3)
    linear = (1 + 3 * second) / (3 + second)
    exponential = (1 + 7 * second) / (7 + second)
    for name in ("assay/1", "paper/1.0", "bundle/3.0"):
        assert under(name, gold, lists)["ndcg@3"].value == pytest.approx(linear), name
    for name in ("evidence/1.0.0", "e2e/1.0"):
        assert under(name, gold, lists)["ndcg@3"].value == pytest.approx(exponential), name
    binary = {"p": {"a": 1.0}}
    same = {under(name, binary, lists)["ndcg@3"].value for name in SHIPPED[:5]}
    assert len(same) == 1


def test_05_mrr_and_mrr_at_k_are_two_measures() -> None:
    assert one("assay/1", "mrr", "00001") == 1 / 5
    assert one("assay/1", "mrr@3", "00001") == 0.0
    assert one("assay/1", "mrr@5", "00001") == 1 / 5
    assert "mrr" in contract("evidence/1.0.0").names
    assert "mrr" not in contract("paper/1.0").names
    assert "mrr@10" in contract("ir/1").names


def test_06_queries_without_gold_are_left_out_of_ranking_or_named_as_zeros() -> None:
    gold, lists = {"p": {"a": 1.0}}, {"p": ["a"], "q": ["b"], "r": ["c"]}
    for name in ("assay/1", "evidence/1.0.0", "e2e/1.0", "bundle/3.0"):
        value = under(name, gold, lists)["recall@1"]
        assert (value.value, value.n, value.population) == (1.0, 1, "evidence"), name
    paper = under("paper/1.0", gold, lists)
    assert (paper["recall@3"].value, paper["recall@3"].n) == (1.0, 1)
    zeros = paper["all_queries/recall@3"]
    assert zeros.value == pytest.approx(1 / 3)
    assert (zeros.n, zeros.population) == (3, "all")
    assert zeros.by_convention == {"the query has no gold": 2}
    dual = assay.compat.dual_evaluate({"p": {"a"}, "q": set()}, {"p": ["a"], "q": ["b"]}, ks=[3])
    assert dual["positives_only"]["recall@3"] == 1.0
    assert dual["positives_only"]["n"] == 1
    assert dual["all_queries"]["recall@3"] == 0.5
    assert dual["all_queries"]["n"] == 2
    kept = assay.compat.paper_evaluate({"p": {"a"}, "q": set()}, {"p": ["a"], "q": ["b"]})
    assert {value.population for value in kept.values()} == {"evidence"}
    every = assay.compat.paper_evaluate(
        {"p": {"a"}, "q": set()}, {"p": ["a"], "q": ["b"]}, skip_no_positives=False
    )
    assert {value.population for value in every.values()} == {"all"}


def test_06_predicted_queries_are_the_population_of_ir() -> None:
    qrels = pl.DataFrame({"query_id": ["a", "b"], "doc_id": ["x", "y"], "score": [1, 1]})
    preds = {"a": [("x", 1.0)], "unjudged": [("x", 1.0)]}
    frame = assay.compat.evaluate_predictions(preds, qrels, ks=(1,))
    assert frame["Recall"][0] == 0.5  # a: 1, unjudged: 0; b was not predicted
    judged = assay.read_trec(qrels, preds)
    trec = assay.evaluate(judged, contract="trec_eval/10")
    assert (trec["recall_5"].value, trec["recall_5"].n) == (1.0, 1)
    assert trec.counts.left_out == 1
    complete = assay.evaluate(judged, contract="trec_eval/10", complete=True)
    assert (complete["recall_5"].value, complete["recall_5"].n) == (0.5, 2)


def test_07_hit_rate_is_over_queries_with_evidence() -> None:
    value = under("evidence/1.0.0", {"p": {"a": 1.0}}, {"p": ["a"], "q": ["b"]})["hit@1"]
    assert (value.value, value.n) == (1.0, 1)


def test_15_std_has_ddof_1_and_none_for_one_value() -> None:
    lists = {"p": ["a"], "q": ["x", "b"]}
    result = under("assay/1", {"p": {"a": 1.0}, "q": {"b": 1.0}}, lists)
    spread = result["hit@1"].spread
    assert spread is not None
    assert spread.std == pytest.approx(math.sqrt(0.5))  # values 1, 0: variance 0.5 with ddof 1
    alone = under("assay/1", {"p": {"a": 1.0}}, {"p": ["a"]})["hit@1"].spread
    assert alone is not None
    assert alone.std is None


def test_17_zero_by_convention_is_counted_with_its_reason() -> None:
    posts = {"p": ["a"], "q": ["b"], "r": ["c"]}
    asked = corpus({"p": {"a": 1.0}, "q": {"b": 1.0}}, posts)
    result = assay.evaluate(predictions({"p": ["a"], "r": ["c"]}), asked, contract="assay/1")
    value = result["recall@1"]
    assert (value.value, value.n) == (0.5, 2)  # q was not answered: a miss, not dropped
    assert value.by_convention == {"nothing was ranked": 1}
    assert result.counts.missing == 1
    none = under("e2e/1.0", {"p": {"a": 1.0}}, {"p": ["x", "y", "z", "a"]})["map@3"]
    assert none.by_convention == {"no gold in the top k": 1}
    judged_zero = under("assay/1", {"p": {"a": 0.0}}, {"p": ["a"]})["recall@1"]
    assert (judged_zero.value, judged_zero.n) == (0.0, 0)
    assert judged_zero.convention == "the population has no query"


def test_18_ties_keep_the_order_of_the_input_or_go_by_id() -> None:
    rows = pl.DataFrame({"query_id": ["q"] * 3, "doc_id": ["b", "c", "a"], "score": [1.0, 1.0, 1.0]})
    gold = pl.DataFrame({"query_id": ["q"], "doc_id": ["b"], "score": [1]})
    stable = assay.evaluate(assay.read_trec(gold, rows), contract="assay/1")
    assert stable["mrr"].value == 1.0  # b comes first in the input
    assert stable["mrr"].tie_sensitive == 1
    by_id = assay.evaluate(assay.read_trec(gold, rows), contract="trec_eval/10")
    assert by_id["recip_rank"].value == 0.5  # c, b, a
    shuffled = assay.evaluate(assay.read_trec(gold, rows.reverse()), contract="trec_eval/10")
    assert shuffled["recip_rank"].value == 0.5
    spread = rows.with_columns(score=pl.Series([3.0, 2.0, 1.0]))
    assert assay.evaluate(assay.read_trec(gold, spread), contract="assay/1")["mrr"].tie_sensitive == 0


def test_19_cut_offs_and_the_policy_that_names_them() -> None:
    cuts = {name: contract(name).cuts for name in SHIPPED}
    assert cuts["assay/1"] == ("1", "3", "5", "10", "20", "all")
    assert cuts["paper/1.0"] == ("1", "3", "5", "10", "all")
    assert cuts["bundle/3.0"] == cuts["evidence/1.0.0"] == ("1", "3", "5", "10", "20")
    assert cuts["ir/1"] == ("1", "3", "5", "10")
    assert contract("assay/1").k_primary == contract("paper/1.0").k_primary == (3, 5, 10)
    result = under("paper/1.0", {"p": {"a": 1.0}}, {"p": ["a"]})
    roles = {value.name: value.k_role for value in result.measures}
    assert roles["recall@1"] == "optional"
    assert roles["recall@10"] == "primary"
    assert roles["recall@all"] == "ceiling"


def test_25_a_contract_may_declare_the_counts_of_its_data() -> None:
    text = 'id = "x"\nexpected = { queries = 14770, evidence = 1 }\n[measures]\n"mrr" = "mrr"\n'
    asked, answered = corpus({"p": {"a": 1.0}}, {"p": ["a"], "q": ["b"]}), predictions({"p": ["a"]})
    result = assay.evaluate(answered, asked, contract=parse(text, "x.toml"))
    assert result.unexpected == {"queries": 14770}
    assert assay.evaluate(answered, asked).unexpected == {}


def test_29_the_headline_is_the_fold_mean_or_pooled() -> None:
    # fold x: values 1, 1, 0; fold y: value 1. Fold mean (2/3 + 1) / 2, pooled 3/4.
    posts = {"a": ["a1", "a2"], "b": ["b1"], "c": ["c1"], "d": ["d1"]}
    gold = {"a": {"a2": 1.0}, "b": {"b1": 1.0}, "c": {"c1": 1.0}, "d": {"d1": 1.0}}
    asked = corpus(gold, posts, {"a": "x", "b": "x", "c": "x", "d": "y"})
    answered = predictions({post: list(uids) for post, uids in posts.items()})
    folded = assay.evaluate(answered, asked, contract="assay/1")["hit@1"]
    assert folded.value == pytest.approx((2 / 3 + 1) / 2)
    assert folded.pooled == 0.75
    assert folded.aggregate == "fold_mean"
    assert folded.folds is not None
    assert folded.folds.std == pytest.approx(math.sqrt(2 * (1 / 6) ** 2))
    pooled = assay.evaluate(answered, asked, contract="paper/1.0")["hit@1"]
    assert (pooled.value, pooled.aggregate) == (0.75, "pooled")
    without = assay.evaluate(answered, corpus(gold, posts), contract="assay/1")["hit@1"]
    assert (without.value, without.aggregate) == (0.75, "pooled")


def test_31_quantiles_interpolate_linearly() -> None:
    # reciprocal ranks 1, 1/2: P25 = .5 + .25 · .5, median .75, P75 .875
    lists = {"p": ["a"], "q": ["x", "b"]}
    spread = under("assay/1", {"p": {"a": 1.0}, "q": {"b": 1.0}}, lists)["mrr"].spread
    assert spread is not None
    assert (spread.p25, spread.median, spread.p75) == (0.625, 0.75, 0.875)


def test_34_a_contract_may_exclude_criteria() -> None:
    asked = assay.Corpus.of(
        sentences=pl.DataFrame({"post_id": ["p"], "sent_uid": ["s"]}),
        criteria=pl.DataFrame({"criterion_id": ["A.1", "A.10"]}),
        gold=pl.DataFrame({"post_id": ["p"], "criterion_id": ["A.10"], "sent_uid": ["s"]}),
    )
    rows = {"post_id": ["p"] * 2, "criterion_id": ["A.1", "A.10"], "sent_uid": ["s"] * 2}
    answered = assay.Predictions.of(pl.DataFrame({**rows, "score": [1.0, 1.0]}))
    assert assay.evaluate(answered, asked, contract="assay/1").counts.queries == 2
    counts = assay.evaluate(answered, asked, contract="bundle/3.0").counts
    assert (counts.queries, counts.excluded, counts.evidence) == (1, 1, 0)


def test_36_a_candidate_of_another_post_is_an_error() -> None:
    posts = {"p": ["a"], "q": ["b"]}
    asked = corpus({"p": {"a": 1.0}}, posts)
    with pytest.raises(assay.InputError, match=r"'b' is a sentence of post 'q', not of 'p'"):
        assay.evaluate(predictions({"p": ["a", "b"]}), asked)


def test_37_lists_are_sorted_again_and_split_selects() -> None:
    qrels = pl.DataFrame(
        {"query_id": ["q", "q"], "doc_id": ["a", "z"], "score": [1, 1], "split": ["test", "train"]}
    )
    preds = {"q": [("b", 1.0), ("a", 2.0)]}
    frame = assay.compat.evaluate_predictions(preds, qrels, ks=(1,), split="test")
    assert frame["MRR"][0] == 1.0  # a has the higher score although it comes second
    assert frame["Recall"][0] == 1.0
    assert assay.compat.evaluate_predictions(preds, qrels, ks=(1,))["Recall"][0] == 0.5
    counts = assay.evaluate(assay.read_trec(qrels, preds), contract="ir/1").counts
    assert counts.resorted == 1
