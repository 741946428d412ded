"""Every pair of thresholds of the three states, on TUNE."""

from __future__ import annotations

import polars as pl

from assay.data.corpus import Corpus
from assay.experiment.state_thresholds import labelled
from assay.pipeline.prediction_tables import Answers

TAU_NEG = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
TAU_POS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
SHOWN = ("screening_sensitivity", "alert_precision", "workload_per_1000")


def threshold_grid(corpus: Corpus, answers: Answers, exclude: tuple[str, ...] = ()) -> pl.DataFrame:
    """Return, for every pair τ_neg < τ_pos, mean and std over folds of its outcome on TUNE.

    screening sensitivity: positives with p ≥ τ_neg. alert precision: positives among p ≥ τ_pos,
    null in a fold without alerts. workload: queries with p ≥ τ_neg, per 1000. EVAL is not used, nor
    are criteria excluded from training. Without a gate the table is empty.
    """
    if answers.tune is None:
        return pl.DataFrame()
    taught = ~pl.col("criterion_id").is_in(list(exclude))
    frame = labelled(answers.tune.filter(taught), corpus)
    rows = []
    for low in TAU_NEG:
        for high in TAU_POS:
            kept, alert = pl.col("prob") >= low, pl.col("prob") >= high
            each = frame.group_by("fold", maintain_order=True).agg(
                screening_sensitivity=(kept & pl.col("label")).sum() / pl.col("label").sum(),
                alert_precision=(alert & pl.col("label")).sum() / alert.sum(),
                workload_per_1000=kept.mean() * 1000,
            )
            over = each.fill_nan(None)
            row: dict[str, float | None] = {"tau_neg": low, "tau_pos": high}
            for name in SHOWN:
                column = over[name].drop_nulls().to_numpy()
                row[name] = float(column.mean()) if len(column) else None
                row[f"{name} std"] = float(column.std(ddof=1)) if len(column) > 1 else None
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)
