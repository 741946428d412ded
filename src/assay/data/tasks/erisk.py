"""eRisk, search for symptoms: TREC runs, and judgements by majority and by consensus as CSV."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.data.input_types import Columns
from assay.data.readers.qrels_and_runs import read_qrels, read_run
from assay.data.runs import JudgedRun

CONTRACT = "erisk/1"


def read_erisk(
    data: str | Path,
    predictions: str | Path,
    *,
    consensus: str | Path | None = None,
    qrels_columns: Columns | None = None,
    name: str | None = None,
) -> list[JudgedRun]:
    """Return a run with the judgements, and with the consensus judgements if they are given.

    The judgements have the columns query, doc_id and relevant, or others that are recognised or named.
    """
    kinds = {"": data} if consensus is None else {" (majority)": data, " (consensus)": consensus}
    run = read_run(predictions, hashed=True)  # once: a pipe cannot be opened again
    return [
        JudgedRun(
            read_qrels(path, columns=qrels_columns),
            replace(run, source=f"{name or run.source}{kind}"),
            CONTRACT,
        )
        for kind, path in kinds.items()
    ]
