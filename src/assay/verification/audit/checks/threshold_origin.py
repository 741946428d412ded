"""Whether thresholds were chosen on TUNE or on EVAL."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats, Ints
from assay.evaluation.presentation import counted
from assay.evaluation.thresholds.tune_thresholds import CONFIDENCE, choose_threshold
from assay.verification.audit.audit_report import CHANCE, AuditSettings, Seen, clean, found, not_applicable
from assay.verification.audit.common_thresholds import SAME, chosen, givers, possible
from assay.verification.audit.facts import RULE_COLUMN, WHOLE, Facts

NONE = "there are no thresholds"


def without_tune(facts: Facts, _: AuditSettings) -> Seen:
    """Check for columns of chosen thresholds without queries that could have chosen them."""
    if not facts.thresholds:
        return not_applicable(NONE)
    looked = f"columns {', '.join(facts.thresholds)}"
    if facts.tune is not None:
        return clean(looked, f"TUNE has {len(facts.tune)} queries")
    chosen_ones = [name for name in facts.thresholds if name.startswith(RULE_COLUMN)]
    if chosen_ones:
        return found(looked, "there is no TUNE that could have chosen them", chosen_ones)
    return not_applicable("there is no TUNE, so their origin is unknown", looked)


@dataclass(frozen=True, slots=True)
class Part:
    """One value of a threshold with the EVAL queries it decides and the TUNE queries behind it."""

    name: str
    value: float
    queries: pl.DataFrame
    tune: pl.DataFrame | None


def values_of(facts: Facts, column: str, *, by_fold: bool = False) -> list[Part] | None:
    """Return one value for all queries, or one per fold; None if it varies within a fold.

    `by_fold` considers folds first: each may have chosen the same value on its own TUNE.
    """
    for whole in (False, True) if by_fold else (True, False):
        made = []
        for name, rows in facts.parts():
            if (name == WHOLE) is not whole:
                continue
            values = rows[column].unique()
            if len(values) != 1 or values[0] is None:
                break
            made.append(Part(name, float(values[0]), rows, facts.tune_of(name)))
        else:
            if made:
                return made
    return None


def arrays_of(rows: pl.DataFrame, label: str) -> tuple[Floats, Bools, Ints]:
    """Return probabilities, labels and posts as arrays."""
    codes = rows["post_id"].rank("dense").to_numpy().astype(np.int64) - 1
    return rows["prob"].to_numpy(), rows[label].cast(pl.Boolean).to_numpy(), codes


def by_rule(rows: pl.DataFrame, label: str, rule: str, confidence: float) -> float:
    """Return what a named rule chooses on these queries."""
    made = choose_threshold(
        rows["prob"].to_numpy(),
        rows[label].cast(pl.Int8).to_numpy(),
        rule,
        posts=rows["post_id"].to_list(),
        confidence=confidence,
    )
    return made.value


def from_eval(facts: Facts, _: AuditSettings) -> Seen:
    """Check for a threshold that a common rule gives on the EVAL queries and none gives on TUNE.

    One rule must give it in every fold. The chance of that is Π rules / values, where values is the
    number of values it might have had: see `battery.possible`.
    """
    if not facts.thresholds:
        return not_applicable(NONE)
    looked = f"columns {', '.join(facts.thresholds)} on {len(facts.queries)} queries"
    varying = []
    for column in facts.thresholds:
        parts = values_of(facts, column)
        if parts is None:
            varying.append(column)
            continue
        told = eval_rule(facts, column, parts)
        if told is not None:
            rule, chance = told
            names = [f"{part.name}: {part.value:.6g}" for part in parts]
            rest = "there is no TUNE" if facts.tune is None else "no common rule gives it on TUNE"
            why = f"{column} is what '{rule}' chooses on EVAL, and {rest}"
            return found(looked, why, names, chance=chance)
    if len(varying) == len(facts.thresholds):
        return not_applicable("every threshold varies within a fold", looked)
    return clean(looked)


def eval_rule(facts: Facts, column: str, parts: list[Part]) -> tuple[str, float] | None:
    """Return the rule that gives all parts on EVAL, with its chance; None if TUNE explains one."""
    rules: frozenset[str] | None = None
    chances: dict[float, float] = {}
    for part in parts:
        on_eval, on_tune = given(facts, column, part, "has_evidence"), None
        if part.tune is not None:
            on_tune = given(facts, column, part, "label")
            if givers(on_tune, part.value):
                return None
        giving = givers(on_eval, part.value)
        rules = giving if rules is None else rules & giving
        tune = None if part.tune is None else part.tune["prob"].to_numpy()
        chances[part.value] = min(1.0, len(on_eval) / possible(part.value, tune))
    chance = prod(chances.values())
    return (min(rules), chance) if rules and chance <= CHANCE else None


def given(facts: Facts, column: str, part: Part, label: str) -> dict[str, float]:
    """Return what the column's own rule, or every common one, chooses on EVAL or on TUNE."""
    rows = part.queries if label == "has_evidence" else part.tune
    assert rows is not None, "TUNE is asked only where it is"
    rule = facts.rule_of(column)
    if rule is None:
        return chosen(*arrays_of(rows, label))
    return {rule: by_rule(rows, label, rule, _confidence(facts))}


def _confidence(facts: Facts) -> float:
    return CONFIDENCE if facts.contract is None else facts.contract.confidence


def not_from_tune(facts: Facts, _: AuditSettings) -> Seen:
    """Check for a threshold whose rule gives a different value on TUNE."""
    columns = [name for name in facts.thresholds if facts.rule_of(name) is not None]
    if not columns or facts.tune is None:
        why = "no column names the rule that chose it" if facts.tune is not None else "no TUNE"
        return not_applicable(why if facts.thresholds else NONE)
    looked = f"columns {', '.join(columns)}, chosen again on {len(facts.tune)} TUNE queries"
    wrong = []
    for column in columns:
        rule = facts.rule_of(column)
        parts = values_of(facts, column, by_fold="fold" in facts.tune.columns)
        if parts is None:
            wrong.append(f"{column} varies within a fold")
            continue
        for part in parts:
            if part.tune is None:
                wrong.append(f"{column}, {part.name}: no TUNE")
                continue
            right = by_rule(part.tune, "label", str(rule), _confidence(facts))
            if part.value != right and not abs(part.value - right) <= SAME:
                wrong.append(f"{column}, {part.name}: {part.value:.6g} instead of {right:.6g}")
    if not wrong:
        return clean(looked)
    return found(looked, f"{counted(len(wrong), 'threshold')} that TUNE does not choose", wrong)
