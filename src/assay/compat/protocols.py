"""The contracts' own entry points: `dual_evaluate`, `paper_evaluate`, `evaluate_predictions`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.compat.single_query import cut_off
from assay.contracts.contract_toml import contract
from assay.data.readers.qrels_and_runs import read_qrels, read_run
from assay.data.runs import JudgedRun, Judgements, Qrels
from assay.evaluation.evaluate import evaluate
from assay.evaluation.result import Result

GoldByQuery = Mapping[str, Collection[str] | Mapping[str, float]]
RankedByQuery = Mapping[str, Sequence[Any]]
ZERO_FILLED = "all_queries/"


def dual_evaluate(
    gold: GoldByQuery, ranked: RankedByQuery, ks: Sequence[int] = (1, 3, 5, 10, 20)
) -> dict[str, dict[str, float]]:
    """paper/1.0 under both protocols: on queries with gold, and with zeros for those without.

    `gold` maps each query to its gold ids (none for a query without evidence), `ranked` to its
    list: ids, best first, or (id, score) pairs. Each protocol has its `n` next to its measures.
    """
    result = evaluate(_judged(gold, ranked), contract="paper/1.0", k=[cut_off(k) for k in ks])
    both: dict[str, dict[str, float]] = {"positives_only": {}, "all_queries": {}}
    for value in result.measures:
        zero_filled = value.name.startswith(ZERO_FILLED)
        protocol = both["all_queries" if zero_filled else "positives_only"]
        protocol["n"] = value.n
        protocol[value.name.removeprefix(ZERO_FILLED)] = value.value
    return both


def paper_evaluate(gold: GoldByQuery, ranked: RankedByQuery, *, skip_no_positives: bool = True) -> Result:
    """paper/1.0 at its own cut-offs: 3, 5, 10, the optional 1 and the ceiling ALL.

    `skip_no_positives=False` takes the mean over all queries, zeros included.
    """
    names = [
        name for name in contract("paper/1.0").names if name.startswith(ZERO_FILLED) != skip_no_positives
    ]
    return evaluate(_judged(gold, ranked), contract="paper/1.0", measures=names)


def evaluate_predictions(
    preds: Mapping[str, Iterable[Any]],
    qrels: Any,
    ks: Sequence[int] = (1, 3, 5, 10),
    *,
    split: str | None = None,
) -> Any:
    """ir/1: the mean per k over the queries of `preds`, as a frame of the kind that `qrels` is.

    `preds` is `{query_id: [(doc_id, score), …]}`, `qrels` a frame with query_id, doc_id, score and
    maybe split. Columns: k, MRR, nDCG, MAP, Recall, Precision.
    """
    judged = JudgedRun(read_qrels(qrels, split), read_run(preds))
    result = evaluate(judged, contract="ir/1", k=[cut_off(k) for k in ks])
    columns: dict[str, list[float]] = {"k": [int(k) for k in ks]}
    for title, name in (
        ("MRR", "mrr"),
        ("nDCG", "ndcg"),
        ("MAP", "map"),
        ("Recall", "recall"),
        ("Precision", "precision"),
    ):
        columns[title] = [result[f"{name}@{k}"].value for k in ks]
    return like(qrels, columns)


def like(frame: Any, columns: Mapping[str, list[float]]) -> Any:
    """Return columns as a data frame of the library that `frame` is of; Polars where it is unknown."""
    library = type(frame).__module__.partition(".")[0]
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(columns)
    if library == "pyarrow":
        import pyarrow as pa

        return pa.table(columns)
    return pl.DataFrame(columns)


def _judged(gold: GoldByQuery, ranked: RankedByQuery) -> JudgedRun:
    names = tuple(dict.fromkeys([*map(str, gold), *map(str, ranked)]))
    code = {name: at for at, name in enumerate(names)}
    rows = [
        (code[str(query)], str(item), float(grade))
        for query, items in gold.items()
        for item, grade in _grades(items).items()
    ]
    judgements = Judgements.of(
        np.array([row[0] for row in rows], dtype=np.int64),
        pl.Series([row[1] for row in rows], dtype=pl.String),
        np.array([row[2] for row in rows], dtype=np.float64),
    )
    lists = {
        query: [
            entry if isinstance(entry, tuple) else (entry, -float(place))
            for place, entry in enumerate(listed)
        ]
        for query, listed in ranked.items()
    }
    return JudgedRun(Qrels("gold", names, judgements), read_run(lists, "ranked"))


def _grades(items: Collection[str] | Mapping[str, float]) -> Mapping[str, float]:
    return items if isinstance(items, Mapping) else dict.fromkeys(items, 1.0)
