"""`ties = "expected"`: the value is the mean over every order of the tied candidates, by enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, permutations, product
from random import Random

import numpy as np
import pytest

from assay.data.cases import Cases
from assay.metrics.core.entry import Kind, Metric, columns_of
from assay.metrics.core.family import Family
from assay.metrics.core.registry import FAMILIES
from assay.metrics.core.toy_cases import Toy, toy_cases
from assay_oracle import evaluate as oracle

from .draw import toy, variants
from .second import Row, rows

MOST = 7
"""Candidates of a query, so that all orders of a constant scorer can be enumerated: 5,040."""
RANKED = [name for name, each in FAMILIES.items() if each.sample().kind in (Kind.RANKING, Kind.CUT_RANKING)]
AVERAGED = [name for name, each in FAMILIES.items() if each.sample().averages_ties]
UNKNOWN = {
    "gm_map",
    "gm_bpref",
    "inf_ap",
    "ordered_pairs",
    "iprec",
    "iprec_avg",
    "ndcg_rel",
    "rndcg",
    "normalised_gain",
    "inst",
    "nerr8",
    "nerr9",
    "nerr10",
    "nerr11",
    "bpm",
    "compatibility",
    "nauc",
}


def test_measures_without_an_expectation_are_listed() -> None:
    assert set(FAMILIES) - set(AVERAGED) == UNKNOWN
    assert set(RANKED) >= UNKNOWN - {"nauc"}


def orders(ranking: str, groups: list[int]) -> Iterator[str]:
    """Every order of the tied candidates; equal marks that change places give the same list again."""
    marks = iter(ranking)
    parts = ["".join(next(marks) for _ in range(size)) for size in groups]
    for chosen in product(*(list(permutations(part)) for part in parts)):
        yield "".join("".join(part) for part in chosen)


def tied_cases(toys: list[Toy], groups: list[list[int]]) -> Cases:
    """The toys with candidates tied in groups of these sizes."""
    cases = toy_cases(toys)
    low, high = [], []
    for query, rank in zip(cases.hit_query, cases.hit_rank, strict=True):
        ends = np.cumsum(groups[query])
        at = int(np.searchsorted(ends, rank))
        low.append(int(ends[at]) - groups[query][at] + 1)
        high.append(int(ends[at]))
    ints = [np.array(each, dtype=np.int64) for each in (low, high)]
    return replace(cases, hit_first=ints[0], hit_last=ints[1], expected_ties=True)


def oracle_rows(toys: list[Toy], groups: list[list[int]]) -> tuple[list[Row], list[Row]]:
    _, judgements, candidates = rows(toys)
    level = {
        (f"q{query}", 100.0 - place): 100.0 - at
        for query, sizes in enumerate(groups)
        for place, at in enumerate(at for at, size in enumerate(sizes) for _ in range(size))
    }
    candidates = [(query, item, level[query, score]) for query, item, score in candidates]
    return judgements, candidates


def cut_in_groups(rng: Random, length: int) -> list[int]:
    """Sizes of tie groups: often one that has everything."""
    if rng.random() < 0.4:
        return [length] if length else []
    return [len(list(group)) for _, group in groupby(sorted(rng.randint(0, 2) for _ in range(length)))]


def drawn(family: Family, many: int) -> list[tuple[Metric, list[Toy], list[list[int]]]]:
    """Measures of the family, each with queries of which the first may have seven tied candidates."""
    rng = Random(f"ties {family.name}")
    usable = [each for each in variants(family) if each.averages_ties]
    made = []
    for number in range(many):
        metric = rng.choice(usable)
        toys = [toy(metric, rng) for _ in range(rng.randint(1, 2))]
        most = MOST if number < 3 else 5
        while number < 3 and len(toys[0].ranking) < MOST:
            toys[0] = toy(metric, rng)
        toys = [
            replace(each, ranking=each.ranking[:most], selected_k=min(each.selected_k or 0, most))
            if each.selected_k is not None
            else replace(each, ranking=each.ranking[:most])
            for each in toys
        ]
        groups = [cut_in_groups(rng, len(each.ranking)) for each in toys]
        if number < 3:
            groups[0] = [MOST]
        made.append((metric, toys, groups))
    return made


def value(metric: Metric, cases: Cases) -> float:
    return float(metric.reduce(columns_of(metric, cases), np.ones((1, len(cases)))).values[0])


def enumerated(metric: Metric, toys: list[Toy], groups: list[list[int]]) -> list[list[float]]:
    """The value of each query alone under every order of its candidates."""
    found = []
    for one, sizes in zip(toys, groups, strict=True):
        listed = list(orders(one.ranking, sizes))
        distinct = {each: listed.count(each) for each in set(listed)} if len(listed) < 200 else None
        counts = distinct or {}
        if distinct is None:
            for each in listed:
                counts[each] = counts.get(each, 0) + 1
        names = list(counts)
        columns = metric.columns(toy_cases([replace(one, ranking=each) for each in names]))
        values = columns["value"]
        found.append([float(v) for v, each in zip(values, names, strict=True) for _ in range(counts[each])])
    return found


@pytest.mark.parametrize("name", [name for name in AVERAGED if name in RANKED])
def test_expectation_is_the_mean_of_all_orders(name: str) -> None:
    for metric, toys, groups in drawn(FAMILIES[name], 25):
        cases = tied_cases(toys, groups)
        every = enumerated(metric, toys, groups)
        expected = [float(np.mean(values)) for values in every]
        assert columns_of(metric, cases)["value"] == pytest.approx(expected, abs=1e-11), (
            metric.id,
            toys,
            groups,
        )
        judged, candidates = oracle_rows(toys, groups)
        queries = rows(toys)[0]
        second = oracle(queries, judged, candidates, [metric.id], ties="expected")[metric.id]
        assert second.per_query is not None
        inside = metric.population.mask(cases)
        assert list(second.per_query.values()) == pytest.approx(expected, abs=1e-11), (
            metric.id,
            toys,
            groups,
        )
        assert second.value == pytest.approx(
            float(np.mean([e for e, i in zip(expected, inside, strict=True) if i])) if inside.any() else 0.0,
            abs=1e-11,
        )
        if metric.extremes:
            tied, *extremes = cases.tie_orders()
            ends = np.array([metric.columns(each)["value"] for each in extremes])
            for at, query in enumerate(tied):
                assert ends[:, at].min() == pytest.approx(min(every[query]), abs=1e-11), (
                    metric.id,
                    toys,
                    groups,
                )
                assert ends[:, at].max() == pytest.approx(max(every[query]), abs=1e-11), (
                    metric.id,
                    toys,
                    groups,
                )


@pytest.mark.parametrize("name", ["evidence_recall", "evidence_precision", "utility", "sentence_micro"])
def test_expectation_of_pooled_measures_is_the_mean_of_all_orders(name: str) -> None:
    """Pooled: numerators are averaged, and no denominator depends on the order."""
    for metric, toys, _ in drawn(FAMILIES[name], 25):
        every = product(
            *(
                list(orders(*each))
                for each in zip(
                    [t.ranking[:4] for t in toys], [[len(t.ranking[:4])] for t in toys], strict=True
                )
            )
        )
        short = [replace(t, ranking=t.ranking[:4], selected_k=min(t.selected_k or 0, 4)) for t in toys]
        sizes = [[len(t.ranking)] for t in short]
        listed = [[replace(t, ranking=r) for t, r in zip(short, chosen, strict=True)] for chosen in every]
        expected = float(np.mean([value(metric, toy_cases(each)) for each in listed]))
        cases = tied_cases(short, sizes)
        assert value(metric, cases) == pytest.approx(expected, abs=1e-11), (metric.id, short)
        judged, candidates = oracle_rows(short, sizes)
        again = re_on_all(metric.id)
        second = oracle(rows(short)[0], judged, candidates, [again], ties="expected")[again]
        assert second.value == pytest.approx(expected, abs=1e-11), (metric.id, short)


def re_on_all(definition: str) -> str:
    return definition.rpartition("on=")[0] + "on=all"


def test_a_constant_scorer_has_no_mrr_of_one() -> None:
    mrr = FAMILIES["mrr"].bind(None, {"on": "all"})
    cases = tied_cases([Toy("1000")], [[4]])
    assert value(mrr, cases) == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
