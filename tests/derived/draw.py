"""Random measures of a family with random small queries: the same ones in every run.

Drawn with `random`: with Hypothesis, drawing took four fifths of the time of these tests. Smaller
cases come first, so the first that fails is a small one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from random import Random

from assay.data.cases import FACTS, STATES
from assay.data.tasks.task_facts import CORRECT
from assay.metrics.core.entry import Kind, Metric
from assay.metrics.core.family import Family
from assay.metrics.core.names.parameter import Parameter
from assay.metrics.core.toy_cases import Toy

CUTS = ("1", "2", "3", "4", "6", "all")
POINTS = ("0.00", "0.10", "0.25", "0.50", "0.75", "1.00")
BUDGETS = ("0.01", "0.05", "0.10", "0.50")
RULES = ("tune", "f1", *(f"fpr_{budget}" for budget in BUDGETS))
NUMBERS = {
    "level": ("1", "2"),
    "scale": ("1", "2"),
    "share": ("0.5", "0.8", "0.00001"),
    "weight": ("0.5", "1", "2"),
    "cost": ("0", "1", "2.5"),
    "clip": ("0.000001", "0.1"),
    "count": ("1", "4", "10"),
    "real": ("1", "0.5", "0", "-1.5"),
    "decision": ("0.5", "0.2", "tune", "tune_f1", "tune_fpr_0.05", "not_neg", "pos", "returned"),
}
DECIDED = (Kind.GATE, Kind.DECISION, Kind.SELECTION)


def values(family: Family, parameter: Parameter) -> tuple[str, ...]:
    if parameter in family.changes:  # test_changed_rankings draws them
        return (parameter.default,)
    return parameter.values or NUMBERS[str(parameter.number)]


@cache
def variants(family: Family) -> tuple[Metric, ...]:
    """Every combination of cut-offs and parameter values that tests draw from."""
    cuts: dict[str, tuple[str | None, ...]] = {
        "required": CUTS,
        "optional": (None, *CUTS),
        "point": POINTS,
        "interior": BUDGETS,
        "none": (None,),
    }
    names = [each.name for each in family.parameters]
    choices = [values(family, each) for each in family.parameters]
    return tuple(
        family.bind(cut, dict(zip(names, chosen, strict=True)))
        for cut in cuts[family.cut]
        for chosen in product(*choices)
    )


def lifted(toy: Toy, metric: Metric) -> Toy:
    """A case written for level 1, with its grades raised to the measure's relevance level."""
    more = int(metric.params.get("rel", 1)) - 1
    marks = [mark if mark in ".0" else str(int(mark) + more) for mark in toy.ranking]
    return replace(toy, ranking="".join(marks), missed=tuple(grade + more for grade in toy.missed))


def several(metric: Metric) -> int:
    """The most queries in a drawn case: decisions need enough of them to go both ways."""
    return 14 if metric.needs else 5


def highest_grade(metric: Metric) -> int:
    return int(metric.params.get("gmax", 3))


PROBS = (0.0, 0.1, 0.15, 0.2, 0.3, 1 - 0.7, 0.35, 0.4, 0.5, 0.5000001, 13 / 25, 0.7, 0.8, 0.85, 0.9, 1.0)
"""Edges of bins and values between them: where all are edges, a wrong side moves them together."""
Size = Callable[[Metric, Random], int]
Case = tuple[Metric, list[Toy]]


def cases(family: Family, many: int, size: Size) -> list[Case]:
    """So many measures of the family, each with queries that it can take; the smallest first."""
    rng = Random(f"{family.name} {many}")
    made = []
    for _ in range(many):
        metric = rng.choice(variants(family))
        made.append((metric, [toy(metric, rng) for _ in range(size(metric, rng))]))
    return sorted(made, key=lambda case: sum(1 + len(each.ranking) for each in case[1]))


def fact(name: str, rng: Random) -> float:
    """A number that the reader of a shared task could give."""
    if name == "na_prob":
        return rng.choice((*PROBS, -0.5, 2.0))
    if name == "na_place":
        return rng.random()  # the place in a file, which no other query has
    if name == "answer_f1":
        return rng.choice((0.0, 0.4, 2 / 3, 1.0))
    if name.startswith(("abstracts", "rationales")):
        return float(rng.randint(0, 4))
    return float(rng.random() < 0.5)


def toy(metric: Metric, rng: Random) -> Toy:
    """A query with grades that the measure can take."""
    top = highest_grade(metric)
    marks = "..000111" + "".join(str(grade) for grade in range(2, top + 1))
    listed = rng.choices(marks, k=rng.randint(0, 8))
    missed = rng.choices(range(1, top + 1), k=rng.randint(0, 3))
    plain = Toy("".join(listed), tuple(missed), missed_nonrel=rng.randint(0, 3))
    if metric.kind not in DECIDED and not metric.needs:
        return plain
    drawn = {name: fact(name, rng) for name in sorted(FACTS)} if set(metric.needs) & set(FACTS) else {}
    for unit in ("abstracts", "rationales") if drawn else ():
        most = min(drawn[f"{unit}_relevant"], drawn[f"{unit}_retrieved"])
        drawn |= {name: min(each, most) for name, each in drawn.items() if name in CORRECT[unit]}
    return replace(
        plain,
        facts=tuple(drawn.items()),
        groups=rng.randint(1, 3) if "groups" in metric.needs else 0,
        prob=rng.choice(PROBS),
        selected_k=rng.randint(0, len(listed)),
        state=rng.choice(STATES),
        thresholds=tuple((rule, rng.choice(PROBS)) for rule in RULES),
        post=rng.choice((None, "p", "q")),
        criterion=rng.choice(("c", "d")),
    )
