"""The drop-in class against the real pytrec_eval: values per query, parsing, errors."""

from __future__ import annotations

import os
import subprocess
import sys
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval as real
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.compat import pytrec_eval as ours

from .judged_runs import REAL, Grades, Scores, generated
from .judged_runs import real as real_run

QRELS: Grades = {"q1": {"a": 1, "b": 0, "c": 2, "d": -1}, "q2": {"a": 0}, "q3": {"x": 1}, "q4": {}}
RUN: Scores = {"q1": {"a": 0.5, "c": 0.5, "z": 0.9}, "q2": {"a": 1.0}, "q9": {"a": 1.0}, "q4": {"a": 1.0}}
MEASURES = {
    *ours.supported_measures,
    "ndcg_cut.3,7",
    "P_1",
    "recall.2",
    "map_cut_4",
    "iprec_at_recall.0.25",
    "Rprec_mult.0.3,1.5",
}


def same(grades: Grades, scores: Scores, **options: Any) -> None:
    """Every measure of every query, within 1e-9, except where pytrec_eval has no defined value."""
    theirs = real.RelevanceEvaluator(grades, MEASURES, **options).evaluate(scores)
    mine = ours.RelevanceEvaluator(grades, MEASURES, **options).evaluate(scores)
    assert set(mine) == set(theirs)
    for query, values in theirs.items():
        assert set(mine[query]) == set(values)
        undefined = ("num_ret", "utility") if max(grades[query].values()) < 0 else ()
        different = {
            name: (mine[query][name], value)
            for name, value in values.items()
            if name not in undefined and not _equal(mine[query][name], value, values["num_ret"] == 0)
        }
        assert different == {}, query


def _equal(mine: float, theirs: float, empty: bool) -> bool:
    """0 / 0 of an empty ranking is NaN in pytrec_eval and 0 here."""
    return (empty and isnan(theirs) and mine == 0) or abs(mine - theirs) <= 1e-9


@pytest.mark.parametrize("name", REAL)
def test_real_runs(shared: Path, name: str) -> None:
    grades, scores = real_run(shared, name)
    same(grades, scores)
    same(grades, scores, relevance_level=2)
    same(grades, scores, judged_docs_only_flag=True)


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1), level=st.sampled_from((1, 2)), judged_only=st.booleans())
def test_generated_runs(seed: int, level: int, judged_only: bool) -> None:
    same(*generated(seed), relevance_level=level, judged_docs_only_flag=judged_only)


def test_scores_are_compared_as_32_bit_floats() -> None:
    grades = {"q": {"a": 1, "b": 0}}
    scores = {"q": {"a": 1.00000001, "b": 1.0}}  # equal as 32-bit floats: b comes first
    same(grades, scores)
    assert ours.RelevanceEvaluator(grades, {"recip_rank"}).evaluate(scores) == {"q": {"recip_rank": 0.5}}


def test_nicknames_and_names() -> None:
    assert real.supported_measures >= ours.supported_measures
    for name in ("official", "set"):
        assert ours.supported_nicknames[name] == set(real.supported_nicknames[name])
    missing = set(real.supported_nicknames["all_trec"]) - ours.supported_nicknames["all_trec"]
    assert missing == {"relstring"}
    for asked in ({"official"}, {"set"}, {"ndcg_cut", "P"}, {"success"}, {"set_F.2"}, set()):
        theirs = real.RelevanceEvaluator(QRELS, asked).evaluate(RUN)
        mine = ours.RelevanceEvaluator(QRELS, asked).evaluate(RUN)
        assert {query: pytest.approx(values) for query, values in theirs.items()} == mine


