"""`assay contract list | show | diff`."""

from __future__ import annotations

from dataclasses import asdict
from textwrap import fill

from assay.cli.output import print_json
from assay.cli.table import Table, show
from assay.contracts.diff import Difference, measures_differ, rules_differ, targets_differ
from assay.contracts.load import SHIPPED, contract
from assay.contracts.model import PLACE, Contract

WIDTH = 100


def list_command(*, as_json: bool) -> None:
    """The shipped contracts."""
    made = [contract(name) for name in SHIPPED]
    if as_json:
        print_json([{"id": each.id, "title": each.title, "source": each.source} for each in made])
        return
    rows = tuple((each.id, str(len(each.names)), each.source, each.title) for each in made)
    show(Table("Shipped contracts", ("id", "measures", "from", "what it is"), rows, (0, 2, 3)))


def show_command(name: str, *, as_json: bool) -> None:
    """Every public name with its definition and formula."""
    made = contract(name)
    if as_json:
        names = {public: metric.id for public, metric in made.metrics.items()}
        print_json(
            {
                "id": made.id,
                "hash": made.hash,
                "rules": asdict(made.rules),
                "measures": names,
                "absent": dict(made.absent),
                "corrections": [asdict(each) for each in made.corrections],
            }
        )
        return
    rules = [
        ("ties", made.rules.ties),
        ("cut-offs", " ".join(made.cuts)),
        ("primary", " ".join(map(str, made.k_primary)) or "–"),
        ("headline with folds", made.aggregate),
        ("run queries without judgements", made.rules.unjudged_queries),
        ("deployment threshold", f"{made.deployment} on TUNE" if made.deployment else "0.5"),
        ("confidence of thresholds", f"{made.confidence:g}"),
        ("excluded criteria", " ".join(made.rules.exclude_criteria) or "none"),
        ("targets", ", ".join(f"{name} {text}" for name, text in made.targets.items()) or "none"),
        ("SHA-256", made.hash),
    ]
    rows = tuple(
        (pattern, definition, made.resolve(pattern.replace(PLACE, "10")).formula)
        for pattern, definition in made.measures.items()
    )
    show(
        Table(f"{made.id}: {made.title}", ("rule", "value"), tuple(rules), (0, 1)),
        Table("Measures", ("name", "definition", "formula"), rows, (0, 1, 2)),
        *_history(made),
    )


def _history(made: Contract) -> list[Table]:
    """What the contract leaves out on purpose, and how it was corrected."""
    parts = []
    if made.absent:
        rows = tuple(made.absent.items())
        parts.append(Table("Left out on purpose", ("name", "why"), rows, (0, 1)))
    if made.corrections:
        lines = tuple(
            (each.date, each.title, each.what, each.why, ", ".join(each.measures))
            for each in made.corrections
        )
        head = ("date", "correction", "what changed", "why", "measures")
        parts.append(Table("Corrections", head, lines, (0, 1, 2, 3, 4)))
    return parts


def diff_command(first: str, second: str, *, as_json: bool) -> None:
    """Rules and public names on which two contracts differ."""
    a, b = contract(first), contract(second)
    rules, measures, targets = rules_differ(a, b), measures_differ(a, b), targets_differ(a, b)
    if as_json:
        parts_of = {"rules": rules, "measures": measures, "targets": targets}
        print_json({name: [asdict(each) for each in found] for name, found in parts_of.items()})
        return
    if not rules and not measures and not targets:
        show(f"{a.id} and {b.id} do not differ.")
        return
    parts: list[Table | str] = []
    if rules:
        rows = tuple((each.name, each.first or "–", each.second or "–") for each in rules)
        parts.append(Table("Rules", ("rule", a.id, b.id), rows, (0, 1, 2)))
    if targets:
        rows = tuple((each.name, each.first or "–", each.second or "–") for each in targets)
        parts.append(Table("Targets", ("measure", a.id, b.id), rows, (0, 1, 2)))
    shared = [each for each in measures if each.first and each.second]
    if shared:
        lines = tuple(line for each in shared for line in _lines(each, a.id, b.id))
        head = ("name", "contract", "definition", "formula")
        parts.append(Table("Names with two definitions", head, lines, (0, 1, 2, 3)))
    for made, names in (
        (a, [each.name for each in measures if each.second is None]),
        (b, [each.name for each in measures if each.first is None]),
    ):
        if names:
            parts.append(fill(f"Only in {made.id}: {', '.join(names)}.", WIDTH))
    show(*parts)


def _lines(each: Difference, a: str, b: str) -> list[tuple[str, ...]]:
    return [
        (each.name, a, each.first or "–", each.first_formula or ""),
        ("", b, each.second or "–", each.second_formula or ""),
    ]
