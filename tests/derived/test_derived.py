"""Tests that follow from the entries: a new measure needs no further test."""

from __future__ import annotations

import re
from collections.abc import Collection
from random import Random

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.evaluation.scoring.score import score
from assay.metrics.core.entry import REASONS, Kind, Metric, Property, Scored
from assay.metrics.core.family import Family
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Columns
from assay.metrics.core.toy_cases import toy_cases
from assay_oracle import evaluate as oracle
from assay_oracle.core.measure import measures as oracle_measures

from .draw import cases, lifted, several, variants
from .second import members, rows
from .violations import violated

CODES = {code.name.lower(): REASONS[code] for code in Convention if code}

LATEX = frozenset(
    re.findall(
        r"\w+",
        "Big Delta arg bar begin beta cap cdot dots end exp frac ge hat in lceil left le lfloor log mathbf mathrm "
        "max min notin operatorname pi prod quad rceil rfloor right setminus sqrt sum text tfrac uparrow "
        "varepsilon",
    )
)
"""Commands that formulas may use; all of them are in KaTeX."""


def test_every_property_of_its_kind_is_decided(family: Family) -> None:
    for metric in variants(family):
        assert metric.holds | metric.fails.keys() == metric.kind.properties
        assert not metric.holds & metric.fails.keys()


def test_formulas_have_commands_of_latex_alone(family: Family) -> None:
    """KaTeX shows a command that it does not know as text in red."""
    for metric in variants(family):
        assert set(re.findall(r"\\([A-Za-z]+)", metric.latex)) <= LATEX, metric.latex
        assert metric.latex.count("{") == metric.latex.count("}")


def test_a_measure_of_scores_offers_no_changed_rankings(family: Family) -> None:
    """`judged_only` and `gains` change what rankings are made of, and not the scores of pairs."""
    reads_scores = any("pairs" in metric.needs for metric in variants(family))
    assert not (reads_scores and family.changes), "put it in another group, such as detection"


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
    for metric, drawn in cases(family, 80, lambda metric, rng: rng.randint(1, several(metric))):
        for prop in sorted(metric.holds):
            assert not violated(prop, metric, drawn), (metric.id, prop, drawn)


def enough(metric: Metric, rng: Random) -> int:
    """Few queries seldom have both classes, and hardly ever a tie between them."""
    most = several(metric)
    return rng.randint(rng.choice((1, most // 2)) if metric.needs else 1, most)


def test_agrees_with_the_oracle(family: Family) -> None:
    for metric, drawn in cases(family, 80, enough):
        queries, judgements, candidates = rows(drawn)
        second = oracle(queries, judgements, candidates, [metric.id], members=members(drawn))[metric.id]
        scored = Scored.of(metric, toy_cases(drawn))
        first = score(scored, metric.name, None, "pooled", None, None)
        assert first.value == pytest.approx(second.value, abs=1e-12, rel=1e-11), (metric.id, drawn)
        assert first.n == second.n
        if second.per_query is not None:
            assert scored.per_query is not None
            assert scored.per_query == pytest.approx(list(second.per_query.values()), abs=1e-12)
            assert first.by_convention == {CODES[code]: count for code, count in second.by_convention.items()}
            assert first.spread is not None
            for mine, theirs in (
                (first.spread.std, second.std),
                (first.spread.median, second.median),
                (first.spread.p25, second.p25),
                (first.spread.p75, second.p75),
            ):
                assert mine == (None if theirs is None else pytest.approx(theirs, abs=1e-12))


def test_columns_of_parts_concatenate_to_the_same_bits(family: Family) -> None:
    for number, (metric, drawn) in enumerate(cases(family, 50, lambda _, rng: rng.randint(2, 6))):
        cut = 1 + number % (len(drawn) - 1)
        made = toy_cases(drawn)
        whole = metric.columns(made)
        halves = (np.arange(cut), np.arange(cut, len(drawn)))
        parts = [metric.columns(made.take(half)) for half in halves]
        joined = Columns.concatenate(parts)
        for name, column in whole.arrays.items():
            assert column.tobytes() == joined[name].tobytes(), (metric.id, name, drawn)
        if whole.codes is not None and joined.codes is not None:
            assert whole.codes.tobytes() == joined.codes.tobytes(), (metric.id, drawn)


def test_values_stay_in_range(family: Family) -> None:
    for metric, drawn in cases(family, 50, lambda _, rng: rng.randint(1, 4)):
        low, high = metric.range
        per_query = metric.columns(toy_cases(drawn)).arrays.get("value")
        if per_query is not None:
            assert ((per_query >= low) & (per_query <= high + 1e-12)).all(), (metric.id, drawn)


def test_no_property_is_forgotten() -> None:
    used = set().union(*(kind.properties for kind in Kind))
    assert used == set(Property)


def test_both_implementations_have_the_same_measures(families: Collection[str]) -> None:
    assert set(families) == oracle_measures().keys()


SPELLINGS = (
    "",
    "0",
    "1",
    "2",
    "10",
    "-1",
    "0.0",
    "0.05",
    "0.5",
    "0.95",
    "1.0",
    "1.5",
    "all",
    "k",
    "none",
    "tune",
    "tune_f1",
    "tune_fpr_0.10",
    "tune_x",
    "not_neg",
    "returned",
)
"""Plain spellings; assay also reads others of the same numbers, such as .5 and 1e-2."""


def test_the_oracle_has_the_same_grammar(family: Family) -> None:
    second = oracle_measures()[family.name]
    assert [each.name for each in family.parameters] == list(second.parameters)
    for parameter in family.parameters:
        value = second.parameters[parameter.name]
        for text in (*SPELLINGS, *(parameter.values or ()), *value.expected.split(" or ")):
            try:
                parameter.convert(text)
            except (ValueError, MeasureError):
                assert not value.accepts(text), (family.name, parameter.name, text)
            else:
                assert value.accepts(text), (family.name, parameter.name, text)
    for cut in (None, *SPELLINGS):
        if cut is None:
            accepted = second.cut is None or not second.cut_required
        else:
            accepted = second.cut is not None and second.cut.accepts(cut)
        try:
            family.bind(cut, {})
        except MeasureError:
            assert not accepted, (family.name, cut)
        else:
            assert accepted, (family.name, cut)


def test_edges_of_the_oracle(family: Family) -> None:
    for metric in (each for each in variants(family) if each.params["on"] == "all"):
        for edge in metric.edges:
            case = [lifted(edge.case, metric)]
            value = oracle(*rows(case), [metric.id], members=members(case))[metric.id].value
            assert value == pytest.approx(edge.value, abs=1e-12), (metric.id, edge)
