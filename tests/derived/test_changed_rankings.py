"""`judged_only` and `gains`: a measure of changed rankings is the measure of rankings changed by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain, permutations, product
from pathlib import Path
from random import Random

import numpy as np
import pytest

import assay
from assay.errors import MeasureError
from assay.metrics.core.family import GAINS, JUDGED_ONLY, Family
from assay.metrics.core.registry import FAMILIES, metric
from assay.metrics.core.toy_cases import Toy, toy_cases
from assay_oracle import Query
from assay_oracle import evaluate as oracle

from .draw import toy, variants
from .second import rows

SWAP = {0: 0, 1: 3, 2: 1}
CONDENSABLE = [name for name, each in FAMILIES.items() if JUDGED_ONLY in each.changes]
MAPPABLE = [name for name, each in FAMILIES.items() if GAINS in each.changes]


def value(definition: str, toys: list[Toy]) -> float:
    one = metric(definition)
    return float(one.reduce(one.columns(toy_cases(toys)), np.ones((1, len(toys)))).values[0])


def drawn(family: Family, many: int) -> list[tuple[str, list[Toy]]]:
    """Definitions of the family at its defaults, with random queries."""
    rng = Random(family.name)
    made = [
        rng.choice([each for each in variants(family) if each.params["on"] == "all"]) for _ in range(many)
    ]
    return [(each.id, [toy(each, rng) for _ in range(rng.randint(1, 4))]) for each in made]


@pytest.mark.parametrize("name", CONDENSABLE)
def test_judged_only_is_the_measure_of_lists_without_unjudged_candidates(name: str) -> None:
    for definition, toys in drawn(FAMILIES[name], 20):
        only = re.sub(r"\bon=", "judged_only=yes,on=", definition)
        by_hand = [replace(each, ranking=each.ranking.replace(".", "")) for each in toys]
        expected = value(definition, by_hand)
        assert value(only, toys) == pytest.approx(expected, abs=1e-12), (only, toys)
        assert oracle(*rows(toys), [only])[only].value == pytest.approx(expected, abs=1e-11), (only, toys)


@pytest.mark.parametrize("ties", ["docno_desc", "expected"])
def test_judged_only_leaves_out_what_was_pooled_and_not_judged(ties: str) -> None:
    """A grade below 0 is no judgement: trec_eval's -J drops such a document too."""
    grades = {"a": 1.0, "b": -1.0, "c": 0.0, "d": -2.0, "e": 1.0, "f": 0.0}
    scores = {"x": 9.0, "b": 8.0, "d": 7.0, "a": 6.0, "c": 6.0, "y": 6.0, "e": 3.0, "f": 2.0}
    kept = {item: score for item, score in scores.items() if grades.get(item, -1.0) >= 0}
    defaults = [
        next(each.id for each in variants(FAMILIES[name]) if each.params["on"] == "all")
        for name in CONDENSABLE
    ]
    every = [each for each in defaults if ties != "expected" or metric(each).expected_ties]
    only = [re.sub(r"\bon=", "judged_only=yes,on=", each) for each in every]
    by_hand = assay.evaluate({"q": kept}, qrels={"q": grades}, measures=every, ties=ties)
    found = assay.evaluate({"q": scores}, qrels={"q": grades}, measures=only, ties=ties)
    assert len(found) == len(by_hand) > 20
    lines = [("q", item, grade) for item, grade in grades.items()]
    second = oracle([Query("q")], lines, [("q", *each) for each in scores.items()], only, ties=ties)
    for one, other in zip(only, every, strict=True):
        assert found[one].value == pytest.approx(by_hand[other].value, abs=1e-12), one
        assert second[one].value == pytest.approx(by_hand[other].value, abs=1e-11), one


@pytest.mark.parametrize("name", MAPPABLE)
def test_gains_are_the_measure_of_other_grades(name: str) -> None:
    for definition, toys in drawn(FAMILIES[name], 20):
        if "gmax=1" in definition and name == "err":
            continue  # refuses grades above gmax
        mapped = re.sub(r"\bon=", "gains=0:0/1:3/2:1,on=", definition)
        by_hand = [
            replace(
                each,
                ranking="".join(
                    mark if mark == "." else str(SWAP.get(int(mark), mark)) for mark in each.ranking
                ),
                missed=tuple(SWAP.get(grade, grade) for grade in each.missed),
            )
            for each in toys
        ]
        try:
            expected = value(definition, by_hand)
        except MeasureError:
            continue
        assert value(mapped, toys) == pytest.approx(expected, abs=1e-12), (mapped, toys)
        assert oracle(*rows(toys), [mapped])[mapped].value == pytest.approx(expected, abs=1e-11), (
            mapped,
            toys,
        )


@pytest.mark.parametrize(("marks", "groups"), [("1200", [4]), ("013.2", [1, 4]), ("22113", [3, 2])])
@pytest.mark.parametrize("definition", ["ndcg@2", "err@3:gmax=3", "sdcg@1:gmax=3"])
def test_the_range_over_ties_is_that_of_the_gains(definition: str, marks: str, groups: list[int]) -> None:
    """These gains rank grade 1 above grade 2."""
    name = f"{definition}{',' if ':' in definition else ':'}gains=1:2/2:1"
    items = {f"d{at}": mark for at, mark in enumerate(marks)}
    grades = {item: int(mark) for item, mark in items.items() if mark != "."}
    starts = np.repeat(np.arange(len(groups)), groups)
    tied = {item: -float(start) for item, start in zip(items, starts, strict=True)}
    parts = np.split(np.array(list(items)), np.cumsum(groups)[:-1])
    every = [[*chain(*parts)] for parts in product(*(permutations(part) for part in parts))]
    runs = {f"{at}": {item: -float(rank) for rank, item in enumerate(each)} for at, each in enumerate(every)}
    orders = assay.evaluate(runs, qrels=dict.fromkeys(runs, grades), measures=name)
    found = assay.evaluate({"q": tied}, qrels={"q": grades}, measures=name, ties="expected")
    low, high = orders.per_query()[name].min(), orders.per_query()[name].max()
    ends = found[name].tie_range
    assert ends is not None
    assert (ends.low, ends.high) == pytest.approx((low, high), abs=1e-12)


def test_the_second_implementation_has_the_same_range_over_ties(tmp_path: Path) -> None:
    grades = {"a": 1, "b": 2, "c": 0, "e": 1}
    scores = {"a": 2.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}
    names = ["ndcg@2:gains=1:2/2:1", "err@3:gmax=3,gains=1:3", "ndcg@3:gains=1:2/2:1,judged_only=yes"]
    made = assay.evaluate({"q": scores}, qrels={"q": grades}, measures=names, ties="expected")
    assert assay.verify(made.save(tmp_path / "b"), draws=2).ok


def test_defaults_are_not_spelled() -> None:
    """Ids from before these parameters existed stay what they were."""
    assert metric("ndcg@10:judged_only=no,gains=none").id == "ndcg@10:gain=linear,gold=all,cut=k,on=evidence"
    assert metric("rbp:gain=binary").id == "rbp:p=0.8,rel=1,on=evidence"


@pytest.mark.parametrize("text", ["0:1", "1:2/1:3", "1", "1:-1", "x:1", "1:inf", ""])
def test_gains_that_are_refused(text: str) -> None:
    with pytest.raises(MeasureError, match="expected none, or a gain for each grade"):
        metric(f"ndcg@10:gains={text}")
