"""Entries of the measures of a whole ranking, and of totals."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.data.model import Cases
from assay.errors import MeasureError
from assay.kernels import uncut as kernel
from assay.kernels.layout import Convention, Floats
from assay.kernels.ranking import Kernel
from assay.metrics.entry import Edge, Metric, Population, Witness
from assay.metrics.family import Cut, Level, On, Point, Scale, Share, Weight
from assay.metrics.properties import Kind, Property
from assay.metrics.ranking import EMPTY, NO_GOLD, NOTHING, Fails, Names, ranking_metric
from assay.metrics.reduce import Columns, Reduced, Sums, quotient
from assay.metrics.toy import Toy, ranking

Need = Literal["ceil", "round", "trec9"]


def r_precision(name: str, params: Names, rel: Level = 1, on: On = "evidence") -> Metric:
    """Precision at R."""
    fails: Fails = {
        Property.MISSED_GOLD_NEVER_HELPS: Witness(ranking("01"), "a larger R looks further down")
    }
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.r_precision(cases, rel),
        kind=Kind.RANKING,
        title="R-precision",
        formula="hits in the top R / R",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{top}_R|}{R}",
        meaning="share of evidence among as many first sentences as there is evidence",
        fails=fails,
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("10", R=2), 0.5, "1 of the top 2")),
    )


def bpref(name: str, params: Names, rel: Level = 1, on: On = "evidence") -> Metric:
    """Preference of relevant over judged non-relevant candidates."""
    fails: Fails = {
        Property.UNJUDGED_IS_NONRELEVANT: Witness(Toy(".1"), "only judged candidates count"),
        Property.MISSED_GOLD_NEVER_HELPS: Witness(
            Toy("0001", missed=(1, 1), missed_nonrel=1),
            "R bounds the penalty of a non-relevant one",
        ),
    }
    edges = (
        NO_GOLD,
        EMPTY,
        Edge(Toy(".1"), 1.0, "unjudged candidates do not count"),
        Edge(Toy("01", missed_nonrel=3), 0.0, "one non-relevant above, R = 1"),
    )
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.bpref(cases, rel),
        kind=Kind.RANKING,
        title="bpref",
        formula="1/R · Σ over retrieved gold of 1 − min(non-relevant above, R) / min(N, R)",
        latex=r"\frac{1}{R}\sum_{r} \left(1 - \frac{\min(n_{\uparrow r}, R)}{\min(N, R)}\right)",
        meaning="how often evidence stands above sentences judged to be none",
        fails=fails,
        edges=edges,
    )


def rank_biased_precision(
    name: str, params: Names, p: Share = 0.8, rel: Level = 1, on: On = "evidence"
) -> Metric:
    """Gain of a reader who goes on to the next sentence with probability p."""
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.rank_biased_precision(cases, p, rel),
        kind=Kind.RANKING,
        title="Rank-biased precision",
        formula="(1 − p) · Σ rel · p^(rank − 1)",
        latex=r"(1-p) \sum_{i} \mathrm{rel}_i\, p^{\,i-1}",
        meaning="rate of evidence for a reader who may stop after each sentence",
        fails={Property.IDEAL_IS_BEST: Witness(ranking("1"), "1 is reached by endless lists only")},
        edges=(EMPTY, NOTHING, Edge(ranking("1", R=3), 1.0 - p, "one hit at rank 1")),
    )


def expected_reciprocal_rank(
    name: str, params: Names, k: Cut, gmax: Scale = 1, on: On = "evidence"
) -> Metric:
    """Expected reciprocal rank at which a reader is satisfied (Chapelle et al. 2009)."""

    def values(cases: Cases) -> Kernel:
        highest = cases.gold_grade.max(initial=0)
        if highest > gmax:
            raise MeasureError(
                f"{name}: the gold has grade {highest:g}, above gmax={gmax}; "
                f"set gmax to the highest grade of the scale"
            )
        return kernel.expected_reciprocal_rank(cases, k, gmax)

    return ranking_metric(
        name,
        params,
        on,
        values,
        title="Expected reciprocal rank",
        formula="Σ 1/rank · S · Π before (1 − S), S = (2^rel − 1) / 2^gmax",
        latex=r"\sum_{r=1}^{k} \frac{R_r}{r} \prod_{i<r} (1 - R_i),\quad"
        r" R_i = \frac{2^{\mathrm{rel}_i} - 1}{2^{g_\mathrm{max}}}",
        meaning="how early a reader who stops when satisfied stops",
        fails={Property.IDEAL_IS_BEST: Witness(ranking("1"), "no grade satisfies for certain")},
        edges=(EMPTY, NOTHING, Edge(ranking("1"), 0.5**gmax, "(2 − 1) / 2^gmax")),
    )


def set_precision(name: str, params: Names, rel: Level = 1, on: On = "evidence") -> Metric:
    """Share of the candidates that is gold."""
    fails: Fails = {
        Property.APPEND_UNJUDGED: Witness(ranking("1"), "a longer list is less precise"),
        Property.IDEAL_IS_BEST: Witness(ranking("10"), "the list has more than gold"),
    }
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.set_precision(cases, rel),
        kind=Kind.RANKING,
        title="Set precision",
        formula="gold among the candidates / n",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{candidates}|}{n}",
        meaning="share of all ranked sentences that is evidence",
        fails=fails,
        edges=(EMPTY, NOTHING, Edge(ranking("10", R=5), 0.5, "1 of 2")),
    )


def set_recall(name: str, params: Names, rel: Level = 1, on: On = "evidence") -> Metric:
    """Share of the gold that is among the candidates."""
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.set_recall(cases, rel),
        kind=Kind.RANKING,
        title="Set recall",
        formula="gold among the candidates / R",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{candidates}|}{R}",
        meaning="the ceiling of every recall: evidence that was ranked at all",
        fails={},
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("10", R=5), 0.2, "1 of 5")),
    )


def set_f(
    name: str, params: Names, beta: Weight = 1, rel: Level = 1, on: On = "evidence"
) -> Metric:
    """Harmonic mean of set precision and set recall."""
    fails: Fails = {
        Property.APPEND_UNJUDGED: Witness(ranking("1"), "a longer list is less precise"),
        Property.IDEAL_IS_BEST: Witness(ranking("10"), "the list has more than gold"),
    }
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.f_of_set(cases, beta, rel),
        kind=Kind.RANKING,
        title="Set F measure",
        formula="(1 + β²)·P·R / (β²·P + R)",
        latex=r"\frac{(1+\beta^2)\,P\,R}{\beta^2\,P + R}",
        meaning="precision and recall of everything that was ranked",
        notes=(
            "trec_eval's `set_F.x` and ir_measures' `SetF(beta=x)` weigh recall by x where this "
            "formula has β²: their x = 2 is β = √2 here.",
        ),
        fails=fails,
        edges=(NO_GOLD, EMPTY, NOTHING),
    )


NEEDED = {
    "ceil": ("⌈x·R⌉", r"\lceil xR \rceil"),
    "round": ("⌊x·R + 0.5⌋", r"\lfloor xR + 0.5 \rfloor"),
    "trec9": ("⌊x·R + 0.9⌋", r"\lfloor xR + 0.9 \rfloor"),
}
"""Hits that reach recall x, in plain characters and in LaTeX."""
NEED_NOTES = (
    "`need` sets how many hits reach recall x of R gold items: `ceil` takes ⌈x·R⌉, the definition; "
    "`round` takes ⌊x·R + 0.5⌋, as trec_eval 10 does; `trec9` takes ⌊x·R + 0.9⌋, as trec_eval 9 "
    "and pytrec_eval do.",
)


def interpolated_precision(
    name: str, params: Names, point: Point, need: Need = "ceil", rel: Level = 1, on: On = "evidence"
) -> Metric:
    """Highest precision at any rank that reaches a recall level."""
    edges = [NO_GOLD, EMPTY, NOTHING, Edge(ranking("1"), 1.0, "all gold first")]
    if point == 0.25:
        needed = 1 if need == "round" else 2
        edges.append(Edge(ranking("1001", R=5), 1 / needed, f"1.25 of 5 gold items need {needed}"))
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.interpolated_precision(cases, point, need, rel),
        kind=Kind.RANKING,
        title="Interpolated precision at recall",
        formula=f"max P@i over ranks i with hits@i ≥ {NEEDED[need][0]}",
        latex=rf"\max_{{i\,:\,\mathrm{{hits}}@i \ge {NEEDED[need][1]}}} P@i",
        meaning="precision that remains when this share of the evidence must be found",
        notes=NEED_NOTES,
        fails={},
        edges=tuple(edges),
    )


def eleven_point_average(
    name: str, params: Names, need: Need = "ceil", rel: Level = 1, on: On = "evidence"
) -> Metric:
    """Mean interpolated precision at recall 0, .1, …, 1."""
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.eleven_point_average(cases, need, rel),
        kind=Kind.RANKING,
        title="Eleven-point average precision",
        formula="mean over x = 0, 0.1, …, 1 of max P@i over ranks i with hits@i ≥ "
        + NEEDED[need][0],
        latex=r"\frac{1}{11} \sum_{x=0,0.1,\dots,1} \max_{i\,:\,\mathrm{hits}@i \ge "
        rf"{NEEDED[need][1]}}} P@i",
        meaning="the precision–recall curve in one number",
        notes=NEED_NOTES,
        fails={},
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("1"), 1.0, "all gold first")),
    )


def geometric_mean_ap(
    name: str, params: Names, floor: Share = 0.00001, rel: Level = 1, on: On = "evidence"
) -> Metric:
    """Geometric mean of average precision, which hard queries dominate."""

    def geometric(n: Floats, log: Floats) -> Reduced:
        mean = quotient(log, n, 0.0, Convention.EMPTY_POPULATION)
        return Reduced(np.where(mean.codes == 0, np.exp(mean.values), 0.0), mean.codes)

    reduce = Sums(("log",), geometric)
    return Metric(
        name=name,
        params=params,
        title="Geometric mean average precision",
        formula="exp(mean of log max(AP, floor))",
        latex=r"\exp\left(\frac{1}{|Q|}\sum_q \log\max(\mathrm{AP}_q, \varepsilon)\right)",
        meaning="average precision where one failed query cannot be made up for by easy ones",
        range=(0.0, 1.0),
        better="higher",
        population=Population(on),
        columns=lambda cases: Columns({"log": kernel.log_average_precision(cases, floor, rel)}),
        reduce=reduce,
        kind=Kind.RANKING,
        holds=Kind.RANKING.properties,
        fails={},
        edges=(Edge(ranking("00", R=1), floor, "the floor"), Edge(ranking("1"), 1.0, "gold first")),
    )
