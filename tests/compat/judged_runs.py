"""Judgements and runs as dicts: real ones, and generated ones with ties, grades and missing queries."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

import assay
from assay.data.runs import JudgedRun

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]

REAL = {
    "cacm": ("cacm/qrels.cacm.txt", "cacm/cacm-bm25.txt"),
    "UIUC03Rd1": ("robust03/qrels.txt.gz", "robust03/UIUC03Rd1.gz"),
    "rutcor03100": ("robust03/qrels.txt.gz", "robust03/rutcor03100.gz"),
    "trec_eval": ("trec_eval/qrels.test", "trec_eval/results.test"),
    "trec_eval graded": ("trec_eval/qrels.rel_level", "trec_eval/results.trunc"),
}


@cache
def lines(path: Path) -> tuple[str, ...]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return tuple(text.decode().splitlines())


def real(shared: Path, name: str) -> tuple[Grades, Scores]:
    """One of the public runs with its judgements."""
    grades: Grades = {}
    scores: Scores = {}
    for line in lines(shared / "trec" / REAL[name][0]):
        query, _, item, grade = line.split()
        grades.setdefault(query, {})[item] = int(grade)
    for line in lines(shared / "trec" / REAL[name][1]):
        query, _, item, _, score, *_ = line.split()
        scores.setdefault(query, {})[item] = float(score)
    return grades, scores


def generated(seed: int, *, ties: bool = True) -> tuple[Grades, Scores]:
    """Ties, negative and graded judgements, queries in only one of the two, empty rankings."""
    rng = np.random.default_rng(seed)
    grades: Grades = {}
    scores: Scores = {}
    for number in range(int(rng.integers(2, 9))):
        query = f"q{number}"
        pool = [f"d{item}" for item in rng.permutation(60)[: rng.integers(1, 40)]]
        if rng.random() < 0.85:
            listed = pool[: rng.integers(0, len(pool) + 1)]
            values = rng.integers(0, 6, len(listed)) / 4 if ties else rng.permutation(len(listed)) / 8
            scores[query] = dict(zip(listed, values.tolist(), strict=True))
        if rng.random() < 0.85:
            judged = rng.permutation([*pool, "d98", "d99"])[:14]
            grades[query] = {str(item): int(rng.choice([-1, 0, 0, 1, 1, 2, 3])) for item in judged}
    grades.setdefault("q0", {"d0": 1})
    scores.setdefault("q0", {"d1": 0.5, "d0": 0.25})
    return grades, scores


def judged_run(grades: Grades, scores: Scores) -> JudgedRun:
    """The same for `assay.evaluate`, with the 32-bit scores that pytrec_eval compares."""
    rows = [(query, item, grade) for query, row in grades.items() for item, grade in row.items()]
    qrels = pl.DataFrame(rows, schema=["query_id", "doc_id", "rel"], orient="row")
    return assay.read_trec(
        qrels,
        {
            query: {item: float(np.float32(score)) for item, score in row.items()}
            for query, row in scores.items()
        },
    )
