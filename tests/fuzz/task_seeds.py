"""Small official files of every shared task, as their scorers read them."""

from __future__ import annotations

import json
from typing import Any

SQUAD2 = {
    "data": [
        {
            "title": "Normandy",
            "paragraphs": [
                {
                    "context": "",
                    "qas": [
                        {"id": "q1", "answers": [{"text": "the 10th century", "answer_start": 0}]},
                        {"id": "q2", "answers": [{"text": "Rollo"}, {"text": "Rollo of Normandy"}]},
                        {"id": "q3", "answers": []},
                    ],
                },
                {"context": "", "qas": [{"id": "q4", "answers": []}]},
            ],
        }
    ]
}
FEVER: list[dict[str, Any]] = [
    {
        "id": 1,
        "label": "SUPPORTS",
        "evidence": [[[1, 1, "Rollo", 0], [1, 2, "Rollo", 3]], [[2, 3, "Rouen", 7]]],
        "predicted_label": "SUPPORTS",
        "predicted_evidence": [["Rollo", 0], ["Rouen", 7], ["Rollo", 3]],
    },
    {
        "id": 2,
        "label": "REFUTES",
        "evidence": [[[3, 4, "Caen", 1], [3, 5, "Caen", 2]]],
        "predicted_label": "REFUTES",
        "predicted_evidence": [["Caen", 1]],
    },
    {
        "id": 3,
        "label": "NOT ENOUGH INFO",
        "evidence": [[[4, None, None, None]]],
        "predicted_label": "SUPPORTS",
        "predicted_evidence": [],
    },
]
SCIFACT_GOLD: list[dict[str, Any]] = [
    {
        "id": 1,
        "evidence": {
            "77": [{"sentences": [2, 5], "label": "SUPPORT"}, {"sentences": [7], "label": "SUPPORT"}]
        },
    },
    {"id": 2, "evidence": {"88": [{"sentences": [0], "label": "CONTRADICT"}]}},
    {"id": 3, "evidence": {}},
]
SCIFACT: list[dict[str, Any]] = [
    {"id": 1, "evidence": {"77": {"sentences": [2, 7, 9], "label": "SUPPORT"}}},
    {"id": 2, "evidence": {"88": {"sentences": [0], "label": "SUPPORT"}}},
    {"id": 3, "evidence": {"99": {"sentences": [], "label": "SUPPORT"}}},
]
RELEVANT: list[dict[str, Any]] = [
    {"query_id": "1", "results": {"m": "Yes, answer is present in [3]", "n": "[3]"}},
    {"query_id": 2, "results": {"m": "I don't know", "n": "No"}},
]
NON_RELEVANT: list[dict[str, Any]] = [
    {"query_id": "3", "results": {"m": "Yes, answer is present", "n": "I don't know"}},
    {"query_id": "4", "results": {"m": "[2]"}},
]


def texts() -> dict[str, str]:
    """Return the files by name."""
    return {
        "tasks/squad2.json": json.dumps(SQUAD2),
        "tasks/answers.json": json.dumps({"q1": "10th century", "q2": "", "q3": "", "q4": "France"}),
        "tasks/na_prob.json": json.dumps({"q1": 0.2, "q2": 0.9, "q3": 0.9, "q4": 0.4}),
        "tasks/fever.jsonl": _lines(FEVER),
        "tasks/fever_gold.jsonl": _lines(
            [{name: row[name] for name in ("id", "label", "evidence")} for row in FEVER]
        ),
        "tasks/scifact_gold.jsonl": _lines(SCIFACT_GOLD),
        "tasks/scifact.jsonl": _lines(SCIFACT),
        "tasks/relevant.jsonl": _lines(RELEVANT),
        "tasks/non_relevant.jsonl": _lines(NON_RELEVANT),
        "tasks/majority.csv": "query,doc_id,relevant\n1,s_1,1\n1,s_2,1\n1,s_3,0\n2,s_4,1\n",
        "tasks/consensus.csv": "query,doc_id,relevant\n1,s_1,1\n1,s_2,0\n1,s_3,0\n2,s_4,0\n",
        "tasks/erisk.txt": "1\tQ0\ts_1\t1\t2.5\tours\n1\tQ0\ts_3\t2\t2.0\tours\n1\tQ0\ts_2\t3\t2.0\tours\n",
    }


def _lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(each) + "\n" for each in rows)
