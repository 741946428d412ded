"""Recompute the numbers of each measure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay_oracle.bundle.files import BundleError, mapping, number, text
from assay_oracle.bundle.findings import Finding, pairwise_findings
from assay_oracle.bundle.parts import Members, Part, folds, part
from assay_oracle.bundle.rates import exact_bounds
from assay_oracle.bundle.reading import Bundle
from assay_oracle.bundle.scored import Scored, scored, standard_deviation
from assay_oracle.bundle.ties import other_orders, tie_range, tie_sensitive
from assay_oracle.core.grammar import parse
from assay_oracle.core.outcome import Summary
from assay_oracle.core.rows import Row

REASONS = {
    "no_gold": "the query has no gold",
    "no_candidates": "nothing was ranked",
    "no_hits": "no gold in the top k",
    "no_retrieved_gold": "no gold among the candidates",
    "one_class": "only one class",
    "zero_denominator": "the denominator is zero",
    "empty_population": "the population has no query",
    "nothing_returned": "nothing was returned",
    "not_identified": "no finite estimate exists",
}
NO_VALUES = "the measure has no values per query"
NO_RATE = "the measure is not a rate of queries"


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure of the file; `measure` is None, with a reason, if it cannot be recomputed."""

    name: str
    found: Mapping[str, Any]
    measure: Scored | None
    pooled: Summary
    reason: str


@dataclass(frozen=True, slots=True)
class Recomputed:
    """All measures of a bundle, with all queries, the folds and the other orders of ties."""

    whole: Part
    folds: dict[str, Part]
    others: Mapping[int, Sequence[Row]]
    measures: list[Measured]


def recompute(bundle: Bundle) -> Recomputed:
    """Parse every definition, and score the queries of those that are means."""
    whole = part(bundle.rows, range(len(bundle.rows)))
    measured: list[Measured] = []
    shared: dict[Any, Sequence[Any]] = {}
    for found in bundle.measures:
        name = str(found["name"])
        definition = text(found.get("definition"), f"measures/{name}/definition")
        try:
            taken = scored(bundle.rows, whole, parse(definition), shared)
            pooled = taken.reduced(whole)
        except ValueError as error:
            measured.append(Measured(name, found, None, Summary(None), str(error)))
        else:
            measured.append(Measured(name, found, taken, pooled, ""))
    return Recomputed(whole, folds(bundle.rows), other_orders(bundle.rows), measured)


def measure_findings(recomputed: Recomputed) -> Iterator[Finding]:
    """Yield the findings of each measure of the file, in order."""
    for measured in recomputed.measures:
        place = f"measures/{measured.name}"
        if measured.measure is None:
            for name in ("value", "pooled", "n"):
                value = number(measured.found.get(name), f"{place}/{name}")
                yield Finding(f"{place}/{name}", value, None, measured.reason)
        else:
            yield from _findings(place, measured, measured.measure, recomputed)


def _findings(place: str, measured: Measured, taken: Scored, recomputed: Recomputed) -> Iterator[Finding]:
    found, pooled = measured.found, measured.pooled
    by_fold = {fold: taken.reduced(members) for fold, members in recomputed.folds.items()}
    values = {fold: one.value for fold, one in by_fold.items() if one.value is not None}
    centre = math.fsum(values.values()) / len(values) if values else None
    numbers = {
        "value": centre if found.get("aggregate") == "fold_mean" else pooled.value,
        "pooled": pooled.value,
        "n": len(taken.members(recomputed.whole).rows),
        "tie_sensitive": tie_sensitive(taken, recomputed.others),
    }
    for key, content in found.items():
        here = f"{place}/{key}"
        if content is None and key != "value":
            continue
        if key in numbers:
            no_values = key == "tie_sensitive" and taken.values is None
            reason = NO_VALUES if no_values else ""
            yield Finding(here, number(content, here), numbers[key], reason)
        elif key == "tie_range":
            parts = (
                [*recomputed.folds.values()] if found.get("aggregate") == "fold_mean" else [recomputed.whole]
            )
            ends = {
                name: tie_range(taken, recomputed.others, parts, highest=name == "high")
                for name in ("low", "high")
            }
            yield from pairwise_findings(here, content, ends)
        elif key == "by_convention":
            counts = taken.conventions or pooled.by_convention
            yield from pairwise_findings(here, content, {REASONS[c]: n for c, n in counts.items()})
        elif key == "spread":
            reason = NO_VALUES if taken.values is None else ""
            yield from pairwise_findings(here, content, taken.spread(recomputed.whole), reason)
        elif key == "folds":
            yield from _fold_findings(here, mapping(content, here), by_fold, values)
        elif key == "exact":
            members = taken.members(recomputed.whole)
            yield from exact_findings(here, mapping(content, here), taken, members)


def _fold_findings(
    place: str, found: Mapping[str, Any], by_fold: Mapping[str, Summary], values: Mapping[str, float]
) -> Iterator[Finding]:
    yield from pairwise_findings(f"{place}/values", found.get("values"), values)
    ordered = list(values.values())
    again: dict[str, float | None] = {
        "mean": math.fsum(ordered) / len(ordered) if ordered else None,
        "std": standard_deviation(ordered),
        "by_convention": sum(
            summary.reason is not None and summary.value is not None for summary in by_fold.values()
        ),
    }
    yield from pairwise_findings(place, {name: found.get(name) for name in again}, again)


def exact_findings(
    place: str, found: Mapping[str, Any], taken: Scored, members: Members
) -> Iterator[Finding]:
    """Yield the findings of exact bounds; the level is a setting, the rest follows from it."""
    level = number(found.get("level"), f"{place}/level")
    if level is None or not 0 < level < 1:
        raise BundleError(f"{place}/level: it is {level}; expected a number between 0 and 1")
    again = exact_bounds(taken, members, level)
    numbers = {name: value for name, value in found.items() if name != "level"}
    yield from pairwise_findings(place, numbers, again or {}, "" if again else NO_RATE)
