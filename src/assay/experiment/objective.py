"""The objective of a settings search."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.data.corpus import Corpus
from assay.data.predictions import Predictions
from assay.errors import MeasureError
from assay.evaluation.evaluate import evaluate
from assay.evaluation.result import Result
from assay.pipeline.prediction_tables import tables_of
from assay.pipeline.views import Labelled


def objective(held: Labelled, measures: tuple[str, ...]) -> float:
    """Return the mean of some measures on predicted TRAIN posts.

    Measures that these posts cannot support are left out of the mean; 0 if that is all of them, or
    if no post has evidence.
    """
    if not held.gold.any():
        return 0.0
    view = held.view
    uids = [str(at) for at in range(len(view.owner))]
    post = pl.Series(list(view.posts))
    sentence, criterion = np.nonzero(held.gold)
    names = pl.Series(list(view.criteria))
    asked = np.nonzero(view.asked)
    corpus = Corpus.of(
        sentences=pl.DataFrame({"post_id": post.gather(view.owner), "sent_uid": uids}),
        criteria=pl.DataFrame({"criterion_id": names}),
        gold=pl.DataFrame(
            {
                "post_id": post.gather(view.owner[sentence]),
                "criterion_id": names.gather(criterion),
                "sent_uid": [uids[at] for at in sentence],
            }
        ),
        queries=pl.DataFrame({"post_id": post.gather(asked[0]), "criterion_id": names.gather(asked[1])}),
    )
    answers = tables_of(view, uids, "held")
    given = Predictions.of(answers.candidates, answers.decisions)
    values = _measured(evaluate(given, corpus, measures=measures, tune_reused=True), measures)
    return sum(values) / len(values) if values else 0.0


def _measured(result: Result, measures: tuple[str, ...]) -> list[float]:
    out = []
    for name in measures:
        try:
            value = result[name].value
        except MeasureError:
            continue
        if value is not None:
            out.append(value)
    return out
