"""Entries of what was returned: how many sentences, how much of the evidence, and its use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from assay.data.model import Cases
from assay.kernels.layout import ALL, Convention, Floats, conventions, ratio, relevant
from assay.metrics.decision import INFINITE, decision_metric, label, positive
from assay.metrics.entry import Edge, Metric, Witness
from assay.metrics.family import Costs, Level, On
from assay.metrics.properties import Kind, Property
from assay.metrics.ranking import Fails, Names
from assay.metrics.reduce import MEAN, Columns, Quantile, Reduce, Reduced, Sums, computed, quotient
from assay.metrics.toy import decided

QUANTILES = {"median": 0.5, "p25": 0.25, "p75": 0.75, "p90": 0.9, "min": 0.0, "max": 1.0}
NO = decided("1", 0.1, 0, "NEG", R=2)
HALF = decided("10", 0.9, 1, "POS", R=2)


def returned_k(cases: Cases) -> Floats:
    """Selected K of each query."""
    return np.asarray(cases.selected_k, dtype=np.float64)


def _statistic(stat: str) -> Reduce:
    if stat in QUANTILES:
        return Quantile("k", QUANTILES[stat])
    if stat == "mean":
        return Sums(("k",), lambda n, k: quotient(k, n, 0.0, Convention.EMPTY_POPULATION))
    if stat == "total":
        return Sums(("k",), lambda n, k: computed(k))

    def deviation(n: Floats, k: Floats, square: Floats) -> Reduced:
        mean = quotient(k, n).values
        reduced = quotient(square - n * mean * mean, np.where(n > 1, n - 1, 0.0))
        return Reduced(np.sqrt(np.maximum(reduced.values, 0.0)), reduced.codes)

    return Sums(("k", "square"), deviation)


def selected_k(
    name: str,
    params: Names,
    stat: Literal["mean", "median", "p25", "p75", "p90", "min", "max", "std", "total"] = "mean",
    on: On = "all",
) -> Metric:
    """A statistic of the number of sentences returned; zeros count where on=all."""
    fails: Fails = {}
    if stat == "total":
        fails[Property.DUPLICATION] = Witness(HALF, "a total doubles")
    if stat == "std":
        fails[Property.DUPLICATION] = Witness(HALF, "ddof 1 sees more queries", (NO,))
    if stat in ("p25", "p75", "p90"):
        fails[Property.DUPLICATION] = Witness(
            HALF, "other neighbours to interpolate between", (NO,)
        )
    value = 0.0 if stat == "std" else 1.0
    code = Convention.ZERO_DENOMINATOR if stat == "std" else Convention.NONE
    titles = {"total": "Sentences returned", "std": "Standard deviation of the selected K"}
    return decision_metric(
        name, params, on,
        lambda cases: Columns({"k": returned_k(cases), "square": returned_k(cases) ** 2}),
        _statistic(stat), title=titles.get(stat, f"Selected K, {stat}"),
        formula=f"{stat} of K" if stat != "total" else "Σ K", latex=rf"\mathrm{{{stat}}}_q\,K_q",
        meaning="sentences that a reader gets", needs=("selected_k",), range=(0.0, INFINITE),
        better="neither", kind=Kind.TOTAL if stat == "total" else Kind.SELECTION, fails=fails,
        edges=(Edge(HALF, value, "one query, one sentence", code),),
    )  # fmt: skip


def _found(level: int) -> Callable[[Cases], Columns]:
    def columns(cases: Cases) -> Columns:
        view = relevant(cases, level)
        k = returned_k(cases)
        hits = view.hits(k.astype(np.int64)).astype(np.float64)
        total = view.R.astype(np.float64)
        return Columns(
            {
                "hits": hits,
                "R": total,
                "conditional": total * (k >= 1),
                "retrieved": view.hits(ALL).astype(np.float64),
                "k": k,
            }
        )

    return columns


def evidence_recall(
    name: str,
    params: Names,
    average: Literal["macro", "micro", "micro_conditional", "retrieved"] = "macro",
    rel: Level = 1,
    on: On = "evidence",
) -> Metric:
    """Gold that was returned, of the gold there is."""

    def macro(cases: Cases) -> Columns:
        columns, view = _found(rel)(cases), relevant(cases, rel)
        codes = conventions(cases.n, (view.R == 0, Convention.NO_GOLD))
        return Columns({"value": ratio(columns["hits"], columns["R"])}, codes)

    below = {"micro": "R", "micro_conditional": "conditional", "retrieved": "retrieved"}
    is_macro = average == "macro"
    reduce = MEAN if is_macro else Sums(("hits", below[average]), lambda n, a, b: quotient(a, b))
    no_gold = Convention.NO_GOLD if is_macro else Convention.ZERO_DENOMINATOR
    edges = [Edge(decided("0", 0.9, 1, "POS"), 0.0, "no gold", no_gold)]
    if average in ("macro", "micro"):
        edges += [Edge(NO, 0.0, "the gate said no"), Edge(HALF, 0.5, "1 of 2")]
    elif average == "retrieved":
        edges += [Edge(NO, 0.0, "the gate said no"), Edge(HALF, 1.0, "1 of the 1 ranked")]
    else:
        edges.append(Edge(NO, 0.0, "the gate said no", Convention.ZERO_DENOMINATOR))
    formulas = {
        "macro": "mean of (gold returned / R)",
        "micro": "Σ gold returned / Σ R",
        "micro_conditional": "Σ gold returned / Σ R, both where something was returned",
        "retrieved": "Σ gold returned / Σ gold among the candidates",
    }
    return decision_metric(
        name, params, on, macro if is_macro else _found(rel), reduce, title="Evidence recall",
        formula=formulas[average],
        latex=r"\frac1{|Q|}\sum_q \frac{|\mathrm{gold} \cap \mathrm{returned}|}{R}"
        if is_macro else r"\frac{\sum_q |\mathrm{gold} \cap \mathrm{returned}|}{\sum_q R}",
        meaning="share of the evidence sentences that a reader is given",
        needs=("selected_k",), edges=tuple(edges), kind=Kind.SELECTION,
    )  # fmt: skip


def evidence_precision(
    name: str,
    params: Names,
    average: Literal["macro", "micro"] = "macro",
    rel: Level = 1,
    on: On = "evidence",
) -> Metric:
    """Gold that was returned, of what was returned."""

    def macro(cases: Cases) -> Columns:
        columns = _found(rel)(cases)
        nothing = columns["k"] == 0
        codes = np.where(nothing, Convention.NOTHING_RETURNED, 0).astype(np.uint8)
        return Columns({"value": ratio(columns["hits"], columns["k"])}, codes)

    is_macro = average == "macro"
    nothing = Convention.NOTHING_RETURNED if is_macro else Convention.ZERO_DENOMINATOR
    return decision_metric(
        name, params, on, macro if is_macro else _found(rel),
        MEAN if is_macro else Sums(("hits", "k"), lambda n, hits, k: quotient(hits, k)),
        title="Evidence precision",
        formula="mean of (gold returned / K)" if is_macro else "Σ gold returned / Σ K",
        latex=r"\frac1{|Q|}\sum_q \frac{|\mathrm{gold} \cap \mathrm{returned}|}{K_q}"
        if is_macro else r"\frac{\sum_q |\mathrm{gold} \cap \mathrm{returned}|}{\sum_q K_q}",
        meaning="share of what a reader is given that is evidence",
        needs=("selected_k",), kind=Kind.SELECTION,
        edges=(Edge(NO, 0.0, "nothing returned", nothing), Edge(HALF, 1.0, "1 of 1")),
    )  # fmt: skip


def utility(
    name: str,
    params: Names,
    abstain: Costs = 1,
    found: Costs = 1,
    missed: Costs = 0,
    alarm: Costs = 0,
    at: Literal["returned"] = "returned",
    on: On = "all",
) -> Metric:
    """The whole system: right abstention and evidence found, less misses and alarms."""

    def columns(cases: Cases) -> Columns:
        y, returns = label(cases), positive(cases, at)
        got = _found(1)(cases)
        share = ratio(got["hits"], got["R"])
        value = (
            abstain * (1 - y) * (1 - returns)
            - alarm * (1 - y) * returns
            - missed * y * (1 - returns)
            + found * y * returns * share
        )
        return Columns({"value": value}, np.zeros(len(cases), dtype=np.uint8))

    return decision_metric(
        name, params, on, columns, MEAN, title="Retrieve-or-abstain utility",
        formula="mean of: +abstain if rightly silent, +found · recall if it returns evidence,"
        " −missed if wrongly silent, −alarm if it returns where there is none",
        latex=r"\frac1n\sum_q \begin{cases} +a & y=0, K=0\\ -b & y=0, K>0\\ -m & y=1, K=0\\"
        r" f\,\mathrm{recall} & y=1, K>0 \end{cases}",
        meaning="a silent answer to a query without evidence is right, and counts as right",
        needs=("selected_k",), range=(0.0 - max(missed, alarm), max(abstain, found, 0.0)),
        kind=Kind.SELECTION,
        edges=(
            Edge(decided("0", 0.1, 0, "NEG"), float(abstain), "rightly silent"),
            Edge(decided("0", 0.9, 1, "POS"), -float(alarm), "a false alarm"),
            Edge(NO, -float(missed), "evidence missed"),
            Edge(HALF, found / 2, "half of the evidence found"),
        ),
    )  # fmt: skip
