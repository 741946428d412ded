"""ir_measures with its pytrec_eval provider; in memory it gets dicts, which it need not convert."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_measures

from adapters import Action
from adapters.definitions import IR_MEASURES, Values, cut_rr
from adapters.in_memory import dicts


def prepare(folder: Path, form: str) -> Action:
    measures = {ir_measures.parse_measure(theirs): ours for theirs, ours in IR_MEASURES.items()}
    qrels: Any
    run: Any
    if form == "trec":
        qrels = ir_measures.read_trec_qrels(str(folder / "qrels.trec"))
        run = ir_measures.read_trec_run(str(folder / "run.trec"))
    else:
        qrels, run = dicts(folder, form)
    evaluator = ir_measures.pytrec_eval.evaluator([*measures, ir_measures.RR], qrels)

    def action() -> Values:
        found: dict[int, list[float]] = {}  # by identity: a measure's own hash is slow
        for _, measure, value in evaluator.iter_calc(run):
            found.setdefault(id(measure), []).append(value)
        ranks = found.pop(id(ir_measures.RR))
        means = {ours: sum(found[id(measure)]) / len(ranks) for measure, ours in measures.items()}
        return means | cut_rr(ranks)

    return action
