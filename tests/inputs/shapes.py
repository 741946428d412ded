"""A random run with judgements, in every shape and format that is accepted."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

Numbers = dict[str, dict[str, float]]
Row = dict[str, Any]


def drawn(seed: int) -> tuple[Numbers, Numbers]:
    """Return judgements with grades from 0 to 3 and a run with some ties; some queries are in one only."""
    rng = random.Random(seed)
    documents = [f"d{at}" for at in range(40)]
    qrels: Numbers = {}
    run: Numbers = {}
    for at in range(25):
        query = f"q{at}"
        if at < 22:
            qrels[query] = {name: rng.choice((0, 0, 1, 2, 3)) for name in rng.sample(documents, 12)}
        if at > 2:
            run[query] = {name: rng.randrange(60) / 8 for name in rng.sample(documents, rng.randint(1, 30))}
    return qrels, run


def rows(data: Numbers, query: str, item: str, number: str) -> list[Row]:
    """Return one row per item."""
    return [
        {query: name, item: each, number: value}
        for name, listed in data.items()
        for each, value in listed.items()
    ]


def columns(data: list[Row]) -> dict[str, list[Any]]:
    """Return the columns of rows."""
    return {name: [row[name] for row in data] for name in data[0]}


def shapes(data: Numbers, number: str) -> Iterator[tuple[str, Any]]:
    """Give the data in every shape that Python has for them."""
    listed = rows(data, "query_id", "doc_id", number)
    yield "dict of dicts", data
    yield "dict of pairs", {query: list(each.items()) for query, each in data.items()}
    yield (
        "dict of rows",
        {
            query: [{"docid": item, number: value} for item, value in each.items()]
            for query, each in data.items()
        },
    )
    yield "rows", listed
    yield "short names", rows(data, "query", "doc", number)
    yield "rows one by one", iter(listed)
    fields = ["query_id", "doc_id", number]
    kind = namedtuple("Row", fields)  # type: ignore[misc]
    yield "named tuples", [kind(**row) for row in listed]
    yield "columns", columns(listed)
    yield "pandas", pd.DataFrame(listed)
    yield "pandas without pyarrow's types", pd.DataFrame(listed).astype(object)
    yield "pandas with an index", pd.DataFrame(listed).set_index(["query_id", "doc_id"])
    yield "pandas series", pd.DataFrame(listed).set_index(["query_id", "doc_id"])[number]
    yield "pandas to_dict", pd.DataFrame(listed).to_dict()
    yield "polars", pl.DataFrame(listed)
    yield "lazy polars", pl.LazyFrame(listed)
    yield "pyarrow", pa.table(columns(listed))


def _text(separator: str, *, header: str | None, kind: str) -> Callable[[Numbers], bytes]:
    def written(data: Numbers) -> bytes:
        lines = [] if header is None else [header.replace(",", separator)]
        for row in rows(data, "q", "d", "n"):
            fields: dict[str, tuple[Any, ...]] = {"three": (row["q"], row["d"], row["n"])}
            fields["qrels"] = (row["q"], "0", row["d"], row["n"])
            fields["run"] = (row["q"], "Q0", row["d"], "1", row["n"], "tag")
            lines.append(separator.join(map(str, fields[kind])))
        return ("\n".join(lines) + "\n").encode()

    return written


def formats(number: str) -> dict[str, Callable[[Numbers], bytes]]:
    """Return how to write the data as a file, by file name; `number` is grade or score."""
    layout = "qrels" if number == "grade" else "run"
    named = _text(",", header=f"query_id,doc_id,{number}", kind="three")
    made: dict[str, Callable[[Numbers], bytes]] = {
        "plain.txt": _text(" ", header=None, kind=layout),
        "tabs.txt": _text("\t", header=None, kind=layout),
        "plain.csv": named,
        "packed.csv.gz": lambda data: gzip.compress(named(data)),
        "mark.csv": lambda data: b"\xef\xbb\xbf" + named(data).replace(b"\n", b"\r\n"),
        "unknown.dat": named,
        "semicolons.csv": _text(";", header=f"QID,DocNo,{number.upper()}", kind="three"),
        "bars.csv": _text("|", header=f"topic,corpus-id,{number}", kind="three"),
        "table.tsv": _text("\t", header=f"q_id,PID,{number}", kind="three"),
        "no_header.csv": _text(",", header=None, kind="three"),
        "no_header.tsv": _text("\t", header=None, kind="three"),
        "no_header.dat": _text(",", header=None, kind="three"),
        "trec.tsv": _text("\t", header=None, kind=layout),
        "trec.csv": _text(",", header=None, kind=layout),
        "by_query.json": lambda data: json.dumps(data, indent=1).encode(),
        "pairs.json": lambda data: json.dumps({q: list(each.items()) for q, each in data.items()}).encode(),
        "rows.json": lambda data: json.dumps(rows(data, "query-id", "item", number)).encode(),
        "columns.json": lambda data: json.dumps(columns(rows(data, "qid", "pid", number))).encode(),
        "pandas.json": lambda data: str(pd.DataFrame(rows(data, "qid", "pid", number)).to_json()).encode(),
        "lines.jsonl": lambda data: _lines(rows(data, "qid", "docno", number)),
        "lines.json": lambda data: _lines(rows(data, "qid", "docno", number)),
        "lines.jsonl.gz": lambda data: gzip.compress(_lines(rows(data, "qid", "docno", number))),
        "table.parquet": lambda data: _parquet(rows(data, "Query ID", "doc_id", number)),
    }
    return made


def _lines(listed: list[Row]) -> bytes:
    return ("\n".join(map(json.dumps, listed)) + "\n\n").encode()


def _parquet(listed: list[Row]) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(listed).write_parquet(out)
    return out.getvalue()
