"""`judged_only` and `gains`: a measure of changed rankings is the measure of rankings changed by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.metrics.core.family import GAINS, JUDGED_ONLY, Family
from assay.metrics.core.registry import FAMILIES, metric
from assay.metrics.core.toy_cases import Toy, toy_cases
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


def test_defaults_are_not_spelled() -> None:
    """Ids from before these parameters existed stay what they were."""
    assert metric("ndcg@10:judged_only=no,gains=none").id == "ndcg@10:gain=linear,gold=all,cut=k,on=evidence"
    assert metric("rbp:gain=binary").id == "rbp:p=0.8,rel=1,on=evidence"


@pytest.mark.parametrize("text", ["0:1", "1:2/1:3", "1", "1:-1", "x:1", "1:inf", ""])
def test_gains_that_are_refused(text: str) -> None:
    with pytest.raises(MeasureError, match="expected none, or a gain for each grade"):
        metric(f"ndcg@10:gains={text}")
