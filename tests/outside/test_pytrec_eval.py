"""Every shared measure equals pytrec_eval's, query by query, within 1e-9."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.contracts.contract import Contract

from .peers import Grades, Ranked, definitions, differences, peer

RUNS = ("MU03rob01", "UIUC03Rd1", "aplrob03a", "pircRBa1", "rutcor03100", "uic0301")


def float32_ties(run: Ranked, query: str) -> bool:
    """Whether scores that differ as doubles are equal as the 32-bit floats of trec_eval 9."""
    scores = np.array(list(run[query].values()))
    return len(np.unique(scores.astype(np.float32))) < len(np.unique(scores))


def read(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt") as handle:
        return [line.split() for line in handle]


@cache
def robust03_grades(path: Path) -> Grades:
    grades: Grades = {}
    for query, _, item, grade in read(path):
        grades.setdefault(query, {})[item] = int(grade)
    return grades


@pytest.mark.parametrize("name", RUNS)
def test_robust03(shared: Path, name: str) -> None:
    folder = shared / "trec" / "robust03"
    grades = robust03_grades(folder / "qrels.txt.gz")
    run: Ranked = {}
    for fields in read(folder / f"{name}.gz"):
        run.setdefault(fields[0], {})[fields[2]] = float(fields[4])
    judged = assay.read_trec(folder / "qrels.txt.gz", folder / f"{name}.gz")
    for level in (1, 2):
        result = assay.evaluate(judged, contract="trec_eval/10", measures=definitions(level).values())
        different = differences(result, peer(grades, run, level), level)
        named = {query for query in different if float32_ties(run, query)}
        assert set(different) == named, {q: different[q] for q in set(different) - named}
        assert len(result.per_query()) == 100


@settings(max_examples=100)
@given(data=st.data())
def test_generated_data(data: st.DataObject) -> None:
    """Ties, unjudged documents, grades, queries without relevant documents, any order of rows."""
    seed = data.draw(st.integers(0, 2**32 - 1))
    level = data.draw(st.sampled_from((1, 2)))
    rng = np.random.default_rng(seed)
    grades: Grades = {}
    run: Ranked = {}
    for number in range(int(rng.integers(1, 6))):
        query = f"q{number}"
        pool = [f"d{item}" for item in rng.permutation(40)[: rng.integers(2, 30)]]
        listed = pool[: rng.integers(1, len(pool) + 1)]
        run[query] = {item: float(rng.integers(0, 8)) / 4 for item in listed}
        grades[query] = {item: int(rng.choice([0, 0, 0, 1, 2, 3])) for item in rng.permutation(pool)[:12]}
    judged = assay.read_trec(
        _frame([(q, d, float(g)) for q, row in grades.items() for d, g in row.items()]), run
    )
    contract: Contract = assay.contract("trec_eval/10")
    result = assay.evaluate(judged, contract=contract, measures=definitions(level).values())
    assert differences(result, peer(grades, run, level), level) == {}


def _frame(rows: list[tuple[str, str, float]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
