"""Output of trec_eval: a measure, a query or `all`, and a value per line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.contracts.contract import Contract
from assay.contracts.contract_toml import contract
from assay.errors import MeasureError
from assay.verification.lint.names.measure_names import Name, definition_name, read_name
from assay.verification.lint.tables.read_values import EXPECTED_NAME, Draft, Raw, is_number

LINE = re.compile(r"^(\S{1,60})\s+(\S{1,200})\s+(\S+)\s*$")
CONTRACT = "trec_eval/10"
NOT_MEANS = frozenset(("num_q", "gm_map", "gm_bpref"))
NOT_NUMBERS = frozenset(("runid", "relstring"))
Entry = tuple[int, str, str, str]  # line, measure, query, value


def is_trec(text: str) -> bool:
    """Return whether most lines are lines of trec_eval, and some are over all queries."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = [entry for entry in map(LINE.match, lines[:200]) if entry is not None]
    known = [e for e in found if e[1] in NOT_NUMBERS or (is_number(e[3]) and read_name(e[1]))]
    over_all = any(entry[2] == "all" for entry in map(LINE.match, lines) if entry is not None)
    return 2 * len(known) > len(lines[:200]) and over_all


def trec_eval(text: str, source: str, ignore: frozenset[str]) -> list[Draft]:
    """Return one table per run; with -q, one system per query besides `all`."""
    made = []
    rules = contract(CONTRACT)
    for at, entries in enumerate(_runs(text)):
        named = next((value for _, measure, _, value in entries if measure == "runid"), "")
        draft = Draft(f"run {at + 1}" + (f" ({named})" if named else ""), source, ignore)
        draft.graded = True  # judgements may have grades: the output does not tell
        _read(draft, entries, rules)
        if draft.figures:
            made.append(draft)
    return made


def _runs(text: str) -> Iterator[list[Entry]]:
    """Split the lines into runs: a repeated measure of a query begins another run."""
    entries: list[Entry] = []
    seen: set[tuple[str, str]] = set()
    for at, line in enumerate(text.splitlines()):
        found = LINE.match(line)
        if found is None:
            continue
        if (found[1], found[2]) in seen:
            yield entries
            entries, seen = [], set()
        seen.add((found[1], found[2]))
        entries.append((at + 1, found[1], found[2], found[3]))
    if entries:
        yield entries


def _read(draft: Draft, entries: list[Entry], rules: Contract) -> None:
    queries: dict[str, list[Raw]] = {}
    names: dict[str, Name | None] = {}
    for line, measure, query, value in entries:
        if measure in NOT_NUMBERS or draft.ignored(measure):
            continue
        if measure not in names:
            names[measure] = _name(measure, rules)
            if names[measure] is None:
                problem = f"{measure!r} is not a known measure"
                draft.skip(f"line {line}", problem, EXPECTED_NAME)
        name = names[measure]
        if name is None:
            continue
        raw = Raw("all" if query == "all" else f"query {query}", measure, name)
        raw.take(draft.cell(value, f"line {line}"))
        draft.figures.append(raw)
        if query != "all":
            queries.setdefault(measure, []).append(raw)
    for raw in draft.figures:
        if raw.system == "all" and raw.label not in NOT_MEANS:
            raw.queries = [each.value for each in queries.get(raw.label, ()) if each.value]


def _name(measure: str, rules: Contract) -> Name | None:
    """Return the measure under trec_eval's own definitions, else by its name."""
    try:
        return definition_name(rules.resolve(measure).id)
    except MeasureError:
        return read_name(measure)
