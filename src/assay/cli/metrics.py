"""`assay metric list | show`."""

from __future__ import annotations

from assay.cli.output import print_json
from assay.cli.table import Table, show
from assay.contracts.load import SHIPPED, contract
from assay.metrics.catalogue import FAMILIES, metric
from assay.metrics.describe import describe, sample
from assay.metrics.entry import POPULATION_TITLES, Metric


def list_command(*, as_json: bool) -> None:
    """All families with their parameters."""
    described = [describe(sample(name)) for name in FAMILIES]
    if as_json:
        print_json(described)
        return
    rows = []
    for name, entry in FAMILIES.items():
        example = sample(name)
        cut = {"required": "@k", "optional": "[@k]", "point": "@recall"}.get(entry.cut, "")
        values = ", ".join(
            f"{each.name}={each.default} ({each.expected()})" for each in entry.parameters
        )
        rows.append((name + cut, example.arrow, example.title, values))
    head = ("measure", "", "what it is", "parameters, with default (and values)")
    show(Table("Measures", head, tuple(rows), (0, 1, 2, 3)))


def _named(name: str, contract_name: str | None) -> Metric:
    """A measure by a contract's name, by its family alone, or by its definition id."""
    if contract_name is not None:
        return contract(contract_name).resolve(name)
    return sample(name) if name in FAMILIES else metric(name)


def show_command(name: str, contract_name: str | None, *, as_json: bool) -> None:
    """One measure, whole."""
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
        ("from queries to one value", one.reduce.kind),
        *((f"not in {name}", reason) for name, reason in absent.items()),
    )
    holds = tuple(("yes", str(each), "") for each in sorted(one.holds))
    fails = tuple(
        ("no", str(each), f"{witness.why} ({witness.case.written()})")
        for each, witness in one.fails.items()
    )
    edges = tuple(
        (
            edge.case.written(),
            f"{edge.value:.4f}",
            edge.why + (" (convention)" if edge.convention else ""),
        )
        for edge in one.edges
    )
    show(
        Table(f"{one.name}: {one.title}", ("what", ""), facts, (0, 1)),
        Table("What holds", ("", "property", "why not"), holds + fails, (0, 1, 2)),
        Table("Edge cases", ("ranking", "value", "why"), edges, (0, 2)),
    )


def _absent(one: Metric) -> dict[str, str]:
    """Contracts that leave the measure's name out on purpose, with their reasons."""
    made = {name: contract(name).absent for name in SHIPPED}
    return {name: absent[one.name] for name, absent in made.items() if one.name in absent}


def _range(one: Metric) -> str:
    low, high = one.range
    top = "no limit" if high == float("inf") else f"{high:g}"
    better = f", {one.better} is better" if one.better != "neither" else ""
    return f"{low:g} to {top}{better}"
