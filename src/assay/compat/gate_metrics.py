"""`NEGateMetrics.compute`: the gate's measures of labels and probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.data.arrays import float_array
from assay.data.label_table import LabelTable
from assay.data.readers.table_files import Table
from assay.errors import InputError
from assay.evaluation.evaluate import evaluate

NAMES = {
    "auroc": "auroc:on=all",
    "auprc": "auprc:on=all",
    "tpr_at_fpr_0.03": "tpr_at_fpr@0.03:threshold=same,on=all",
    "tpr_at_fpr_0.05": "tpr_at_fpr@0.05:threshold=same,on=all",
    "tpr_at_fpr_0.10": "tpr_at_fpr@0.10:threshold=same,on=all",
}


class NEGateMetrics:
    """Measures of no-evidence detection."""

    @staticmethod
    def compute(y_true: Sequence[int], y_prob: Sequence[float]) -> dict[str, float]:
        """AUROC, AUPRC and TPR at 3, 5 and 10 % FPR; .5 and the prior where there is one class.

        Labels and scores belong together by position and are never resampled apart.

        >>> NEGateMetrics.compute([0, 1], [0.2, 0.9])["auroc"]
        1.0
        """
        labels = float_array(y_true, "y_true", "NEGateMetrics.compute").tolist()
        probs = float_array(y_prob, "y_prob", "NEGateMetrics.compute").tolist()
        if len(labels) != len(probs) or not labels:
            problem = f"has {len(labels)} labels and {len(probs)} probabilities"
            raise InputError.of("NEGateMetrics.compute", problem, "expected as many of each")
        frame = pl.DataFrame({"label": labels, "prob": probs}, strict=False)
        given = LabelTable(Table(frame, "compute"), "prob", "label")
        result = evaluate(given, measures=NAMES.values())
        return {name: result[definition].value for name, definition in NAMES.items()}
