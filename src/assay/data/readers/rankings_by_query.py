"""Runs and judgements that are mappings: `{query: {item: number}}`, in Python or JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from assay.data.input_types import described, is_rows
from assay.data.readers.column_names import ITEM, QRELS, SCORE, Form, recognised
from assay.errors import Fault, InputError, shown

QUERY_COLUMN = "the query"
COLUMNS = ("query", "item", "number")
WRONG_IDS = (bytes, list, tuple, dict, set)
HIT_IDS = ("docid", "doc_id", "node_id", "id", "_id")
"""What hits of search libraries call their item: Pyserini, LlamaIndex, Qdrant and Haystack, Elasticsearch."""


def holds_runs(data: Any) -> bool:
    """Return whether a dict or list has several runs, each `{query: {item: number}}`, and not one."""
    each_run = list(data.values()) if isinstance(data, Mapping) else data
    return bool(each_run) and all(
        isinstance(run, Mapping) and run and all(isinstance(ranking, Mapping) for ranking in run.values())
        for run in each_run
    )


def rows_by_query(data: Mapping[Any, Any]) -> list[dict[Any, Any]] | None:
    """Return the rows of `{query: [{"doc_id": …, "score": …}, …]}`, each with its query; else None.

    The rows may also be hits of a search library, objects with an id and a score.
    """
    by_query = {query: [_row(hit) for hit in hits] for query, hits in data.items() if _is_plain_list(hits)}
    if len(by_query) < len(data) or not all(map(is_rows, by_query.values())) or not any(by_query.values()):
        return None
    names = list(dict.fromkeys(str(name) for rows in by_query.values() for row in rows for name in row))
    item = [] if recognised(names, ITEM) else [name for name in HIT_IDS if name in names]
    score = [] if recognised(names, SCORE) else [name for name in names if name == "_score"]
    usual = {**dict.fromkeys(item[:1], ITEM[0][0]), **dict.fromkeys(score, SCORE[0][0])}
    return [
        {**{usual.get(name, name): value for name, value in row.items()}, QUERY_COLUMN: query}
        for query, rows in by_query.items()
        for row in rows
    ]


def _is_plain_list(hits: Any) -> bool:
    return isinstance(hits, list | tuple)


def _row(hit: Any) -> Any:
    """Return an object with an id and a score as a row; anything else as it is."""
    if isinstance(hit, Mapping | str | bytes | list) or not hasattr(hit, "score"):
        return hit
    name = next((name for name in HIT_IDS if hasattr(hit, name)), None)
    return hit if name is None else {ITEM[0][0]: getattr(hit, name), SCORE[0][0]: hit.score}


def frame_by_query(data: Mapping[Any, Any], source: str, form: Form, largest: float) -> pl.DataFrame:
    """Return columns query, item and number of a mapping, in its order; or raise all its faults."""
    listed = {query: _listed(each) for query, each in data.items()}
    if form is QRELS:
        listed = {query: _graded(each) for query, each in listed.items()}
    fast = _all_plain(listed, largest)
    return _checked(listed, source, form, largest) if fast is None else fast


def _listed(each: Any) -> Any:
    """Return a mapping or a list as it is, and whatever else can be gone through as a list."""
    if isinstance(each, Mapping | list | tuple | str | bytes) or not isinstance(each, Iterable):
        return each
    return list(each)


def _graded(each: Any) -> Any:
    """Return the relevant items of a query with grade 1, where only their ids are given."""
    alone = isinstance(each, list | tuple) and each and all(isinstance(item, str) for item in each)
    return [(item, 1) for item in each] if alone else each


def _all_plain(listed: Mapping[Any, Any], largest: float) -> pl.DataFrame | None:
    """Return the frame where all ids are texts and all numbers finite, as is usual; None where not."""
    items: list[Any] = []
    numbers: list[Any] = []
    lengths: list[int] = []
    try:
        for each in listed.values():
            if isinstance(each, Mapping):
                items.extend(each)
                numbers.extend(each.values())
            else:
                items.extend(item for item, _ in each)
                numbers.extend(number for _, number in each)
            lengths.append(len(each))
        if not {type(each) for each in numbers} <= {int, float}:
            return None
        query = pl.Series("query", list(listed), dtype=pl.String, strict=True)
        item = pl.Series("item", items, dtype=pl.String, strict=True)
        number = pl.Series("number", [float(each) for each in numbers], dtype=pl.Float64)
    except (TypeError, ValueError, OverflowError):
        return None
    if query.null_count() or item.null_count() or "" in items or "" in listed:
        return None
    if not (number.is_finite() & (number.abs() <= largest)).all():
        return None
    repeated = pl.DataFrame({"query": query, "length": pl.Series(lengths, dtype=pl.UInt32)})
    queries = repeated.filter(pl.col("length") > 0).select(pl.col("query").repeat_by("length").explode())
    return queries.with_columns(item, number)


def _checked(listed: Mapping[Any, Any], source: str, form: Form, largest: float) -> pl.DataFrame:
    rows: list[tuple[str, str, float]] = []
    faults: list[Fault] = []
    for query, each in listed.items():
        name = _id(query)
        place = f"query {shown(query)}"
        if name is None:
            faults.append(Fault(source, place, "is not an id", "expected text or a number"))
        pairs = list(each.items()) if isinstance(each, Mapping) else each
        if not isinstance(pairs, list | tuple):
            faults.append(_not_a_ranking(source, query, described(each), form))
            continue
        for pair in pairs:
            if isinstance(pair, str | bytes) or not isinstance(pair, Sequence) or len(pair) != 2:
                faults.append(_not_a_ranking(source, query, f"it has {described(pair)}", form))
                break
            item, number = _id(pair[0]), _number(pair[1])
            where = f"{place} item {shown(pair[0])}"
            if item is None:
                faults.append(Fault(source, place, f"has {described(pair[0])} as an item", "expected an id"))
            elif number is None:
                value = described(pair[1])
                faults.append(Fault(source, where, f"the {form.number} is {value}", "expected a number"))
            elif not math.isfinite(number):
                faults.append(Fault(source, where, f"the {form.number} is {number}", "expected a finite one"))
            elif abs(number) > largest:
                expected = f"{form.number}s lie within ±{largest:g}"
                faults.append(Fault(source, where, f"the {form.number} is {number:g}", expected))
            else:
                rows.append((name or "", item, number))
    if faults:
        raise InputError(faults)
    schema = dict(zip(COLUMNS, (pl.String(), pl.String(), pl.Float64()), strict=True))
    return pl.DataFrame(rows, schema=schema, orient="row")


def _not_a_ranking(source: str, query: Any, given: str, form: Form) -> Fault:
    expected = f"expected a dict of item to {form.number}, or a list of (item, {form.number})"
    if form is not QRELS and given.startswith("it has the text"):
        expected += "; where there is only an order, 1/rank can be the score"
    return Fault(source, f"query {shown(query)}", f"is not a ranking: {given}", expected)


def _id(value: Any) -> str | None:
    """Return an id as text; None where a value is none."""
    if value is None or value == "" or isinstance(value, WRONG_IDS) or value != value:  # noqa: PLR0124
        return None
    return str(value)


def _number(value: Any) -> float | None:
    if isinstance(value, str | bytes):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
    except OverflowError:
        return math.inf
