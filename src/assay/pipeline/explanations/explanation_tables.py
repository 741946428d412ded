"""Explanations as tables: ids and names of features, and words only where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assay.data.corpus import Corpus
from assay.pipeline.explanations.explanation import ABOUT, GATE, QUESTION, WORD
from assay.pipeline.matching.word_segmentation import segment
from assay.pipeline.models.tokens import word_names
from assay.pipeline.protocol.fold_explanations import StageExplanation
from assay.pipeline.views import Unlabelled

DIGITS = 6
"""Decimals that are written: more would be noise, and the file is half as large."""
COLUMNS = (
    "post_id",
    "criterion_id",
    "about",
    "stage",
    "sent_uid",
    "rank",
    "feature",
    "value",
    "contribution",
)


def explanation_tables(
    found: Sequence[StageExplanation], view: Unlabelled, uids: pl.Series
) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Return the features of each query, and its words by number; None if nothing was explained.

    `uids` are the ids of the sentences.
    """
    # The gate comes first, then the ranking; of each, the last stage.
    ordered = [each for about in (*ABOUT, WORD) for each in reversed(found) if each.about == about]
    frames = [_frame(each, order, view, uids) for order, each in enumerate(ordered)]
    if not frames:
        return None, None
    whole = pl.concat(frames).sort("__query", "__order", "rank", maintain_order=True)
    is_word = pl.col("about") == WORD
    features = whole.filter(~is_word).select(COLUMNS)
    words = whole.filter(is_word).drop("__query", "__order")
    return features, words if len(words) else None


def _frame(found: StageExplanation, order: int, view: Unlabelled, uids: pl.Series) -> pl.DataFrame:
    made, layout = found.strongest, view.layout
    names = pl.Series(made.names.tolist(), dtype=pl.String)
    ids = uids.gather(layout.pair_sentence[found.top[made.query]])
    empty = pl.Series([None], dtype=pl.String).new_from_index(0, len(made.query))
    of_question = found.about == WORD and found.words_of == QUESTION
    # The rarity of a question's word orders the words, but is no contribution.
    contribution = np.full(len(made.query), np.nan) if of_question else made.contribution
    return pl.DataFrame(
        {
            "post_id": pl.Series(list(view.posts), dtype=pl.String).gather(layout.query_post[made.query]),
            "criterion_id": pl.Series(list(view.criteria), dtype=pl.String).gather(
                layout.query_criterion[made.query]
            ),
            "about": pl.Series([found.about] * len(made.query), dtype=pl.String),
            "stage": pl.Series([found.stage] * len(made.query), dtype=pl.String),
            "sent_uid": empty if found.about == GATE else ids,
            "rank": made.rank,
            "feature": empty if found.about == WORD else names.gather(made.feature),
            "value": pl.Series(made.value).fill_nan(None).round(DIGITS),
            "contribution": pl.Series(contribution).fill_nan(None).round(DIGITS),
            "words_of": pl.Series([found.words_of] * len(made.query), dtype=pl.String),
            "code": made.feature,
            "__query": made.query,
            "__order": np.full(len(made.query), order),
        }
    )


def with_words(
    features: pl.DataFrame | None, words: pl.DataFrame | None, corpus: Corpus, least: int
) -> pl.DataFrame | None:
    """Return the table of features with rows for words, read from the texts of the corpus.

    `least` is in how many texts a word pair was to occur to be counted.
    """
    if features is None or words is None:
        return features
    texts = corpus.sentences.frame["text"].cast(pl.String).fill_null("")
    criteria = corpus.criteria.frame
    wording = criteria["text" if "text" in criteria.columns else "criterion_id"].fill_null("")
    split = segment(wording.to_list())
    starts = dict(zip(criteria["criterion_id"], split.offsets.tolist()[:-1], strict=True))
    said = word_names(pl.concat([texts.alias(""), wording.alias("")]), least)
    named = [
        split.written[starts[criterion] + code] if words_of == QUESTION else said[code]
        for criterion, words_of, code in words.select("criterion_id", "words_of", "code").iter_rows()
    ]
    whole = words.with_columns(pl.Series("feature", named, dtype=pl.String)).select(COLUMNS)
    return pl.concat([features, whole])