BAD: list[Any] = [
    lambda tool: tool.RelevanceEvaluator(QRELS, ["nothing"]),
    lambda tool: tool.RelevanceEvaluator({"q": {"a": 1.0}}, ["map"]),
    lambda tool: tool.RelevanceEvaluator({"q": {1: 1}}, ["map"]),
    lambda tool: tool.RelevanceEvaluator({1: {"a": 1}}, ["map"]),
    lambda tool: tool.RelevanceEvaluator(QRELS, ["map"], relevance_level=0),
    lambda tool: tool.RelevanceEvaluator(QRELS, ["map"]).evaluate({"q1": {"a": "x"}}),
    lambda tool: tool.RelevanceEvaluator(QRELS, ["map"]).evaluate({"q1": {1: 1.0}}),
    lambda tool: tool.RelevanceEvaluator(QRELS, ["map"]).evaluate({"q1": [("a", 1.0)]}),
    lambda tool: tool.RelevanceEvaluator(QRELS, ["map"]).evaluate([1]),
    lambda tool: tool.parse_qrel(["q 0 a 1", "q 0 a 1"]),
    lambda tool: tool.parse_qrel(["q 0 a"]),
    lambda tool: tool.parse_run([""]),
]


@pytest.mark.parametrize("call", BAD)
def test_errors_are_of_the_same_type_with_the_same_words(call: Any) -> None:
    with pytest.raises(Exception) as theirs:  # noqa: PT011 # the type is compared below
        call(real)
    with pytest.raises(theirs.type) as mine:
        call(ours)
    assert str(mine.value).startswith(str(theirs.value))


def test_what_crashes_pytrec_eval_is_refused() -> None:
    with pytest.raises(ValueError, match="unsupported measure P_0"):
        ours.RelevanceEvaluator(QRELS, ["P_0"])
    with pytest.raises(ValueError, match="unsupported measure ndcg_10"):
        ours.RelevanceEvaluator(QRELS, ["ndcg_10"])
    with pytest.raises(ValueError, match="is not a number"):
        ours.RelevanceEvaluator(QRELS, ["map"]).evaluate({"q1": {"a": float("nan")}})


@pytest.mark.parametrize("scores", [{}, {"q9": {"a": 1.0}}, {"q1": {}}, {"q1": {}, "q2": {"a": 2.0}}])
def test_empty_and_unjudged_runs(scores: Scores) -> None:
    same(QRELS, scores)


def test_queries_judged_negative_only() -> None:
    same({"q": {"a": -1}, "p": {"a": 1}}, {"q": {"a": 1.0}, "p": {"a": 1.0}})
    evaluator = ours.RelevanceEvaluator({"q": {"a": -1}}, {"num_ret", "map"})
    assert evaluator.evaluate({"q": {"a": 1.0}}) == {"q": {"num_ret": 1.0, "map": 0.0}}


def test_aggregates_and_parsing() -> None:
    for name in ("gm_map", "num_ret", "map"):
        values = [-1.0, -2.5, 0.25]
        assert ours.compute_aggregated_measure(name, values) == real.compute_aggregated_measure(name, values)
    run, qrels = ["1 Q0 a 1 2.5 s\n", "1 Q0 b 2 1e3 s"], ["1 0 a 1\n", "2 0 b -1"]
    assert ours.parse_run(run) == real.parse_run(run)
    assert ours.parse_qrel(qrels) == real.parse_qrel(qrels)


def test_numpy_numbers_are_accepted() -> None:
    evaluator = ours.RelevanceEvaluator({"q": {"a": np.int64(1)}}, {"map"})  # type: ignore[dict-item]
    assert evaluator.evaluate({"q": {"a": np.float32(1)}}) == {"q": {"map": 1.0}}  # type: ignore[dict-item]


def test_the_order_of_measures_does_not_depend_on_hashes() -> None:
    code = (
        "from assay.compat.pytrec_eval import RelevanceEvaluator as E; "
        "print(list(E({'q': {'d': 1}}, {'recip_rank', 'map', 'P.5,10', 'ndcg'}).evaluate({'q': {'d': 1.0}})['q']))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(printed) == 1
