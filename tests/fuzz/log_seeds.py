"""Small logs and per-query tables of every accepted form."""

from __future__ import annotations

import json
from typing import Any

ROWS: list[dict[str, Any]] = [
    {
        "id": "1",
        "question": "Where is it?",
        "retrieved": [{"id": "a", "score": 0.9, "text": "Here it is."}, {"id": "b", "score": 0.5}],
        "gold": ["a", "z"],
        "confidence": 0.9,
        "answered": True,
        "conversation_id": "c1",
        "fold": 1,
    },
    {
        "id": "2",
        "question": "And when?",
        "retrieved": [{"id": "b", "score": 0.4}],
        "gold": [],
        "confidence": 0.2,
        "answered": False,
        "conversation_id": "c1",
        "fold": 1,
    },
    {
        "id": "3",
        "question": "Why?",
        "retrieved": [],
        "gold": {"a": 2},
        "confidence": 0.4,
        "answered": "true",
        "conversation_id": "c2",
        "fold": 2,
    },
]
RAGAS = {
    "user_input": "Who?",
    "retrieved_contexts": ["one text", "two texts"],
    "retrieved_context_ids": [1, 2],
    "reference_context_ids": [2],
}
DEEPEVAL = {"testCases": [{"name": "t", "input": "Q", "context": ["x"], "retrievalContext": ["y", "x"]}]}
INSPECT = {
    "version": 2,
    "eval": {"task": "t"},
    "samples": [
        {
            "id": "s",
            "epoch": epoch,
            "input": [{"role": "user", "content": [{"type": "text", "text": "Q"}]}],
            "target": "x",
            "metadata": {"gold": ["x"]},
            "store": {"retrieved": ["y", "x"]},
        }
        for epoch in (1, 2)
    ],
}
RESULTS = (
    "query_id;gold_ids;ranked_ids;prob;state;selected_k;fold;ndcg@10\n"
    "q1;a|b;a|c|b;0.9;POS;2;1;0.9197\n"
    'q2;;["c","d"];0.2;NEG;0;2;\n'
    "q3;x;['y', 'x'];0.6;UNCERTAIN;1;1;0.6309\n"
)
LINES: list[dict[str, Any]] = [
    {"id": 1, "gold": ["a"], "ranked": ["b", "a"], "prob": 0.7, "mrr": 0.5},
    {"id": 2, "gold": [], "ranked": "c|d", "prob": 0.3, "mrr": None},
]


def texts() -> dict[str, str]:
    """Return the files by name."""
    return {
        "log.jsonl": "".join(json.dumps(each) + "\n" for each in ROWS),
        "ragas.jsonl": json.dumps(RAGAS) + "\n",
        "deepeval.json": json.dumps(DEEPEVAL),
        "inspect.json": json.dumps(INSPECT),
        "results.csv": RESULTS,
        "results.jsonl": "".join(json.dumps(each) + "\n" for each in LINES),
        "claims.md": "| measure | value |\n|---|---|\n| nDCG@10 | 0.775 |\n| MAP@10 | 44.4% |\n| F1 | 1.0 |\n",
        "claims.json": json.dumps({"mrr": 0.5, "test": {"auroc": 1.0, "recall@5": 1}}),
        "shared/corpus.toml": "shared_candidates = true\n",
        "shared/sentences.csv": "post_id,sent_uid,text\nq1,a,one text\nq1,b,\nq2,a,one text\n",
        "shared/criteria.csv": "criterion_id,text\nq1,where is it\nq2,when was it\nq3,why\n",
        "shared/gold.csv": "post_id,criterion_id,sent_uid\nq1,q1,a\n",
        "shared/queries.csv": "post_id,criterion_id\nq1,q1\nq2,q2\nq3,q3\n",
        "shared/folds.csv": "post_id,fold\nq1,1\nq2,2\nq3,1\n",
    }
