"""Values that trec_eval 10 and ir_measures printed for public runs, next to assay's."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

import assay

from .everyday.comparisons import Compared

FILES = {
    "cacm-bm25": ("cacm/qrels.cacm.txt", "cacm/cacm-bm25.txt"),
    "UIUC03Rd1": ("robust03/qrels.txt.gz", "robust03/UIUC03Rd1.gz"),
    "rutcor03100": ("robust03/qrels.txt.gz", "robust03/rutcor03100.gz"),
}
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "q": {},
    "qc": {"complete": True},
    "ql2": {"level": 2},
    "qM100": {"depth": 100},
    "qcl2": {"complete": True, "level": 2},
    "qcM100": {"complete": True, "depth": 100},
}
PRINTED = 5.0001e-5
"""trec_eval prints four decimals."""
GDEVAL = 1.0001e-5
"""gdeval gives five decimals."""
IR_MEASURES = {
    "P@5": "precision@5:denominator=k,rel=1",
    "P(rel=2)@10": "precision@10:denominator=k,rel=2",
    "R@100": "recall@100:gold=all,rel=1",
    "AP": "map@all:denominator=R,cut=k,rel=1",
    "AP@10": "map@10:denominator=R,cut=k,rel=1",
    "nDCG@20": "ndcg@20:gain=linear,gold=all,cut=k",
    "nDCG(dcg='exp-log2')@10": "ndcg@10:gain=exponential,gold=all,cut=k",
    "Success@5": "hit@5:rel=1",
    "Judged@10": "judged@10:denominator=k_eff",
    "Judged@100": "judged@100:denominator=k_eff",
    "Bpref": "bpref:rel=1",
    "Rprec": "rprec:rel=1",
    "SetP": "set_precision:rel=1",
    "SetR": "set_recall:rel=1",
    "SetF(beta=2.0)": "set_f:beta=1.4142135623730951,rel=1",  # trec_eval's x is β²
    "RBP(rel=1,p=0.8)": "rbp:p=0.8,rel=1",
    "ERR@10": "err@10:gmax=4",  # gdeval's highest grade
    "ERR@20": "err@20:gmax=4",
}
"""ir_measures' names to definitions; the provider is the one it picks, cwl_eval for RBP."""
TREC_EVAL_QUIRKS = {
    "num_rel:rel=2,on=all": "over all topics with -c, trec_eval counts grades from 1 whatever -l says"
}
"""Definitions whose total trec_eval counts otherwise, and how."""
PROVIDERS = {"RBP(rel=1,p=0.8)": "cwl_eval"}


def trec_eval(data: Path) -> Iterator[Compared]:
    """Yield every value of trec_eval's all_trec that the contract has, per topic and over all."""
    for path in sorted((data / "tasks" / "trec_eval_all").glob("*.txt.gz")):
        run, options = path.name.removesuffix(".txt.gz").split(".")
        result = _result(data, run, options)
        ours = {(each.name, "all"): each.value for each in result.measures}
        frame = result.per_query()
        for each in result.measures:
            if each.name in frame.columns:
                named = frame.select("query_id", each.name).iter_rows()
                ours |= {(each.name, query): value for query, value in named}
        ids = {each.name: each.definition for each in result.measures}
        for name, query, printed in _fields(path):
            if name in ids:
                family = ids[name].partition(":")[0].partition("@")[0]
                yield Compared(family, ids[name], "trec_eval 10", ours[name, query], float(printed))


def unknown_names(data: Path) -> set[str]:
    """Return trec_eval's names that are not in the contract."""
    printed = {
        name for path in (data / "tasks" / "trec_eval_all").glob("*.txt.gz") for name, _, _ in _fields(path)
    }
    return printed - set(assay.contract("trec_eval/10").names)


def ir_measures(data: Path) -> Iterator[Compared]:
    """Yield the values of ir_measures' providers, per query, where ties do not decide them."""
    for run, stored in (("cacm-bm25", "cacm.json"), ("UIUC03Rd1", "robust03.json.gz")):
        text = (data / "tasks" / "ir_measures" / stored).read_bytes()
        known = json.loads(gzip.decompress(text) if stored.endswith(".gz") else text)["measures"]
        ids = {name: f"{each},on=predicted" for name, each in IR_MEASURES.items()}
        qrels, ranked = (data / "trec" / each for each in FILES[run])
        judged = assay.read_trec(qrels, ranked)
        result = assay.evaluate(judged, contract="trec_eval/10", measures=ids.values())
        frame = {row["query_id"]: row for row in result.per_query().iter_rows(named=True)}
        for name, definition in ids.items():
            provider = PROVIDERS.get(name, known[name]["default_provider"])
            for query, value in known[name]["providers"][provider]["per_query"].items():
                if query in frame:
                    family = definition.partition(":")[0].partition("@")[0]
                    source = f"{provider} in ir_measures"
                    yield Compared(family, definition, source, frame[query][definition], float(value))


def _result(data: Path, run: str, options: str) -> assay.Result:
    qrels, ranked = FILES[run.removesuffix("-missing")]
    lines: Any = data / "trec" / ranked
    if run.endswith("-missing"):
        lines = _without_every_fifth(data / "trec" / ranked)
    judged = assay.read_trec(data / "trec" / qrels, lines)
    return assay.evaluate(judged, contract="trec_eval/10", **OPTIONS[options])


def _without_every_fifth(path: Path) -> pl.DataFrame:
    """Return the run without the topics whose number divides by 5."""
    rows = [(q, doc, float(score)) for q, _, doc, _, score, _ in _fields(path) if int(q) % 5]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")


@cache
def _fields(path: Path) -> list[list[str]]:
    text = path.read_bytes()
    plain = gzip.decompress(text) if path.suffix == ".gz" else text
    return [line.split() for line in plain.decode().splitlines()]
