"""pytrec_eval: its own readers, one evaluator, means over queries by NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytrec_eval

from adapters import Action
from adapters.definitions import TREC_EVAL, Values, cut_rr
from adapters.in_memory import Nested, dicts


def prepare(folder: Path, form: str) -> Action:
    qrels, run = read(folder) if form == "trec" else dicts(folder, form)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {*TREC_EVAL, "recip_rank"})

    def action() -> Values:
        queries = list(evaluator.evaluate(run).values())
        columns = list(queries[0])
        table = np.array([list(query.values()) for query in queries])
        means = dict(zip(columns, table.mean(axis=0).tolist(), strict=True))
        ranks = table[:, columns.index("recip_rank")].tolist()
        return {ours: means[theirs] for theirs, ours in TREC_EVAL.items()} | cut_rr(ranks)

    return action


def read(folder: Path) -> tuple[Nested, Nested]:
    with (folder / "qrels.trec").open() as qrels, (folder / "run.trec").open() as run:
        return pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
