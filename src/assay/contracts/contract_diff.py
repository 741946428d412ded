"""What two contracts disagree on, name by name."""

from __future__ import annotations

from dataclasses import dataclass

from assay.contracts.contract import Contract
from assay.metrics.core.entry import Metric


@dataclass(frozen=True, slots=True)
class NameDifference:
    """A rule or a public name with its two definitions; None where a contract lacks it."""

    name: str
    first: str | None
    second: str | None
    first_formula: str | None = None
    second_formula: str | None = None


def rules_differ(first: Contract, second: Contract) -> list[NameDifference]:
    """Rules that apply to every measure."""
    pairs = {
        "ties": (first.ranking.ties, second.ranking.ties),
        "unjudged queries": (first.ranking.unjudged_queries, second.ranking.unjudged_queries),
        "headline with folds": (first.aggregate, second.aggregate),
        "cut-offs": (" ".join(first.cuts), " ".join(second.cuts)),
        "deployment threshold": (first.deployment or "0.5", second.deployment or "0.5"),
        "confidence of thresholds": (f"{first.confidence:g}", f"{second.confidence:g}"),
        "excluded criteria": (
            " ".join(first.ranking.exclude_criteria) or "none",
            " ".join(second.ranking.exclude_criteria) or "none",
        ),
    }
    return [NameDifference(name, a, b) for name, (a, b) in pairs.items() if a != b]


def targets_differ(first: Contract, second: Contract) -> list[NameDifference]:
    """Targets that differ on a name, or that only one of them sets."""
    names = dict.fromkeys([*first.targets, *second.targets])
    pairs = {name: (first.targets.get(name), second.targets.get(name)) for name in names}
    return [NameDifference(name, a, b) for name, (a, b) in pairs.items() if a != b]


def measures_differ(first: Contract, second: Contract) -> list[NameDifference]:
    """Public names whose definitions differ, or that only one of them has."""
    shared: list[NameDifference] = []
    for name in dict.fromkeys([*first.measures, *second.measures]):
        a, b = (_sample(contract, name) for contract in (first, second))
        if a is None or b is None or a.id != b.id:
            shared.append(
                NameDifference(
                    name,
                    None if a is None else first.measures[name],
                    None if b is None else second.measures[name],
                    None if a is None else a.formula,
                    None if b is None else b.formula,
                )
            )
    return shared


def _sample(contract: Contract, name: str) -> Metric | None:
    """Return the measure of a public name, at some cut-off where it has one."""
    if name not in contract.measures:
        return None
    return contract.resolve(name.replace("{k}", "10"))
