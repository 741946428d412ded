"""assay in memory: from frames (checks, join and ranking included), or from joined `Cases`."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import assay
from adapters import Action
from adapters.in_memory import RUN_FILES
from assay.evaluation.run import evaluate_cases
from definitions import ASSAY, CONTRACT, Values


def values_of(result: assay.Result) -> Values:
    return {ASSAY[value.name]: value.value for value in result}


def frames(folder: Path, form: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ids as text, as the peers have them; no chunk borders left over from the file."""
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


def prepare_cases(folder: Path, form: str) -> Action:
    contract = assay.contract(CONTRACT)
    cases = assay.read_trec(*frames(folder, form)).cases(contract.rules)
    return lambda: values_of(evaluate_cases(cases, contract, measures=list(ASSAY)))
