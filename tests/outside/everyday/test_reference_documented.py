"""References cover their part of docs/metrics.md: defaults, parameter values and edge cases."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from .case import Case, draw
from .handmade import case, query
from .reference.definition import DEFAULTS, FAMILIES
from .references import reference

PAGE = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text(encoding="utf-8")
PARTS = {part.split("\n", 1)[0]: part for part in PAGE.split("\n## ")[1:]}
SECTIONS = {name: PARTS[name] for name in FAMILIES}
"""Sections of the measures with a reference; docs/comparisons.md names those without."""
DECISIONS = ("0.5", "0.3", "not_neg", "pos", "returned", "tune_f1", "tune_fpr_0.05")
CUTS = ("1", "3", "all")
# Values to try where the page says "a whole number from 1" and the like.
NUMBERS = {
    "rel": ("1", "2"),
    "gmax": ("1", "3"),
    "bins": ("10", "15"),
    "beta": ("2",),
    "p": ("0.5",),
    "floor": ("0.01",),
    "clip": ("0.01",),
}


def default(section: str) -> str:
    found = re.search(r"Definition at the defaults: `([^`]+)`", section)
    assert found
    return found[1]


def tables(section: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the parameters with their values, and the edge cases with theirs."""
    rows = re.findall(r"^\| `([^`]+)` \| (.+?) \| (.+?) \|$", section, re.M)
    parameters = {name: values for name, second, values in rows if second.startswith("`")}
    return parameters, [(toy, value) for toy, value, _ in rows if not value.startswith("`")]


def spelled(name: str) -> list[str]:
    """Return ids that differ from the default in one parameter, or in the cut-off."""
    base = default(SECTIONS[name])
    found = [base]
    for parameter, documented in tables(SECTIONS[name])[0].items():
        values = documented.split(r" \| ")
        if len(values) == 1 and documented != "returned":
            few = DECISIONS[:2] if "number between" in documented else DECISIONS
            values = list(few if parameter == "at" else NUMBERS.get(parameter, ("0.25", "3")))
        found += [re.sub(rf"\b{parameter}=[^,]+", f"{parameter}={value}", base) for value in values]
    if "@10" in base:
        found += [base.replace("@10", f"@{cut}") for cut in CUTS]
    return found


def of(toy: str) -> Case:
    """Read an edge case such as `10, missed gold 1, prob 0.9, K = 1, POS`."""
    first, *rest = toy.split(", ")
    known = {"ranked": "" if first == "empty list" else first}
    for part in rest:
        if part.startswith("missed gold "):
            known["missed"] = part.removeprefix("missed gold ").replace(" ", "")
    unlisted = re.search(r"(\d+) judged non-relevant not listed", toy)
    prob = re.search(r"prob ([\d.]+)", toy)
    k = re.search(r"K = (\d+)", toy)
    state = re.search(r"NEG|UNCERTAIN|POS", toy)
    return case(
        query(
            **known,
            unlisted=int(unlisted[1]) if unlisted else 0,
            prob=float(prob[1]) if prob else 0.5,
            k=int(k[1]) if k else 0,
            state=state[0] if state else "NEG",
        )
    )


EDGES = [
    (default(SECTIONS[name]), toy, value) for name in SECTIONS for toy, value in tables(SECTIONS[name])[1]
]


def test_the_defaults_are_those_of_the_page() -> None:
    assert sorted(map(default, SECTIONS.values())) == sorted(DEFAULTS.split())


@pytest.mark.parametrize(("definition", "toy", "value"), EDGES)
def test_documented_edge_case(definition: str, toy: str, value: str) -> None:
    # The page prints four significant digits.
    assert float(f"{reference(definition, of(toy)):.4g}") == float(value)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_documented_value_of_a_parameter_is_computed(name: str) -> None:
    for seed in (0, 3):
        for definition in spelled(name):
            assert math.isfinite(reference(definition, draw(seed))), definition
