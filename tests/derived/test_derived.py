"""Tests that follow from the entries: a new measure needs no test of its own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evaluation.score import Scored, score
from assay.kernels.layout import Convention
from assay.metrics.entry import REASONS, Metric
from assay.metrics.family import Family
from assay.metrics.properties import Kind, Property
from assay.metrics.reduce import Columns
from assay.metrics.toy import toy_cases
from assay_oracle import evaluate as oracle

from .draw import CUTS, lifted, metrics, points, several, toys, values
from .second import rows
from .violations import violated

CODES = {code.name.lower(): REASONS[code] for code in Convention if code}


def variants(family: Family) -> list[Metric]:
    """Every combination of cut-offs and parameter values that tests draw from."""
    cuts: dict[str, tuple[str | None, ...]] = {
        "required": CUTS,
        "optional": (None, *CUTS),
        "point": points(family),
        "none": (None,),
    }
    names = [each.name for each in family.parameters]
    choices = [values(each) for each in family.parameters]
    return [
        family.bind(cut, dict(zip(names, chosen, strict=True)))
        for cut in cuts[family.cut]
        for chosen in itertools.product(*choices)
    ]


def test_every_property_of_its_kind_is_decided(family: Family) -> None:
    for metric in variants(family):
        assert metric.holds | metric.fails.keys() == metric.kind.properties
        assert not metric.holds & metric.fails.keys()


def test_edges(family: Family) -> None:
    for metric in variants(family):
        for edge in metric.edges:
            columns = metric.columns(toy_cases([lifted(edge.case, metric)]))
            reduced = metric.reduce(columns, np.ones((1, 1)))
            assert reduced.values[0] == pytest.approx(edge.value, abs=1e-12), (metric.id, edge)
            code = reduced.codes[0] if columns.codes is None else columns.codes[0]
            assert code == edge.convention, (metric.id, edge)


def test_every_family_has_an_edge_case(family: Family) -> None:
    assert any(metric.edges for metric in variants(family)), "an entry must say where it ends"


def test_every_failing_property_really_fails(family: Family) -> None:
    for metric in variants(family):
        for prop, witness in metric.fails.items():
            cases = [lifted(case, metric) for case in (witness.case, *witness.more)]
            assert violated(prop, metric, cases), (metric.id, prop, witness)


def test_holds(family: Family) -> None:
    needed = sorted(set().union(*(metric.kind.properties for metric in variants(family))))

    @settings(max_examples=120)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        metric = data.draw(metrics(family))
        cases = data.draw(st.lists(toys(metric), min_size=1, max_size=several(metric)))
        for prop in needed:
            if prop in metric.holds:
                assert not violated(Property(prop), metric, cases), (metric.id, prop, cases)

    check()


def test_agrees_with_the_oracle(family: Family) -> None:
    @settings(max_examples=120)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        metric = data.draw(metrics(family))
        most = several(metric)
        # few queries seldom have both classes, and hardly ever a tie between them
        least = data.draw(st.sampled_from((1, most // 2))) if metric.needs else 1
        drawn = data.draw(st.lists(toys(metric), min_size=least, max_size=most))
        queries, judgements, candidates = rows(drawn)
        second = oracle(queries, judgements, candidates, [metric.id])[metric.id]
        scored = Scored.of(metric, toy_cases(drawn))
        first = score(scored, metric.name, None, "pooled", None, None)
        assert first.value == pytest.approx(second.value, abs=1e-12), metric.id
        assert first.n == second.n
        if second.per_query is not None:
            assert scored.per_query is not None
            assert scored.per_query == pytest.approx(list(second.per_query.values()), abs=1e-12)
            assert first.by_convention == {
                CODES[code]: count for code, count in second.by_convention.items()
            }
            assert first.spread is not None
            for mine, theirs in (
                (first.spread.std, second.std),
                (first.spread.median, second.median),
                (first.spread.p25, second.p25),
                (first.spread.p75, second.p75),
            ):
                assert mine == (None if theirs is None else pytest.approx(theirs, abs=1e-12))

    check()


def test_columns_of_parts_concatenate_to_the_same_bits(family: Family) -> None:
    @settings(max_examples=50)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        metric = data.draw(metrics(family))
        drawn = data.draw(st.lists(toys(metric), min_size=2, max_size=6))
        cut = data.draw(st.integers(1, len(drawn) - 1))
        cases = toy_cases(drawn)
        whole = metric.columns(cases)
        halves = (np.arange(cut), np.arange(cut, len(drawn)))
        parts = [metric.columns(cases.take(half)) for half in halves]
        joined = Columns.concatenate(parts)
        for name, column in whole.arrays.items():
            assert column.tobytes() == joined[name].tobytes()
        if whole.codes is not None and joined.codes is not None:
            assert whole.codes.tobytes() == joined.codes.tobytes()

    check()


def test_values_stay_in_range(family: Family) -> None:
    @settings(max_examples=50)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        metric = data.draw(metrics(family))
        drawn = data.draw(st.lists(toys(metric), min_size=1, max_size=4))
        low, high = metric.range
        per_query = metric.columns(toy_cases(drawn)).arrays.get("value")
        if per_query is not None:
            assert ((per_query >= low) & (per_query <= high + 1e-12)).all()

    check()


def test_no_property_is_forgotten() -> None:
    used = set().union(*(kind.properties for kind in Kind))
    assert used == set(Property)
