"""Entries of totals over queries, under trec_eval's names."""

from __future__ import annotations

import numpy as np

from assay.data.model import Cases
from assay.kernels import uncut as kernel
from assay.kernels.layout import ALL, Floats, relevant
from assay.metrics.entry import Edge, Metric, Population, Witness
from assay.metrics.family import Level, On
from assay.metrics.properties import Kind, Property
from assay.metrics.ranking import Fails, Names
from assay.metrics.reduce import Columns, Sums, computed
from assay.metrics.toy import Toy


def total(
    name: str, params: Names, on: str, title: str, meaning: str, formula: str, latex: str, of: str
) -> Metric:
    """A sum over the population."""

    def columns(cases: Cases) -> Columns:
        rel = int(params.get("rel", 1))
        counted: dict[str, Floats] = {
            "q": np.ones(len(cases)),
            "ret": cases.n.astype(np.float64),
        }
        if of in ("rel", "rel_ret"):
            view = relevant(cases, rel)
            counted[of] = (view.R if of == "rel" else view.hits(ALL)).astype(np.float64)
        if of == "nonrel":
            counted[of] = kernel.nonrelevant_retrieved(cases, rel).astype(np.float64)
        return Columns({counted_as: counted[of]})

    # trec_eval has no num_q of a single query either
    counted_as = "query" if of == "q" else "count"
    fails: Fails = {Property.DUPLICATION: Witness(Toy("10"), "a total doubles")}
    value = {"q": 1.0, "ret": 2.0, "rel": 3.0, "rel_ret": 1.0, "nonrel": 1.0}[of]
    return Metric(
        name=name,
        params=params,
        title=title,
        formula=formula,
        latex=latex,
        meaning=meaning,
        range=(0.0, float("inf")),
        better="neither",
        population=Population(on),
        columns=columns,
        reduce=Sums((counted_as,), lambda n, count: computed(count)),
        kind=Kind.TOTAL,
        holds=Kind.TOTAL.properties - fails.keys(),
        fails=fails,
        edges=(Edge(Toy("50", missed=(5, 5)), value, "one query, two candidates, three gold"),),
    )


def num_q(name: str, params: Names, on: On = "all") -> Metric:
    """Number of queries of the population."""
    return total(
        name, params, on, "Queries", "how many queries count", "number of queries", r"|Q|", "q"
    )


def num_ret(name: str, params: Names, on: On = "all") -> Metric:
    """Number of candidates."""
    meaning = "how many sentences were ranked"
    return total(name, params, on, "Candidates", meaning, "Σ n", r"\sum_q n", "ret")


def num_rel(name: str, params: Names, rel: Level = 1, on: On = "all") -> Metric:
    """Number of gold items."""
    meaning = "how much evidence there is"
    return total(name, params, on, "Gold items", meaning, "Σ R", r"\sum_q R", "rel")


def num_rel_ret(name: str, params: Names, rel: Level = 1, on: On = "all") -> Metric:
    """Number of gold items among the candidates."""
    latex = r"\sum_q |\mathrm{gold} \cap \mathrm{candidates}|"
    meaning = "how much of the evidence was ranked at all"
    return total(
        name,
        params,
        on,
        "Gold items retrieved",
        meaning,
        "Σ gold among the candidates",
        latex,
        "rel_ret",
    )


def num_nonrel_judged_ret(name: str, params: Names, rel: Level = 1, on: On = "all") -> Metric:
    """Number of candidates judged non-relevant."""
    latex = r"\sum_q |\mathrm{judged\ non\text{-}relevant} \cap \mathrm{candidates}|"
    meaning = "how many ranked sentences are known not to be evidence"
    return total(
        name,
        params,
        on,
        "Non-relevant retrieved",
        meaning,
        "Σ candidates judged non-relevant",
        latex,
        "nonrel",
    )
