"""Run one configuration on one corpus in a separate process and print everything in the table."""

from __future__ import annotations

import json
import resource
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.data.corpus import read_corpus
from assay.data.predictions import Predictions
from assay.errors import MeasureError
from assay.evaluation.evaluate import evaluate
from assay.evaluation.result import Result
from assay.experiment.ablation.ablate import GAMMAS
from assay.experiment.run import CACHE, run
from assay.experiment.state_thresholds import choose
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import read_plan

SHOWN = (
    "ndcg@10",
    "recall@10",
    "auroc",
    "auprc",
    "screening_sensitivity",
    "neg_rate",
    "alert_precision",
    "pos_rate",
    "ece",
    "ece_floor",
)
SWEPT = ("selected_k_mean", "selected_k_mean_returned", "evidence_recall", "evidence_precision")


def main() -> None:
    configuration, folder = sys.argv[1], Path(sys.argv[2])
    seconds: dict[str, float] = defaultdict(float)

    def heard(_fold: str, stage: str, spent: float, done: int, total: int) -> None:
        seconds[stage] += spent
        print(f"{done} of {total}: {stage}", file=sys.stderr)

    plan = read_plan(configuration)
    outcome = run(plan, folder, progress=heard)
    cpu = sum(
        spent.ru_utime + spent.ru_stime
        for spent in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
    Path(folder / "done").touch()  # what follows is not part of a run
    corpus = read_corpus(plan.corpus)
    gammas = []
    for gamma in GAMMAS if "dynamic_k" in plan.stages else ():
        table = {**plan.tables.get("dynamic_k", {}), "policy": "mass", "gamma": gamma}
        made = replace(plan, tables={**plan.tables, "dynamic_k": table})
        answers = predict(made, corpus, choose, cache=folder / CACHE, processes=1)
        given = Predictions.of(answers.candidates, answers.decisions, answers.tune)
        result = evaluate(given, corpus, contract=plan.contract, measures=SWEPT, tune_reused=True)
        gammas.append({"gamma": gamma, **_values(result, SWEPT)})
    certified = outcome.thresholds
    print(
        json.dumps(
            {
                "values": _values(outcome.result, SHOWN),
                "baselines": outcome.baselines.to_dicts(),
                "gammas": gammas,
                "thresholds": [] if certified is None else certified.to_dicts(),
                "seconds": seconds,
                "cpu": cpu,
            }
        )
    )


def _values(result: Result, names: tuple[str, ...]) -> dict[str, Any]:
    out = {}
    for name in names:
        try:
            value = result[name]
        except MeasureError:
            continue
        out[name] = [value.value, value.folds.std if value.folds else None]
    return out


if __name__ == "__main__":
    main()
