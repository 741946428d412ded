"""Totals over queries, under trec_eval's names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.array_types import Floats, Ints
from assay.data.cases import Cases
from assay.metrics.core.entry import INFINITE, Edge, Kind, Metric, Property, Witness
from assay.metrics.core.family import Level, measure
from assay.metrics.core.rankings import ALL, Rankings, relevant
from assay.metrics.core.reduce import Columns, Sums, computed
from assay.metrics.core.toy_cases import Toy


def nonrelevant_retrieved(r: Rankings, rel: int) -> Ints:
    """Return the number of candidates of each query that are judged and not relevant."""
    return np.bincount(r.hit_query[r.hit_grade < rel], minlength=len(r.n))


def _total(
    count: Callable[[Cases], Ints | Floats],
    value: float,
    *,
    title: str,
    meaning: str,
    formula: str,
    latex: str,
    column: str = "count",
    needs: tuple[str, ...] = (),
) -> Metric:
    """Return a sum over the population; `value` is that of two candidates and three gold items."""
    return Metric(
        title=title,
        formula=formula,
        latex=latex,
        meaning=meaning,
        columns=lambda cases: Columns({column: count(cases).astype(np.float64)}),
        reduce=Sums((column,), lambda n, count: computed(count)),
        kind=Kind.TOTAL,
        range=(0.0, INFINITE),
        better="neither",
        needs=needs,
        fails={Property.DUPLICATION: Witness(Toy("10"), "a total doubles")},
        edges=(Edge(Toy("50", missed=(5, 5)), value, "one query, two candidates, three gold"),),
    )


@measure("num_q", on="all", spellings=(("ir_measures", "NumQ", "on=predicted"), ("trec_eval", "num_q")))
def num_q() -> Metric:
    """Number of queries in the population."""
    # the column is not `count`, which the table of queries shows: trec_eval has no num_q per query
    return _total(
        lambda cases: np.ones(len(cases)),
        1.0,
        column="query",
        needs=("population",),  # and no rankings
        title="Queries",
        meaning="how many queries count",
        formula="number of queries",
        latex=r"|Q|",
    )


@measure("num_ret", on="all", spellings=(("ir_measures", "NumRet"), ("trec_eval", "num_ret")))
def num_ret() -> Metric:
    """Number of candidates."""
    return _total(
        lambda cases: cases.n,
        2.0,
        title="Candidates",
        meaning="how many sentences were ranked",
        formula="Σ n",
        latex=r"\sum_q n",
    )


@measure("num_rel", on="all", spellings=(("ir_measures", "NumRel", "on=predicted"), ("trec_eval", "num_rel")))
def num_rel(rel: Level = 1) -> Metric:
    """Number of gold items."""
    return _total(
        lambda cases: relevant(cases, rel).R,
        3.0,
        title="Gold items",
        meaning="how much evidence there is",
        formula="Σ R",
        latex=r"\sum_q R",
    )


@measure(
    "num_rel_ret",
    on="all",
    spellings=(
        ("ir_measures", "NumRelRet"),
        ("ir_measures", "NumRet", "", "rel"),
        ("trec_eval", "num_rel_ret"),
    ),
)
def num_rel_ret(rel: Level = 1) -> Metric:
    """Number of gold items among the candidates."""
    return _total(
        lambda cases: relevant(cases, rel).hits(ALL),
        1.0,
        title="Gold items retrieved",
        meaning="how much of the evidence was ranked at all",
        formula="Σ gold among the candidates",
        latex=r"\sum_q |\mathrm{gold} \cap \mathrm{candidates}|",
    )


@measure("num_nonrel_judged_ret", on="all", spellings=(("trec_eval", "num_nonrel_judged_ret"),))
def num_nonrel_judged_ret(rel: Level = 1) -> Metric:
    """Number of candidates judged non-relevant."""
    return _total(
        lambda cases: nonrelevant_retrieved(cases, rel),
        1.0,
        title="Non-relevant retrieved",
        meaning="how many ranked sentences are known not to be evidence",
        formula="Σ candidates judged non-relevant",
        latex=r"\sum_q |\mathrm{judged\ non\text{-}relevant} \cap \mathrm{candidates}|",
    )
