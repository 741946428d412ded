"""nAUC as MTEB publishes it: per-query values of pytrec_eval, areas of scikit-learn."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from sklearn.metrics import auc

import assay

NAMES = {"ndcg": "ndcg_cut_5", "map": "map_cut_5", "recall": "recall_5", "precision": "P_5"}
RATES = np.linspace(0, 1, 11)[:-1]


def curve(confidence: np.ndarray, values: np.ndarray) -> list[float]:
    order = np.argsort(confidence, stable=True)
    gone = [min(round(rate * len(values)), len(values) - 1) for rate in RATES]
    return [float(values[order[many:]].mean()) for many in gone]


def by_hand(confidence: np.ndarray, values: np.ndarray) -> float:
    flat = values.mean() * (RATES[-1] - RATES[0])
    best = auc(RATES, curve(values, values)) - flat
    return float((auc(RATES, curve(confidence, values)) - flat) / best)


@pytest.mark.parametrize("queries", [15, 35, 40])  # at 15 and 35, r·n lies just above a half
@pytest.mark.parametrize("of", NAMES)
def test_equals_the_published_procedure(queries: int, of: str) -> None:
    generator = np.random.default_rng(queries)
    qrels, run = {}, {}
    for at in range(queries):
        size = int(generator.integers(2, 12))
        scores = np.round(generator.normal(size=size), 6)
        run[f"q{at:02}"] = {f"d{doc}": float(score) for doc, score in enumerate(scores)}
        grades = generator.integers(0, 3, size)
        grades[0] = 1
        qrels[f"q{at:02}"] = {f"d{doc}": int(grade) for doc, grade in enumerate(grades)}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {NAMES[of]})
    theirs = evaluator.evaluate(run)
    values = np.array([theirs[name][NAMES[of]] for name in run])
    lists = [np.array(list(scores.values())) for scores in run.values()]
    confidences = {
        "max": np.array([scores.max() for scores in lists]),
        "std": np.array([scores.std() for scores in lists]),
        "diff1": np.array([np.sort(scores)[-1] - np.sort(scores)[-2] for scores in lists]),
    }
    frame = pl.DataFrame(
        [(query, doc, grade) for query, grades in qrels.items() for doc, grade in grades.items()],
        schema=["query_id", "doc_id", "grade"],
        orient="row",
    )
    judged = assay.read_trec(frame, run)
    for by, confidence in confidences.items():
        name = f"nauc@5:of={of},by={by},on=predicted"
        ours = assay.evaluate(judged, measures=[name])[name].value
        assert ours == pytest.approx(by_hand(confidence, values), abs=1e-9)


def test_the_lists_of_a_corpus_and_depth() -> None:
    run = {"a": [("x", 9.0), ("y", 1.0)], "b": [("x", 5.0), ("y", 4.0)], "c": [("x", 2.0)]}
    qrels = pl.DataFrame({"query_id": ["a", "b", "c"], "doc_id": ["x", "y", "x"], "grade": [1, 1, 1]})
    judged = assay.read_trec(qrels, run)
    name = "nauc@1:of=hit,by=diff1,on=predicted"
    # values 1, 0, 1; leads 8, 1, 0: c goes first, then b. Left out: 0 0 1 1 1 2 2 2 2 2
    lead = [2 / 3, 2 / 3, 1 / 2, 1 / 2, 1 / 2, 1, 1, 1, 1, 1]
    best = [2 / 3, 2 / 3, 1, 1, 1, 1, 1, 1, 1, 1]
    assert [round(rate * 3) for rate in RATES] == [0, 0, 1, 1, 1, 2, 2, 2, 2, 3]
    flat = 0.9 * 2 / 3
    expected = (auc(RATES, lead) - flat) / (auc(RATES, best) - flat)
    assert assay.evaluate(judged, measures=[name])[name].value == pytest.approx(expected)
    # with one candidate a query nobody leads: input order, a and b go first
    first = [2 / 3, 2 / 3, 1 / 2, 1 / 2, 1 / 2, 1, 1, 1, 1, 1]
    expected = (auc(RATES, first) - flat) / (auc(RATES, best) - flat)
    shallow = assay.evaluate(judged, measures=[name], depth=1)
    assert shallow[name].value == pytest.approx(expected)


def test_without_rankings_it_is_absent() -> None:
    table = assay.read_decisions(pl.DataFrame({"label": [0, 1], "prob": [0.1, 0.9]}))
    name = "nauc@5:of=ndcg,by=prob,on=all"
    assert assay.evaluate(table, measures=[name]).absent == {
        name: "the input has labels and probabilities but no rankings"
    }
