"""Entries of the measures of a ranking at a cut-off k."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from assay.data.model import Cases
from assay.kernels import ranking as kernel
from assay.kernels.layout import ALL, Convention
from assay.kernels.ranking import Kernel
from assay.metrics.entry import LONGEST_CASE, Edge, Metric, Population, Witness, at_cut
from assay.metrics.family import Cut, Level, On
from assay.metrics.properties import Kind, Property
from assay.metrics.reduce import MEAN, Columns
from assay.metrics.toy import Toy, first_and_late, full_then_miss, more_gold, ranking

Names = Mapping[str, str]
Fails = dict[Property, Witness]
NO_GOLD = Edge(ranking("..", R=0), 0.0, "no gold to find", Convention.NO_GOLD)
EMPTY = Edge(ranking("", R=2), 0.0, "an empty list finds nothing", Convention.NO_CANDIDATES)
NOTHING = Edge(ranking("000", R=2), 0.0, "found nothing")


def mean_of(values: Callable[[Cases], Kernel]) -> Callable[[Cases], Columns]:
    """Columns of a measure that is a mean of one value a query."""

    def columns(cases: Cases) -> Columns:
        value, codes = values(cases)
        return Columns({"value": value}, codes)

    return columns


def ranking_metric(
    name: str,
    params: Names,
    on: str,
    values: Callable[[Cases], Kernel],
    *,
    title: str,
    formula: str,
    latex: str,
    meaning: str,
    fails: Fails,
    edges: tuple[Edge, ...],
    better: str = "higher",
    kind: Kind = Kind.CUT_RANKING,
    notes: tuple[str, ...] = (),
) -> Metric:
    """A mean over queries of a value in [0, 1]; every property that does not fail holds."""
    return Metric(
        name=name,
        params=params,
        title=title,
        formula=formula,
        latex=latex,
        meaning=meaning,
        range=(0.0, 1.0),
        better=better,
        population=Population(on),
        columns=mean_of(values),
        reduce=MEAN,
        kind=kind,
        holds=kind.properties - fails.keys(),
        fails=fails,
        edges=edges,
        notes=notes,
    )


def recall(
    name: str,
    params: Names,
    k: Cut,
    gold: Literal["all", "retrieved"] = "all",
    rel: Level = 1,
    on: On = "evidence",
) -> Metric:
    """Fraction of the gold that stands in the top k."""
    fails: Fails = {}
    edges = [NO_GOLD, EMPTY]
    if k != ALL:
        fails[Property.IDEAL_IS_BEST] = at_cut(k, more_gold, "more gold than places")
    if gold == "retrieved":
        reason = Convention.NO_RETRIEVED_GOLD
        edges.append(Edge(ranking("00", R=2), 0.0, "all gold lies outside the list", reason))
        edges.append(Edge(ranking("1", R=4), 1.0, "gold outside the list does not count"))
        if k != ALL:
            fails[Property.NEW_HIT_NEVER_HURTS] = at_cut(
                k,
                lambda cut: ranking("1" * cut + ".", R=cut + 1),
                "a new hit below k adds to the gold",
            )
    else:
        edges += [NOTHING, Edge(ranking("1", R=4), 0.25, "gold outside the list counts")]
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.recall(cases, k, gold, rel),
        title="Recall",
        formula="hits@k / R" if gold == "all" else "hits@k / gold among the candidates",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{top}_k|}{R}"
        if gold == "all"
        else r"\frac{|\mathrm{gold} \cap \mathrm{top}_k|}{|\mathrm{gold} \cap \mathrm{listed}|}",
        meaning="share of the evidence that a reader of the first k sentences sees",
        fails=fails,
        edges=tuple(edges),
    )


def precision(
    name: str,
    params: Names,
    k: Cut,
    denominator: Literal["k", "k_eff", "min_r_k"] = "k",
    rel: Level = 1,
    on: On = "evidence",
) -> Metric:
    """Fraction of the top k that is gold."""
    fails: Fails = {}
    edges = [EMPTY, NOTHING]
    if denominator == "min_r_k":
        edges += [NO_GOLD, Edge(ranking("1", R=1), 1.0, "all that there is was found")]
    else:
        short = ranking("1", R=1)
        full = denominator == "k_eff" or k == ALL
        edges.append(Edge(short, 1.0 if full else 1.0 / k, "a list shorter than k"))
        if k > 1:
            fails[Property.IDEAL_IS_BEST] = Witness(ranking("10"), "less gold than places")
        if k > 1 and full:
            fails[Property.APPEND_UNJUDGED] = Witness(short, "the list's length is the denominator")
    if k != ALL:
        fails[Property.GROWS_WITH_K] = at_cut(
            k, lambda cut: full_then_miss(cut, cut + 1), "one more place, no new hit"
        )
    divisor = {"k": "k", "k_eff": r"\min(k, n)", "min_r_k": r"\min(R, k)"}[denominator]
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.precision(cases, k, denominator, rel),
        title="Precision",
        formula={"k": "hits@k / k", "k_eff": "hits@k / min(k, n)", "min_r_k": "hits@k / min(R, k)"}[
            denominator
        ],
        latex=rf"\frac{{|\mathrm{{gold}} \cap \mathrm{{top}}_k|}}{{{divisor}}}",
        meaning="share of the first k sentences that is evidence",
        fails=fails,
        edges=tuple(edges),
    )


def hit(name: str, params: Names, k: Cut, rel: Level = 1, on: On = "evidence") -> Metric:
    """Whether any gold stands in the top k."""
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.hit(cases, k, rel),
        title="Hit rate",
        formula="1 if hits@k ≥ 1 else 0",
        latex=r"\mathbf{1}\left[|\mathrm{gold} \cap \mathrm{top}_k| \ge 1\right]",
        meaning="share of queries where the first k sentences hold at least one piece of evidence",
        fails={},
        edges=(EMPTY, NOTHING, Edge(ranking("1", R=9), 1.0, "one hit is enough")),
    )


def reciprocal_rank(
    name: str, params: Names, k: Cut, rel: Level = 1, on: On = "evidence"
) -> Metric:
    """One over the rank of the first gold item."""
    edges = [NO_GOLD, EMPTY, NOTHING, Edge(ranking("1"), 1.0, "gold first")]
    if k <= LONGEST_CASE:
        edges.append(Edge(ranking("0" * k + "1"), 0.0, "the first gold stands below k"))
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.reciprocal_rank(cases, k, rel),
        title="Mean reciprocal rank",
        formula="1 / rank of the first gold item, 0 if none"
        + (" in the top k" if "@" in name else ""),
        latex=r"\frac{1}{\mathrm{rank\ of\ first\ gold}}",
        meaning="how early the first evidence comes; its inverse is a harmonic mean of ranks",
        fails={},
        edges=tuple(edges),
        kind=Kind.CUT_RANKING if "@" in name else Kind.RANKING,
    )


def average_precision(
    name: str,
    params: Names,
    k: Cut,
    denominator: Literal["R", "min_r_k", "hits"] = "min_r_k",
    cut: Literal["k", "k_eff"] = "k",
    rel: Level = 1,
    on: On = "evidence",
) -> Metric:
    """Precision at each hit, averaged over a denominator that the definitions disagree on."""
    fails: Fails = {}
    edges = [NO_GOLD, EMPTY]
    if denominator == "hits":
        edges.append(Edge(ranking("00", R=2), 0.0, "no hit to average over", Convention.NO_HITS))
        if 2 < k < ALL:
            why = "a new hit enlarges the denominator"
            fails[Property.SWAP_UP_NEVER_HURTS] = at_cut(k, first_and_late, why)
        if k > 2:
            fails[Property.NEW_HIT_NEVER_HURTS] = Witness(
                ranking("1..", R=2), "a late hit lowers the average"
            )
        if 1 < k < ALL:
            why = "a late hit lowers the average"
            fails[Property.GROWS_WITH_K] = at_cut(k, first_and_late, why)
    else:
        edges.append(NOTHING)
    if denominator == "R" and k != ALL:
        fails[Property.IDEAL_IS_BEST] = at_cut(k, more_gold, "more gold than places")
    if denominator == "min_r_k":
        if k != ALL:
            why = "the denominator grows, the hits do not"
            fails[Property.GROWS_WITH_K] = at_cut(k, lambda cut: full_then_miss(cut, cut + 1), why)
        if cut == "k_eff" and k > 1:
            why = "the list's length bounds the denominator"
            fails[Property.APPEND_UNJUDGED] = Witness(ranking("1", R=2), why)
    if k == 3:
        value = {"R": 1 / 3, "min_r_k": 5 / 9, "hits": 5 / 6}[denominator]
        edges.append(Edge(ranking("101", R=5), value, "(1/1 + 2/3) over 5, min(5, 3) or 2"))
    short = "min(k, n)" if cut == "k_eff" else "k"
    divided = {"R": "R", "min_r_k": f"min(R, {short})", "hits": "hits@k"}[denominator]
    limit = "K_\\mathrm{eff}" if cut == "k_eff" else "k"
    divisor = {"R": "R", "min_r_k": rf"\min(R, {limit})", "hits": r"\mathrm{hits}_k"}[denominator]
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.average_precision(cases, k, denominator, cut, rel),
        title="Mean average precision",
        formula=f"Σ over hits@k of (hits so far / rank), over {divided}",
        latex=rf"\frac{{1}}{{{divisor}}} \sum_{{i=1}}^{{k}} \mathrm{{rel}}_i \cdot P@i",
        meaning="rewards evidence that comes early and together",
        fails=fails,
        edges=tuple(edges),
    )


def ndcg(
    name: str,
    params: Names,
    k: Cut,
    gain: Literal["linear", "exponential"] = "linear",
    gold: Literal["all", "retrieved"] = "all",
    cut: Literal["k", "k_eff"] = "k",
    on: On = "evidence",
) -> Metric:
    """Discounted gain of the ranking over that of the ideal one."""
    fails: Fails = {}
    edges = [NO_GOLD, EMPTY]
    if gold == "retrieved":
        reason = Convention.NO_RETRIEVED_GOLD
        edges.append(Edge(ranking("00", R=2), 0.0, "all gold lies outside the list", reason))
        edges.append(Edge(ranking("1", R=4), 1.0, "gold outside the list does not count"))
        fails[Property.NEW_HIT_NEVER_HURTS] = Witness(
            Toy("1.", missed=(2,)), "a better item below enlarges the ideal"
        )
    else:
        edges.append(NOTHING)
        if cut == "k_eff" and k > 1:
            fails[Property.APPEND_UNJUDGED] = Witness(
                ranking("1", R=2), "the list's length bounds the ideal"
            )
    if k != ALL:
        fails[Property.GROWS_WITH_K] = at_cut(
            k, lambda cut: ranking("1" * cut + "01"), "the ideal grows, the ranking does not"
        )
    if k >= 2:
        graded = {"linear": 1 + 2 * 0.6309297535714574, "exponential": 1 + 3 * 0.6309297535714574}
        ideal = {"linear": 2 + 0.6309297535714574, "exponential": 3 + 0.6309297535714574}
        edges.append(Edge(Toy("12"), graded[gain] / ideal[gain], "grades 1, 2: 1/log2(3) = .6309…"))
    short = "min(k, n)" if cut == "k_eff" else "k"
    of = "" if gold == "all" else " of the retrieved gold"
    gained = "rel" if gain == "linear" else "(2^rel − 1)"
    numerator = r"\mathrm{rel}_i" if gain == "linear" else r"2^{\mathrm{rel}_i} - 1"
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.ndcg(cases, k, gain, gold, cut),
        title="Normalised discounted cumulative gain",
        formula=f"DCG@k / IDCG@{short}{of}, DCG = Σ {gained} / log2(rank + 1)",
        latex=rf"\frac{{\mathrm{{DCG}}_k}}{{\mathrm{{IDCG}}_k}},\quad"
        rf"\mathrm{{DCG}}_k = \sum_{{i=1}}^{{k}} \frac{{{numerator}}}{{\log_2(i + 1)}}",
        meaning="how close the first k sentences come to the best possible order",
        fails=fails,
        edges=tuple(edges),
    )
