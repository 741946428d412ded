"""`assay metric list | show`."""

from __future__ import annotations

import json
import sys

from assay.cli.table import Table, show
from assay.metrics.catalogue import FAMILIES, metric
from assay.metrics.describe import describe, sample
from assay.metrics.entry import POPULATION_TITLES


def list_command(*, as_json: bool) -> None:
    """All families with their parameters."""
    described = [describe(sample(name)) for name in FAMILIES]
    if as_json:
        sys.stdout.write(json.dumps(described, ensure_ascii=False) + "\n")
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


def show_command(name: str, *, as_json: bool) -> None:
    """One measure, whole."""
    family = name.partition("@")[0].partition(":")[0]
    bare = family == name and family in FAMILIES
    one = sample(family) if bare else metric(name)
    if as_json:
        sys.stdout.write(json.dumps(describe(one), ensure_ascii=False) + "\n")
        return
    facts = (
        ("definition", one.id),
        ("formula", one.formula),
        ("meaning", one.meaning),
        ("population", POPULATION_TITLES[one.population]),
        ("range", f"{one.range[0]:g} to {one.range[1]:g}, {one.better} is better"),
        ("from queries to one value", one.reduce.kind),
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
        Table(f"{one.name}: {one.title}", ("", ""), facts, (0, 1)),
        Table("What holds", ("", "property", "why not"), holds + fails, (0, 1, 2)),
        Table("Edge cases", ("ranking", "value", "why"), edges, (0, 2)),
    )
