"""Where the numbers of a result come from: candidates, gold and TUNE as tables, and the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from assay.data.chunks import Chunk, Scattered
from assay.data.model import Cases
from assay.data.plain import Qrels, Run
from assay.errors import AssayError
from assay.files.source import InputFile

if TYPE_CHECKING:
    from assay.data.arrays import Arrays
    from assay.data.corpus import Corpus
    from assay.data.labelled import Labelled
    from assay.data.predictions import Predictions
    from assay.data.tuning import Tune

Frames = Callable[[], Iterator[pl.DataFrame]]


@dataclass(frozen=True, slots=True)
class Sources:
    """Tables with the key columns of the queries, `item`, and `score` or `grade`, in input order.

    They are read when a bundle is written, not before. `files` are the inputs, which know the hash
    of the bytes that were parsed; a second pass over other bytes is refused.
    """

    candidates: Frames
    gold: Callable[[], pl.DataFrame]
    tune: Tune | None = None
    files: tuple[InputFile, ...] = field(default=())


def of_corpus(corpus: Corpus, predictions: Predictions, cases: Cases, tune: Tune | None) -> Sources:
    """Tables of a corpus and its predictions, without the criteria that a contract excludes."""

    def named(frame: pl.DataFrame, number: str) -> pl.DataFrame:
        kept = frame.join(cases.keys, on=cases.keys.columns, how="semi", maintain_order="left")
        return kept.select(*cases.keys.columns, pl.col("sent_uid").alias("item"), number)

    tables = [
        corpus.sentences, corpus.criteria, corpus.gold, corpus.queries, corpus.folds,
        predictions.candidates, predictions.decisions, predictions.tune,
    ]  # fmt: skip
    files = dict.fromkeys(each.file for each in tables if each is not None and each.file)
    return Sources(
        candidates=lambda: iter([named(predictions.candidates.frame, "score")]),
        gold=lambda: named(corpus.gold.frame, "grade"),
        tune=tune,
        files=tuple(files),
    )


def of_run(qrels: Qrels, run: Run, cases: Cases) -> Sources:
    """Tables of judgements and a run; queries without judgements are not among them."""
    known = cases.keys["query_id"]

    def frames(chunks: Iterable[Chunk]) -> Iterator[pl.DataFrame]:
        for chunk in chunks:
            lengths = pl.Series([*chunk.starts[1:].tolist(), len(chunk.scores)]) - pl.Series(
                chunk.starts.tolist()
            )
            names = pl.Series("query_id", chunk.names, dtype=pl.String)
            frame = pl.DataFrame({"query_id": names, "__many": lengths})
            frame = frame.select(pl.col("query_id").repeat_by("__many").explode())
            frame = frame.with_columns(
                chunk.items.cast(pl.String).alias("item"), pl.Series("score", chunk.scores)
            )
            yield frame.filter(pl.col("query_id").is_in(known.implode()))

    def candidates() -> Iterator[pl.DataFrame]:
        try:
            list(run.chunks())  # whether the lines of every query stand together
        except Scattered:
            return frames([run.whole()])
        return frames(run.chunks())

    def gold() -> pl.DataFrame:
        judged = qrels.judgements
        names = pl.Series("query_id", qrels.names, dtype=pl.String).gather(judged.query)
        return pl.DataFrame([names, judged.items.cast(pl.String).alias("item")]).with_columns(
            pl.Series("grade", judged.grade)
        )

    return Sources(candidates, gold, files=tuple(filter(None, (qrels.file, run.file))))


def of_labels(
    labelled: Labelled, cases: Cases, tune: Tune | None, tune_file: InputFile | None = None
) -> Sources:
    """No candidates; a query with label 1 has one gold item that no ranking could find."""
    keys = cases.keys
    empty = keys.clear().with_columns(
        pl.Series("item", [], dtype=pl.String), pl.Series("score", [], dtype=pl.Float64)
    )

    def gold() -> pl.DataFrame:
        positive = keys.filter(pl.Series(cases.has_evidence))
        return positive.with_columns(pl.lit("evidence").alias("item"), pl.lit(1.0).alias("grade"))

    files = tuple(filter(None, (labelled.table.file, tune_file)))
    return Sources(lambda: iter([empty]), gold, tune, files)


def of_arrays(_: Arrays) -> Sources:
    """Arrays have no ids: a bundle of them could not be checked by anybody."""

    def refuse() -> pl.DataFrame:
        raise AssayError("arrays have no ids, so there is nothing to save; read tables instead")

    return Sources(lambda: iter([refuse()]), refuse)
