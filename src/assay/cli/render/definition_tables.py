"""What `assay contract` and `assay metric` print: contracts, definitions and measures."""

from __future__ import annotations

from dataclasses import asdict

from assay.cli.render.output import print_json, show
from assay.contracts.contract import PLACE, Contract
from assay.contracts.contract_diff import NameDifference, measures_differ, rules_differ, targets_differ
from assay.contracts.contract_toml import SHIPPED, contract
from assay.metrics.core.describe import describe
from assay.metrics.core.entry import POPULATION_TITLES, Metric
from assay.metrics.core.registry import FAMILIES, metric
from assay.text_table import TextTable

CUTS = {"required": "@k", "optional": "[@k]", "point": "@recall", "interior": "@x"}


def list_contracts(*, as_json: bool) -> None:
    """Print the contracts that come with assay."""
    made = [contract(name) for name in SHIPPED]
    if as_json:
        print_json([{"id": each.id, "title": each.title, "source": each.source} for each in made])
        return
    rows = tuple((each.id, str(len(each.names)), each.source, each.title) for each in made)
    head = ("id", "measures", "source", "title")
    show(TextTable("Shipped contracts", head, rows, (0, 2, 3)))


def show_contract(name: str, *, as_json: bool) -> None:
    """Print every name with its definition and formula."""
    made = contract(name)
    if as_json:
        names = {public: metric.id for public, metric in made.metrics.items()}
        print_json(
            {
                "id": made.id,
                "hash": made.hash,
                "rules": asdict(made.ranking),
                "measures": names,
                "absent": dict(made.absent),
                "corrections": [asdict(each) for each in made.corrections],
            }
        )
        return
    rules = [
        ("ties", made.ranking.ties),
        ("cut-offs", " ".join(made.cuts)),
        ("primary", " ".join(map(str, made.k_primary)) or "–"),
        ("headline with folds", made.aggregate),
        ("queries without judgements", made.ranking.unjudged_queries),
        ("deployment threshold", f"{made.deployment} on TUNE" if made.deployment else "0.5"),
        ("confidence of thresholds", f"{made.confidence:g}"),
        ("excluded criteria", " ".join(made.ranking.exclude_criteria) or "none"),
        ("targets", ", ".join(f"{name} {text}" for name, text in made.targets.items()) or "none"),
    ]
    rows = tuple(
        (pattern, definition, made.resolve(pattern.replace(PLACE, "10")).formula)
        for pattern, definition in made.measures.items()
    )
    show(
        TextTable(f"{made.id}: {made.title}", ("rule", "value"), tuple(rules), (0, 1)),
        f"SHA-256: {made.hash}",
        TextTable("Measures", ("name", "definition", "formula"), rows, (0, 1, 2)),
        *_history(made),
    )


def _history(made: Contract) -> list[TextTable]:
    """Return what the contract leaves out on purpose, and how it was corrected."""
    parts = []
    if made.absent:
        rows = tuple(made.absent.items())
        parts.append(TextTable("Left out on purpose", ("name", "why"), rows, (0, 1)))
    if made.corrections:
        lines = tuple(
            (each.date, each.title, each.what, each.why, ", ".join(each.measures))
            for each in made.corrections
        )
        head = ("date", "correction", "what changed", "why", "measures")
        parts.append(TextTable("Corrections", head, lines, (0, 1, 2, 3, 4)))
    return parts


