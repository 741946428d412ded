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
FILE_ORDER = ("cwl_eval", "msmarco", "trectools", "judged", "gdeval", "accuracy")
"""Providers that keep tied scores in the order of the file; pytrec_eval goes by id, descending."""
BY_ID = ("compat",)
"""Providers that order tied scores by id, ascending."""
NOT_THE_MEASURE = {
    ("AP", "cwl_eval"): "C/W/L's AP divides by the hits of the list, not by R",
    ("AP(rel=2)", "cwl_eval"): "the same",
    ("Bpref", "trectools"): "on cacm 0 for every topic",
    ("Rprec", "trectools"): "on robust03 NaN, on cacm an error",
    ("nDCG@10", "trectools"): "NaN for some topics",
    ("nDCG@20", "trectools"): "NaN for some topics",
    ("nDCG(dcg='exp-log2')@10", "trectools"): "NaN for some topics",
}
"""Providers that do not compute the published definition, and what they do."""
NOT_THE_RUN = {
    (run, name): reason
    for run, names, reason in (
        (
            "UIUC03Rd1",
            ("Compat(p=0.95)", "Compat(p=0.8)", "Compat(p=0.95,normalize=False)"),
            "all scores are below 0, and compat puts missed gold before them, as if its score were 0",
        ),
        ("UIUC03Rd1", ("RBP(p=0.8)",), "trectools orders tied scores of 4 topics in a third way"),
    )
    for name in names
}
"""Values that are wrong or cannot be matched for one run, and why."""
REFUSED = {"RBP(rel=1,p=0.5)@10", "RBP(rel=1,p=0.8)@10"}
"""Names without a measure here: RBP with a cut-off, which no provider computes."""
RECORDED_ONLY = ("ordered_pairs",)
"""Measures that are compared with recorded outputs of these tools, and with nothing else outside."""
NOT_IN_THE_CONTRACT = {"rbp_resid": "rbp_resid:p=0.9,on=predicted"}
"""Names of trec_eval that `trec_eval/10` leaves out, and the definition of the values printed here."""
TREC_EVAL_QUIRKS = {
    "num_rel:rel=2,on=all": "over all topics with -c, trec_eval counts grades from 1 whatever -l says"
}
"""Definitions whose total trec_eval counts otherwise, and how."""


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
        # a topic without a list has a residual of 1 here, and of 0 in trec_eval
        renamed = {} if run.endswith("-missing") else NOT_IN_THE_CONTRACT
        for theirs, query, printed in _fields(path):
            name = renamed.get(theirs, theirs)
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
    """Yield every value of every provider of ir_measures, per query and in the mean, by its name there.

    Tied scores are in the order of the provider.
    """
    for run, stored in (("cacm-bm25", "cacm.json"), ("UIUC03Rd1", "robust03.json.gz")):
        text = (data / "tasks" / "ir_measures" / stored).read_bytes()
        known = json.loads(gzip.decompress(text) if stored.endswith(".gz") else text)["measures"]
        names = [name for name in known if name not in REFUSED]
        for providers, ties in ((FILE_ORDER, "file"), (BY_ID, "id"), (("pytrec_eval",), "id, descending")):
            result = _with_ties(data, run, ties, names)
            frame = {row["query_id"]: row for row in result.per_query().iter_rows(named=True)}
            for name in names:
                definition = result[name].definition
                family = definition.partition(":")[0].partition("@")[0]
                for provider in known[name]["providers"].keys() & {*providers}:
                    found = known[name]["providers"][provider]
                    if "per_query" not in found or (name, provider) in NOT_THE_MEASURE:
                        continue
                    if (run, name) in NOT_THE_RUN:
                        continue
                    source = f"{provider} in ir_measures"
                    yield Compared(family, definition, source, result[name].value, float(found["mean"]))
                    for query, value in found["per_query"].items():
                        if name in frame[query]:
                            ours = frame[query][name]
                            yield Compared(family, definition, source, ours, float(value))


def compatibility_of_shifted_scores(data: Path, shift: float) -> Iterator[Compared]:
    """Yield Compat by ir_measures with a number added to every score, and by assay without."""
    import ir_measures

    names = ["Compat(p=0.95)", "Compat(p=0.8)"]
    qrels, ranked = (data / "trec" / each for each in FILES["UIUC03Rd1"])
    result = _with_ties(data, "UIUC03Rd1", "id", names)
    frame = {row["query_id"]: row for row in result.per_query().iter_rows(named=True)}
    asked = {ir_measures.parse_measure(name): name for name in names}
    judged = [ir_measures.Qrel(q, doc, int(grade)) for q, _, doc, grade in _fields(qrels)]
    run = [ir_measures.ScoredDoc(row[0], row[2], float(row[4]) + shift) for row in _fields(ranked)]
    for each in ir_measures.iter_calc(list(asked), judged, run):
        name = asked[each.measure]
        yield Compared("compatibility", name, "compat", frame[each.query_id][name], each.value)


def _with_ties(data: Path, run: str, ties: str, names: list[str]) -> assay.Result:
    """Evaluate a run whose ranks are its scores, with ties in a given order."""
    qrels, ranked = (data / "trec" / each for each in FILES[run])
    fields = [(each[0], each[2], float(each[4])) for each in _fields(ranked)]
    if ties != "file":
        fields.sort(key=lambda row: row[1], reverse=ties != "id")
    fields.sort(key=lambda row: (row[0], -row[2]))
    rows = [(query, doc, -float(place)) for place, (query, doc, _) in enumerate(fields)]
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    return assay.evaluate(assay.read_trec(qrels, frame), contract="trec_eval/10", measures=names)


def _result(data: Path, run: str, options: str) -> assay.Result:
    qrels, ranked = FILES[run.removesuffix("-missing")]
    lines: Any = data / "trec" / ranked
    if run.endswith("-missing"):
        lines = _without_every_fifth(data / "trec" / ranked)
    judged = assay.read_trec(data / "trec" / qrels, lines)
    names = [*assay.contract("trec_eval/10").names, *NOT_IN_THE_CONTRACT.values()]
    return assay.evaluate(judged, contract="trec_eval/10", measures=names, **OPTIONS[options])


def _without_every_fifth(path: Path) -> pl.DataFrame:
    """Return the run without the topics whose number divides by 5."""
    rows = [(q, doc, float(score)) for q, _, doc, _, score, _ in _fields(path) if int(q) % 5]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")


@cache
def _fields(path: Path) -> list[list[str]]:
    text = path.read_bytes()
    plain = gzip.decompress(text) if path.suffix == ".gz" else text
    return [line.split() for line in plain.decode().splitlines()]
