"""Logs of an honest system that retrieves from one collection."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

WORDS = [
    "invoice",
    "password",
    "refund",
    "delivery",
    "address",
    "account",
    "order",
    "cancel",
    "upgrade",
    "phone",
    "update",
    "error",
    "login",
    "export",
    "import",
    "printer",
    "battery",
    "warranty",
    "return",
    "exchange",
    "discount",
    "voucher",
    "language",
    "theme",
]


def text_of(chunk: int) -> str:
    """Return the text of a chunk, twelve words that depend on its number only."""
    return " ".join(Random(chunk).choices(WORDS, k=12))


def honest_log(questions: int = 120, chunks: int = 40, seed: int = 3) -> list[dict[str, Any]]:
    """Return questions, 4 in 10 without gold, whose scores and confidence are right more often than not."""
    rng = Random(seed)
    rows = []
    for at in range(questions):
        gold = rng.sample(range(chunks), rng.choice((1, 1, 2))) if rng.random() < 0.6 else []
        score = {each: rng.gauss(1.2 * (each in gold), 1) for each in range(chunks)}
        best = sorted(score, key=lambda each: -score[each])[:8]
        confidence = min(0.99, max(0.01, rng.gauss(0.6 if gold else 0.4, 0.2)))
        rows.append(
            {
                "question_id": f"q{at}",
                "question": " ".join(rng.choices(WORDS, k=9)) + f" case {at}?",
                "retrieved": [
                    {"id": f"kb-{each}", "score": round(score[each], 6), "text": text_of(each)}
                    for each in best
                ],
                "gold": [f"kb-{each}" for each in gold],
                "confidence": round(confidence, 6),
                "answered": confidence >= 0.5,
                "conversation_id": f"c{at // 3}",
                "fold": at // 3 % 4,
            }
        )
    return rows


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