def show_differences(first: str, second: str, *, as_json: bool) -> None:
    """Print the rules and names on which two contracts differ."""
    a, b = contract(first), contract(second)
    rules, measures, targets = rules_differ(a, b), measures_differ(a, b), targets_differ(a, b)
    if as_json:
        parts_of = {"rules": rules, "measures": measures, "targets": targets}
        print_json({name: [asdict(each) for each in found] for name, found in parts_of.items()})
        return
    if not rules and not measures and not targets:
        show(f"{a.id} and {b.id} are the same.")
        return
    parts: list[TextTable | str] = []
    if rules:
        rows = tuple((each.name, each.first or "–", each.second or "–") for each in rules)
        parts.append(TextTable("Rules", ("rule", a.id, b.id), rows, (0, 1, 2)))
    if targets:
        rows = tuple((each.name, each.first or "–", each.second or "–") for each in targets)
        parts.append(TextTable("Targets", ("measure", a.id, b.id), rows, (0, 1, 2)))
    shared = [each for each in measures if each.first and each.second]
    if shared:
        lines = tuple(line for each in shared for line in _lines(each, a.id, b.id))
        head = ("name", "contract", "definition", "formula")
        parts.append(TextTable("Names with two definitions", head, lines, (0, 1, 2, 3)))
    for made, names in (
        (a, [each.name for each in measures if each.second is None]),
        (b, [each.name for each in measures if each.first is None]),
    ):
        if names:
            parts.append(f"Only in {made.id}: {', '.join(names)}.")
    show(*parts)


def _lines(each: NameDifference, a: str, b: str) -> list[tuple[str, ...]]:
    return [
        (each.name, a, each.first or "–", each.first_formula or ""),
        ("", b, each.second or "–", each.second_formula or ""),
    ]


def list_measures(*, as_json: bool) -> None:
    """Print all measures with their parameters."""
    described = [describe(family.sample()) for family in FAMILIES.values()]
    if as_json:
        print_json(described)
        return
    rows = []
    for name, entry in FAMILIES.items():
        example = entry.sample()
        cut = CUTS.get(entry.cut, "")
        values = ", ".join(f"{each.name}={each.default} ({each.expected()})" for each in entry.parameters)
        rows.append((name + cut, example.arrow, example.title, values))
    head = ("measure", "", "title", "parameters: default (possible values)")
    show(TextTable("Measures", head, tuple(rows), (0, 1, 2, 3)))


def _named(name: str, contract_name: str | None) -> Metric:
    """Return a measure by a contract's name, by its family alone, or by its definition id."""
    if contract_name is not None:
        return contract(contract_name).resolve(name)
    return FAMILIES[name].sample() if name in FAMILIES else metric(name)


def show_measure(name: str, contract_name: str | None, *, as_json: bool) -> None:
    """Print one measure in full."""
    one = _named(name, contract_name)
    absent = _absent(one)
    if as_json:
        print_json({**describe(one), "absent": absent})
        return
    facts = (
        ("definition", one.id),
        ("formula", one.formula),
        ("meaning", one.meaning),
        *(("note", note) for note in one.notes),
        ("population", POPULATION_TITLES[one.population]),
        ("range", _range(one)),
        ("aggregation", one.reduce.kind),
        *((f"not in {name}", reason) for name, reason in absent.items()),
    )
    holds = tuple(("yes", str(each), "") for each in sorted(one.holds))
    fails = tuple(
        ("no", str(each), f"{witness.why} ({witness.case.written()})") for each, witness in one.fails.items()
    )
    edges = tuple(
        (edge.case.written(), f"{edge.value:.4f}", edge.why + (" (convention)" if edge.convention else ""))
        for edge in one.edges
    )
    show(
        TextTable(f"{one.name}: {one.title}", ("property", ""), facts, (0, 1)),
        TextTable("Properties", ("holds", "property", "counterexample"), holds + fails, (0, 1, 2)),
        TextTable("Edge cases", ("ranking", "value", "why"), edges, (0, 2)),
    )


def _absent(one: Metric) -> dict[str, str]:
    """Return the contracts that leave the measure's name out on purpose, with their reasons."""
    made = {name: contract(name).absent for name in SHIPPED}
    return {name: absent[one.name] for name, absent in made.items() if one.name in absent}


def _range(one: Metric) -> str:
    low, high = one.range
    top = "no limit" if high == float("inf") else f"{high:g}"
    better = f", {one.better} is better" if one.better != "neither" else ""
    return f"{low:g} to {top}{better}"
