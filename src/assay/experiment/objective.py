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
    view, layout = held.view, held.view.layout
    uids = [str(at) for at in range(len(layout.owner))]
    post, names = pl.Series(list(view.posts)), pl.Series(list(view.criteria))
    marked = np.flatnonzero(held.gold)
    sentence = layout.pair_sentence[marked]
    corpus = Corpus.of(
        sentences=pl.DataFrame({"post_id": post.gather(layout.owner), "sent_uid": uids}),
        criteria=pl.DataFrame({"criterion_id": names}),
        gold=pl.DataFrame(
            {
                "post_id": post.gather(layout.owner[sentence]),
                "criterion_id": names.gather(layout.pair_criterion[marked]),
                "sent_uid": [uids[at] for at in sentence],
            }
        ),
        queries=pl.DataFrame(
            {"post_id": post.gather(layout.query_post), "criterion_id": names.gather(layout.query_criterion)}
        ),
    )
    answers = tables_of(view, pl.Series(uids, dtype=pl.String), "held")
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
