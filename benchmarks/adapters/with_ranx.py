"""ranx: `Run` and `Qrels` by its own readers, evaluated without saving per-query values."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from ranx import Qrels, Run, evaluate

from adapters import Action
from adapters.definitions import RANX, Values
from adapters.in_memory import dicts


def prepare(folder: Path, form: str) -> Action:
    if form == "trec":
        qrels = Qrels.from_file(str(folder / "qrels.trec"), kind="trec")
        run = Run.from_file(str(folder / "run.trec"), kind="trec")
    elif form == "parquet":
        pd.set_option("future.infer_string", False)  # ranx requires ids of dtype object
        qrels = Qrels.from_parquet(str(folder / "qrels.parquet"))
        run = Run.from_parquet(str(folder / "run.parquet"))
    else:
        judged, listed = dicts(folder, form)
        qrels, run = Qrels(judged), Run(listed)

    def action() -> Values:
        means = evaluate(qrels, run, list(RANX), save_results_in_run=False)
        return {ours: float(means[theirs]) for theirs, ours in RANX.items()}

    return action
