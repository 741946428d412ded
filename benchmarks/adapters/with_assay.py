"""assay in memory: from frames (including the join by id), or from arrays of scores and grades."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import assay
from adapters import Action
from adapters.definitions import ASSAY, CONTRACT, Values
from adapters.in_memory import RUN_FILES


def values_of(result: assay.Result) -> Values:
    return {ASSAY[value.name]: value.value for value in result.measures}


def frames(folder: Path, form: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ids as text, like the peers, without chunk borders left over from the file."""
    names = {"q_id": "query_id"}
    qrels = pl.read_parquet(folder / "qrels.parquet").rename(names).rechunk()
    return qrels, pl.read_parquet(folder / RUN_FILES[form]).rename(names).rechunk()


def prepare(folder: Path, form: str) -> Action:
    qrels, run = frames(folder, form)
    contract = assay.contract(CONTRACT)

    def action() -> Values:
        judged = assay.read_trec(qrels, run)
        return values_of(assay.evaluate(judged, contract=contract, measures=list(ASSAY)))

    return action


def prepare_arrays(folder: Path, form: str) -> Action:
    """Return scores and grades as arrays; checks, ranking and scoring are included."""
    qrels, run = frames(folder, form)
    query, item, grade = qrels.columns
    order = run.get_column("query_id").unique(maintain_order=True)
    place = pl.DataFrame({"query_id": order, "number": range(len(order))})
    golden = qrels.filter(pl.col(grade) > 0).rename({item: "doc_id", grade: "grade"})
    joined = run.join(golden, on=[query, "doc_id"], how="left", maintain_order="left")
    lengths = run.group_by("query_id", maintain_order=True).len()["len"].to_numpy()
    unlisted = golden.join(run, on=[query, "doc_id"], how="anti").join(place, on="query_id")
    scores = run["score"].to_numpy().astype(float)
    grades = joined["grade"].fill_null(0).to_numpy().astype(float)
    missed = unlisted.select("number", "grade").to_numpy()
    contract = assay.contract(CONTRACT)

    def action() -> Values:
        given = assay.Arrays.of(scores, grades, lengths, missed)
        return values_of(assay.evaluate(given, contract=contract, measures=list(ASSAY)))

    return action
